import { createSocket } from 'node:dgram'
import { hostname } from 'node:os'
import { expect, test } from '@jest/globals'
import { createHostResolver, withHostsFile } from '../../../src/net/name-resolver.ts'
import { openConnectionPool } from '../../../src/providers/http/connection-pool.ts'
import { startScriptedProvider } from '../support/scripted-provider.ts'

test.each([['localhost'], ['LOCALHOST.'], ['shop.localhost']])(
  '%s is this machine, without a query',
  async name => {
    const resolve = createHostResolver({ servers: ['127.0.0.1:1'] })
    expect(await resolve(name)).toEqual(['127.0.0.1', '::1'])
  },
)

test('addresses of both families are found', async () => {
  await using server = await nameServer(type => (type === A ? [93, 184, 215, 14] : V6))
  const resolve = createHostResolver({ servers: [server.address] })
  expect(await resolve('hooks.test')).toEqual(['93.184.215.14', '2001:db8::1'])
})

test('a name of one family only has the addresses of that one', async () => {
  await using server = await nameServer(type => (type === A ? [10, 0, 0, 1] : undefined))
  expect(await createHostResolver({ servers: [server.address] })('hooks.test')).toEqual(['10.0.0.1'])
})

test('a name without addresses is an error', async () => {
  await using server = await nameServer(() => undefined)
  await expect(createHostResolver({ servers: [server.address] })('hooks.test')).rejects.toMatchObject({
    code: 'ENODATA',
  })
})

test('a silent name server is given up in time', async () => {
  await using server = await nameServer(() => 'silence')
  const started = performance.now()
  await expect(
    createHostResolver({ servers: [server.address], timeoutMs: 150 })('hooks.test'),
  ).rejects.toMatchObject({ code: 'ECANCELLED' })
  expect(performance.now() - started).toBeLessThan(10_000)
})

const A = 1
const V6 = [0x20, 0x01, 0x0d, 0xb8, ...Array(11).fill(0), 1]
type Reply = number[] | undefined | 'silence'

/** A name server for one question and at most one answer (RFC 1035 §4). */
async function nameServer(reply: (type: number) => Reply) {
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const end = query.indexOf(0, 12) + 5 // The name's closing zero, its type and class.
    const type = query.readUInt16BE(end - 4)
    const address = reply(type)
    if (address === 'silence') return
    const header = Buffer.from([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, address ? 1 : 0, 0, 0, 0, 0])
    const answer = address ? [0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, address.length, ...address] : []
    socket.send(
      Buffer.concat([header, query.subarray(12, end), Buffer.from(answer)]),
      from.port,
      from.address,
    )
  })
  await new Promise<void>(resolve => socket.bind(0, '127.0.0.1', resolve))
  return {
    address: `127.0.0.1:${socket.address().port}`,
    [Symbol.asyncDispose]: () => new Promise<void>(resolve => socket.close(resolve)),
  }
}

test('a provider with a silent name server delays no other provider', async () => {
  await using server = await nameServer(() => 'silence')
  const healthyProvider = await startScriptedProvider()
  healthyProvider.scriptReplies('GET /', { status: 200, json: {} })
  const limits = { tls: { ca: healthyProvider.ca }, timeoutMs: 10_000 }
  const silent = openConnectionPool(
    { origin: 'https://silent.test', ...limits },
    withHostsFile(createHostResolver({ servers: [server.address] })),
  )
  const healthy = openConnectionPool({ origin: healthyProvider.url, ...limits })
  const request = { method: 'GET', path: '/', origin: healthyProvider.url } as const
  // More than getaddrinfo's threads in a process.
  const waiting = Array.from({ length: 16 }, () => silent.sendOnOwnConnection(request))
  expect(await healthy.sendOnOwnConnection(request)).toMatchObject({ kind: 'answer', status: 200 })
  const first = await Promise.race([waiting[0]!, Promise.resolve('still resolving')])
  expect(first).toBe('still resolving')
  for (const reply of await Promise.all(waiting))
    expect(reply).toMatchObject({ kind: 'unreachable', code: 'dns_failed' })
  await Promise.all([silent.close(), healthy.close(), healthyProvider.close()])
})

test('a name of the hosts file is resolved by the machine', async () => {
  await using server = await nameServer(() => undefined)
  const resolve = withHostsFile(createHostResolver({ servers: [server.address] }))
  expect(await resolve(hostname())).not.toHaveLength(0)
})
