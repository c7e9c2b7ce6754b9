import { createSocket } from 'node:dgram'
import { type AddressInfo, createServer } from 'node:net'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { createHostResolver, withHostsFile } from '../../../src/net/name-resolver.ts'
import { createHttpClient, type HttpClient } from '../../../src/providers/http/client.ts'
import { openConnectionPool } from '../../../src/providers/http/connection-pool.ts'
import { collectGarbage } from '../../support/collect-garbage.ts'
import { handleArrivedEvents } from '../../support/event-loop.ts'
import { createSelfSignedCertificate } from '../support/certificate.ts'
import {
  findUnusedUrl,
  type ScriptedProvider,
  startScriptedProvider,
  timeoutMsFor,
} from '../support/scripted-provider.ts'

describe('client', () => {
  /** As long as a machine may stand still before it reads a response; a missing response is not waited for so long. */
  const TIMEOUT_MS = 10_000

  let scriptedProvider: ScriptedProvider
  let http: HttpClient

  beforeEach(async () => {
    scriptedProvider = await startScriptedProvider()
    http = createHttpClient({
      baseUrl: scriptedProvider.url,
      tls: { ca: scriptedProvider.ca },
      timeoutMs: TIMEOUT_MS,
    })
  })
  afterEach(async () => {
    await http.close()
    await scriptedProvider.close()
  })

  /** A name that a resolver refuses without a query. */
  const tooLongALabel = 'x'.repeat(64)
  const put = { method: 'PUT', path: '/thing', json: { secret: 'rosebud' } } as const

  test('a response arrives complete with any status, and a redirect is not followed', async () => {
    scriptedProvider.scriptReplies(
      'PUT /thing',
      { status: 201, json: { ok: true }, headers: { 'x-a': 'b' } },
      { status: 404, text: 'no' },
    )
    scriptedProvider.scriptReplies('GET /moved', { status: 302, headers: { location: '/thing' } })

    expect(await http.call(put)).toMatchObject({
      kind: 'answer',
      status: 201,
      json: { ok: true },
      headers: { 'x-a': 'b' },
    })
    expect(await http.call(put)).toMatchObject({ kind: 'answer', status: 404, json: undefined, text: 'no' })
    expect(await http.call({ method: 'GET', path: '/moved' })).toMatchObject({ kind: 'answer', status: 302 })
    expect(scriptedProvider.seen.map(({ method, path, body }) => `${method} ${path} ${body}`)).toEqual([
      'PUT /thing {"secret":"rosebud"}',
      'PUT /thing {"secret":"rosebud"}',
      'GET /moved ',
    ])
  })

  test('the path of the base url precedes each path', async () => {
    scriptedProvider.scriptReplies('GET /base/thing', { status: 200, json: {} })
    const under = createHttpClient({
      baseUrl: `${scriptedProvider.url}/base/`,
      tls: { ca: scriptedProvider.ca },
      timeoutMs: TIMEOUT_MS,
    })
    expect(await under.call({ method: 'GET', path: '/thing' })).toMatchObject({ status: 200 })
    await under.close()
  })

  test('a response longer than 1 MiB is unreadable', async () => {
    scriptedProvider.scriptReplies('PUT /thing', { status: 200, json: 'x'.repeat(1024 * 1024) })
    expect(await http.call(put)).toMatchObject({ kind: 'answer', status: 200, json: undefined, text: '' })
  })

  for (const fresh of [false, true]) {
    const how = fresh ? 'a fresh connection' : 'a kept connection'

    test.each([
      ['hang', 'timeout'],
      ['reset', 'connection_reset'],
      ['half', expect.stringMatching(/^connection_/)],
    ] as const)(`over ${how}: %s after the request was sent is no answer`, async (reply, code) => {
      scriptedProvider.scriptReplies('PUT /thing', reply)
      const client = createHttpClient({
        baseUrl: scriptedProvider.url,
        tls: { ca: scriptedProvider.ca },
        timeoutMs: timeoutMsFor(reply),
      })
      const outcome = await client.call({ ...put, hasOwnConnection: fresh })
      await client.close()
      expect(outcome).toMatchObject({ kind: 'no_answer', code })
      expect(JSON.stringify(outcome)).not.toContain('rosebud')
      expect(scriptedProvider.seen).toHaveLength(1)
    })

    test(`over ${how}: a request whose handshake is reset was never sent`, async () => {
      scriptedProvider.resetHandshakes(1)
      expect(await http.call({ ...put, hasOwnConnection: fresh })).toMatchObject({
        kind: 'unreachable',
        code: 'connection_reset',
      })
      expect(scriptedProvider.seen).toEqual([])
    })

    test.each([
      ['a port without a listener', findUnusedUrl, 'connection_refused'],
      ['no such host', async () => `https://${tooLongALabel}.invalid`, 'dns_failed'],
    ])(`over ${how}: %s is unreachable`, async (_why, url, code) => {
      const client = createHttpClient({ baseUrl: await url(), timeoutMs: TIMEOUT_MS })
      expect(await client.call({ ...put, hasOwnConnection: fresh })).toMatchObject({
        kind: 'unreachable',
        code,
      })
      await client.close()
    })

    test(`over ${how}: a server with an untrusted certificate is unreachable`, async () => {
      const { certificate } = await createSelfSignedCertificate()
      const client = createHttpClient({
        baseUrl: scriptedProvider.url,
        tls: { ca: certificate },
        timeoutMs: TIMEOUT_MS,
      })
      expect(await client.call({ ...put, hasOwnConnection: fresh })).toMatchObject({
        kind: 'unreachable',
        code: 'tls_failed',
      })
      expect(scriptedProvider.seen).toEqual([])
      await client.close()
    })

    test(`over ${how}: a request whose handshake hangs was never sent, and ends with the deadline`, async () => {
      const silent = createServer(socket => socket.on('error', () => undefined).resume())
      await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
      const { port } = silent.address() as AddressInfo
      const client = createHttpClient({ baseUrl: `https://127.0.0.1:${port}`, timeoutMs: 200 })
      expect(await client.call({ ...put, hasOwnConnection: fresh })).toMatchObject({
        kind: 'unreachable',
        code: 'timeout',
      })
      await client.close()
      await new Promise(resolve => silent.close(resolve))
    })
  }

  test('calls share connections, and a fresh one has its own, which no later call uses', async () => {
    scriptedProvider.scriptReplies('PUT /thing', { status: 200, json: {} })
    const kept = [false, false, true, true, false, false, false]
    for (const fresh of kept) await http.call({ ...put, hasOwnConnection: fresh })

    const connectionsOf = (header: string) =>
      scriptedProvider.seen
        .filter(({ headers }) => headers.connection === header)
        .map(({ connection }) => connection)
    const [ours, shared] = [connectionsOf('close'), connectionsOf('keep-alive')]
    expect(new Set(ours).size).toBe(2)
    expect(new Set(shared).size).toBeLessThan(shared.length)
    expect(shared.filter(connection => ours.includes(connection))).toEqual([])
  })

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'over %s a fresh connection resumes the previous TLS session as long as the server knows it',
    async maxVersion => {
      await Promise.all([http.close(), scriptedProvider.close()])
      scriptedProvider = await startScriptedProvider({ maxVersion })
      const { certificate, key } = await createSelfSignedCertificate('trilho')
      http = createHttpClient({
        baseUrl: scriptedProvider.url,
        tls: { ca: scriptedProvider.ca, certificate, key },
        timeoutMs: TIMEOUT_MS,
      })
      scriptedProvider.scriptReplies('PUT /thing', { status: 200, json: {} })
      const call = async () => {
        expect(await http.call({ ...put, hasOwnConnection: true })).toMatchObject({
          kind: 'answer',
          status: 200,
        })
        collectGarbage()
      }
      await call()
      await call()
      scriptedProvider.rotateTicketKeys()
      await call()
      await call()
      expect(scriptedProvider.seen.map(({ isResumed }) => isResumed)).toEqual([false, true, false, true])
      expect(scriptedProvider.seen.map(({ client }) => client)).toEqual(Array(4).fill('trilho'))
    },
  )

  test('an idle connection closed by the server does not affect a fresh call', async () => {
    scriptedProvider.scriptReplies('PUT /thing', { status: 200, json: {} })
    await http.call(put)
    scriptedProvider.closeIdle()
    expect(await http.call({ ...put, hasOwnConnection: true })).toMatchObject({ kind: 'answer', status: 200 })
  })

  test('a closed client sends nothing', async () => {
    await http.close()
    expect(await http.call(put)).toMatchObject({ kind: 'unreachable' })
  })

  test.each([false, true])(
    'our certificate is sent to a server that requests it (fresh: %p)',
    async fresh => {
      scriptedProvider.scriptReplies('PUT /thing', { status: 200, json: {} })
      const { certificate, key } = await createSelfSignedCertificate('trilho')
      const ours = createHttpClient({
        baseUrl: scriptedProvider.url,
        tls: { ca: scriptedProvider.ca, certificate, key },
        timeoutMs: TIMEOUT_MS,
      })
      await ours.call({ ...put, hasOwnConnection: fresh })
      await http.call({ ...put, hasOwnConnection: fresh })
      expect(scriptedProvider.seen.map(({ client }) => client)).toEqual(['trilho', undefined])
      await ours.close()
    },
  )

  test('an invalid certificate throws immediately', () => {
    expect(() =>
      createHttpClient({
        baseUrl: scriptedProvider.url,
        tls: { certificate: 'x', key: 'y' },
        timeoutMs: TIMEOUT_MS,
      }),
    ).toThrow()
  })
})

describe('preconnect', () => {
  /** Connections that are opened while the worker still commits the attempt. */

  let scriptedProvider: ScriptedProvider
  let http: HttpClient

  beforeEach(async () => {
    scriptedProvider = await startScriptedProvider()
    scriptedProvider.scriptReplies('PUT /thing', { status: 200, json: {} })
    http = createHttpClient({
      baseUrl: scriptedProvider.url,
      tls: { ca: scriptedProvider.ca },
      timeoutMs: 10_000,
    })
  })
  afterEach(async () => {
    await http.close()
    await scriptedProvider.close()
  })

  const send = () => http.call({ method: 'PUT', path: '/thing', json: {}, hasOwnConnection: true })

  /** A connection whose handshake outlasts the client's timeout is given up, and another one opened. */
  async function preconnect(): Promise<void> {
    const connectionsBefore = scriptedProvider.countConnections()
    for (let waitedMs = 0; scriptedProvider.countConnections() === connectionsBefore; waitedMs += 5) {
      if (waitedMs % 3_000 === 0) http.preconnect()
      await sleep(5)
    }
  }

  test('a preopened connection carries the next fresh call, and no later one', async () => {
    await preconnect()
    expect(await send()).toMatchObject({ kind: 'answer', status: 200 })
    expect(await send()).toMatchObject({ kind: 'answer', status: 200 })
    expect(scriptedProvider.seen.map(({ connection }) => connection)).toEqual([1, 2])
  })

  test('a call whose connection is still being opened waits for it', async () => {
    http.preconnect()
    expect(await send()).toMatchObject({ kind: 'answer', status: 200 })
    expect(scriptedProvider.countConnections()).toBe(1)
  })

  test('concurrent calls take one connection each', async () => {
    await preconnect()
    await preconnect()
    await Promise.all([send(), send(), send()])
    expect(new Set(scriptedProvider.seen.map(({ connection }) => connection)).size).toBe(3)
  })

  test('a connection whose handshake fails reports that its call was never sent, and is not tried again for it', async () => {
    scriptedProvider.resetHandshakes(1)
    http.preconnect()
    await sleep(50)
    expect(await send()).toMatchObject({ kind: 'unreachable', code: 'connection_reset' })
    expect(scriptedProvider.seen).toEqual([])
    expect(await send()).toMatchObject({ kind: 'answer', status: 200 })
  })

  test('a connection closed by the provider has carried nothing: another one is opened', async () => {
    await preconnect()
    scriptedProvider.destroyConnections()
    await handleArrivedEvents()
    expect(await send()).toMatchObject({ kind: 'answer', status: 200 })
    expect(scriptedProvider.seen.map(({ connection }) => connection)).toEqual([2])
  })

  test('a connection without a call is closed', async () => {
    await preconnect()
    while (scriptedProvider.countOpenConnections() > 0) await sleep(50)
    expect(await send()).toMatchObject({ kind: 'answer', status: 200 })
    expect(scriptedProvider.seen.map(({ connection }) => connection)).toEqual([2])
  })

  test('a closed client leaves no connection open', async () => {
    await preconnect()
    await http.close()
    while (scriptedProvider.countOpenConnections() > 0) await sleep(5)
  })
})

describe('name resolver', () => {
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
})
