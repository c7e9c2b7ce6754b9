import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { PROVIDER_CAPABILITIES } from '../../../src/domain/providers/capabilities.ts'
import { type Stack, startStack } from '../../support/stack.ts'
import { type ApiResource, createPayoutActions, type PayoutActions } from '../support/payout-actions.ts'
import { pollUntil } from '../support/poll-until.ts'
import { type Merchant, openTestStack, type TestStack } from '../support/test-stack.ts'

/** More transfers at once than the pace of a bank allows, at the intervals of production: each waits for its turn, and is paid once. */

let stack: Stack
let stage: TestStack
let payouts: PayoutActions
beforeAll(async () => {
  stack = await startStack()
  stage = await openTestStack(stack.home)
  await stage.pauseProviderSchedules()
  payouts = createPayoutActions(stage)
})
afterAll(async () => {
  await stage?.close()
  expect(await stack?.stop()).toBe(0)
})

const INTERVAL_MS = 1_000 / PROVIDER_CAPABILITIES.inter.pace!.send!.perSecond

/** Orders transfers at once, and waits until a bank has accepted each; returns them as they are. */
async function payAtOnce(merchant: Merchant, count: number): Promise<ApiResource[]> {
  const answers = await Promise.all(Array.from({ length: count }, () => payouts.send(merchant)))
  expect(answers.map(({ status }) => status)).toEqual(Array(count).fill(201))
  return Promise.all(
    answers.map(({ body }) =>
      pollUntil(
        () => payouts.transfer(merchant, body.data.uuid),
        ({ attempts }) => ['accepted', 'settled'].includes(attempts.at(-1).outcome),
        { limitMs: 60_000 },
      ),
    ),
  )
}

test('five transfers at once through a bank that pays one a second are all paid by it, one after the other', async () => {
  const merchant = await stage.createMerchant({
    providers: [{ provider: 'PROVIDER_D', dialect: 'inter', balance: 100 }],
  })
  const accepted = await payAtOnce(merchant, 5)
  const paid = await Promise.all(
    accepted.map(({ uuid }) => payouts.waitForStatus(merchant, uuid, 'PAID', 60_000)),
  )
  for (const { attempts } of paid) expect(attempts).toMatchObject([{ outcome: 'settled' }])
  const attempts = (await Promise.all(paid.map(transfer => payouts.listAttempts(transfer)))).flat()
  // The simulated bank refuses what comes faster than it publishes, and such a transfer would have been sent again.
  expect(attempts.map(({ sendings }) => sendings)).toEqual(Array(5).fill(1))
  const paidOut = await payouts.listPaidOut(merchant)
  expect(paidOut).toHaveLength(5)
  const times = paidOut.map(({ at }) => Date.parse(at)).sort((one, other) => one - other)
  expect(times.at(-1)! - times[0]!).toBeGreaterThan(3.5 * INTERVAL_MS)
  await stage.waitUntilLedgerAgrees(merchant)
})

test('a transfer whose turn is further off than ten seconds is paid by the next bank', async () => {
  const merchant = await stage.createMerchant({
    providers: [
      { provider: 'PROVIDER_D', dialect: 'inter', balance: 200 },
      { provider: 'PROVIDER_A', dialect: 'efi', balance: 200 },
    ],
  })
  const accepted = await payAtOnce(merchant, 14)
  const byInter = accepted.filter(({ provider }) => provider.provider === 'PROVIDER_D').length
  // The first at once, and one each interval within ten seconds; a slow machine orders the last ones later.
  expect(byInter).toBeGreaterThan(4)
  expect(byInter).toBeLessThan(14)
  for (const { attempts, provider } of accepted)
    expect(attempts.slice(0, -1).map(({ outcome, code }: ApiResource) => [outcome, code])).toEqual(
      provider.provider === 'PROVIDER_D' ? [] : [['unreachable', 'paced']],
    )
  await pollUntil(
    () => payouts.listPaidOut(merchant),
    ({ length }) => length === 14,
  )
})
