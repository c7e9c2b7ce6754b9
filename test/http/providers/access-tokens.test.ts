import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { pino } from 'pino'
import type { Orm } from '../../../src/db/client/orm.ts'
import { resealColumns } from '../../../src/db/repositories/sealed-columns.ts'
import type { Pace } from '../../../src/domain/providers/capabilities.ts'
import { createSharedAccess } from '../../../src/provider-access/shared-access.ts'
import { createAccessTokenCache } from '../../../src/providers/bacen/access-token.ts'
import { createProviderRegistry } from '../../../src/providers/registry.ts'
import type { TokenOutcome } from '../../../src/providers/shared-access.ts'
import { createSealer } from '../../../src/security/sealing.ts'
import { createSelfSignedCertificate } from '../../providers/support/certificate.ts'
import { cobOf, credentials, okReply, REFERENCE } from '../../providers/support/efi-fixture.ts'
import { startScriptedProvider } from '../../providers/support/scripted-provider.ts'
import { openTestOrm } from '../../support/orm.ts'
import { startTcpProxy } from '../../support/tcp-proxy.ts'
import { keyDestination } from '../../support/transfer-destinations.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { openCapturedOrm } from '../support/postgres-messages.ts'

/** Access tokens that all processes of a connection share (src/provider-access): each process of a test has a cache of its own. */

const HOUR_MS = 3_600_000
/** Limit of a request for a token, and so of the lease of a process that was killed. */
const TIMEOUT_MS = 1_000
const GENEROUS_PACE: Pace = { perSecond: 100, burst: 1_000 }

let fixture: ApiFixture
let providerAccountUuid: string
const lines: string[] = []
const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })

beforeAll(async () => {
  fixture = await openApiFixture([])
})
afterAll(() => fixture?.close())
beforeEach(async () => {
  lines.length = 0
  providerAccountUuid = await fixture.insertProviderAccount()
})

/** A token endpoint that counts its requests and issues another token each time, after some milliseconds. */
function createTokenEndpoint({ delayMs = 20, renewInMs = HOUR_MS } = {}) {
  const endpoint = {
    requests: 0,
    outcome: undefined as TokenOutcome | 'hang' | undefined,
    async requestToken(): Promise<TokenOutcome> {
      endpoint.requests += 1
      const text = `secret-token-${endpoint.requests}`
      if (endpoint.outcome === 'hang') return new Promise(() => {})
      await sleep(delayMs)
      return endpoint.outcome ?? { kind: 'token', text, renewInMs }
    },
  }
  return endpoint
}
type TokenEndpoint = ReturnType<typeof createTokenEndpoint>

type ProcessOptions = {
  orm?: Orm
  certificate?: string
  keys?: string
  tokenPace?: Pace
  now?: () => number
}

/** The token cache of one process. */
function startProcess(
  { requestToken }: TokenEndpoint,
  { orm = fixture.orm, certificate = 'one', keys, tokenPace = GENEROUS_PACE, now }: ProcessOptions = {},
) {
  const sealer = keys ? createSealer(keys) : fixture.dependencies.sealer
  const { shareToken } = createSharedAccess({ orm, sealer, log, timeScale: 1 })({
    providerAccountUuid,
    tokenPace,
    timeoutMs: TIMEOUT_MS,
  })
  return createAccessTokenCache({
    client: ['efi', 'https://bank', 'client', 'hush', certificate],
    requestToken,
    shareToken,
    now: now ?? (() => performance.now()),
  })
}
const startTen = (endpoint: TokenEndpoint, options?: ProcessOptions) =>
  Array.from({ length: 10 }, () => startProcess(endpoint, options))
const textsOf = (tokens: { kind: string; text?: string }[]) => new Set(tokens.map(({ text }) => text))

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects and fails where it is not.
const readRows = (): Promise<any[]> =>
  fixture.orm.em
    .fork()
    .execute('select * from provider_access_token where provider_account_uuid = ?', [providerAccountUuid])

describe('ten processes', () => {
  test('request one token together, and one when it is renewed', async () => {
    const endpoint = createTokenEndpoint({ renewInMs: 1_500 })
    const processes = startTen(endpoint)
    const getAll = () => Promise.all(processes.map(process => process.getToken()))
    expect(textsOf(await getAll())).toEqual(new Set(['secret-token-1']))
    await sleep(1_600)
    expect(textsOf(await getAll())).toEqual(new Set(['secret-token-2']))
    expect(endpoint.requests).toBe(2)
  })

  test('replace a refused token by one request, and a refusal of the old one does not remove the new one', async () => {
    const endpoint = createTokenEndpoint()
    const processes = startTen(endpoint)
    const refused = await Promise.all(processes.map(process => process.getToken()))
    const replace = async (index: number) => {
      const [process, token] = [processes[index]!, refused[index]!]
      if (token.kind === 'token') process.discardToken(token)
      return process.getToken()
    }
    const replaced = await Promise.all([0, 1, 2, 3, 4].map(replace))
    // The others hear of the refusal later, from the provider.
    const late = await Promise.all([5, 6, 7, 8, 9].map(replace))
    expect(textsOf([...replaced, ...late])).toEqual(new Set(['secret-token-2']))
    expect(endpoint.requests).toBe(2)
  })

  test('whose requests fail make one at a time, and no more than the pace of tokens allows', async () => {
    const endpoint = createTokenEndpoint({ delayMs: 5 })
    endpoint.outcome = { kind: 'unreachable', code: 'no_token', message: 'HTTP status 500' }
    const processes = startTen(endpoint, { tokenPace: { perSecond: 0.001, burst: 3 } })
    const outcomes = await Promise.all(processes.map(process => process.getToken()))
    expect(outcomes.map(({ kind }) => kind)).toEqual(Array(10).fill('unreachable'))
    expect(outcomes.every(outcome => outcome.kind === 'unreachable' && outcome.code === 'no_token')).toBe(
      true,
    )
    expect(endpoint.requests).toBe(3)
  })

  test('find the lease of a killed one ended, and one of them requests the token', async () => {
    const killed = createTokenEndpoint()
    killed.outcome = 'hang'
    void startProcess(killed).getToken()
    while (killed.requests === 0) await sleep(5)
    const endpoint = createTokenEndpoint()
    const began = performance.now()
    const tokens = await Promise.all(startTen(endpoint).map(process => process.getToken()))
    expect(textsOf(tokens)).toEqual(new Set(['secret-token-1']))
    expect(endpoint.requests).toBe(1)
    expect(performance.now() - began).toBeGreaterThan(TIMEOUT_MS / 2)
  })

  test('that wait for one whose request takes too long have no token', async () => {
    const endpoint = createTokenEndpoint()
    const slow = startProcess(endpoint)
    await slow.getToken()
    // Another process holds the lease for longer than any request takes.
    await fixture.orm.em.fork().execute(
      `update provider_access_token set renew_at = now(), leased_until = now() + interval '1 minute'
       where provider_account_uuid = ?`,
      [providerAccountUuid],
    )
    const outcome = await startProcess(endpoint).getToken()
    expect(outcome).toMatchObject({ kind: 'unreachable', code: 'no_token' })
    expect(endpoint.requests).toBe(1)
  })
})

test('a leaseholder that comes back after its lease does not replace the token of the next one', async () => {
  const slow = createTokenEndpoint({ delayMs: TIMEOUT_MS + 700 })
  const late = startProcess(slow).getToken()
  while (slow.requests === 0) await sleep(5)
  const next = createTokenEndpoint()
  next.requests = 10
  await startProcess(next).getToken()
  await late
  expect(await startProcess(createTokenEndpoint()).getToken()).toMatchObject({ text: 'secret-token-11' })
})

test('another certificate, and another provider account, have tokens of their own', async () => {
  const endpoint = createTokenEndpoint()
  const one = await startProcess(endpoint).getToken()
  const other = await startProcess(endpoint, { certificate: 'two' }).getToken()
  providerAccountUuid = await fixture.insertProviderAccount()
  const elsewhere = await startProcess(endpoint).getToken()
  expect(textsOf([one, other, elsewhere]).size).toBe(3)
})

test('a token is stored sealed, and neither it nor the secret is in the row or the log', async () => {
  await startProcess(createTokenEndpoint()).getToken()
  const [row] = await readRows()
  expect(fixture.dependencies.sealer.open(row.sealed_token)).toBe('secret-token-1')
  expect(JSON.stringify(row) + lines.join()).not.toMatch(/secret-token|hush|client/)
})

test('a rotated key seals the tokens again; a process without the newer key requests its own', async () => {
  const endpoint = createTokenEndpoint()
  await startProcess(endpoint).getToken()
  const oldKey = `a:${Buffer.alloc(32, 7).toString('base64')}`
  const newKey = `b:${Buffer.alloc(32, 8).toString('base64')}`
  const sealer = createSealer(`${newKey},${oldKey}`)
  const reseal = (text: string) => (text.startsWith('sealed.b.') ? text : sealer.seal(sealer.open(text)))
  const results = []
  for await (const result of resealColumns(fixture.orm.em.fork(), { keyId: 'b', reseal }))
    if (result.table === 'provider_access_token') results.push(result)
  expect(results).toEqual([expect.objectContaining({ column: 'sealed_token', left: 0 })])
  expect(await startProcess(endpoint, { keys: newKey }).getToken()).toMatchObject({ text: 'secret-token-1' })
  expect(await startProcess(endpoint, { keys: oldKey }).getToken()).toMatchObject({ text: 'secret-token-2' })
  expect(lines).toHaveLength(1)
})

describe('PostgreSQL', () => {
  test('is not called while the token in memory is valid', async () => {
    const { orm, captured, close } = await openCapturedOrm(fixture.config.databaseUrl)
    const endpoint = createTokenEndpoint()
    const process = startProcess(endpoint, { orm })
    await process.getToken()
    captured.forget()
    for (let calls = 0; calls < 100; calls += 1) await process.getToken()
    expect(captured.statements).toEqual([])
    await close()
  })

  test('is called once by a process that starts, while the shared token is valid', async () => {
    const endpoint = createTokenEndpoint()
    await startProcess(endpoint).getToken()
    const { orm, captured, close } = await openCapturedOrm(fixture.config.databaseUrl)
    await startProcess(endpoint, { orm }).getToken()
    expect(captured.messages).toHaveLength(1)
    expect(endpoint.requests).toBe(1)
    await close()
  })

  test.each(['reset', 'silent'] as const)(
    'that is away (%s) takes no valid token away, and a process then requests its own',
    async kind => {
      const target = new URL(fixture.config.databaseUrl)
      const proxy = await startTcpProxy({ host: target.hostname, port: Number(target.port) })
      target.hostname = '127.0.0.1'
      target.port = String(proxy.port)
      const orm = await openTestOrm({ databaseUrl: target.href, poolSize: 2 })
      let now = 0
      const endpoint = createTokenEndpoint()
      const process = startProcess(endpoint, { orm, now: () => now })
      await process.getToken()
      proxy.injectFault({ kind })
      expect(await process.getToken()).toMatchObject({ text: 'secret-token-1' })
      now += 2 * HOUR_MS
      const began = performance.now()
      const tokens = await Promise.all([1, 2, 3].map(() => process.getToken()))
      expect(textsOf(tokens)).toEqual(new Set(['secret-token-2']))
      expect(performance.now() - began).toBeLessThan(4_000)
      expect(endpoint.requests).toBe(2)
      expect(lines.join()).not.toMatch(/secret-token|hush/)
      proxy.clearFault()
      proxy.close()
      await orm.close()
    },
  )
})

test('the rows of credentials that are not used any more are deleted by the next renewal', async () => {
  const endpoint = createTokenEndpoint()
  await startProcess(endpoint).getToken()
  await fixture.orm.em.fork().execute(
    `update provider_access_token set renew_at = now() - interval '25 hours', leased_until = now() - interval '26 hours'
     where provider_account_uuid = ?`,
    [providerAccountUuid],
  )
  await startProcess(endpoint, { certificate: 'two' }).getToken()
  expect(await readRows()).toHaveLength(1)
})

describe('adapters of ten processes', () => {
  async function openAdapters(sealed: object) {
    const cleanup = new AsyncDisposableStack()
    const scripted = await startScriptedProvider()
    cleanup.defer(() => scripted.close())
    scripted.scriptReplies(`GET /v2/cob/${REFERENCE}`, okReply(cobOf()))
    const { sealer } = fixture.dependencies
    const sharedAccess = createSharedAccess({ orm: fixture.orm, sealer, log, timeScale: 1 })
    const connection = {
      uuid: randomUUID(),
      provider: 'PROVIDER_A',
      dialect: 'efi',
      baseUrl: scripted.url,
      sealedCredentials: sealer.seal({ ...credentials, ...sealed }),
    }
    const registries = Array.from({ length: 10 }, () =>
      createProviderRegistry({
        openCredentials: sealer.open,
        timeoutMs: 30_000,
        ca: scripted.ca,
        sharedAccess,
      }),
    )
    for (const registry of registries) cleanup.defer(() => registry.close())
    return { cleanup, scripted, connection, registries }
  }

  test('call the provider with one token, and replace it together where it is refused', async () => {
    const { cleanup, scripted, connection, registries } = await openAdapters({})
    await using _ = cleanup
    const findCharges = (some = registries) =>
      Promise.all(
        some.map(registry =>
          registry.providerFor({ ...connection, providerAccountUuid }).findCharge(REFERENCE),
        ),
      )
    await findCharges()
    expect(scripted.countTokenRequests()).toBe(1)
    const refusal = { status: 401, json: { error: 'invalid_token', error_description: 'expired' } }
    for (const registry of registries) {
      scripted.scriptReplies(`GET /v2/cob/${REFERENCE}`, refusal, okReply(cobOf()))
      expect(await findCharges([registry])).toMatchObject([{ kind: 'found' }])
    }
    expect(scripted.countTokenRequests()).toBe(2)
  })

  test('whose credentials are refused by now: what left with the shared token is unknown, and what has no token is unreachable', async () => {
    const { cleanup, scripted, connection, registries } = await openAdapters({})
    await using _ = cleanup
    const [background, ...senders] = registries.map(registry =>
      registry.providerFor({ ...connection, providerAccountUuid }),
    )
    expect(await background!.findCharge(REFERENCE)).toMatchObject({ kind: 'found' })
    scripted.scriptReplies('POST /oauth/token', { status: 401, json: { error: 'invalid_client' } })
    const send = (sender: (typeof senders)[number], id: string) => {
      const refusal = { status: 401, json: { error: 'invalid_token', error_description: 'expired' } }
      scripted.scriptReplies(`PUT /v3/gn/pix/${id}`, refusal)
      return sender.sendTransfer({
        id,
        cents: 1050,
        destination: keyDestination('maria@example.com'),
        payerKey: 'k',
      })
    }
    expect(await send(senders[0]!, 'left')).toMatchObject({ kind: 'unknown', code: 'no_token' })
    expect(await send(senders[1]!, 'stayed')).toMatchObject({ kind: 'unreachable', code: 'no_token' })
    expect(scripted.calls().map(({ path }) => path)).toEqual([`/v2/cob/${REFERENCE}`, '/v3/gn/pix/left'])
  })

  test('of credentials that are not stored share nothing', async () => {
    const { certificate, key } = await createSelfSignedCertificate()
    const { cleanup, scripted, connection, registries } = await openAdapters({
      certificate,
      private_key: key,
    })
    await using _ = cleanup
    for (const registry of registries.slice(0, 2))
      await registry.providerFor(connection).findCharge(REFERENCE)
    expect(scripted.countTokenRequests()).toBe(2)
    expect(await readRows()).toEqual([])
  })
})
