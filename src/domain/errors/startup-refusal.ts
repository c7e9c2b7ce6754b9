/**
 * Error of a setting or a server that a process must not start with and that waiting does not fix. The message is one
 * sentence for the operator: it names the variable and what to do, and quotes no secret. src/startup/process.ts logs
 * it.
 */
export class StartupRefusal extends Error {
  override name = 'StartupRefusal'
}

/** Matches error codes of OpenSSL and Node for a certificate that is not accepted. */
export const CERTIFICATE_ERROR_CODE =
  /CERT|SIGNATURE|^ERR_TLS|^ERR_SSL|^ERR_OSSL|^CRL_|HOSTNAME_MISMATCH|INVALID_CA/
