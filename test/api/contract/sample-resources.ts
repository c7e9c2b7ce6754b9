import { encodeForm } from '../../support/files.ts'
import { createPayoutActions, randomPixKey } from '../support/payout-actions.ts'
import { pollUntil } from '../support/poll-until.ts'
import type { TestStack } from '../support/test-stack.ts'

// biome-ignore lint/suspicious/noExplicitAny: the contract says what they are, and that is what is tested.
export type ApiResource = any

/** One real object of every resource of the contract, each created by the contract's operations. */
export async function createSampleResources(stage: TestStack) {
  const payouts = createPayoutActions(stage)
  const fees = { charge: { fixedCents: 10, hundredthsOfPercent: 0 } }
  const merchant = await stage.createMerchant({
    providers: [
      { balance: 1_000, ...fees },
      { provider: 'PROVIDER_C', balance: 1_000 },
      { provider: 'PROVIDER_B', dialect: 'woovi' },
    ],
  })
  const { api } = merchant
  // Woovi notifies of a dispute; Efí's accounts are polled in turn, which takes as long as there are accounts.
  const notifiesDisputes = merchant.connections.at(-1)!
  const recipient = await stage.createRecipient(merchant)
  const data = async (path: string): Promise<ApiResource> => (await api.get(path)).body.data

  const created = await api.createCharge({
    value: 100,
    external_ref: 'pedido 1',
    final_beneficiary: { name: 'Maria da Silva', document: '52998224725' },
    splits: [
      { type: 'PERCENTAGE', value: 10, recipient_account_uuid: recipient.uuid },
      { type: 'FIXED', value: 1.5, recipient_account_uuid: recipient.uuid },
    ],
  })
  await stage.simulator.pay({ payload: created.payment.payload })
  const paid = await pollUntil(
    () => api.readCharge(created.uuid),
    ({ status }) => status === 'PAID',
  )
  const refunded = (await payouts.requestRefund(merchant, paid, { value: 1 })).body
  const partly = await pollUntil(
    () => api.readCharge(created.uuid),
    ({ status }) => status === 'PARTIALLY_REFUNDED',
  )

  const sent = (
    await payouts.send(merchant, {
      external_ref: 'pedido 2',
      final_beneficiary: { name: 'Maria da Silva', document: '52998224725' },
    })
  ).body.data
  const settled = await payouts.waitForStatus(merchant, sent.uuid, 'PAID')
  const rejected = await payouts.send(merchant, { pix_key: 'ac03@sim.trilho.test' })

  const key = (await api.post('/api/v1/pix-keys', { type: 'RANDOM' })).body
  const webhook = (
    await api.post('/api/v1/webhooks', { url: `${stage.local.inbox_url}/contract`, events: ['MED'] })
  ).body.data

  const disputed = await payouts.createPaidCharge(merchant, { provider_uuid: notifiesDisputes.uuid })
  const [movement] = await stage.sql<{ end_to_end: string }>('select end_to_end from charge where uuid = ?', [
    disputed.uuid,
  ])
  await stage.simulator.openDispute({ end_to_end: movement!.end_to_end, type: 'SCAM' })
  // Not awaited here, so that tests without a dispute do not wait for it.
  const med: Promise<ApiResource> = pollUntil(
    () => data('/api/v1/meds'),
    found => found.length > 0,
  ).then(([found]) => found)
  med.catch(() => undefined)

  return {
    merchant,
    api,
    out: payouts,
    otherMerchantApi: (await stage.createMerchant()).api,
    recipient,
    charge: { created, paid, partly },
    refunded,
    transfer: { sent, settled, rejected },
    key,
    webhook,
    med,
    data,
    /** A provider of each type: the demo account's fourth connection is shared. */
    providers: (await stage.api.get('/api/v1/providers?per_page=100')).body.data as ApiResource[],
    replyToDispute: async (uuid: string, texts: [string, string][], by = api) =>
      by.call('POST', `/api/v1/meds/${uuid}/reply`, await encodeForm(texts, [])),
    someKey: randomPixKey,
  }
}

export type SampleResources = Awaited<ReturnType<typeof createSampleResources>>
