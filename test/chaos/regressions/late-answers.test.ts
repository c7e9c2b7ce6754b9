import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals'
import type { SendPayoutOutcome } from '../../../src/domain/providers/provider.ts'
import type { TransferInput } from '../../../src/workflows/contracts/transfers.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/** A payout call that Temporal has given up changes nothing of what was learned since, when its answer arrives. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
let order: TransferInput
let key: { uuid: string; connectionUuid: string }
let accountUuid: string
beforeAll(async () => {
  fixture = await openActivityFixture()
})
beforeEach(async () => {
  const merchant = await fixture.createMerchant(1_000)
  accountUuid = merchant.accountUuid
  order = fixture.transferInput(merchant)
  key = { uuid: order.uuid, connectionUuid: merchant.connectionUuid }
  await fixture.records.storeTransfer(order)
})
afterAll(() => fixture?.close())

/** A call in progress, and the function that answers it. */
async function calling(again: boolean) {
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<SendPayoutOutcome>()
  fixture.scriptProvider({
    sendTransfer() {
      asked.resolve()
      return answer.promise
    },
  })
  const sent = fixture.providers.sendTransfer({ ...key, isResend: again })
  await asked.promise
  return {
    answered(outcome: SendPayoutOutcome) {
      answer.resolve(outcome)
      return sent
    },
  }
}
const attempt = async () => {
  const [row] = await fixture.sql('select state, code from attempt where subject_uuid = ?', [key.uuid])
  return row
}
const state = async () => {
  const [row] = await fixture.sql<{ state: string }>('select state from transfer where uuid = ?', [key.uuid])
  return row?.state
}

const sending = { status: 'in_process', cents: 500, endToEnd: `E${'1'.repeat(31)}`, at: null } as const
const inProcess: SendPayoutOutcome = { kind: 'accepted', payout: sending }
const refusal = {
  kind: 'rejected',
  finality: 'other_may_help',
  code: 'rate_limited',
  message: 'later',
} as const
const unreachable = { kind: 'unreachable', code: 'dns_failed', message: 'nobody there' } as const
const unknown = { kind: 'unknown', code: 'timeout', message: 'no answer' } as const

test.each([refusal, unreachable, unknown])(
  'a first call answered ($kind) after its repeat was accepted does not change the repeat’s outcome',
  async late => {
    const first = await calling(false)
    const repeat = await calling(true)
    expect(await repeat.answered(inProcess)).toEqual({ kind: 'in_process' })
    expect(await first.answered(late)).toEqual({ kind: 'in_process' })
    expect(await attempt()).toEqual({ state: 'accepted', code: null })
    expect(await state()).toBe('settling')
    expect(await fixture.readBalances(accountUuid)).toMatchObject({ available: 500, provisioned: 500 })
  },
)

test.each([refusal, unreachable, unknown])(
  'a call answered ($kind) while its repeat is in progress leaves the outcome to the repeat',
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
  'an operation that was found meanwhile stays found, whatever its own call’s answer ($kind)',
  async late => {
    const first = await calling(false)
    fixture.scriptProvider({ findTransfer: async () => ({ kind: 'found', payout: sending }) })
    await fixture.providers.pollTransfer({ ...key, pollCount: 1 })
    expect(await first.answered(late)).toEqual({ kind: 'in_process' })
    expect(await attempt()).toEqual({ state: 'accepted', code: null })
    expect(await state()).toBe('settling')
  },
)

test('a refusal of the current attempt counts, although its outcome was presumed lost', async () => {
  const first = await calling(false)
  fixture.scriptProvider({
    findTransfer: async () => ({ kind: 'no_answer', code: 'timeout', message: 'no answer' }),
  })
  await fixture.providers.pollTransfer({ ...key, pollCount: 1 })
  expect(await attempt()).toEqual({ state: 'unknown', code: 'interrupted' })
  expect(await first.answered(refusal)).toMatchObject({ kind: 'rejected', code: 'rate_limited' })
})

test('a worker that was suspended after it committed the attempt does not call the provider once its workflow has continued', async () => {
  const sendTransfer = jest.fn(async () => inProcess)
  fixture.scriptProvider({ sendTransfer })
  let at = performance.now()
  using _ = jest.spyOn(performance, 'now').mockImplementation(() => {
    at += 20_000
    return at
  })
  await expect(fixture.providers.sendTransfer({ ...key, isResend: false })).rejects.toThrow(
    'has begun to poll its outcome',
  )
  expect(sendTransfer).not.toHaveBeenCalled()
  expect(await attempt()).toMatchObject({ state: 'calling' })
})
