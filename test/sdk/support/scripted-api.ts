import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A request that has arrived. */
type ReceivedRequest = { method: string; url: string; headers: IncomingHttpHeaders; body: string }

/** What the API answers: a response, or a function that ends the connection in a way of its own. */
export type Reply =
  | { status: number; json?: unknown; headers?: Record<string, string>; text?: string }
  | ((response: ServerResponse) => void)

/** An API that gives scripted answers, the last one again and again. */
export async function startScriptedApi() {
  const requests: ReceivedRequest[] = []
  let script: Reply[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    requests.push({ method, url, headers, body: await text(request) })
    const reply = (script.length > 1 ? script.shift() : script[0]) ?? { status: 500 }
    if (typeof reply === 'function') return reply(response)
    const isJson = reply.text === undefined
    response.writeHead(reply.status, {
      'content-type': isJson ? 'application/json; charset=utf-8' : 'text/html',
      ...reply.headers,
    })
    response.end(
      isJson ? JSON.stringify(reply.json ?? { message: 'as scripted', code: 'scripted' }) : reply.text,
    )
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer(...replies: Reply[]) {
      requests.length = 0
      script = replies
    },
    close: () => {
      server.closeAllConnections()
      return new Promise<void>(resolve => server.close(() => resolve()))
    },
  }
}

/** Ways in which a response does not arrive. */
export const BREAKS: Reply = response => response.destroy()
export const BREAKS_IN_THE_BODY: Reply = response => {
  response.writeHead(201, { 'content-type': 'application/json', 'content-length': '100' })
  response.write('{"data"', () => response.destroy())
}
export const HANGS: Reply = () => {}

/** An error as the API answers it. */
export const replyError = (status: number, code: string, more: object = {}, headers = {}): Reply => ({
  status,
  json: { message: `It is ${code}.`, code, request_id: 'r-1', ...more },
  headers: { 'x-request-id': 'r-1', ...headers },
})
