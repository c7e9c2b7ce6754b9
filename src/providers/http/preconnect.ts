import type { buildConnector } from 'undici'

type Connector = buildConnector.connector
type ConnectResult = Parameters<buildConnector.Callback>
type PendingConnection = { result: Promise<ConnectResult>; expiryTimer: NodeJS.Timeout }

/** Much longer than a transaction takes, and shorter than any server waits for a first request. */
const MAX_IDLE_MS = 2_000

/**
 * Opens connections shortly before they are needed, while the transaction that records a payout is committed. Each
 * carries at most one request, which gets the connection's result: if connecting failed, the provider was not
 * reached; if the server closed it meanwhile, no byte has left, and a new connection is opened instead.
 */
export function createPreconnector(connect: Connector, origin: string) {
  const target = toConnectTarget(origin)
  const connections = new Set<PendingConnection>()

  function open(): void {
    const connecting = new Promise<ConnectResult>(resolve => connect(target, (...args) => resolve(args)))
    // Not awaited here: an error becomes a result.
    const result = connecting.catch((error: Error): ConnectResult => [error, null])
    const connection = { result, expiryTimer: setTimeout(() => discard(connection), MAX_IDLE_MS) }
    connections.add(connection)
  }

  /** Returns the connector of the next request. */
  function take(): Connector {
    const [connection] = connections
    if (!connection) return connect
    remove(connection)
    return (requestTarget, callback) =>
      void connection.result.then(result => {
        const [, socket] = result
        if (socket?.destroyed) connect(requestTarget, callback)
        else callback(...result)
      })
  }

  function remove(connection: PendingConnection): void {
    clearTimeout(connection.expiryTimer)
    connections.delete(connection)
  }

  function discard(connection: PendingConnection): void {
    remove(connection)
    void connection.result.then(([, socket]) => socket?.destroy())
  }

  return { open, take, close: () => [...connections].forEach(discard) }
}

export function toConnectTarget(origin: string): Parameters<Connector>[0] {
  const { protocol, host, hostname, port } = new URL(origin)
  return { protocol, host, hostname: hostname.replace(/^\[|\]$/g, ''), port }
}
