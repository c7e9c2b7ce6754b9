import type { buildConnector } from 'undici'

type Connector = buildConnector.connector
type ConnectResult = Parameters<buildConnector.Callback>
type PendingConnection = { result: Promise<ConnectResult>; expiryTimer: NodeJS.Timeout }

/** Far longer than a transaction takes, and shorter than any far side waits for a first request. */
const MAX_IDLE_MS = 2_000

/**
 * Connections that are opened a moment before they are needed, while whoever sends money writes down that it will. Each
 * carries one request at the most, and what became of it is what that request meets: one that failed was not reached, and
 * nothing has left over one that was hung up on, so that another is opened in its place.
 */
export function createPreconnector(connect: Connector, origin: string) {
  const { protocol, host, hostname, port } = new URL(origin)
  const far = { protocol, host, hostname: hostname.replace(/^\[|\]$/g, ''), port }
  const waiting = new Set<PendingConnection>()

  function open(): void {
    const connecting = new Promise<ConnectResult>(resolve => connect(far, (...told) => resolve(told)))
    const came = connecting.catch((error: Error): ConnectResult => [error, null]) // Nobody waits for it here.
    const one = { result: came, expiryTimer: setTimeout(() => hangUp(one), MAX_IDLE_MS) }
    waiting.add(one)
  }

  /** How the next one connects. */
  function take(): Connector {
    const [one] = waiting
    if (!one) return connect
    forget(one)
    return (asked, callback) =>
      void one.result.then(came => {
        const [, socket] = came
        if (socket?.destroyed) connect(asked, callback)
        else callback(...came)
      })
  }

  function forget(one: PendingConnection): void {
    clearTimeout(one.expiryTimer)
    waiting.delete(one)
  }

  function hangUp(one: PendingConnection): void {
    forget(one)
    void one.result.then(([, socket]) => socket?.destroy())
  }

  return { open, take, close: () => [...waiting].forEach(hangUp) }
}
