import { afterAll } from '@jest/globals'
import { createPayoutActions, type PayoutActions } from './payout-actions.ts'
import { type Merchant, openSharedTestStack, type TestStack } from './test-stack.ts'

export type MoneySuite = {
  stage: TestStack
  payouts: PayoutActions
  /** A merchant for one test. */
  createMerchant: TestStack['createMerchant']
}

/** What a suite about money needs: after its tests, the ledgers of their merchants must agree with the providers. */
export async function openMoneySuite(): Promise<MoneySuite> {
  const stage = await openSharedTestStack()
  const merchants: Merchant[] = []
  afterAll(async () => {
    try {
      await stage.waitUntilLedgerAgrees({ connections: merchants.flatMap(({ connections }) => connections) })
    } finally {
      await stage.close()
    }
  })
  return {
    stage,
    payouts: createPayoutActions(stage),
    async createMerchant(options) {
      const merchant = await stage.createMerchant(options)
      merchants.push(merchant)
      return merchant
    },
  }
}
