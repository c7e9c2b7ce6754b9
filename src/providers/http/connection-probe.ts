import { setTimeout as pause } from 'node:timers/promises'
import { buildConnector } from 'undici'
import { buildConnectOptions } from './connection-pool.ts'
import { toConnectTarget } from './preconnect.ts'

/** Shorter than the timeout of a provider call, so that a probe adds less to a call that failed to connect. */
const PROBE_TIMEOUT_MS = 3_000

/** Matches OpenSSL's names of alerts that the server sent, such as one for a missing client certificate. */
const SERVER_ALERT_PATTERN = /_ALERT_/

/** Returns whether the server of an origin can be reached from this process. */
export type ProbeConnection = (origin: string) => Promise<boolean>

/** Creates a probe of name look-up, TCP and a full TLS handshake; a server that sends an alert is reached too. */
export function createConnectionProbe(timeoutMs = PROBE_TIMEOUT_MS): ProbeConnection {
  // Without cached sessions: a resumed one would not verify the server's certificate.
  const connect = buildConnector({ ...buildConnectOptions({ timeoutMs }), maxCachedSessions: 0 })
  return origin => {
    const connected = new Promise<boolean>(resolve =>
      connect(toConnectTarget(origin), (error, socket) => {
        socket?.destroy()
        resolve(error === null || SERVER_ALERT_PATTERN.test(String(Object(error).code)))
      }),
    )
    return Promise.race([connected, pause(timeoutMs, false, { ref: false })])
  }
}
