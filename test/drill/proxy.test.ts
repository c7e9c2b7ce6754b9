import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'

/** An echo server behind a proxy. */
let server: Server
let proxy: TcpProxy
let accepted: Socket[]
beforeEach(async () => {
  accepted = []
  server = createServer(socket => {
    accepted.push(socket)
    socket.on('error', () => {})
    socket.pipe(socket)
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  proxy = await startTcpProxy({ host: '127.0.0.1', port: (server.address() as AddressInfo).port })
})
afterEach(() => {
  proxy.close()
  for (const socket of accepted) socket.destroy()
  server.close()
})

async function client(): Promise<Socket> {
  const socket = connect(proxy.port, '127.0.0.1')
  await once(socket, 'connect')
  return socket
}
async function echoed(socket: Socket, text: string): Promise<string> {
  socket.write(text)
  const [chunk] = await once(socket, 'data')
  return String(chunk)
}
/** Whether the event has come after all pending input has been handled. */
async function emitsWithin(socket: Socket, event: string, withinMs: number): Promise<boolean> {
  return Promise.race([
    once(socket, event).then(() => true),
    new Promise<boolean>(done => setTimeout(() => done(false), withinMs)),
  ])
}

test('bytes and connection ends pass both ways', async () => {
  const socket = await client()
  expect(await echoed(socket, 'one')).toBe('one')
  socket.end()
  await once(socket, 'close')
  expect(accepted[0]!.readableEnded).toBe(true)
})

test('silent: neither bytes nor an end passes, and held bytes pass afterwards', async () => {
  const socket = await client()
  await echoed(socket, 'one')
  proxy.injectFault({ kind: 'silent' })
  socket.write('two')
  expect(await emitsWithin(socket, 'data', 200)).toBe(false)
  proxy.clearFault()
  expect(String((await once(socket, 'data'))[0])).toBe('two')
})

test('silent: the end of a client passes after the fault, not before', async () => {
  const socket = await client()
  await echoed(socket, 'one')
  proxy.injectFault({ kind: 'silent' })
  socket.destroy()
  expect(await emitsWithin(accepted[0]!, 'close', 200)).toBe(false)
  const closed = once(accepted[0]!, 'close')
  proxy.clearFault()
  await closed
})

test('reset: open and new connections end with RST', async () => {
  const socket = await client()
  const error = once(socket, 'error')
  proxy.injectFault({ kind: 'reset' })
  expect((await error)[0].code).toBe('ECONNRESET')
})

test('half-close: the client receives a FIN, the server does not', async () => {
  const socket = await client()
  await echoed(socket, 'one')
  proxy.injectFault({ kind: 'half_close' })
  socket.resume()
  await once(socket, 'end')
  expect(await emitsWithin(accepted[0]!, 'close', 200)).toBe(false)
})

test('slow: each direction takes the delay longer, in order', async () => {
  const socket = await client()
  proxy.injectFault({ kind: 'slow', delayMs: 50 })
  const since = performance.now()
  expect(await echoed(socket, 'one')).toBe('one')
  expect(performance.now() - since).toBeGreaterThanOrEqual(100)
})

test('a lost host: the server does not learn that its client is gone', async () => {
  const socket = await client()
  await echoed(socket, 'one')
  proxy.abandonClients()
  socket.destroy()
  expect(await emitsWithin(accepted[0]!, 'close', 200)).toBe(false)
  expect(await echoed(await client(), 'two')).toBe('two')
})
