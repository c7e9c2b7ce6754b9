import { type AddressInfo, createServer } from 'node:net'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { createHttpClient, type HttpClient } from '../../../src/providers/http/client.ts'
import { collectGarbage } from '../../support/collect-garbage.ts'
import { createSelfSignedCertificate } from '../support/certificate.ts'
import {
  findUnusedUrl,
  type ScriptedProvider,
  startScriptedProvider,
  timeoutMsFor,
} from '../support/scripted-provider.ts'

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

test.each([false, true])('our certificate is sent to a server that requests it (fresh: %p)', async fresh => {
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
})

test('an invalid certificate throws immediately', () => {
  expect(() =>
    createHttpClient({
      baseUrl: scriptedProvider.url,
      tls: { certificate: 'x', key: 'y' },
      timeoutMs: TIMEOUT_MS,
    }),
  ).toThrow()
})
