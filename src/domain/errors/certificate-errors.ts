/** Matches error codes of OpenSSL and Node for a certificate that is not accepted. */
export const CERTIFICATE_ERROR_CODE =
  /CERT|SIGNATURE|^ERR_TLS|^ERR_SSL|^ERR_OSSL|^CRL_|HOSTNAME_MISMATCH|INVALID_CA/
