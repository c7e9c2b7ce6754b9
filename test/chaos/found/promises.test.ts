import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { SendOutcome } from '../../../src/domain/provider.ts'
import type { TransferOrder } from '../../../src/workflows/messages.ts'
import { openBooks } from '../support/books.ts'

/** What the row says decides what may still be sent, whatever process has ended or stood still. */

let books: Awaited<ReturnType<typeof openBooks>>
let merchant: { accountUuid: string; connectionUuid: string }
let order: TransferOrder
let calls: string[]
beforeAll(async () => {
  books = await openBooks()
})
beforeEach(async () => {
  merchant = await books.merchant(1_000)
  order = books.transferOrder(merchant)
  calls = []
  answers(inProcess)
})
afterAll(() => books?.close())

const sending = { status: 'in_process', endToEnd: `E${'3'.repeat(31)}`, at: null } as const
const inProcess: SendOutcome = { kind: 'accepted', sending }
const unreachable: SendOutcome = { kind: 'unreachable', code: 'dns_failed', message: 'no such host' }
const soon = () => new Date(Date.now() + 60_000).toISOString()

function answers(outcome: SendOutcome | (() => never)): void {
  books.provider({
    async sendTransfer({ id }) {
      calls.push(id)
      return typeof outcome === 'function' ? outcome() : outcome
    },
  })
}
const killed = (): never => {
  throw new Error('killed')
}
const send = (more: { again?: boolean; connectionUuid?: string; order?: TransferOrder } = {}) =>
  books.providers.sendTransfer({
    ...{ uuid: order.uuid, connectionUuid: merchant.connectionUuid, again: false },
    ...more,
  })
const ask = (more: { unlessFinal?: boolean } = {}) =>
  books.providers.askTransfer({
    ...{ uuid: order.uuid, connectionUuid: merchant.connectionUuid, asked: 1 },
    ...more,
  })
const row = async () => {
  const [found] = await books.sql<{ state: string; take_before: Date | null; failure: object | null }>(
    'select state, take_before, failure from transfer where uuid = ?',
    [order.uuid],
  )
  return found!
}
const attempt = async () => {
  const [found] = await books.sql<Record<string, unknown>>(
    'select state, code, sendings, refusal, contradiction_code from attempt where subject_uuid = ? order by position desc',
    [order.uuid],
  )
  return found!
}
const passesItsTime = () =>
  books.sql(`update transfer set take_before = now() - interval '1 second' where uuid = ?`, [order.uuid])

describe('an order without a key', () => {
  beforeEach(() => {
    order = books.transferOrder(merchant, { takeBefore: soon() })
  })

  test('keeps in its row until when it may be taken, until a call of it has an answer', async () => {
    answers(() => killed())
    await expect(send({ order })).rejects.toThrow('killed')
    expect((await row()).take_before).not.toBeNull()
    books.provider({ findTransfer: async () => ({ kind: 'found', sending }) })
    expect(await ask()).toEqual({ kind: 'in_process' })
    expect(await row()).toMatchObject({ state: 'settling', take_before: null })
  })

  test('whose worker ended before the call is not sent later, though its absence is proved', async () => {
    answers(() => killed())
    await expect(send({ order })).rejects.toThrow('killed')
    calls = []
    await passesItsTime()
    answers(inProcess)
    expect(await send({ again: true })).toMatchObject({
      kind: 'rejected',
      code: 'not_taken',
      finality: 'final',
    })
    expect(calls).toEqual([])
    expect(await row()).toMatchObject({ state: 'failed', failure: { code: 'not_taken' } })
    expect(await books.balances(merchant.accountUuid)).toMatchObject({ available: 1_000 })
  })

  test('that was answered as taken is sent again, however late', async () => {
    answers(() => killed())
    await expect(send({ order })).rejects.toThrow('killed')
    await books.sql('update transfer set take_before = null where uuid = ?', [order.uuid])
    answers(inProcess)
    expect(await send({ again: true })).toEqual({ kind: 'in_process' })
    expect(calls).toHaveLength(2)
  })

  test('may go to its next candidate however late, once a call of it has an answer', async () => {
    answers(unreachable)
    expect(await send({ order })).toMatchObject({ kind: 'unreachable' })
    expect((await row()).take_before).toBeNull()
  })

  test('begins no attempt in the database after its time', async () => {
    answers(() => killed())
    await expect(send({ order })).rejects.toThrow('killed')
    await passesItsTime()
    const again = `update attempt set state = 'unknown' where subject_uuid = ?`
    await books.sql(again, [order.uuid])
    await expect(
      books.sql(`update attempt set state = 'calling' where subject_uuid = ?`, [order.uuid]),
    ).rejects.toThrow('attempt_in_time')
  })

  test('that waits for its time is taken when its row is stored, and failed where that was too late', async () => {
    const scheduled = { takeBefore: soon(), scheduledFor: soon() }
    order = books.transferOrder(merchant, scheduled)
    expect(await books.records.storeTransfer(order)).toMatchObject({ state: 'created' })
    expect((await row()).take_before).toBeNull()
    order = books.transferOrder(merchant, {
      ...scheduled,
      takeBefore: new Date(Date.now() - 1).toISOString(),
    })
    expect(await books.records.storeTransfer(order)).toMatchObject({ state: 'failed' })
    expect(await row()).toMatchObject({ failure: { code: 'not_taken' } })
  })
})

test('a final outcome is answered from its row, and its provider is asked where that may bring more', async () => {
  answers(unreachable)
  await send({ order })
  let asked = 0
  books.provider({
    findTransfer: async () => {
      asked++
      return { kind: 'no_answer', code: 'timeout', message: 'no answer' }
    },
  })
  expect(await ask({ unlessFinal: true })).toMatchObject({ kind: 'unreachable' })
  expect(asked).toBe(0)
  expect(await ask()).toEqual({ kind: 'unknown', code: 'timeout' })
  expect(asked).toBe(1)
})

test('a workflow whose history was rolled back is told where the live attempt is', async () => {
  const next = await books.connection(merchant)
  answers({ kind: 'unknown', code: 'timeout', message: 'no answer' })
  await send({ order })
  calls = []
  expect(await send({ connectionUuid: next })).toEqual({
    kind: 'elsewhere',
    connectionUuid: merchant.connectionUuid,
  })
  expect(calls).toEqual([])
})

describe('an order that stands at its provider', () => {
  const refusal = { finality: 'other_may_help', code: 'insufficient_balance', message: 'no balance' } as const
  const stands = {
    kind: 'awaiting_approval',
    code: 'awaiting_approval',
    message: 'approve it in the panel',
  } as const

  test('is unknown, and refused once it is proved to be gone', async () => {
    answers({ ...stands, refusal })
    expect(await send({ order })).toEqual({ kind: 'unknown', code: 'awaiting_approval' })
    expect(await attempt()).toMatchObject({ state: 'unknown', refusal })
    books.provider({ findTransfer: async () => stands })
    expect(await ask()).toEqual({ kind: 'unknown', code: 'awaiting_approval' })
    calls = []
    expect(await send({ again: true })).toMatchObject({
      ...{ kind: 'rejected', code: 'insufficient_balance', finality: 'other_may_help' },
    })
    expect(calls).toEqual([])
    expect(await attempt()).toMatchObject({ state: 'rejected', refusal: null, code: 'insufficient_balance' })
    // What its provider refused is not sent to it again by the same id.
    expect(await send()).toMatchObject({ kind: 'rejected' })
    expect(calls).toEqual([])
  })

  test('settles where it is carried out later', async () => {
    answers({ ...stands, refusal })
    await send({ order })
    books.provider({
      findTransfer: async () => ({ kind: 'found', sending: { ...sending, status: 'settled', returns: [] } }),
    })
    expect(await ask()).toMatchObject({ kind: 'settled' })
    expect(await row()).toMatchObject({ state: 'paid' })
  })

  test('is sent again where no refusal was told', async () => {
    answers(stands)
    await send({ order })
    answers(inProcess)
    expect(await send({ again: true })).toEqual({ kind: 'in_process' })
  })
})

test('what a provider reports as failed after it had settled stays settled, and is marked', async () => {
  await send({ order })
  const found = (status: 'settled' | 'rejected') =>
    books.provider({
      findTransfer: async () => ({
        kind: 'found',
        sending: { ...sending, status, code: 'AC03', returns: [] },
      }),
    })
  found('settled')
  await ask()
  found('rejected')
  expect(await ask()).toMatchObject({ kind: 'settled' })
  expect(await row()).toMatchObject({ state: 'paid' })
  expect(await attempt()).toMatchObject({ state: 'settled', contradiction_code: 'AC03' })
})

test('an operation that ended is not sent again, though the absence of its attempt is proved', async () => {
  answers({ kind: 'unknown', code: 'timeout', message: 'no answer' })
  await send({ order })
  await books.sql(`update transfer set state = 'failed', held_cents = 0 where uuid = ?`, [order.uuid])
  calls = []
  expect(await send({ again: true })).toMatchObject({ kind: 'rejected', code: 'failed', finality: 'final' })
  expect(calls).toEqual([])
})

test('a blocked account sends nothing that is due, and sends again once it is unblocked', async () => {
  order = books.transferOrder(merchant, { scheduledFor: soon() })
  await books.records.storeTransfer(order)
  const status = (to: string) =>
    books.sql('update account set status = ? where uuid = ?', [to, merchant.accountUuid])
  await status('BLOCKED')
  expect(await send()).toMatchObject({ kind: 'unreachable', code: 'account_blocked' })
  expect(calls).toEqual([])
  expect(await row()).toMatchObject({ state: 'created' })
  await status('ACTIVE')
  expect(await send()).toEqual({ kind: 'in_process' })
})
