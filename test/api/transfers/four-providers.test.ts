import { expect } from '@jest/globals'
import { CALL_FAULTS, isFaultOf } from '../../../packages/simulator/faults.ts'
import type { ProviderApi } from '../../../src/domain/providers/provider.ts'
import { runConcurrentTests } from '../support/concurrent-tests.ts'
import { openMoneySuite } from '../support/money-suite.ts'
import { pollUntil } from '../support/poll-until.ts'

/**
 * SPEC §6: a transfer falls back across the four providers of the demo under every fault of a call: each of the first three providers
 * has the fault once. Whichever pays, it pays once, and every provider before it has proved that it did not. A fault that ends in a
 * refusal of the payout itself ends the transfer: then no provider has paid.
 */

const { stage, payouts, createMerchant } = await openMoneySuite()

const DIALECTS: ProviderApi[] = ['efi', 'woovi', 'sicoob', 'stark']
const PROVIDERS = ['PROVIDER_A', 'PROVIDER_B', 'PROVIDER_C', 'PROVIDER_D'] as const
const FAULTS = CALL_FAULTS.filter(fault => isFaultOf(fault, 'sendTransfer'))
/** Proofs that a provider moved no money, as a transfer shows its attempts. */
const PROOFS = ['rejected', 'unreachable']
/** Faults after which one of the first three providers, asked in this order, accepts the transfer and refuses the payout itself. */
const FINAL_REFUSALS: readonly CallFault[] = ['accepted_then_rejected', 'order_removed']
/** Time for an unknown outcome at each of three providers, each proved absent by two look-ups. */
const LIMIT_MS = 180_000

type CallFault = (typeof FAULTS)[number]

// Each fault begins at another provider API, so that each of the four is the first one of some faults.
runConcurrentTests(
  Object.fromEntries(
    FAULTS.map((fault, index) => {
      const first = index % DIALECTS.length
      const dialects = [...DIALECTS.slice(first), ...DIALECTS.slice(0, first)]
      return [`${fault}, from ${DIALECTS[first]} on`, () => sendWithFault(dialects, fault)]
    }),
  ),
)

async function sendWithFault(dialects: ProviderApi[], fault: CallFault): Promise<void> {
  const merchant = await createMerchant({
    providers: dialects.map((dialect, index) => ({ provider: PROVIDERS[index]!, dialect, balance: 100 })),
  })
  for (const connection of merchant.connections.slice(0, -1)) {
    await payouts.injectFault(connection, 'sendTransfer', fault)
    if (isFaultOf(fault, 'prepareTransfer')) await payouts.injectFault(connection, 'prepareTransfer', fault)
  }
  const { body } = await payouts.send(merchant)
  if (FINAL_REFUSALS.includes(fault)) {
    const failed = await payouts.waitForStatus(merchant, body.data.uuid, 'FAILED', LIMIT_MS)
    expect(await payouts.listPaidOut(merchant)).toEqual([])
    for (const { outcome } of failed.attempts) expect(outcome).toBe('rejected')
    return
  }
  if (fault === 'order_left') {
    const accounts = merchant.connections.map(({ account }) => account)
    const [order] = await pollUntil(
      async () => (await stage.simulator.listOrders()).filter(({ account }) => accounts.includes(account)),
      orders => orders.length === 1,
    )
    await stage.simulator.approveOrder(order!.id)
  }
  const paid = await payouts.waitForStatus(merchant, body.data.uuid, 'PAID', LIMIT_MS)
  const payer = merchant.connections.find(({ uuid }) => uuid === paid.provider.uuid)
  expect(await payouts.listPaidOut(merchant)).toMatchObject([{ account: payer!.account, value: 10 }])
  const outcomes = paid.attempts.map(({ outcome }: { outcome: string }) => outcome)
  expect(outcomes.at(-1)).toBe('settled')
  for (const outcome of outcomes.slice(0, -1)) expect(PROOFS).toContain(outcome)
}
