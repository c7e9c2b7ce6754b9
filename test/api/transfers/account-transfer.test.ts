import { describe, expect, test } from '@jest/globals'
import type { ProviderApi } from '../../../src/domain/providers/provider.ts'
import { openMoneySuite } from '../support/money-suite.ts'
import { type ApiResource, randomAccountReceiver } from '../support/payout-actions.ts'
import { pollUntil } from '../support/poll-until.ts'
import type { Merchant } from '../support/test-stack.ts'

/** Transfers to an account at a bank, without a PIX key: as those to a key, from the request to the settlement. */

const { stage, payouts, createMerchant: anyMerchant } = await openMoneySuite()

const createMerchant = (...dialects: ProviderApi[]): Promise<Merchant> =>
  anyMerchant({
    providers: dialects.map((dialect, index) => ({
      provider: index === 0 ? 'PROVIDER_A' : 'PROVIDER_B',
      dialect,
      balance: 100,
    })),
  })
const limit = async ({ api }: Merchant, body: object) =>
  expect((await api.put('/api/v1/limits', body)).status).toBe(200)
const outcomes = ({ attempts }: ApiResource) =>
  attempts.map(({ provider, outcome, code }: Record<string, string>) =>
    [provider!.at(-1), outcome, code].join(' ').trim(),
  )

/** Sends to an account and waits for the settlement. */
async function sendAndSettle(merchant: Merchant, changes: object = {}, body: object = {}) {
  const answer = await payouts.sendToAccount(merchant, changes, body)
  expect([answer.status, answer.body.errors]).toEqual([201, undefined])
  return payouts.waitForStatus(merchant, answer.body.data.uuid, 'PAID')
}

/** The receiver as it is shown to the merchant, who does not own the account. */
const SHOWN = {
  name: 'Maria Silva',
  document: '***982247**',
  account_number: '*****67',
  account_agency: '**01',
  bank: {
    code: '260',
    ispb: '18236120',
    name: expect.stringMatching(/^NU PAGAMENTOS/),
  },
  account_type: 'CHECKING',
}

test('a transfer to an account is accepted, settled, reported, listed and found', async () => {
  const merchant = await createMerchant('efi')
  const receiver = { ...randomAccountReceiver(), account: '1234567' }
  const answer = await payouts.sendToAccount(merchant, receiver, { external_ref: 'folha 7' })
  expect(answer.status).toBe(201)
  const initiation = { type: 'MANUAL', pix_key: '', txid: null, value: 10, receiver: SHOWN }
  expect(answer.body.data).toMatchObject({
    value: 10,
    external_ref: 'folha 7',
    status: 'PROCESSING',
    transfer: { initiation: { ...initiation, status: 'PENDING' } },
  })
  const { uuid } = answer.body.data
  const paid = await payouts.waitForStatus(merchant, uuid, 'PAID')
  expect(paid.transfer).toMatchObject({
    status: 'SETTLED',
    end_to_end: expect.stringMatching(/^E/),
    initiation: { ...initiation, status: 'COMPLETED' },
  })
  expect(await payouts.listEvents(paid, 'TRANSFER')).toEqual([{ ...paid, sequence: 1 }])
  expect(await payouts.listPixEvents(merchant)).toMatchObject([
    { movement_type: 'OUT', transfer_uuid: uuid, initiation: { type: 'MANUAL', receiver: SHOWN } },
  ])
  const listed = await merchant.api.get(`/api/v1/transfers?external_ref=folha%207`)
  expect(listed.body.data).toMatchObject([{ uuid, transfer: { initiation } }])
  const byKey = await merchant.api.get('/api/v1/transfers?pix_key=maria%40example.com')
  expect(byKey.body.data).toEqual([])
  expect(await payouts.listPaidOut(merchant)).toMatchObject([{ value: 10 }])
})

test('a repeat with the same Idempotency-Key is the same transfer', async () => {
  const merchant = await createMerchant('woovi')
  const receiver = randomAccountReceiver()
  const key = 'payroll 7'
  const [first, second] = [
    await payouts.sendToAccount(merchant, receiver, {}, { key }),
    await payouts.sendToAccount(merchant, receiver, {}, { key }),
  ]
  expect(second.body.data.uuid).toBe(first.body.data.uuid)
  const other = await payouts.sendToAccount(merchant, { ...receiver, agency: '2' }, {}, { key })
  expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused'])
  await payouts.waitForStatus(merchant, first.body.data.uuid, 'PAID')
  expect(await payouts.listPaidOut(merchant)).toHaveLength(1)
})

describe('fallback', () => {
  const PAIRS: [ProviderApi, ProviderApi][] = [
    ['efi', 'sicoob'],
    ['sicoob', 'woovi'],
    ['woovi', 'inter'],
    ['inter', 'stark'],
    ['stark', 'efi'],
  ]
  test.each(PAIRS)('from %s, which cannot be reached, to %s', async (first, second) => {
    const merchant = await createMerchant(first, second)
    const [unreachable, paying] = merchant.connections
    const reconnect = await payouts.makeUnreachable(unreachable!)
    const paid = await sendAndSettle(merchant)
    await reconnect()
    expect(paid.provider.uuid).toBe(paying!.uuid)
    expect(paid.transfer.initiation).toMatchObject({ type: 'MANUAL', receiver: { name: 'Maria Silva' } })
    expect(await payouts.listPaidOut(merchant)).toMatchObject([{ account: paying!.account, value: 10 }])
  })

  test('a provider that pays no account of the type is skipped', async () => {
    const merchant = await createMerchant('efi', 'woovi')
    expect(outcomes(await sendAndSettle(merchant, { account_type: 'PAYMENT' }))).toEqual(['B settled'])
    expect(outcomes(await sendAndSettle(merchant, { account_type: 'SAVINGS' }))).toEqual(['A settled'])
    expect(outcomes(await sendAndSettle(merchant, { account_type: 'SALARY' }))).toEqual(['B settled'])
  })

  test('a refusal by the receiver’s bank ends the transfer, and no other provider is asked', async () => {
    const merchant = await createMerchant('efi', 'woovi')
    const { body } = await payouts.sendToAccount(merchant, { account: '1111111' })
    const failed = await payouts.waitForStatus(merchant, body.data.uuid, 'FAILED')
    expect(outcomes(failed)).toEqual(['A rejected AC03'])
    expect(failed.error).toMatchObject({ code: 'AC03' })
    expect(await payouts.listPaidOut(merchant)).toEqual([])
  })
})

describe('an unknown outcome', () => {
  test.each<ProviderApi>(['efi', 'woovi', 'inter', 'stark'])(
    'at %s is polled there, and paid once',
    async dialect => {
      const merchant = await createMerchant(dialect, dialect === 'efi' ? 'woovi' : 'efi')
      await payouts.injectFault(merchant.connections[0]!, 'sendTransfer', 'timeout_then_done')
      const { body } = await payouts.sendToAccount(merchant)
      const paid = await payouts.waitForStatus(merchant, body.data.uuid, 'PAID', 60_000)
      expect(outcomes(paid)).toEqual(['A settled'])
      expect(await payouts.listPaidOut(merchant)).toHaveLength(1)
    },
    90_000,
  )

  // Sicoob takes no id of ours, and an answer alone names its own.
  test('at sicoob, whose answer alone names the payment, waits for an operator: no provider sends it again', async () => {
    const merchant = await createMerchant('sicoob', 'efi')
    await payouts.injectFault(merchant.connections[0]!, 'sendTransfer', 'timeout_then_done')
    const { uuid } = (await payouts.sendToAccount(merchant)).body.data
    const unknown = await pollUntil(
      () => payouts.transfer(merchant, uuid),
      ({ outcome }) => outcome === 'unknown',
    )
    expect(unknown).toMatchObject({ status: 'PROCESSING', next_check_at: expect.any(String) })
    const [payment, ...others] = await payouts.listPaidOut(merchant)
    expect(others).toEqual([])
    const [attempt] = await pollUntil(
      () => payouts.listAttempts({ uuid }),
      ([one]) => one.state === 'unknown',
    )
    const workflow = (await stage.connectTemporal()).workflow.getHandle(`transfer/${uuid}`)
    const settlement = { as: 'settled', endToEnd: payment.end_to_end, reason: 'the statement has it' }
    await workflow.signal('manualSettlement', { ...settlement, attempt: attempt.uuid, sending: 1 })
    const paid = await payouts.waitForStatus(merchant, uuid, 'PAID')
    expect(outcomes(paid)).toEqual(['A settled'])
    expect(paid.transfer.end_to_end).toBe(payment.end_to_end)
    expect(await payouts.listPaidOut(merchant)).toHaveLength(1)
  })

  test('that proves to be no payment is sent again under the same id, and paid once', async () => {
    const merchant = await createMerchant('woovi', 'efi')
    await payouts.injectFault(merchant.connections[0]!, 'sendTransfer', 'timeout_then_absent')
    const { body } = await payouts.sendToAccount(merchant)
    const paid = await payouts.waitForStatus(merchant, body.data.uuid, 'PAID', 90_000)
    expect(outcomes(paid)).toEqual(['A settled'])
    expect(await payouts.listPaidOut(merchant)).toHaveLength(1)
  })
})

describe('limits', () => {
  test('an order like one to the same account of a moment ago is 409, unless it is meant', async () => {
    const merchant = await createMerchant('woovi')
    await limit(merchant, { duplicate_guard: { seconds: 600 } })
    const receiver = { ...randomAccountReceiver(), account: '7654321' }
    const first = await sendAndSettle(merchant, receiver)
    // The same account at the same bank, however it is written.
    const { bank_code: _, ...written } = { ...receiver, ispb: '18236120', account: '0007654321', agency: '1' }
    const again = await merchant.api.post('/api/v1/transfers/bank-accounts', { value: 10, receiver: written })
    expect([again.status, again.body.code, again.body.data.error.transfer_uuid]).toEqual([
      409,
      'possible_duplicate',
      first.uuid,
    ])
    await sendAndSettle(merchant, receiver, { allow_duplicate: true })
    await sendAndSettle(merchant, { ...receiver, agency: '2' })
    expect(await payouts.listPaidOut(merchant)).toHaveLength(3)
  })

  test('a receiver gets no more in a day than its limit, whatever the type of its account is called', async () => {
    const merchant = await createMerchant('woovi')
    await limit(merchant, { per_receiver_per_day: 15 })
    const receiver = randomAccountReceiver()
    await sendAndSettle(merchant, receiver)
    const refused = await payouts.sendToAccount(merchant, { ...receiver, account_type: 'PAYMENT' })
    expect([refused.status, refused.body.code]).toEqual([422, 'over_limit'])
    expect(refused.body.data.error).toMatchObject({ limit: 'per_receiver_per_day', left: 5 })
    await sendAndSettle(merchant)
  })

  test('where only allowed receivers are paid, an account is allowed by the document of its holder', async () => {
    const merchant = await createMerchant('woovi')
    await limit(merchant, {
      allowed_receivers_only: true,
      trusted_receivers: [{ document: '52998224725' }, { pix_key: 'known@example.com' }],
    })
    await sendAndSettle(merchant)
    const refused = await payouts.sendToAccount(merchant, { document: '11144477735' })
    expect(refused.body.data.error).toMatchObject({ limit: 'allowed_receivers_only' })
  })
})
