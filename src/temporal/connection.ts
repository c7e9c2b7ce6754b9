import { once } from 'node:events'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { type ClientConnectConfig, loadClientConnectConfig } from '@temporalio/envconfig'
import { CERTIFICATE_ERROR_CODE, StartupRefusal } from '../domain/errors/startup-refusal.ts'

type TemporalCredentials = Pick<ClientConnectConfig['connectionOptions'], 'apiKey' | 'tls' | 'metadata'>

/** Address of a Temporal server, and what authenticates both sides of a connection to it. */
export type TemporalServer = { address: string; credentials?: TemporalCredentials }

/** Time for one TLS handshake, and then for the first bytes of the server. */
const HANDSHAKE_TIMEOUT_MS = 5_000
const DEFAULT_PORT = 7233

/**
 * Reads address, namespace and credentials by Temporal's environment variables and configuration file. The file is read
 * only where the environment names it or one of its profiles, so that a file in the home folder of a user changes
 * nothing.
 */
export function readTemporalSettings(environment: Record<string, string>): {
  address: string | undefined
  namespace: string | undefined
  credentials: TemporalCredentials
} {
  const { TEMPORAL_CONFIG_FILE, TEMPORAL_PROFILE } = environment
  try {
    const { namespace, connectionOptions } = loadClientConnectConfig({
      overrideEnvVars: environment,
      disableFile: TEMPORAL_CONFIG_FILE === undefined && TEMPORAL_PROFILE === undefined,
    })
    const { address, ...credentials } = connectionOptions
    return { address, namespace, credentials }
  } catch (error) {
    // The message may quote a line of the file, which holds secrets.
    const { code = 'not valid' } = Object(error)
    throw new StartupRefusal(
      `The settings of the connection to Temporal cannot be read (${code}): correct TEMPORAL_CONFIG_FILE, TEMPORAL_PROFILE and the files that TEMPORAL_TLS_* name`,
    )
  }
}

/**
 * Connects to Temporal by `open`: `Connection` of a client, or `NativeConnection` of a worker. Throws `StartupRefusal`
 * where one side does not accept the certificate of the other.
 */
export async function connectToTemporal<C>(
  server: TemporalServer,
  open: (options: TemporalCredentials & { address: string }) => C | Promise<C>,
): Promise<C> {
  const { address, credentials } = server
  await requireAcceptedCertificates(server)
  return open({ address, ...credentials })
}

/** Opens a TLS connection once: Temporal's clients report a certificate that is not accepted as unreachable. */
async function requireAcceptedCertificates({ address, credentials }: TemporalServer): Promise<void> {
  const { tls } = credentials ?? {}
  if (!tls) return
  const { serverNameOverride, serverRootCACertificate, clientCertPair } = tls === true ? {} : tls
  const { hostname, port } = new URL(`tls://${address}`)
  const host = hostname.replace(/^\[|\]$/g, '')
  try {
    const socket = connect({
      host,
      port: Number(port || DEFAULT_PORT),
      servername: serverNameOverride ?? (isIP(host) ? undefined : host),
      ca: serverRootCACertificate && Buffer.from(serverRootCACertificate),
      cert: clientCertPair && Buffer.from(clientCertPair.crt),
      key: clientCertPair && Buffer.from(clientCertPair.key),
      ALPNProtocols: ['h2'],
      timeout: HANDSHAKE_TIMEOUT_MS,
    })
    socket.on('timeout', () => socket.destroy())
    try {
      // A server refuses a client's certificate after the handshake, and otherwise sends the settings of HTTP/2.
      await Promise.race([once(socket, 'data'), once(socket, 'close')])
    } finally {
      socket.destroy()
    }
  } catch (error) {
    const { code } = Object(error)
    if (!CERTIFICATE_ERROR_CODE.test(String(code))) throw error
    throw new StartupRefusal(
      `TLS with the Temporal server at TEMPORAL_ADDRESS fails (${code}): correct its certificate, or TEMPORAL_TLS_SERVER_CA_CERT_PATH, TEMPORAL_TLS_SERVER_NAME, TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH`,
    )
  }
}
