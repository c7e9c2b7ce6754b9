import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { checkLedger } from '../../../src/db/repositories/ledger-rules.ts'
import type {
  FoundCharge,
  IncomingPix,
  ProviderChargeRequest,
} from '../../../src/domain/providers/provider.ts'
import { toParty } from '../../../src/providers/adapter/party.ts'
import type { ChargeInputDetails } from '../../../src/workflows/contracts/charges.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'
import { createDisputeFixture } from '../support/dispute-fixture.ts'
import { buildIssuedCharge, newEndToEndId } from '../support/money-fixture.ts'

/** A charge that only some may pay: no PIX of another document, or of an unknown one, ever pays it. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

const CPF = '52998224725'
const OTHER_CPF = '12345678909'
const CNPJ = '11222333000181'
const BRANCH = '11222333000262'
/** A time after which its payer is not waited for any more. */
const LONG_AGO = '2026-01-10T12:00:00.000Z'

const DEBTOR = { name: 'Ana Souza', document: CPF }
const ONLY_DEBTOR = { debtor: DEBTOR, isSenderVerified: true }

type Paid = Partial<IncomingPix> & { document?: string }

async function createCharge(
  details: Partial<ChargeInputDetails>,
  { policy = 'return', expiresInMs = 60_000, dialect = 'efi' } = {},
) {
  const { accountUuid, connectionUuid } = await fixture.createMerchant(0)
  await fixture.sql('update account set wrong_payer_policy = ? where uuid = ?', [policy, accountUuid])
  await fixture.sql('update connection set dialect = ? where uuid = ?', [dialect, connectionUuid])
  const uuid = randomUUID()
  const expiresAt = new Date(Date.now() + expiresInMs).toISOString()
  const charge = { ...buildIssuedCharge(uuid), receiver: toParty({}), expiresAt }
  const requested: ProviderChargeRequest[] = []
  fixture.scriptProvider({
    issueCharge: async request => {
      requested.push(request)
      return { kind: 'accepted', charge }
    },
  })
  await fixture.providers.issueCharge({
    uuid,
    accountUuid,
    candidates: [connectionUuid],
    valueCents: 1_000,
    expiresInSeconds: 60,
    details: fixture.seal.seal({ splits: [], fingerprint: 'f', ...details }),
    requestId: 'r',
    timeScale: 1,
  })
  const pix = ({ document, ...more }: Paid): IncomingPix => ({
    endToEnd: newEndToEndId(),
    txid: charge.txid,
    reference: charge.txid,
    cents: 1_000,
    status: 'settled',
    at: LONG_AGO,
    payer: document === undefined ? null : toParty({ name: 'Alguém', document }),
    pixKey: 'key',
    ...more,
  })
  return {
    uuid,
    accountUuid,
    connectionUuid,
    requested: () => requested[0]!,
    poll(
      paid: Paid[],
      {
        status = 'completed',
        isPayloadExpired = false,
      }: { status?: FoundCharge['status']; isPayloadExpired?: boolean } = {},
    ) {
      const payments = paid.map(pix)
      fixture.scriptProvider({ findCharge: async () => ({ kind: 'found', status, charge, payments }) })
      return fixture.providers.pollCharge({ chargeUuid: uuid, isPayloadExpired })
    },
    listUnmatched: () =>
      fixture.sql<{ uuid: string; end_to_end: string; reason: string; disposition: string }>(
        `select uuid, end_to_end, reason, disposition from movement
         where account_uuid = ? and reason is not null order by created_at`,
        [accountUuid],
      ),
    async readPayment() {
      const [row] = await fixture.sql<{ state: string; end_to_end: string | null }>(
        'select state, end_to_end from charge where uuid = ?',
        [uuid],
      )
      return row!
    },
    readPendingCents: async () => {
      const [row] = await fixture.sql<{ cents: string }>(
        `select cents from balance where account_uuid = ? and bucket = 'pending'`,
        [accountUuid],
      )
      return Number(row!.cents)
    },
  }
}

async function expectBalanced() {
  expect(await checkLedger(fixture.orm.em.fork())).toEqual([])
}

test('a provider is told who is to pay and, where it can refuse others, who may', async () => {
  const charge = await createCharge(ONLY_DEBTOR, { dialect: 'woovi' })
  expect(charge.requested()).toMatchObject({
    debtor: DEBTOR,
    restriction: { document: CPF, match: 'FULL', kind: null },
  })
  const open = await createCharge({ debtor: DEBTOR }, { dialect: 'woovi' })
  expect(open.requested()).toMatchObject({ debtor: DEBTOR })
  expect(open.requested()).not.toHaveProperty('restriction')
  const unlocked = await createCharge(ONLY_DEBTOR, { dialect: 'efi' })
  expect(unlocked.requested()).toMatchObject({ debtor: DEBTOR })
  expect(unlocked.requested()).not.toHaveProperty('restriction')
})

test.each([
  ['return', 'held'],
  ['review', 'not_returned'],
])(
  'by the policy %s a wrong payer is %s, in pending, and the charge stays PENDING',
  async (policy, disposition) => {
    const charge = await createCharge(ONLY_DEBTOR, { policy })
    const result = await charge.poll([{ document: OTHER_CPF }])
    expect(await charge.listUnmatched()).toMatchObject([{ reason: 'wrong_payer', disposition }])
    expect(result).toMatchObject({
      kind: 'known',
      state: 'pending',
      returns: disposition === 'held' ? [{ uuid: (await charge.listUnmatched())[0]!.uuid }] : [],
    })
    expect(await charge.readPayment()).toEqual({ state: 'pending', end_to_end: null })
    expect(await charge.readPendingCents()).toBe(1_000)
    await expectBalanced()
  },
)

test.each([
  ['a masked document', { document: '***982247**' }],
  ['no payer', {}],
])('%s is reviewed, whatever the policy is', async (_name, paid) => {
  const charge = await createCharge(ONLY_DEBTOR)
  await charge.poll([paid])
  expect(await charge.listUnmatched()).toMatchObject([
    { reason: 'unknown_payer', disposition: 'not_returned' },
  ])
  expect(await charge.readPayment()).toMatchObject({ state: 'pending' })
  await expectBalanced()
})

test('the right payer pays after the wrong one, in the same list and in a later one', async () => {
  for (const isLater of [false, true]) {
    const charge = await createCharge(ONLY_DEBTOR)
    const wrong = { endToEnd: newEndToEndId(), document: OTHER_CPF }
    const right = { endToEnd: newEndToEndId(), document: CPF }
    if (isLater) await charge.poll([wrong])
    expect(await charge.poll([wrong, right])).toMatchObject({ state: 'paid' })
    expect(await charge.readPayment()).toEqual({ state: 'paid', end_to_end: right.endToEnd })
    expect(await charge.listUnmatched()).toMatchObject([
      { end_to_end: wrong.endToEnd, reason: 'wrong_payer' },
    ])
  }
  await expectBalanced()
})

test('a branch pays a charge that compares the root, and no other one', async () => {
  const debtor = { name: 'Loja Ltda', document: CNPJ }
  const byRoot = await createCharge({ debtor, isSenderVerified: true, payerMatch: 'ROOT' })
  expect(await byRoot.poll([{ document: BRANCH }])).toMatchObject({ state: 'paid' })
  const inWhole = await createCharge({ debtor, isSenderVerified: true })
  expect(await inWhole.poll([{ document: BRANCH }])).toMatchObject({ state: 'pending' })
})

test('a charge for companies only is not paid by a person', async () => {
  const charge = await createCharge({ payerKind: 'COMPANY' })
  expect(await charge.poll([{ document: CPF }])).toMatchObject({ state: 'pending' })
  expect(await charge.poll([{ document: BRANCH }])).toMatchObject({ state: 'paid' })
  await expectBalanced()
})

test('a payer whom the provider reports late is waited for, and the charge does not expire meanwhile', async () => {
  const charge = await createCharge(ONLY_DEBTOR, { expiresInMs: -1_000 })
  const paid = { endToEnd: newEndToEndId(), at: new Date().toISOString() }
  expect(await charge.poll([paid], { isPayloadExpired: true })).toMatchObject({
    kind: 'no_answer',
    state: 'pending',
    code: 'payer_not_reported',
  })
  expect(await charge.listUnmatched()).toEqual([])
  expect(await charge.poll([{ ...paid, document: CPF }], { isPayloadExpired: true })).toMatchObject({
    kind: 'known',
    state: 'paid',
  })
})

test('a payer who changes between the start and the settlement of a payment does not pay', async () => {
  const charge = await createCharge(ONLY_DEBTOR)
  const endToEnd = newEndToEndId()
  expect(await charge.poll([{ endToEnd, document: CPF, status: 'in_process' }])).toMatchObject({
    state: 'paying',
  })
  expect(await charge.poll([{ endToEnd, document: OTHER_CPF }])).toMatchObject({ state: 'pending' })
  expect(await charge.listUnmatched()).toMatchObject([
    { end_to_end: endToEnd, reason: 'wrong_payer', disposition: 'held' },
  ])
  expect(await charge.readPendingCents()).toBe(1_000)
  await expectBalanced()
})

test('a payer whom only the start of a payment reported pays', async () => {
  const charge = await createCharge(ONLY_DEBTOR)
  const endToEnd = newEndToEndId()
  await charge.poll([{ endToEnd, document: CPF, status: 'in_process' }])
  expect(await charge.poll([{ endToEnd }])).toMatchObject({ state: 'paid' })
})

test('a payment in process by a wrong payer starts nothing', async () => {
  const charge = await createCharge(ONLY_DEBTOR)
  expect(await charge.poll([{ document: OTHER_CPF, status: 'in_process' }])).toMatchObject({
    state: 'pending',
  })
  expect(await charge.readPendingCents()).toBe(0)
})

test('a charge whose payload a wrong payer has used up expires', async () => {
  const charge = await createCharge(ONLY_DEBTOR, { expiresInMs: -1_000 })
  expect(await charge.poll([{ document: OTHER_CPF }], { isPayloadExpired: true })).toMatchObject({
    kind: 'known',
    state: 'expired',
  })
})

test('PostgreSQL refuses a charge that is paid by another document, and a change of who may pay', async () => {
  const charge = await createCharge(ONLY_DEBTOR)
  await charge.poll([{ endToEnd: newEndToEndId(), document: CPF }])
  const refused = (sql: string, values: unknown[] = [charge.uuid]) =>
    expect(fixture.sql(sql, values)).rejects.toThrow()
  const setSender = (sender: object | null) =>
    fixture.sql('update movement set sender = ?::jsonb where charge_uuid = ?', [
      sender && JSON.stringify(sender),
      charge.uuid,
    ])
  for (const sender of [{ document: OTHER_CPF }, { document: '***982247**' }, {}, null])
    await expect(setSender(sender)).rejects.toThrow(/payer of a charge/)
  await setSender({ document: '529.982.247-25' })
  await refused(`update charge set debtor_document = '${OTHER_CPF}' where uuid = ?`)
  await refused('update charge set is_sender_verified = false where uuid = ?')

  const open = await createCharge(ONLY_DEBTOR)
  await open.poll([{ document: OTHER_CPF }], { status: 'open' })
  const [wrong] = await open.listUnmatched()
  await expect(
    fixture.sql(
      `update charge set state = 'paid', movement_uuid = ?, received_cents = total_cents, paid_at = now() where uuid = ?`,
      [wrong!.uuid, open.uuid],
    ),
  ).rejects.toThrow(/payer of a charge/)
})

test('a PIX of a wrong payer that a dispute has returned is not returned again', async () => {
  const charge = await createCharge(ONLY_DEBTOR, { policy: 'review' })
  const endToEnd = newEndToEndId()
  await charge.poll([{ endToEnd, document: OTHER_CPF }])
  const [wrong] = await charge.listUnmatched()
  const dispute = createDisputeFixture(fixture, { connectionUuid: charge.connectionUuid, endToEnd })
  const openedAt = new Date().toISOString()
  await dispute.pollAnswering({ openedAt })
  await dispute.pollAnswering({
    openedAt,
    status: 'agreed',
    returns: [{ id: 'D1', endToEnd: `D${endToEnd.slice(1)}`, cents: 1_000, at: openedAt }],
  })
  expect(await charge.listUnmatched()).toMatchObject([{ reason: 'wrong_payer', disposition: 'returned' }])
  const sent: unknown[] = []
  fixture.scriptProvider({
    refund: async order => {
      sent.push(order)
      return { kind: 'unknown', code: 'timeout', message: '' }
    },
  })
  const { uuid, connectionUuid } = { ...wrong!, connectionUuid: charge.connectionUuid }
  expect(await fixture.providers.sendReturn({ uuid, connectionUuid, isResend: false })).toMatchObject({
    kind: 'rejected',
    code: 'returned_by_dispute',
  })
  expect(sent).toEqual([])
  expect(await charge.readPendingCents()).toBe(0)
  await expectBalanced()
})
