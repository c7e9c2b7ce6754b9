import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { requestUnmatchedReturn } from '../../../src/admin/unmatched.ts'
import { readEventBodies } from '../../support/event-bodies.ts'
import { pollUntil } from '../support/poll-until.ts'
import { type Merchant, openSharedTestStack, type TestStack } from '../support/test-stack.ts'

/** Charges that only their debtor may pay, at a provider that refuses other payers and at one that does not. */

let stack: TestStack
beforeAll(async () => {
  stack = await openSharedTestStack()
})
afterAll(() => stack.close())

const ANA = { name: 'Ana Souza', document: '52998224725' }
const OTHER = { name: 'Bruno Lima', document: '12345678909' }
const ONLY_ANA = { debtor: { ...ANA, email: 'ana@exemplo.com.br' }, verify_sender: true, match: 'FULL' }
const DIALECTS = ['efi', 'woovi'] as const

const createMerchant = async (dialect: (typeof DIALECTS)[number], policy = 'return') => {
  const merchant = await stack.createMerchant({ providers: [{ dialect }] })
  await stack.sql('update account set wrong_payer_policy = ? where uuid = ?', [policy, merchant.uuid])
  return merchant
}

type Unmatched = { uuid: string; end_to_end: string; reason: string; disposition: string }
const waitForUnmatched = ({ uuid }: Merchant, disposition: string) =>
  pollUntil(
    async () =>
      (
        await stack.sql<Unmatched>(
          'select uuid, end_to_end, reason, disposition from movement where account_uuid = ? and reason is not null',
          [uuid],
        )
      )[0]!,
    row => row?.disposition === disposition,
  )

const listReturned = async ({ connection }: Merchant) =>
  (await stack.simulator.listStatement(connection.provider)).filter(
    line => line.account === connection.account && line.kind === 'refund',
  )

test.each(DIALECTS)('the answer, GET and the event tell who may pay: %s', async dialect => {
  const merchant = await createMerchant(dialect)
  const created = await merchant.api.createCharge(ONLY_ANA)
  expect(created).toMatchObject({ debtor: ONLY_ANA.debtor, match: 'FULL' })
  expect(created.payment).not.toHaveProperty('verify_sender')
  expect(await merchant.api.readCharge(created.uuid)).toMatchObject({
    debtor: ONLY_ANA.debtor,
    match: 'FULL',
    payment: { verify_sender: true },
  })
  await stack.simulator.pay({ payload: created.payment.payload, payer: ANA })
  const paid = await pollUntil(
    () => merchant.api.readCharge(created.uuid),
    charge => charge.status === 'PAID',
  )
  expect(paid.payment).toMatchObject({ verify_sender: true, pix: { sender: ANA } })
  const [event] = await readEventBodies(stack.sql, `subject_uuid = ? and type = 'PAYMENT'`, [created.uuid])
  expect(event).toMatchObject({ payment: { verify_sender: true }, debtor: ONLY_ANA.debtor })
  const open = await merchant.api.createCharge({ debtor: ANA })
  expect((await merchant.api.readCharge(open.uuid)).payment.verify_sender).toBe(false)
  await stack.waitUntilLedgerAgrees(merchant)
})

test('a provider that locks the payer refuses another one, and the charge can still be paid', async () => {
  const merchant = await createMerchant('woovi')
  const { uuid, payment } = await merchant.api.createCharge(ONLY_ANA)
  await expect(stack.simulator.pay({ payload: payment.payload, payer: OTHER })).rejects.toThrow(
    /another payer is named/,
  )
  await stack.simulator.pay({ payload: payment.payload, payer: ANA })
  await pollUntil(
    () => merchant.api.readCharge(uuid),
    charge => charge.status === 'PAID',
  )
  expect(await listReturned(merchant)).toEqual([])
})

test.each(DIALECTS)(
  'a PIX of a wrong payer is returned once, the charge stays PENDING, and the right payer pays: %s',
  async dialect => {
    const merchant = await createMerchant(dialect)
    const { uuid, payment } = await merchant.api.createCharge(ONLY_ANA)
    const wrong = await stack.simulator.pay({ payload: payment.payload, payer: OTHER, force: true })
    expect(await waitForUnmatched(merchant, 'returned')).toMatchObject({
      end_to_end: wrong.end_to_end,
      reason: 'wrong_payer',
    })
    expect(await listReturned(merchant)).toMatchObject([{ original_end_to_end: wrong.end_to_end, value: 10 }])
    expect(await merchant.api.readCharge(uuid)).toMatchObject({
      status: 'PENDING',
      payment: { pix: { sender: null, transaction: null } },
    })
    const [aside] = await readEventBodies(stack.sql, `account_uuid = ? and type = 'PIX_TRANSACTION'`, [
      merchant.uuid,
    ])
    expect(aside).toMatchObject({ reason: 'wrong_payer', charge_uuid: uuid, initiation: { sender: OTHER } })

    const right = await stack.simulator.pay({ payload: payment.payload, payer: ANA, force: true })
    const paid = await pollUntil(
      () => merchant.api.readCharge(uuid),
      charge => charge.status === 'PAID',
    )
    expect(paid.payment.pix.transaction.end_to_end).toBe(right.end_to_end)
    expect(await listReturned(merchant)).toHaveLength(1)
    await stack.waitUntilLedgerAgrees(merchant)
  },
)

test.each(DIALECTS)(
  'a PIX of a wrong payer is held for review, and an operator returns it: %s',
  async dialect => {
    const merchant = await createMerchant(dialect, 'review')
    const { uuid, payment } = await merchant.api.createCharge(ONLY_ANA)
    await stack.simulator.pay({ payload: payment.payload, payer: OTHER, force: true })
    const held = await waitForUnmatched(merchant, 'not_returned')
    expect(held.reason).toBe('wrong_payer')
    const providerAccount = merchant.connection.providerAccountUuid
    expect(await stack.readBalances(merchant.uuid, providerAccount)).toEqual({
      pending: 1_000,
      outside: -1_000,
    })
    expect((await merchant.api.get(`/api/v1/deposits/${held.uuid}`)).body.data).toMatchObject({
      reason: 'wrong_payer',
      return: { status: 'REVIEW' },
    })
    const refused = await merchant.api.post(`/api/v1/deposits/${held.uuid}/return`, {})
    expect([refused.status, refused.body.code]).toEqual([409, 'deposit_not_returnable'])
    expect((await merchant.api.readCharge(uuid)).status).toBe('PENDING')
    expect(await listReturned(merchant)).toEqual([])

    const temporal = { client: () => stack.connectTemporal(), taskQueue: 'trilho', timeScale: 1 }
    await requestUnmatchedReturn(temporal, stack.orm.em.fork(), {
      uuid: held.uuid,
      expected: { disposition: 'not_returned', sending: 0, cents: 1_000 },
      actor: 'ana',
      reason: 'the payer asked for it',
    })
    await waitForUnmatched(merchant, 'returned')
    expect(await stack.readBalances(merchant.uuid, providerAccount)).toEqual({})
    await stack.waitUntilLedgerAgrees(merchant)
  },
)
