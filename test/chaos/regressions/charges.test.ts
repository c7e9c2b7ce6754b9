import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Movement } from '../../../src/db/entities/movement.ts'
import type { IncomingPix, IssueChargeOutcome } from '../../../src/domain/providers/provider.ts'
import { toParty } from '../../../src/providers/adapter/party.ts'
import type { Provider } from '../../../src/providers/port.ts'
import type { ChargeInput } from '../../../src/workflows/contracts/charges.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/** Findings of storms about issuing charges, each as a minimal test. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

const issued = (): IssueChargeOutcome => ({
  kind: 'accepted',
  charge: {
    txid: randomUUID().replaceAll('-', ''),
    payload: 'payload',
    pixKey: 'key',
    receiver: toParty({ name: 'Loja' }),
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
  } as Extract<IssueChargeOutcome, { kind: 'accepted' }>['charge'],
})
const killed = async () => {
  throw new Error('killed')
}

async function order(): Promise<ChargeInput> {
  const merchant = await fixture.createMerchant(0)
  const candidates = [merchant.connectionUuid, await fixture.createConnection(merchant)]
  const details = fixture.seal.seal({ splits: [], fingerprint: 'f' })
  return {
    uuid: randomUUID(),
    accountUuid: merchant.accountUuid,
    candidates,
    valueCents: 500,
    details,
    expiresInSeconds: 60,
    requestId: 'r',
    timeScale: 1,
  }
}
const attempts = (charge: string) =>
  fixture.sql<{ uuid: string; connection: string; position: number; state: string; code: string | null }>(
    'select uuid, connection_uuid as connection, position, state, code from attempt where subject_uuid = ? order by position',
    [charge],
  )
/** Dates the calls of a charge back, so that no worker can still be in one. */
const ageCalls = (charge: string) =>
  fixture.sql("update attempt set created_at = created_at - interval '1 minute' where subject_uuid = ?", [
    charge,
  ])
/** The same charge in a run that calls its first candidate last. */
const turned = (charge: ChargeInput) => ({ ...charge, candidates: charge.candidates.toReversed() })

test('an issuing call that broke off becomes an orphan once another provider has issued: its payload may exist', async () => {
  const charge = await order()
  const [first, second] = charge.candidates as [string, string]
  fixture.scriptProvider({ issueCharge: killed })
  await expect(fixture.providers.issueCharge(charge)).rejects.toThrow('killed')

  fixture.scriptProvider({ issueCharge: async () => issued() })
  const { state, orphans } = await fixture.providers.issueCharge(turned(charge))
  expect(state).toBe('pending')
  const [left, acceptedAttempt] = await attempts(charge.uuid)
  expect(left).toMatchObject({ connection: first, position: 0, state: 'orphan' })
  expect(acceptedAttempt).toMatchObject({ connection: second, position: 1, state: 'accepted' })
  expect(orphans).toEqual([left!.uuid])
})

/** Starts an attempt whose provider has received the call and answers when the test resolves `answer`. */
async function startSlowIssuing(charge: Awaited<ReturnType<typeof order>>) {
  const answer = Promise.withResolvers<IssueChargeOutcome>()
  const called = Promise.withResolvers<void>()
  fixture.scriptProvider({
    issueCharge: () => {
      called.resolve()
      return answer.promise
    },
  })
  const slow = fixture.providers.issueCharge(charge)
  await called.promise
  return { slow, answer }
}

test('of two concurrent attempts one issues, and the slower one’s payload becomes an orphan', async () => {
  const charge = await order()
  const [first, second] = charge.candidates as [string, string]
  const { slow, answer } = await startSlowIssuing(charge)
  fixture.scriptProvider({ issueCharge: async () => issued() })
  const fast = await fixture.providers.issueCharge(turned(charge))
  answer.resolve(issued())
  expect(await slow).toEqual(fast)
  expect(await attempts(charge.uuid)).toMatchObject([
    { connection: first, state: 'orphan' },
    { connection: second, state: 'accepted' },
  ])
})

test.each([
  ['refused', { kind: 'rejected', finality: 'other_may_help', code: 'provider_limit', message: 'no' }],
  ['not even sent', { kind: 'unreachable', code: 'dns_failed', message: 'nobody there' }],
] as const)(
  'an issuing call that broke off becomes an orphan although its repeat is %s',
  async (_, outcome) => {
    const charge = await order()
    fixture.scriptProvider({ issueCharge: killed })
    await expect(fixture.providers.issueCharge(charge)).rejects.toThrow('killed')
    await ageCalls(charge.uuid)
    fixture.scriptProvider({ issueCharge: async () => outcome })
    const { state, orphans } = await fixture.providers.issueCharge(charge)
    const [first, second] = await attempts(charge.uuid)
    expect([state, first?.state, second?.state]).toEqual(['failed', 'orphan', outcome.kind])
    expect(orphans).toEqual([first!.uuid])
  },
)

test('a repeated call that may have made a payload leaves an orphan although the run before it did not reach its provider', async () => {
  const charge = await order()
  const one = { ...charge, candidates: charge.candidates.slice(0, 1) }
  const first = await startSlowIssuing(one)
  await ageCalls(charge.uuid) // The first run stands still for longer than a call takes.
  const repeat = await startSlowIssuing(one)
  first.answer.resolve({ kind: 'unreachable', code: 'timeout', message: 'nobody there' })
  expect(await first.slow).toMatchObject({ state: 'failed' })
  repeat.answer.resolve({ kind: 'unknown', code: 'http_503', message: '' })
  const [attempt] = await attempts(charge.uuid)
  expect(await repeat.slow).toMatchObject({ state: 'failed', orphans: [attempt!.uuid] })
  expect(await attempts(charge.uuid)).toMatchObject([{ state: 'orphan' }])
})

test('a run that follows one in progress waits for its call, and does not repeat it', async () => {
  const charge = await order()
  const { slow, answer } = await startSlowIssuing(charge)
  let repeats = 0
  fixture.scriptProvider({
    issueCharge: async () => {
      repeats++
      return issued()
    },
  })
  const next = fixture.providers.issueCharge({ ...charge, candidates: charge.candidates.slice(0, 1) })
  await sleep(300)
  answer.resolve(issued())
  expect(await next).toEqual(await slow)
  expect(repeats).toBe(0)
  expect(await attempts(charge.uuid)).toMatchObject([{ state: 'accepted' }])
})

test('a late refusal does not withdraw the payload that was shown', async () => {
  const ordered = await order()
  // One candidate: while the slow call takes long, the next one would be called.
  const charge = { ...ordered, candidates: ordered.candidates.slice(0, 1) }
  const { slow, answer } = await startSlowIssuing(charge)
  await ageCalls(charge.uuid)
  fixture.scriptProvider({ issueCharge: async () => issued() })
  await fixture.providers.issueCharge(charge)
  answer.resolve({ kind: 'unknown', code: 'duplicate_id', message: 'accepted' })
  expect(await slow).toMatchObject({ state: 'pending', orphans: [] })
  expect(await attempts(charge.uuid)).toMatchObject([{ state: 'accepted' }])
})

test('a payment with a longer provider id than the rail’s is posted like any other', async () => {
  const charge = await order()
  const answer = issued() as Extract<IssueChargeOutcome, { kind: 'accepted' }>
  const long = { txid: 't'.repeat(60), pixKey: `${'k'.repeat(90)}@exemplo.com.br` }
  Object.assign(answer.charge, long)
  fixture.scriptProvider({ issueCharge: async () => answer })
  await fixture.providers.issueCharge(charge)
  const paid = (endToEnd: string): IncomingPix => ({
    endToEnd,
    ...long,
    cents: 500,
    status: 'settled',
    at: new Date().toISOString(),
    reference: null,
    payer: null,
  })
  const payments = [paid(`E${'1'.repeat(60)}`)]
  const deposit = paid(`E${'2'.repeat(60)}`)
  fixture.scriptProvider({
    findCharge: async () => ({ kind: 'found', status: 'completed', charge: answer.charge, payments }),
    findPayment: async () => ({ kind: 'found', payment: deposit }),
  })
  expect(
    await fixture.providers.pollCharge({ chargeUuid: charge.uuid, isPayloadExpired: false }),
  ).toMatchObject({
    kind: 'known',
    state: 'paid',
  })
  await fixture.providers.recordDeposit({
    connectionUuid: charge.candidates[0]!,
    endToEnd: deposit.endToEnd,
    requestId: 'r',
    timeScale: 1,
  })
  const booked = 'select end_to_end, txid, pix_key from movement where account_uuid = ? order by end_to_end'
  expect(await fixture.sql(booked, [charge.accountUuid])).toEqual(
    [payments[0]!, deposit].map(({ endToEnd, txid, pixKey }) => ({
      end_to_end: endToEnd,
      txid,
      pix_key: pixKey,
    })),
  )
  expect(await fixture.readBalances(charge.accountUuid)).toMatchObject({ available: 1_000 })
})

test('a deposit shows the account that received it', async () => {
  const { connectionUuid } = await fixture.createMerchant(0)
  const account = toParty({ name: 'Loja de Teste Ltda', document: '11222333000181' })
  await fixture.sql('update connection set virtual_account = ? where uuid = ?', [
    JSON.stringify({ type: 'NOMINAL', ...account }),
    connectionUuid,
  ])
  const endToEnd = `E${randomUUID()}`
  fixture.scriptProvider({
    findPayment: async () => ({
      kind: 'found',
      payment: {
        endToEnd,
        txid: 'x',
        reference: null,
        cents: 500,
        status: 'settled',
        payer: null,
        pixKey: 'key',
        at: new Date().toISOString(),
      } as IncomingPix,
    }),
  })
  await fixture.providers.recordDeposit({ connectionUuid, endToEnd, requestId: 'r', timeScale: 1 })
  const movement = await fixture.orm.em.fork().findOneOrFail(Movement, { endToEnd })
  expect(movement.receiver).toEqual(account)
})

type Cancelling = Awaited<ReturnType<Provider['cancelCharge']>>
const forgotten: Cancelling = { kind: 'not_found' }
const NO_ANSWER: Cancelling = { kind: 'no_answer', code: 'timeout', message: 'no answer' }
const neverLeft: Cancelling = {
  kind: 'no_answer',
  code: 'no_token',
  message: 'no token',
  isUnprocessed: true,
}

/** The state of a charge after its provider was called to cancel it so often, and whether that is still requested. */
async function afterCancelling(answers: (Cancelling | 'dies')[], isAbsenceProved = false) {
  const charge = await order()
  fixture.scriptProvider({ issueCharge: async () => issued() })
  await fixture.providers.issueCharge(charge)
  for (const answer of answers) {
    fixture.scriptProvider({ cancelCharge: answer === 'dies' ? killed : async () => answer })
    const isProved = isAbsenceProved && answer === answers.at(-1)
    const asked = fixture.providers.cancelCharge({ chargeUuid: charge.uuid, isAbsenceProved: isProved })
    await (answer === 'dies' ? expect(asked).rejects.toThrow('killed') : asked)
  }
  const { state, cancelRequested } = await fixture.records.getCharge(charge.uuid)
  return { state, cancelRequested }
}

test.each<[string, (Cancelling | 'dies')[]]>([
  ['"not found", however often', [forgotten, forgotten, forgotten]],
  [
    '"not found" after a call that was never sent, as with another account’s credentials',
    [neverLeft, forgotten],
  ],
  ['"not found" after a refusal', [{ kind: 'refused', code: 'no', message: 'no' }, forgotten]],
])('a charge whose cancellation is not confirmed is not CANCELLED: %s', async (_name, answers) => {
  fixture.scriptProvider({ findCharge: async () => ({ kind: 'not_found' }) })
  expect(await afterCancelling(answers, true)).toEqual({ state: 'pending', cancelRequested: true })
})

test('one "not found" after a cancellation without an answer does not make a charge CANCELLED', async () => {
  expect(await afterCancelling([NO_ANSWER, forgotten])).toEqual({ state: 'pending', cancelRequested: true })
})

test.each([
  ['it stays', true, false],
  ['nothing, because its provider does not report its state', false, true],
])(
  'a cancellation that the provider refuses ends once its response says that %s',
  async (_name, isKnown, isWanted) => {
    const { charge } = issued() as Extract<IssueChargeOutcome, { kind: 'accepted' }>
    fixture.scriptProvider({
      findCharge: async () =>
        isKnown ? { kind: 'found', status: 'open', charge, payments: [] } : { kind: 'not_found' },
    })
    const refused: Cancelling = { kind: 'refused', code: 'no', message: 'no' }
    expect(await afterCancelling([refused])).toEqual({ state: 'pending', cancelRequested: isWanted })
  },
)

const pix: IncomingPix = {
  endToEnd: `E${randomUUID()}`,
  txid: null,
  reference: null,
  cents: 499,
  status: 'settled',
  payer: null,
  pixKey: 'key',
  at: new Date().toISOString(),
}

test.each<[string, string, { status: 'expired' | 'completed'; payments: IncomingPix[] }]>([
  ['cancelled', 'has ended there', { status: 'expired', payments: [] }],
  ['pending', 'is paid by a PIX that is not listed yet', { status: 'completed', payments: [] }],
  ['pending', 'is paid, with another amount listed', { status: 'completed', payments: [pix] }],
  ['pending', 'has a PIX in process', { status: 'expired', payments: [{ ...pix, status: 'in_process' }] }],
])('a charge whose cancellation its provider refuses is %s where it %s', async (state, _name, found) => {
  const { charge } = issued() as Extract<IssueChargeOutcome, { kind: 'accepted' }>
  fixture.scriptProvider({ findCharge: async () => ({ kind: 'found', charge, ...found }) })
  const refused: Cancelling = { kind: 'refused', code: 'no', message: 'no' }
  expect(await afterCancelling([refused])).toEqual({ state, cancelRequested: state === 'cancelled' })
})

test.each<[string, (Cancelling | 'dies')[]]>([
  ['was not answered', [NO_ANSWER, forgotten]],
  ['broke off', ['dies', forgotten]],
  ['was not answered, whatever the outcome of concurrent ones', [forgotten, NO_ANSWER, neverLeft, forgotten]],
])(
  'a charge whose absence is proved at its provider is CANCELLED where a request %s',
  async (_name, answers) => {
    expect(await afterCancelling(answers, true)).toEqual({ state: 'cancelled', cancelRequested: true })
  },
)

/** Reasons that keep a connection from starting anything. */
const BLOCKED_CASES: [string, string, string][] = [
  ['is not ACTIVE any more', `update connection set status = 'BLOCKED' where uuid = ?`, 'provider_inactive'],
  [
    'was paused',
    `insert into pause (uuid, connection_uuid, reach, actor, reason, created_at)
     values (gen_random_uuid(), ?, 'everything', 'an operator', 'a test', now())`,
    'paused',
  ],
]

test.each(BLOCKED_CASES)(
  'a charge is not issued through a connection that %s since its request: the next provider is called',
  async (_, change, code) => {
    const charge = await order()
    const [first, second] = charge.candidates as [string, string]
    await fixture.sql(change, [first])
    let calls = 0
    fixture.scriptProvider({
      issueCharge: async () => {
        calls += 1
        return issued()
      },
    })
    expect(await fixture.providers.issueCharge(charge)).toMatchObject({ state: 'pending', orphans: [] })
    expect(calls).toBe(1)
    const [left, acceptedAttempt] = await attempts(charge.uuid)
    expect(left).toMatchObject({ connection: first, state: 'unreachable', code })
    expect(acceptedAttempt).toMatchObject({ connection: second, state: 'accepted' })

    await fixture.sql(change, [second])
    const another = { ...charge, uuid: randomUUID() }
    expect(await fixture.providers.issueCharge(another)).toMatchObject({ state: 'failed', orphans: [] })
    expect(calls).toBe(1)
  },
)

test.each(BLOCKED_CASES)(
  'after a restore a second payload is an orphan, although its connection %s',
  async (_, change) => {
    const charge = await order()
    const [first, second] = charge.candidates as [string, string]
    const { charge: known } = issued() as Extract<IssueChargeOutcome, { kind: 'accepted' }>
    fixture.scriptProvider({
      findCharge: async () => ({ kind: 'found', status: 'open', charge: known, payments: [] }),
    })
    for (const connection of [first, second]) await fixture.sql(change, [connection])
    const restored = { orderedAt: new Date().toISOString(), connectionUuid: second }
    const sought = await fixture.providers.rebuildOperation({ noun: 'charge', order: charge, restored })
    const [left, shown] = await attempts(charge.uuid)
    expect(left).toMatchObject({ connection: first, state: 'orphan', code: 'interrupted' })
    expect(shown).toMatchObject({ connection: second, state: 'accepted', code: null })
    expect(sought).toMatchObject({ kind: 'known', state: 'pending', orphans: [left!.uuid] })
  },
)
