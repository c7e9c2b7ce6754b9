import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals'
import type { SendOutcome } from '../../../src/domain/provider.ts'
import type { TransferOrder } from '../../../src/workflows/messages.ts'
import { openBooks } from '../support/books.ts'

/** What a sending that Temporal has given up does once its answer comes after all: nothing to what was learned since. */

let books: Awaited<ReturnType<typeof openBooks>>
let order: TransferOrder
let key: { uuid: string; connectionUuid: string }
let accountUuid: string
beforeAll(async () => {
  books = await openBooks()
})
beforeEach(async () => {
  const merchant = await books.merchant(1_000)
  accountUuid = merchant.accountUuid
  order = books.transferOrder(merchant)
  key = { uuid: order.uuid, connectionUuid: merchant.connectionUuid }
  await books.records.storeTransfer(order)
})
afterAll(() => books?.close())

/** A sending under way, and what gives it its answer. */
async function calling(again: boolean) {
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<SendOutcome>()
  books.provider({
    sendTransfer() {
      asked.resolve()
      return answer.promise
    },
  })
  const sent = books.providers.sendTransfer({ ...key, again })
  await asked.promise
  return {
    answered(outcome: SendOutcome) {
      answer.resolve(outcome)
      return sent
    },
  }
}
const attempt = async () => {
  const [row] = await books.sql('select state, code from attempt where subject_uuid = ?', [key.uuid])
  return row
}
const state = async () => {
  const [row] = await books.sql<{ state: string }>('select state from transfer where uuid = ?', [key.uuid])
  return row?.state
}

const sending = { status: 'in_process', endToEnd: `E${'1'.repeat(31)}`, at: null } as const
const inProcess: SendOutcome = { kind: 'accepted', sending }
const refusal = {
  kind: 'rejected',
  finality: 'other_may_help',
  code: 'rate_limited',
  message: 'later',
} as const
const unreachable = { kind: 'unreachable', code: 'dns_failed', message: 'nobody there' } as const
const unknown = { kind: 'unknown', code: 'timeout', message: 'no answer' } as const

test.each([refusal, unreachable, unknown])(
  'a first sending that is answered ($kind) after its repeat was accepted says nothing of the repeat',
  async late => {
    const first = await calling(false)
    const repeat = await calling(true)
    expect(await repeat.answered(inProcess)).toEqual({ kind: 'in_process' })
    expect(await first.answered(late)).toEqual({ kind: 'in_process' })
    expect(await attempt()).toEqual({ state: 'accepted', code: null })
    expect(await state()).toBe('settling')
    expect(await books.balances(accountUuid)).toMatchObject({ available: 500, provisioned: 500 })
  },
)

test.each([refusal, unreachable, unknown])(
  'one that is answered ($kind) while its repeat is under way leaves the outcome to that',
  async late => {
    const first = await calling(false)
    const repeat = await calling(true)
    expect(await first.answered(late)).toMatchObject({ kind: 'unknown' })
    expect(await attempt()).toMatchObject({ state: 'calling' })
    expect(await repeat.answered(inProcess)).toEqual({ kind: 'in_process' })
    expect(await state()).toBe('settling')
  },
)

test.each([refusal, unreachable, unknown])(
  'one that was found meanwhile stays found, whatever its own answer ($kind)',
  async late => {
    const first = await calling(false)
    books.provider({ findTransfer: async () => ({ kind: 'found', sending }) })
    await books.providers.askTransfer({ ...key, asked: 1 })
    expect(await first.answered(late)).toEqual({ kind: 'in_process' })
    expect(await attempt()).toEqual({ state: 'accepted', code: null })
    expect(await state()).toBe('settling')
  },
)

test('a refusal that nothing has overtaken counts, though its outcome was thought to be lost', async () => {
  const first = await calling(false)
  books.provider({ findTransfer: async () => ({ kind: 'no_answer', code: 'timeout', message: 'no answer' }) })
  await books.providers.askTransfer({ ...key, asked: 1 })
  expect(await attempt()).toEqual({ state: 'unknown', code: 'interrupted' })
  expect(await first.answered(refusal)).toMatchObject({ kind: 'rejected', code: 'rate_limited' })
})

test('a worker that has slept since it kept that it would send does not: its life has gone on without it', async () => {
  const sendTransfer = jest.fn(async () => inProcess)
  books.provider({ sendTransfer })
  let at = performance.now()
  using _ = jest.spyOn(performance, 'now').mockImplementation(() => {
    at += 20_000
    return at
  })
  await expect(books.providers.sendTransfer({ ...key, again: false })).rejects.toThrow('too late to send')
  expect(sendTransfer).not.toHaveBeenCalled()
  expect(await attempt()).toMatchObject({ state: 'calling' })
})
