import { describe, expect, test } from '@jest/globals'
import { PROVIDER_APIS, type ProviderApi } from '../../../src/domain/providers/provider.ts'
import { openMoneySuite } from '../support/money-suite.ts'

/** SPEC §6: a transfer falls back from every provider API to every other one, and is paid once. */

const { stage, payouts, createMerchant } = await openMoneySuite()

const PAIRS = PROVIDER_APIS.flatMap(first =>
  PROVIDER_APIS.filter(second => second !== first).map(second => [first, second] as const),
)

/**
 * A fault by which each provider refuses in its documented words, and the call of it: Sicoob and Stark, which prepare a transfer,
 * document no refusal of the sending.
 */
const REFUSALS = {
  efi: ['sendTransfer', 'refused'],
  woovi: ['sendTransfer', 'refused'],
  sicoob: ['prepareTransfer', 'refused'],
  inter: ['sendTransfer', 'certificate_swapped'],
  stark: ['prepareTransfer', 'refused'],
} as const satisfies Record<ProviderApi, unknown>

const createMerchantOf = (dialects: readonly ProviderApi[]) =>
  createMerchant({
    providers: dialects.map((dialect, index) => ({
      provider: index === 0 ? 'PROVIDER_A' : 'PROVIDER_B',
      dialect,
      balance: 100,
    })),
  })

describe.each(PAIRS)('from %s to %s', (first, second) => {
  test('a transfer whose first provider cannot be reached is paid by the second one', async () => {
    const merchant = await createMerchantOf([first, second])
    const [unreachable, paying] = merchant.connections
    const reconnect = await payouts.makeUnreachable(unreachable!)
    const transfer = await payouts.sendAndSettle(merchant)
    expect(transfer.provider.uuid).toBe(paying!.uuid)
    expect(await payouts.listPaidOut(merchant)).toMatchObject([{ account: paying!.account, value: 10 }])
    await reconnect()
    await stage.waitUntilLedgerAgrees(merchant)
  })

  test('a transfer that the first provider refuses is paid by the second one', async () => {
    const merchant = await createMerchantOf([first, second])
    const [refusing, paying] = merchant.connections
    const [operation, fault] = REFUSALS[first]
    await payouts.injectFault(refusing!, operation, fault, { times: 3 })
    const transfer = await payouts.sendAndSettle(merchant)
    expect(transfer.provider.uuid).toBe(paying!.uuid)
    expect(await payouts.listPaidOut(merchant)).toMatchObject([{ account: paying!.account, value: 10 }])
    await stage.waitUntilLedgerAgrees(merchant)
  })
})
