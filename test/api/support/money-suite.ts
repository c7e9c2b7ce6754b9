import { afterAll } from '@jest/globals'
import { type MoneyOut, moneyOut } from './money-out.ts'
import { type Merchant, type Stage, sharedStage } from './stage.ts'

export type MoneySuite = {
  stage: Stage
  out: MoneyOut
  /** A merchant of the story's own. */
  aMerchant: Stage['merchant']
}

/** What a suite about money stands on: whatever its stories did, the books of their merchants agree in the end. */
export async function openMoneySuite(): Promise<MoneySuite> {
  const stage = await sharedStage()
  const merchants: Merchant[] = []
  afterAll(async () => {
    await stage.booksAgree({ connections: merchants.flatMap(({ connections }) => connections) })
    await stage.close()
  })
  return {
    stage,
    out: moneyOut(stage),
    async aMerchant(options) {
      const merchant = await stage.merchant(options)
      merchants.push(merchant)
      return merchant
    },
  }
}
