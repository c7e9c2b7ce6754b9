import { TLSSocket } from 'node:tls'
import { buildConnector } from 'undici'

/** As many hosts as one connector calls in turn and still knows. */
const MAX_HOSTS = 500

/**
 * Opens connections as undici does, and each but the first to a host goes on with the TLS session of the one before it:
 * what needs a connection of its own for every call then proves nobody's certificate anew, which is most of its price.
 * Undici knows sessions too, but lets them go with the next collection of garbage. A host that does not take the session
 * asks for a whole handshake; after a connection that failed nothing is offered.
 */
export function createResumingConnector(options: buildConnector.BuildOptions): buildConnector.connector {
  const sessions = new Map<string, Buffer>()

  /** A map keeps its order of insertion: the longest unused goes first. */
  function keep(host: string, session: Buffer): void {
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
        // TLS 1.3 tells of its session after the handshake, 1.2 has told of it by now.
        const known = socket.getProtocol() === 'TLSv1.2' ? socket.getSession() : undefined
        if (known) keep(host, known)
        socket.on('session', session => keep(host, session))
      }
      callback(null, socket)
    })
  }
}
