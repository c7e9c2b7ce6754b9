import { TLSSocket } from 'node:tls'
import { buildConnector } from 'undici'

const MAX_HOSTS = 500

/** Builds the target of a connection to the server of a URL; an IPv6 literal has no brackets in Node's network calls. */
export function toConnectTarget(url: URL): Parameters<buildConnector.connector>[0] {
  const { protocol, host, hostname, port } = url
  return { protocol, host, hostname: hostname.replace(/^\[|\]$/g, ''), port }
}

/**
 * Creates a connector that opens connections as undici does and resumes the TLS session of the previous connection to
 * a host: clients that need a new connection per call then skip the certificate verification, which is most of its
 * cost. Undici caches sessions too, but drops them at the next garbage collection. A host that does not accept the
 * session does a full handshake; after a failed connection no session is offered.
 */
export function createResumingConnector(options: buildConnector.BuildOptions): buildConnector.connector {
  const sessions = new Map<string, Buffer>()

  /** Stores a session. A Map keeps its insertion order, so the first entry is the one unused for longest. */
  function storeSession(host: string, session: Buffer): void {
    sessions.delete(host)
    sessions.set(host, session)
    if (sessions.size > MAX_HOSTS) sessions.delete(sessions.keys().next().value!)
  }

  return (target, callback) => {
    const host = `${target.servername ?? target.hostname}:${target.port}`
    const connect = buildConnector({ ...options, session: sessions.get(host) })
    connect(target, (...[error, socket]) => {
      if (error) {
        sessions.delete(host)
        return callback(error, null)
      }
      if (socket instanceof TLSSocket) {
        // TLS 1.3 issues its session after the handshake, TLS 1.2 has already issued it here.
        const session = socket.getProtocol() === 'TLSv1.2' ? socket.getSession() : undefined
        if (session) storeSession(host, session)
        socket.on('session', session => storeSession(host, session))
      }
      callback(null, socket)
    })
  }
}
