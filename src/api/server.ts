import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type Koa from 'koa'
import { REQUEST_MS, RESTING_MS, STOP_MS, UPLOAD_MS } from './limits.ts'
import { answerUnreadable } from './unreadable.ts'

export type RunningServer = {
  /** Where it listens, without a path. */
  url: string
  port: number
  /** Takes no new request, lets those under way finish, and then hangs up. */
  stop(): Promise<void>
}

/** The longest that any request may take to arrive; most get less, see `giveTime`. Between two, a connection may rest. */
const TIMEOUTS = { headersTimeout: REQUEST_MS, requestTimeout: UPLOAD_MS, keepAliveTimeout: RESTING_MS }
const clocks = new WeakMap<IncomingMessage, NodeJS.Timeout>()

/**
 * A request that has not arrived whole by then is hung up on, so that slow senders hold no connection. Who may send much
 * is given more time by whoever finds out that he may.
 */
export function giveTime(request: IncomingMessage, ms: number): void {
  clearTimeout(clocks.get(request))
  const clock = setTimeout(() => request.complete || request.destroy(), ms)
  clock.unref()
  clocks.set(request, clock)
}

/** Listens for an app; rejects where the port is taken. */
export async function startServer(
  app: Koa,
  { host, port }: { host: string; port: number },
): Promise<RunningServer> {
  const underWay = new Set<ServerResponse>()
  const answer = app.callback()
  const server = createServer(TIMEOUTS, (request, response) => {
    giveTime(request, REQUEST_MS)
    request.once('close', () => clearTimeout(clocks.get(request)))
    underWay.add(response)
    response.once('close', () => underWay.delete(response))
    if (!server.listening) response.setHeader('Connection', 'close')
    void answer(request, response)
  })
  server.on('clientError', (error, socket) => {
    answerUnreadable(error, { socket, underWay: [...underWay].filter(({ req }) => req.socket === socket) })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, resolve)
  })
  const address = server.address() as AddressInfo

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    port: address.port,
    async stop() {
      const closed = new Promise(resolve => server.close(resolve))
      for (const response of underWay) if (!response.headersSent) response.setHeader('Connection', 'close')
      const impatience = setTimeout(() => server.closeAllConnections(), STOP_MS)
      await closed
      clearTimeout(impatience)
    },
  }
}
