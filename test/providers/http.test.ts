import { type AddressInfo, createServer } from 'node:net'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type HttpClient, httpClient } from '../../src/providers/http.ts'
import { collectGarbage } from '../support/garbage.ts'
import { ownCertificate } from './support/certificate.ts'
import { deadUrl, type FarSide, farSide, patienceFor } from './support/far-side.ts'

/** As long as a machine may stand still before it reads an answer; what gives none is not waited for so long. */
const PATIENT_MS = 10_000

let far: FarSide
let http: HttpClient

beforeEach(async () => {
  far = await farSide()
  http = httpClient({ baseUrl: far.url, tls: { ca: far.ca }, timeoutMs: PATIENT_MS })
})
afterEach(async () => {
  await http.close()
  await far.close()
})

/** A name that a resolver refuses without asking anyone. */
const tooLongALabel = 'x'.repeat(64)
const put = { method: 'PUT', path: '/thing', json: { secret: 'rosebud' } } as const

test('an answer comes whole, whatever its status, and a redirect is not followed', async () => {
  far.answers(
    'PUT /thing',
    { status: 201, json: { ok: true }, headers: { 'x-a': 'b' } },
    { status: 404, text: 'no' },
  )
  far.answers('GET /moved', { status: 302, headers: { location: '/thing' } })

  expect(await http.call(put)).toMatchObject({
    kind: 'answer',
    status: 201,
    json: { ok: true },
    headers: { 'x-a': 'b' },
  })
  expect(await http.call(put)).toMatchObject({ kind: 'answer', status: 404, json: undefined, text: 'no' })
  expect(await http.call({ method: 'GET', path: '/moved' })).toMatchObject({ kind: 'answer', status: 302 })
  expect(far.seen.map(({ method, path, body }) => `${method} ${path} ${body}`)).toEqual([
    'PUT /thing {"secret":"rosebud"}',
    'PUT /thing {"secret":"rosebud"}',
    'GET /moved ',
  ])
})

test('the path of the base url stays in front', async () => {
  far.answers('GET /base/thing', { status: 200, json: {} })
  const under = httpClient({ baseUrl: `${far.url}/base/`, tls: { ca: far.ca }, timeoutMs: PATIENT_MS })
  expect(await under.call({ method: 'GET', path: '/thing' })).toMatchObject({ status: 200 })
  await under.close()
})

test('an answer longer than 1 MiB is unreadable', async () => {
  far.answers('PUT /thing', { status: 200, json: 'x'.repeat(1024 * 1024) })
  expect(await http.call(put)).toMatchObject({ kind: 'answer', status: 200, json: undefined, text: '' })
})

for (const fresh of [false, true]) {
  const how = fresh ? 'a fresh connection' : 'a kept connection'

  test.each([
    ['hang', 'timeout'],
    ['reset', 'connection_reset'],
    ['half', expect.stringMatching(/^connection_/)],
  ] as const)(`over ${how}: %s after the request left is no answer`, async (reply, code) => {
    far.answers('PUT /thing', reply)
    const client = httpClient({ baseUrl: far.url, tls: { ca: far.ca }, timeoutMs: patienceFor(reply) })
    const outcome = await client.call({ ...put, fresh })
    await client.close()
    expect(outcome).toMatchObject({ kind: 'no_answer', code })
    expect(JSON.stringify(outcome)).not.toContain('rosebud')
    expect(far.seen).toHaveLength(1)
  })

  test(`over ${how}: a handshake that is reset never left`, async () => {
    far.resetsHandshakes(1)
    expect(await http.call({ ...put, fresh })).toMatchObject({
      kind: 'unreachable',
      code: 'connection_reset',
    })
    expect(far.seen).toEqual([])
  })

  test.each([
    ['nobody listens', deadUrl, 'connection_refused'],
    ['no such host', async () => `https://${tooLongALabel}.invalid`, 'dns_failed'],
  ])(`over ${how}: %s is unreachable`, async (_why, url, code) => {
    const client = httpClient({ baseUrl: await url(), timeoutMs: PATIENT_MS })
    expect(await client.call({ ...put, fresh })).toMatchObject({ kind: 'unreachable', code })
    await client.close()
  })

  test(`over ${how}: a far side that nobody we trust vouches for is unreachable`, async () => {
    const { certificate } = await ownCertificate()
    const client = httpClient({ baseUrl: far.url, tls: { ca: certificate }, timeoutMs: PATIENT_MS })
    expect(await client.call({ ...put, fresh })).toMatchObject({
      kind: 'unreachable',
      code: 'tls_failed',
    })
    expect(far.seen).toEqual([])
    await client.close()
  })

  test(`over ${how}: a handshake that hangs never left, and ends with the deadline`, async () => {
    const silent = createServer(socket => socket.on('error', () => undefined).resume())
    await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    const client = httpClient({ baseUrl: `https://127.0.0.1:${port}`, timeoutMs: 200 })
    expect(await client.call({ ...put, fresh })).toMatchObject({ kind: 'unreachable', code: 'timeout' })
    await client.close()
    await new Promise(resolve => silent.close(resolve))
  })
}

test('calls share connections, and a fresh one has its own, which nobody gets afterwards', async () => {
  far.answers('PUT /thing', { status: 200, json: {} })
  const kept = [false, false, true, true, false, false, false]
  for (const fresh of kept) await http.call({ ...put, fresh })

  const connectionsOf = (header: string) =>
    far.seen.filter(({ headers }) => headers.connection === header).map(({ connection }) => connection)
  const [ours, shared] = [connectionsOf('close'), connectionsOf('keep-alive')]
  expect(new Set(ours).size).toBe(2)
  expect(new Set(shared).size).toBeLessThan(shared.length)
  expect(shared.filter(connection => ours.includes(connection))).toEqual([])
})

test.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'over %s a fresh connection goes on with the session of the one before, as long as the far side knows it',
  async maxVersion => {
    await Promise.all([http.close(), far.close()])
    far = await farSide({ maxVersion })
    const { certificate, key } = await ownCertificate('trilho')
    http = httpClient({ baseUrl: far.url, tls: { ca: far.ca, certificate, key }, timeoutMs: PATIENT_MS })
    far.answers('PUT /thing', { status: 200, json: {} })
    const call = async () => {
      expect(await http.call({ ...put, fresh: true })).toMatchObject({ kind: 'answer', status: 200 })
      collectGarbage()
    }
    await call()
    await call()
    far.forgetsSessions()
    await call()
    await call()
    expect(far.seen.map(({ isResumed }) => isResumed)).toEqual([false, true, false, true])
    expect(far.seen.map(({ client }) => client)).toEqual(Array(4).fill('trilho'))
  },
)

test('an idle connection that the far side closed does not touch a fresh call', async () => {
  far.answers('PUT /thing', { status: 200, json: {} })
  await http.call(put)
  far.closeIdle()
  expect(await http.call({ ...put, fresh: true })).toMatchObject({ kind: 'answer', status: 200 })
})

test('a client that is closed reaches nobody', async () => {
  await http.close()
  expect(await http.call(put)).toMatchObject({ kind: 'unreachable' })
})

test.each([false, true])('our certificate is shown to who asks for it (fresh: %p)', async fresh => {
  far.answers('PUT /thing', { status: 200, json: {} })
  const { certificate, key } = await ownCertificate('trilho')
  const ours = httpClient({ baseUrl: far.url, tls: { ca: far.ca, certificate, key }, timeoutMs: PATIENT_MS })
  await ours.call({ ...put, fresh })
  await http.call({ ...put, fresh })
  expect(far.seen.map(({ client }) => client)).toEqual(['trilho', undefined])
  await ours.close()
})

test('a certificate that is none throws at once', () => {
  expect(() =>
    httpClient({ baseUrl: far.url, tls: { certificate: 'x', key: 'y' }, timeoutMs: PATIENT_MS }),
  ).toThrow()
})
