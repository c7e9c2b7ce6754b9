import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Connection } from '../../../src/db/entities/connection.ts'
import type { Provider } from '../../../src/providers/port.ts'
import { createProviderRegistry } from '../../../src/providers/registry.ts'
import { createPayoutActions, type PayoutActions, randomPixKey } from '../support/payout-actions.ts'
import { type Merchant, openSharedTestStack, type TestStack } from '../support/test-stack.ts'
import { readHistory } from '../support/workflow-history.ts'

/** Looking up whom a transfer would pay, and transfers that name a look-up (SPEC §9, §4). */

const LOOKUP = '/api/v1/pix-keys/lookup'
const CPF = '52998224725'
const OTHER_CPF = '12345678909'
const magic = (name: string) => `${name}@sim.trilho.test`

let stack: TestStack
let payouts: PayoutActions
let registry: ReturnType<typeof createProviderRegistry>
beforeAll(async () => {
  stack = await openSharedTestStack()
  payouts = createPayoutActions(stack)
  registry = createProviderRegistry({ openCredentials: stack.seal.open, timeoutMs: 10_000, ca: stack.ca })
})
afterAll(async () => {
  await registry.close()
  await stack.close()
})

const WOOVI = { provider: 'PROVIDER_B', dialect: 'woovi', balance: 100 } as const
const SICOOB = { provider: 'PROVIDER_C', dialect: 'sicoob', balance: 100 } as const
const byWoovi = () => stack.createMerchant({ providers: [WOOVI] })
const bySicoob = () => stack.createMerchant({ providers: [SICOOB] })

const lookUp = ({ api }: Pick<Merchant, 'api'>, body: object) => api.post(LOOKUP, body)
async function lookUpKey(merchant: Merchant, body: object) {
  const { status, body: answer } = await lookUp(merchant, body)
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(answer)}`)
  return answer.data
}
/** Removes what is known of a key that several tests and accounts look up. */
const forget = (key: string) => stack.sql('delete from key_answer where key_mac = ?', [stack.seal.mac(key)])
/** Tokens that are left of the simulated account's budget, as the provider itself tells. */
async function readTokensLeft({ connection }: Merchant): Promise<number> {
  const row = await stack.orm.em.fork().findOneOrFail(Connection, connection.uuid, {
    populate: ['sealedCredentials', 'isDistrusted'],
  })
  const provider: Provider = registry.providerFor(row)
  const answer = await provider.findLookUpBudget!()
  if (answer.kind !== 'found') throw new Error(JSON.stringify(answer))
  return answer.budget.left
}
const setTokensLeft = ({ connection }: Merchant, left: number) =>
  stack.sql(
    `insert into lookup_budget (provider_account_uuid, capacity, tokens_left, refill_per_minute, at, read_at)
     values (?, 500, ?, 20, now(), now()) on conflict (provider_account_uuid)
     do update set tokens_left = excluded.tokens_left, at = now(), read_at = now()`,
    [connection.providerAccountUuid, left],
  )

test('a look-up shows the owner masked, what was named, and the budget', async () => {
  const merchant = await byWoovi()
  const pix_key = randomPixKey()
  const shown = await lookUpKey(merchant, {
    pix_key: pix_key.toUpperCase(),
    document: CPF,
    name: 'favorecido de teste',
  })
  expect(shown).toMatchObject({
    pix_key,
    type: 'EMAIL',
    receiver: { name: 'Favorecido de Teste', document: expect.stringMatching(/\*/) },
    // Woovi masks a CPF: nothing contradicts, and nothing is proved.
    document_match: 'UNKNOWN',
    name_match: 'EXACT',
    provider: { uuid: merchant.connection.uuid, provider: 'PROVIDER_B' },
    budget: { capacity: 500, left: 499, refill_per_minute: 20, cost: 1 },
  })
  const validMs = Date.parse(shown.expires_at) - Date.now()
  expect(validMs).toBeGreaterThan(14 * 60_000)
  expect(validMs).toBeLessThanOrEqual(15 * 60_000)

  const read = (await merchant.api.get(`/api/v1/pix-keys/lookups/${shown.uuid}`)).body.data
  expect(read).toEqual({ ...shown, pix_key: expect.stringMatching(/^m\*+@example\.com$/), budget: null })
  const stranger = await byWoovi()
  expect((await stranger.api.get(`/api/v1/pix-keys/lookups/${shown.uuid}`)).status).toBe(404)
  const provider = (await merchant.api.get(`/api/v1/providers/${merchant.connection.uuid}`)).body.data
  expect(provider.lookup_budget).toMatchObject({ capacity: 500 })
  expect([499, 500]).toContain(provider.lookup_budget.left) // One is refilled every three seconds.
})

test('a document matches, or not, where the provider names it whole', async () => {
  const merchant = await bySicoob()
  const pix_key = randomPixKey()
  const match = async (body: object) => {
    const { document_match, name_match, budget } = await lookUpKey(merchant, { pix_key, ...body })
    return [document_match, name_match, budget]
  }
  // Sicoob tells no budget.
  expect(await match({ document: CPF })).toEqual([expect.stringMatching(/MATCH|UNKNOWN/), 'UNKNOWN', null])
  expect(await match({ document: OTHER_CPF, name: 'Outra' })).toEqual(['MISMATCH', 'NONE', null])
  expect((await lookUpKey(merchant, { pix_key: CPF, document: CPF })).document_match).toBe('MATCH')
})

test('an invalid request is 422 on its fields, beside the provider', async () => {
  const merchant = await stack.createMerchant({ providers: [{}] })
  const { status, body } = await lookUp(merchant, { pix_key: 'no key', document: '1', nam: 'x' })
  expect([status, body.code, Object.keys(body.errors).sort()]).toEqual([
    422,
    'validation_failed',
    ['document', 'nam', 'pix_key', 'provider_uuid'],
  ])
  const unsupported = await lookUp(merchant, { pix_key: randomPixKey() })
  expect([unsupported.status, unsupported.body.code, Object.keys(unsupported.body.errors)]).toEqual([
    422,
    'lookup_not_supported',
    ['provider_uuid'],
  ])
  expect(await stack.sql('select uuid from key_lookup where account_uuid = ?', [merchant.uuid])).toEqual([])
})

test('a token without the scope of transfers looks nothing up', async () => {
  const merchant = await byWoovi()
  const token = await stack.token({ accountUuid: merchant.uuid, scopes: ['charges'] })
  const { status, body } = await lookUp({ api: merchant.api.withToken(token) }, { pix_key: randomPixKey() })
  expect([status, body.code]).toEqual([403, 'insufficient_scope'])
})

test('a key that does not exist is 404, takes twenty tokens, and is not looked up again', async () => {
  await forget(magic('not-registered'))
  const merchant = await byWoovi()
  for (let time = 0; time < 3; time++) {
    const { status, body } = await lookUp(merchant, { pix_key: magic('not-registered') })
    expect([status, body.code]).toEqual([404, 'key_not_registered'])
  }
  expect(await readTokensLeft(merchant)).toBe(480)
  const rows = await stack.sql<{ outcome: string; shown_key: string }>(
    'select outcome, shown_key from key_lookup where account_uuid = ?',
    [merchant.uuid],
  )
  expect(rows).toEqual(Array(3).fill({ outcome: 'not_found', shown_key: 'n***@sim.trilho.test' }))
})

test('a key that is marked for fraud is 409', async () => {
  await forget(magic('fraud-marked'))
  const { status, body } = await lookUp(await byWoovi(), { pix_key: magic('fraud-marked') })
  expect([status, body.code]).toEqual([409, 'key_blocked_for_fraud'])
})

test('100 parallel look-ups of one key, of five accounts, are one call', async () => {
  const merchants = await Promise.all(Array.from({ length: 5 }, byWoovi))
  const pix_key = randomPixKey()
  const answers = await Promise.all(
    merchants.flatMap(merchant => Array.from({ length: 20 }, () => lookUp(merchant, { pix_key }))),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(200))
  const costs = answers.map(({ body }) => body.data.budget?.cost ?? 0)
  expect(costs.reduce((sum, cost) => sum + cost, 0)).toBe(1)
  // Each account has its own rows, and sees its own only.
  expect(new Set(answers.map(({ body }) => body.data.uuid)).size).toBe(100)

  // The bank has taken one token. It takes twenty for each call about a key that does not exist, and returns one in three seconds.
  const unknown = magic('not-registered')
  await forget(unknown)
  const refused = await Promise.all(
    merchants.flatMap(merchant => Array.from({ length: 4 }, () => lookUp(merchant, { pix_key: unknown }))),
  )
  expect(refused.map(({ status }) => status)).toEqual(Array(20).fill(404))
  const left = await Promise.all(merchants.map(readTokensLeft))
  const tokensLeft = left.reduce((sum, tokens) => sum + tokens, 0)
  expect([tokensLeft > 5 * 500 - 2 * 20, tokensLeft < 5 * 500]).toEqual([true, true])
})

test('a token has thirty look-ups in a minute, and an account 3,000 on a day', async () => {
  const merchant = await byWoovi()
  const pix_key = randomPixKey()
  const answers = await Promise.all(
    Array.from({ length: 33 }, () => merchant.api.sendingOnce().post(LOOKUP, { pix_key })),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(30)
  const refused = answers.filter(({ status }) => status !== 200)
  for (const { status, body, headers } of refused) {
    expect([status, body.code]).toEqual([429, 'too_many_lookups'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60)
  }
  // Another token of the account has its own minute, and the same day.
  const other = {
    api: merchant.api.withToken(await stack.token({ accountUuid: merchant.uuid })).sendingOnce(),
  }
  expect((await lookUp(other, { pix_key })).status).toBe(200)
  await stack.sql('update key_lookup_count set count = 3000 where account_uuid = ?', [merchant.uuid])
  const { status, body, headers } = await lookUp(other, { pix_key })
  expect([status, body.code]).toEqual([429, 'too_many_lookups'])
  expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(86_400)
})

test('parallel look-ups of a known owner are counted one by one, and a refused one stores nothing', async () => {
  const merchant = await byWoovi()
  const pix_key = randomPixKey()
  await lookUpKey(merchant, { pix_key })
  await stack.sql('update key_lookup_count set count = 2995 where account_uuid = ?', [merchant.uuid])
  const tokens = await Promise.all(
    Array.from({ length: 4 }, () => stack.token({ accountUuid: merchant.uuid })),
  )
  const answers = await Promise.all(
    tokens.flatMap(token => {
      const api = merchant.api.withToken(token).sendingOnce()
      return Array.from({ length: 5 }, () => api.post(LOOKUP, { pix_key }))
    }),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(5).fill(200), ...Array(15).fill(429)])
  const count = await stack.sql(
    `select count, (select count(*)::int from key_lookup l where l.account_uuid = c.account_uuid) as rows
     from key_lookup_count c where account_uuid = ?`,
    [merchant.uuid],
  )
  expect(count).toEqual([{ count: 3000, rows: 6 }])
})

test('without budget the provider is not asked, and another one answers', async () => {
  const merchant = await byWoovi()
  await setTokensLeft(merchant, 19)
  const { status, body, headers } = await merchant.api.sendingOnce().post(LOOKUP, { pix_key: randomPixKey() })
  expect([status, body.code]).toEqual([429, 'lookup_budget_low'])
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(3)
  expect(await readTokensLeft(merchant)).toBe(500)

  const both = await stack.createMerchant({ providers: [WOOVI, SICOOB] })
  await setTokensLeft(both, 19)
  expect((await lookUpKey(both, { pix_key: randomPixKey() })).provider.provider).toBe('PROVIDER_C')
})

test('a provider without an answer is 503, and nothing of it is kept for the next look-up', async () => {
  const merchant = await byWoovi()
  const { provider, account } = merchant.connection
  await stack.simulator.addFault({ provider, account, operation: 'lookUpKey', fault: 'http_500', times: 1 })
  const pix_key = randomPixKey()
  const { status, body } = await merchant.api.sendingOnce().post(LOOKUP, { pix_key })
  expect([status, body.code]).toEqual([503, 'no_provider_available'])
  await new Promise(resolve => setTimeout(resolve, 1_100))
  expect((await lookUp(merchant, { pix_key })).status).toBe(200)
})

test('a transfer by its look-up is bound to it once, and shows no name or key in its history', async () => {
  const merchant = await byWoovi()
  const pix_key = randomPixKey()
  const { uuid: lookup_uuid } = await lookUpKey(merchant, { pix_key })
  const before = await readTokensLeft(merchant)
  const paid = await payouts.sendAndSettle(merchant, { pix_key, lookup_uuid })
  // Woovi returns two tokens for a payment of a looked-up key, once.
  expect(await readTokensLeft(merchant)).toBe(Math.min(500, before + 2))
  await payouts.sendAndSettle(merchant, { pix_key, lookup_uuid })
  const bound = await stack.sql('select transfer_uuid from key_lookup where uuid = ?', [lookup_uuid])
  expect(bound).toEqual([{ transfer_uuid: paid.uuid }])

  const { text } = await readHistory(stack, `transfer/${paid.uuid}`)
  expect(text).not.toContain(pix_key)
  expect(text).not.toContain('Favorecido')
  expect(text).not.toContain(CPF)
  await stack.waitUntilLedgerAgrees(merchant)
})

test('a look-up that is unknown, expired, of another account or of another key is 422 on lookup_uuid', async () => {
  const merchant = await byWoovi()
  const stranger = await byWoovi()
  const pix_key = randomPixKey()
  const { uuid: lookup_uuid } = await lookUpKey(merchant, { pix_key })
  const readErrors = async ({ api }: Merchant, body: object) => {
    const answer = await api.post('/api/v1/transfers', { value: 1, pix_key, lookup_uuid, ...body })
    return [answer.status, answer.body.errors]
  }
  const isNone = [422, { lookup_uuid: ['must be a look-up of the last 15 minutes; look the key up again'] }]
  expect(await readErrors(stranger, {})).toEqual(isNone)
  expect(await readErrors(merchant, { lookup_uuid: randomUUID() })).toEqual(isNone)
  const ofKey = [422, { lookup_uuid: ['must be a look-up of pix_key'] }]
  expect(await readErrors(merchant, { pix_key: randomPixKey() })).toEqual(ofKey)
  const alone = await merchant.api.post('/api/v1/transfers', { value: 1, pix_key, on_mismatch: 'WARN' })
  expect([alone.status, Object.keys(alone.body.errors)]).toEqual([422, ['on_mismatch']])
  await stack.sql(
    `update key_lookup set created_at = created_at - interval '16 minutes', expires_at = expires_at - interval '16 minutes'
     where uuid = ?`,
    [lookup_uuid],
  )
  expect(await readErrors(merchant, {})).toEqual(isNone)
  expect(await stack.sql('select uuid from transfer where account_uuid = ?', [merchant.uuid])).toEqual([])
})

test('a look-up that contradicts what was named is refused with 409 before anything is stored, unless it warns only', async () => {
  const merchant = await bySicoob()
  const pix_key = randomPixKey()
  const { uuid: named } = await lookUpKey(merchant, { pix_key, name: 'Outra Pessoa' })
  const refused = await payouts.send(merchant, { pix_key, lookup_uuid: named })
  expect([refused.status, refused.body.code]).toEqual([409, 'receiver_mismatch'])
  expect(JSON.stringify(refused.body)).not.toMatch(/Favorecido|@example/)
  const { uuid } = await lookUpKey(merchant, { pix_key })
  const document = await payouts.send(merchant, { pix_key, lookup_uuid: uuid, document: OTHER_CPF })
  expect([document.status, document.body.code]).toEqual([409, 'receiver_mismatch'])
  expect(await stack.sql('select uuid from transfer where account_uuid = ?', [merchant.uuid])).toEqual([])
  await payouts.sendAndSettle(merchant, { pix_key, lookup_uuid: named, on_mismatch: 'WARN' })
})

test('an owner who changes after the look-up is 409, the transfer FAILED, and nothing has left', async () => {
  const pix_key = magic('owner-changes')
  await forget(pix_key)
  const merchant = await bySicoob()
  const { uuid: lookup_uuid } = await lookUpKey(merchant, { pix_key })
  const { status, body } = await payouts.send(merchant, { pix_key, lookup_uuid })
  expect([status, body.code, body.data.status, body.data.error.code]).toEqual([
    409,
    'receiver_changed',
    'FAILED',
    'receiver_changed',
  ])
  await stack.waitUntilLedgerAgrees(merchant)
  const [provider] = (await merchant.api.get('/api/v1/providers')).body.data
  expect(provider.balances[0].available_balance).toBe(100)
  // WARN sends to whoever has the key now; the other owner is recorded for the operator when it has settled.
  await forget(pix_key)
  const warned = await payouts.sendAndSettle(merchant, { pix_key, lookup_uuid, on_mismatch: 'WARN' })
  const attempts = await stack.sql('select contradiction_code from attempt where subject_uuid = ?', [
    warned.uuid,
  ])
  expect(attempts).toEqual([{ contradiction_code: 'receiver_changed' }])
})

test('a document is enforced at a bank that names the owner: a contradiction is final, a mask leaves it to the next', async () => {
  const merchant = await stack.createMerchant({ providers: [WOOVI] })
  const pix_key = randomPixKey()
  const contradicted = await payouts.send(merchant, { pix_key, document: OTHER_CPF })
  expect([contradicted.status, contradicted.body.data.error.code]).toEqual([400, 'document_mismatch'])
  const unproved = await payouts.send(merchant, { pix_key, document: CPF })
  expect([unproved.status, unproved.body.data.error.code]).toEqual([400, 'document_unchecked'])
  // A key that is the document belongs to its holder.
  await payouts.sendAndSettle(merchant, { pix_key: CPF, document: CPF })
  await stack.waitUntilLedgerAgrees(merchant)

  const both = await stack.createMerchant({ providers: [WOOVI, { balance: 100 }] })
  const paid = await payouts.sendAndSettle(both, { pix_key, document: CPF })
  expect(paid.attempts).toMatchObject([
    { provider: 'PROVIDER_B', outcome: 'rejected' },
    { outcome: 'settled' },
  ])
})
