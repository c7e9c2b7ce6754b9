import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { ProviderPayout, SendPayoutOutcome } from '../../../src/domain/providers/provider.ts'
import type { TransferInput } from '../../../src/workflows/contracts/transfers.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/** The row decides what may still be sent, whichever process has ended or stood still. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
let merchant: { accountUuid: string; connectionUuid: string }
let order: TransferInput
let calls: string[]
beforeAll(async () => {
  fixture = await openActivityFixture()
})
beforeEach(async () => {
  merchant = await fixture.createMerchant(1_000)
  order = fixture.transferInput(merchant)
  calls = []
  answers(inProcess)
})
afterAll(() => fixture?.close())

const sending = { status: 'in_process', cents: 500, endToEnd: `E${'3'.repeat(31)}`, at: null } as const
const inProcess: SendPayoutOutcome = { kind: 'accepted', payout: sending }
const unreachable: SendPayoutOutcome = { kind: 'unreachable', code: 'dns_failed', message: 'no such host' }
const soon = () => new Date(Date.now() + 60_000).toISOString()

function answers(outcome: SendPayoutOutcome | (() => never)): void {
  fixture.scriptProvider({
    async sendTransfer({ id }) {
      calls.push(id)
      return typeof outcome === 'function' ? outcome() : outcome
    },
  })
}
const find = (changes: Partial<ProviderPayout>) =>
  fixture.scriptProvider({
    findTransfer: async () => ({ kind: 'found', payout: { ...sending, returns: [], ...changes } }),
  })
const killed = (): never => {
  throw new Error('killed')
}
const send = (more: { isResend?: boolean; connectionUuid?: string; order?: TransferInput } = {}) =>
  fixture.providers.sendTransfer({
    uuid: order.uuid,
    connectionUuid: merchant.connectionUuid,
    isResend: false,
    ...more,
  })
const ask = (more: { canAnswerFromRow?: boolean } = {}) =>
  fixture.providers.pollTransfer({
    uuid: order.uuid,
    connectionUuid: merchant.connectionUuid,
    pollCount: 1,
    ...more,
  })
const row = async () => {
  const [found] = await fixture.sql<{ state: string; accept_before: Date | null; failure: object | null }>(
    'select state, accept_before, failure from transfer where uuid = ?',
    [order.uuid],
  )
  return found!
}
const attempt = async () => {
  const [found] = await fixture.sql<Record<string, unknown>>(
    'select state, code, sendings, refusal, contradiction_code from attempt where subject_uuid = ? order by position desc',
    [order.uuid],
  )
  return found!
}
const passesItsTime = () =>
  fixture.sql(`update transfer set accept_before = now() - interval '1 second' where uuid = ?`, [order.uuid])

describe('a payout without an idempotency key', () => {
  beforeEach(() => {
    order = fixture.transferInput(merchant, { acceptBefore: soon() })
  })

  test('stores its acceptance deadline until one of its calls has an answer', async () => {
    answers(() => killed())
    await expect(send({ order })).rejects.toThrow('killed')
    expect((await row()).accept_before).not.toBeNull()
    fixture.scriptProvider({ findTransfer: async () => ({ kind: 'found', payout: sending }) })
    expect(await ask()).toEqual({ kind: 'in_process' })
    expect(await row()).toMatchObject({ state: 'settling', accept_before: null })
  })

  test('whose worker ended before the call is not sent later, although its absence is proved', async () => {
    answers(() => killed())
    await expect(send({ order })).rejects.toThrow('killed')
    calls = []
    await passesItsTime()
    answers(inProcess)
    expect(await send({ isResend: true })).toMatchObject({
      kind: 'rejected',
      code: 'not_started',
      finality: 'final',
    })
    expect(calls).toEqual([])
    expect(await row()).toMatchObject({ state: 'failed', failure: { code: 'not_started' } })
    expect(await fixture.readBalances(merchant.accountUuid)).toMatchObject({ available: 1_000 })
  })

  test('that was answered with accepted is sent again, however late', async () => {
    answers(() => killed())
    await expect(send({ order })).rejects.toThrow('killed')
    await fixture.sql('update transfer set accept_before = null where uuid = ?', [order.uuid])
    answers(inProcess)
    expect(await send({ isResend: true })).toEqual({ kind: 'in_process' })
    expect(calls).toHaveLength(2)
  })

  test('may go to its next candidate however late, once one of its calls has an answer', async () => {
    answers(unreachable)
    expect(await send({ order })).toMatchObject({ kind: 'unreachable' })
    expect((await row()).accept_before).toBeNull()
  })

  test('starts no attempt in the database after its deadline', async () => {
    answers(() => killed())
    await expect(send({ order })).rejects.toThrow('killed')
    await passesItsTime()
    const again = `update attempt set state = 'unknown' where subject_uuid = ?`
    await fixture.sql(again, [order.uuid])
    await expect(
      fixture.sql(`update attempt set state = 'calling' where subject_uuid = ?`, [order.uuid]),
    ).rejects.toThrow('attempt_before_deadline')
  })

  test('that is scheduled is accepted when its row is stored in time, and failed otherwise', async () => {
    const scheduled = { acceptBefore: soon(), scheduledFor: soon() }
    order = fixture.transferInput(merchant, scheduled)
    expect(await fixture.records.storeTransfer(order)).toMatchObject({ state: 'created' })
    expect((await row()).accept_before).toBeNull()
    order = fixture.transferInput(merchant, {
      ...scheduled,
      acceptBefore: new Date(Date.now() - 1).toISOString(),
    })
    expect(await fixture.records.storeTransfer(order)).toMatchObject({ state: 'failed' })
    expect(await row()).toMatchObject({ failure: { code: 'not_started' } })
  })
})

test('a final outcome is answered from its row, and its provider is polled only where that may add something', async () => {
  answers(unreachable)
  await send({ order })
  let asked = 0
  fixture.scriptProvider({
    findTransfer: async () => {
      asked++
      return { kind: 'no_answer', code: 'timeout', message: 'no answer' }
    },
  })
  expect(await ask({ canAnswerFromRow: true })).toMatchObject({ kind: 'unreachable' })
  expect(asked).toBe(0)
  expect(await ask()).toEqual({ kind: 'unknown', code: 'timeout' })
  expect(asked).toBe(1)
})

test('a workflow whose history was rolled back learns which connection has the live attempt', async () => {
  const next = await fixture.createConnection(merchant)
  answers({ kind: 'unknown', code: 'timeout', message: 'no answer' })
  await send({ order })
  calls = []
  expect(await send({ connectionUuid: next })).toEqual({
    kind: 'redirect',
    connectionUuid: merchant.connectionUuid,
  })
  expect(calls).toEqual([])
})

describe('an attempt stores who has refused it', () => {
  const readRefusal = async () => {
    const [found] = await fixture.sql<Record<string, unknown>>(
      `select refused_by, is_refused_before_call, missing_cents, provider_message, was_unknown_from, was_unknown_until
       from attempt where subject_uuid = ?`,
      [order.uuid],
    )
    return found!
  }

  test('the service, with what the balance lacks, until the provider is called', async () => {
    order = fixture.transferInput(merchant, { valueCents: 1_700 })
    const code = 'insufficient_balance'
    expect(await send({ order })).toMatchObject({ kind: 'rejected', code, canRetry: true })
    expect(calls).toEqual([])
    expect(await readRefusal()).toMatchObject({
      refused_by: 'service',
      is_refused_before_call: true,
      missing_cents: '700',
      provider_message: null,
    })
  })

  test('the provider, in its own words, and how long the outcome was unknown before', async () => {
    answers({ kind: 'unknown', code: 'timeout', message: 'no answer' })
    await send({ order })
    expect(await readRefusal()).toMatchObject({ refused_by: null, was_unknown_from: null })
    find({ status: 'rejected', code: 'AC07', message: 'Encerrada', providerMessage: 'Encerrada' })
    expect(await ask()).toMatchObject({ kind: 'rejected', code: 'AC07' })
    const { was_unknown_from: from, was_unknown_until: until, ...refusal } = await readRefusal()
    expect(refusal).toMatchObject({
      refused_by: 'provider',
      provider_message: 'Encerrada',
      missing_cents: null,
    })
    expect(new Date(from as string).getTime()).toBeLessThanOrEqual(new Date(until as string).getTime())
  })
})

describe('an order that waits at its provider for approval', () => {
  const refusal = { finality: 'other_may_help', code: 'insufficient_balance', message: 'no balance' } as const
  const awaitingApproval = {
    kind: 'awaiting_approval',
    code: 'awaiting_approval',
    message: 'approve it in the panel',
  } as const

  test('is unknown, and refused once it is proved absent', async () => {
    answers({ ...awaitingApproval, refusal })
    expect(await send({ order })).toEqual({ kind: 'unknown', code: 'awaiting_approval' })
    expect(await attempt()).toMatchObject({ state: 'unknown', refusal })
    fixture.scriptProvider({ findTransfer: async () => awaitingApproval })
    expect(await ask()).toEqual({ kind: 'unknown', code: 'awaiting_approval' })
    calls = []
    expect(await send({ isResend: true })).toMatchObject({
      kind: 'rejected',
      code: 'insufficient_balance',
      finality: 'other_may_help',
    })
    expect(calls).toEqual([])
    expect(await attempt()).toMatchObject({ state: 'rejected', refusal: null, code: 'insufficient_balance' })
    // A payout that its provider refused is not sent to it again by the same id.
    expect(await send()).toMatchObject({ kind: 'rejected' })
    expect(calls).toEqual([])
  })

  test('settles where it is approved later', async () => {
    answers({ ...awaitingApproval, refusal })
    await send({ order })
    fixture.scriptProvider({
      findTransfer: async () => ({ kind: 'found', payout: { ...sending, status: 'settled', returns: [] } }),
    })
    expect(await ask()).toMatchObject({ kind: 'settled' })
    expect(await row()).toMatchObject({ state: 'paid' })
  })

  test('is sent again where no refusal was reported', async () => {
    answers(awaitingApproval)
    await send({ order })
    answers(inProcess)
    expect(await send({ isResend: true })).toEqual({ kind: 'in_process' })
  })
})

test('a settled payout that its provider later reports as failed stays settled and is marked as a contradiction', async () => {
  await send({ order })
  const found = (status: 'settled' | 'rejected') =>
    fixture.scriptProvider({
      findTransfer: async () => ({
        kind: 'found',
        payout: { ...sending, status, code: 'AC03', returns: [] },
      }),
    })
  found('settled')
  await ask()
  found('rejected')
  expect(await ask()).toMatchObject({ kind: 'settled' })
  expect(await row()).toMatchObject({ state: 'paid' })
  expect(await attempt()).toMatchObject({ state: 'settled', contradiction_code: 'AC03' })
})

describe('a refusal after which the provider may still have the order', () => {
  const refusal = { finality: 'other_may_help', code: 'insufficient_balance', message: 'no balance' } as const
  const unproved = { kind: 'unknown', code: refusal.code, message: refusal.message, refusal } as const

  test('is unknown after one "not found", and counts once the absence is proved', async () => {
    answers(unproved)
    expect(await send({ order })).toEqual({ kind: 'unknown', code: 'insufficient_balance' })
    fixture.scriptProvider({ findTransfer: async () => ({ kind: 'not_found' }) })
    expect(await ask()).toMatchObject({ kind: 'not_found' })
    expect(await attempt()).toMatchObject({ state: 'unknown', refusal })
    calls = []
    expect(await send({ isResend: true })).toMatchObject({ kind: 'rejected', finality: 'other_may_help' })
    expect(calls).toEqual([])
  })

  test('is dropped where the provider lists the order after all', async () => {
    answers(unproved)
    await send({ order })
    fixture.scriptProvider({ findTransfer: async () => ({ kind: 'found', payout: sending }) })
    expect(await ask()).toEqual({ kind: 'in_process' })
    expect(await attempt()).toMatchObject({ state: 'accepted', refusal: null })
  })
})

describe('a transfer of which its provider has another under its id', () => {
  const another: [string, Partial<ProviderPayout>, string][] = [
    ['of another value', { cents: 1 }, 'value_differs'],
    ['to another key', { pixKey: 'outro@exemplo.com.br' }, 'receiver_differs'],
  ]
  const cases = another.flatMap(([what, changes, code]) =>
    (['settled', 'rejected', 'in_process'] as const).map(
      status => [`${what} and ${status}`, { ...changes, status }, code] as const,
    ),
  )

  test.each(cases)(
    '%s keeps its state and its hold, and is shown to the operator',
    async (_, changes, code) => {
      answers({ kind: 'unknown', code: 'timeout', message: 'no answer' })
      await send({ order })
      find(changes)
      expect(await ask()).toEqual({ kind: 'unknown', code })
      expect(await row()).toMatchObject({ state: 'sending' })
      expect(await attempt()).toMatchObject({ state: 'unknown', code, contradiction_code: code })
      expect(await fixture.readBalances(merchant.accountUuid)).toMatchObject({
        available: 500,
        provisioned: 500,
      })
      // Another answer of the provider, about the order itself, counts.
      find({ status: 'settled', pixKey: 'FORNECEDOR@exemplo.com.br' })
      expect(await ask()).toMatchObject({ kind: 'settled' })
      expect(await row()).toMatchObject({ state: 'paid' })
    },
  )

  test.each(cases)('%s after its acceptance keeps its acceptance', async (_, changes, code) => {
    await send({ order })
    find(changes)
    expect(await ask()).toEqual({ kind: 'unknown', code })
    expect(await row()).toMatchObject({ state: 'settling' })
    expect(await attempt()).toMatchObject({ state: 'accepted', contradiction_code: code })
  })

  test('does not settle, nor return, by that of another value after it has failed', async () => {
    answers({ kind: 'rejected', finality: 'final', code: 'no', message: 'no' })
    await send({ order })
    await fixture.records.failTransfer(order.uuid)
    find({ status: 'settled', cents: 1, returns: [{ id: 'D1', endToEnd: null, cents: 1, at: soon() }] })
    expect(await ask()).toMatchObject({ kind: 'rejected', code: 'no' })
    expect(await row()).toMatchObject({ state: 'failed' })
    expect(await fixture.readBalances(merchant.accountUuid)).toEqual({ available: 1_000, outside: -1_000 })
  })

  test('whose interrupted call stored nothing is unknown then', async () => {
    answers(() => killed())
    await expect(send({ order })).rejects.toThrow('killed')
    find({ cents: 1 })
    expect(await ask()).toEqual({ kind: 'unknown', code: 'value_differs' })
    expect(await attempt()).toMatchObject({ state: 'unknown', code: 'value_differs' })
  })

  test('settles in the database by the ordered value only', async () => {
    await send({ order })
    const settle = `update attempt set state = 'settled', settled_cents = ? where subject_uuid = ?`
    await expect(fixture.sql(settle, [1, order.uuid])).rejects.toThrow('attempt_settled_value')
    await expect(fixture.sql(settle, [null, order.uuid])).rejects.toThrow('attempt_settled_value')
    await fixture.sql(settle, [500, order.uuid])
  })
})

describe('an answer that PostgreSQL refuses to record', () => {
  test.each([
    ['while its outcome is unknown', { kind: 'unknown', code: 'timeout', message: 'no answer' }, 'unknown'],
    ['after its acceptance', inProcess, 'accepted'],
  ] as const)('leaves the payout as it is, with its cause, %s', async (_, answer, state) => {
    const taken = `E${randomUUID().replaceAll('-', '').slice(1)}`
    find({ status: 'settled', endToEnd: taken })
    const other = fixture.transferInput(merchant)
    const key = { uuid: other.uuid, connectionUuid: merchant.connectionUuid }
    await fixture.providers.sendTransfer({ ...key, isResend: false, order: other })
    expect(await fixture.providers.pollTransfer({ ...key, pollCount: 1 })).toMatchObject({ kind: 'settled' })
    // The provider gives the second transfer the end-to-end id of the first.
    answers(answer)
    await send({ order })
    expect(await ask()).toEqual({ kind: 'unknown', code: 'not_recordable' })
    expect(await attempt()).toMatchObject({ state, contradiction_code: 'not_recordable' })
    expect(await fixture.readBalances(merchant.accountUuid)).toMatchObject({ provisioned: 500 })
    const causes = `select a.message from attempt_answer a join attempt t on t.uuid = a.attempt_uuid
      where t.subject_uuid = ? and a.code = 'not_recordable'`
    expect(await fixture.sql(causes, [order.uuid])).toEqual([
      { message: expect.stringContaining('movement_once') },
    ])
    find({ status: 'settled', endToEnd: `E${randomUUID().replaceAll('-', '').slice(1)}` })
    expect(await ask()).toMatchObject({ kind: 'settled' })
  })
})

test.each([
  ['of no value', [0, 200]],
  ['above its value', [501, 200]],
])(
  'a return %s keeps neither the settlement nor the other returns from being booked',
  async (_, [odd, right]) => {
    await send({ order })
    const returns = [odd!, right!].map(cents => ({
      id: randomUUID(),
      endToEnd: null,
      cents,
      at: new Date().toISOString(),
    }))
    find({ status: 'settled', returns })
    expect(await ask()).toMatchObject({ kind: 'settled' })
    expect(await row()).toMatchObject({ state: 'partially_refunded' })
    expect(await attempt()).toMatchObject({ state: 'settled', contradiction_code: 'return_value_differs' })
    expect(await fixture.readBalances(merchant.accountUuid)).toEqual({ available: 700, outside: -700 })
  },
)

describe('a transfer that its provider refuses in words that no table lists', () => {
  const refusedWith = (code: string): SendPayoutOutcome => ({ kind: 'unknown', code, message: 'HTTP status' })
  const anHourLater = () =>
    fixture.sql(
      `update attempt_answer set first_at = first_at - interval '1 hour'
       where attempt_uuid in (select uuid from attempt where subject_uuid = ?)`,
      [order.uuid],
    )
  async function sendThrice(...codes: string[]) {
    for (const [index, code] of codes.entries()) {
      answers(refusedWith(code))
      await send(index === 0 ? { order } : { isResend: true })
    }
  }

  test('is refused after three sendings within an hour that were answered alike and are absent', async () => {
    await sendThrice('http_422', 'http_422', 'http_422')
    expect(calls).toHaveLength(3)
    await anHourLater()
    expect(await send({ isResend: true })).toMatchObject({
      kind: 'rejected',
      code: 'provider_rejected',
      finality: 'other_may_help',
    })
    expect(calls).toHaveLength(3)
    await fixture.records.failTransfer(order.uuid)
    expect(await row()).toMatchObject({ state: 'failed', failure: { provider_code: 'http_422' } })
  })

  test.each([
    ['too few sendings', ['http_422', 'http_422'], true],
    ['less than an hour', ['http_422', 'http_422', 'http_422'], false],
    ['different answers', ['http_422', 'http_400', 'http_422'], true],
    ['a sending without an answer', ['timeout', 'http_422', 'http_422'], true],
    ['an error of the provider', ['http_500', 'http_500', 'http_500'], true],
    ['"exists already"', ['http_409', 'http_409', 'http_409'], true],
  ])('is sent again by its id after %s', async (_, codes, isOverdue) => {
    await sendThrice(...codes)
    if (isOverdue) await anHourLater()
    answers(inProcess)
    expect(await send({ isResend: true })).toEqual({ kind: 'in_process' })
  })

  test('is sent again where an answer ever showed the order', async () => {
    await sendThrice('http_422', 'http_422', 'http_422')
    find({ cents: 1 })
    await ask()
    await anHourLater()
    answers(inProcess)
    expect(await send({ isResend: true })).toEqual({ kind: 'in_process' })
  })
})

test('an ended operation is not sent again, although the absence of its attempt is proved', async () => {
  answers({ kind: 'unknown', code: 'timeout', message: 'no answer' })
  await send({ order })
  await fixture.sql(`update transfer set state = 'failed', held_cents = 0 where uuid = ?`, [order.uuid])
  calls = []
  expect(await send({ isResend: true })).toMatchObject({
    kind: 'rejected',
    code: 'failed',
    finality: 'final',
  })
  expect(calls).toEqual([])
})

test('a blocked account sends nothing that is due, and sends again once it is unblocked', async () => {
  order = fixture.transferInput(merchant, { scheduledFor: soon() })
  await fixture.records.storeTransfer(order)
  const status = (to: string) =>
    fixture.sql('update account set status = ? where uuid = ?', [to, merchant.accountUuid])
  await status('BLOCKED')
  expect(await send()).toMatchObject({ kind: 'unreachable', code: 'account_blocked' })
  expect(calls).toEqual([])
  expect(await row()).toMatchObject({ state: 'created' })
  await status('ACTIVE')
  expect(await send()).toEqual({ kind: 'in_process' })
})
