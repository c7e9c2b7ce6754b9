import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { maintenanceActivities } from '../../../src/activities/index.ts'
import { assignDepositToCode } from '../../../src/activities/qr-codes/assign-deposit.ts'
import { recordUnmatchedPayment } from '../../../src/activities/unmatched/record.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { QrCode } from '../../../src/db/entities/qr-code.ts'
import { checkLedger } from '../../../src/db/repositories/ledger-rules.ts'
import type { ChargeSplit } from '../../../src/domain/charges/split.ts'
import { computeFeeCents, type Fee } from '../../../src/domain/ledger/money.ts'
import { buildStaticBrCode } from '../../../src/domain/pix/static-br-code.ts'
import type { IncomingPix } from '../../../src/domain/providers/provider.ts'
import { staticTxidOf } from '../../../src/domain/qr-codes/qr-code.ts'
import { toParty } from '../../../src/providers/adapter/party.ts'
import type { ChargeInput } from '../../../src/workflows/contracts/charges.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'
import { createDisputeFixture } from '../support/dispute-fixture.ts'

/** Deposits without a txid that their account assigns to a static code, beside whatever else may happen to them. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
type Merchant = Awaited<ReturnType<typeof fixture.createMerchant>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

const FEE: Fee = { fixedCents: 10, hundredthsOfPercent: 0 }
const CENTS = 1_000

async function createCode(merchant: Merchant, more: Partial<QrCode> = {}): Promise<QrCode> {
  const { accountUuid, connectionUuid } = merchant
  return runInTransaction(fixture.orm, async em => {
    const connection = await em.findOneOrFail(Connection, connectionUuid)
    const uuid = randomUUID()
    const [pixKey, txid] = [connection.collectionKey!, staticTxidOf(uuid)]
    const at = new Date()
    return em.create(QrCode, {
      uuid,
      accountUuid,
      connection,
      providerAccountUuid: connection.providerAccountUuid,
      status: 'ACTIVE',
      pixKey,
      txid,
      payload: buildStaticBrCode({ key: pixKey, cents: null, txid, receiverName: 'Loja' }),
      splits: [],
      metadata: {},
      requestId: 'code',
      fingerprint: 'f',
      createdAt: at,
      updatedAt: at,
      ...more,
    })
  })
}

/** A charge with an open amount, issued as a static code of its own. */
async function issueOpenCharge({ accountUuid, connectionUuid }: Merchant): Promise<string> {
  const order: ChargeInput = {
    uuid: randomUUID(),
    accountUuid,
    candidates: [connectionUuid],
    valueCents: 0,
    expiresInSeconds: 3_600,
    details: fixture.seal.seal({ splits: [], fingerprint: 'f' }),
    requestId: 'charge',
    timeScale: 1,
  }
  expect(await fixture.providers.issueCharge(order)).toMatchObject({ state: 'pending', isStatic: true })
  return order.uuid
}

type ReceivedPix = Partial<Pick<IncomingPix, 'cents' | 'txid' | 'pixKey'>>

/** Records a PIX without a txid to the collection key of a connection, as a deposit. */
function receive(connectionUuid: string, pix: ReceivedPix = {}) {
  return runInTransaction(fixture.orm, async em => {
    const connection = await em.findOneOrFail(Connection, connectionUuid)
    const payment: IncomingPix = {
      endToEnd: `E${randomUUID().replaceAll('-', '').slice(1)}`,
      txid: null,
      reference: null,
      cents: CENTS,
      status: 'settled',
      at: new Date(Date.now() - 60_000).toISOString(),
      payer: toParty({ name: 'Maria Souza', document: '52998224725' }),
      pixKey: connection.collectionKey!,
      ...pix,
    }
    const order = { connection, payment, reason: 'deposit', requestId: 'deposit' } as const
    const { uuid } = await recordUnmatchedPayment(em, order)
    return { uuid, payment }
  })
}

/** An account whose charges cost R$ 0.10, with a deposit to its collection key. */
async function createDeposit({
  cents = CENTS,
  fee = FEE,
  pool,
  ...pix
}: { fee?: Fee; pool?: string } & ReceivedPix = {}) {
  const merchant = await fixture.createMerchant(0, pool)
  const { accountUuid, connectionUuid } = merchant
  await fixture.sql(
    `update connection set fees = fees || jsonb_build_object('charge', ?::jsonb) where uuid = ?`,
    [JSON.stringify(fee), connectionUuid],
  )
  const { uuid, payment } = await receive(connectionUuid, { cents, ...pix })
  const { endToEnd } = payment
  const dispute = createDisputeFixture(fixture, { connectionUuid, endToEnd })
  const newOrder = (qrCodeUuid: string) => ({
    uuid: randomUUID(),
    accountUuid,
    depositUuid: uuid,
    qrCodeUuid,
    requestId: 'assign',
    fingerprint: 'f',
    tokenNumber: 7,
  })
  return {
    uuid,
    endToEnd,
    ...merchant,
    newOrder,
    assign: (qrCodeUuid: string) =>
      runInTransaction(fixture.orm, em => assignDepositToCode(em, newOrder(qrCodeUuid))),
    orderReturn: () =>
      fixture.records.orderDepositReturn({
        uuid: randomUUID(),
        depositUuid: uuid,
        accountUuid,
        connectionUuid,
        requestId: 'return',
        fingerprint: 'f',
        timeScale: 1,
      }),
    pollDispute: dispute.pollAnswering,
    /** The provider reports the PIX again, now with a txid. */
    async reportWithTxid(txid: string) {
      fixture.scriptProvider({
        findPayment: async () => ({ kind: 'found', payment: { ...payment, txid, reference: txid } }),
      })
      return fixture.providers.recordDeposit({ connectionUuid, endToEnd, requestId: 'late', timeScale: 1 })
    },
    async spend(valueCents: number) {
      const order = fixture.transferInput(merchant, { valueCents })
      await fixture.records.storeTransfer(order)
      const at = new Date().toISOString()
      const payout = { status: 'settled', cents: valueCents, endToEnd: `E${randomUUID()}`, at } as const
      fixture.scriptProvider({ sendTransfer: async () => ({ kind: 'accepted', payout }) })
      await fixture.providers.sendTransfer({ uuid: order.uuid, connectionUuid, isResend: false })
    },
    /** What the PIX is, whom it pays, and the balances; no rule of the ledger is broken. */
    async readState() {
      expect(await checkLedger(fixture.orm.em.fork())).toEqual([])
      const [row] = await fixture.sql<{
        reason: string | null
        charge: string | null
        disposition: string | null
      }>('select reason, charge_uuid as charge, disposition from movement where uuid = ?', [uuid])
      return { ...row!, balances: await fixture.readBalances(accountUuid) }
    },
  }
}

type Deposit = Awaited<ReturnType<typeof createDeposit>>

const UNTOUCHED = { reason: 'deposit', charge: null, disposition: null }

const readCharge = async (uuid: string) =>
  (
    await fixture.sql<{
      state: string
      value: number
      fee: number
      received: number
      history: { status: string }[]
      end_to_end: string
      movement_uuid: string
      request_id: string
      qr_code_uuid: string
    }>(
      `select state, value_cents::int as value, fee_cents::int as fee, received_cents::int as received, history, end_to_end,
         movement_uuid, request_id, qr_code_uuid from charge where uuid = ?`,
      [uuid],
    )
  )[0]!

const countCharges = async ({ accountUuid }: Merchant) =>
  (await fixture.sql('select from charge where account_uuid = ?', [accountUuid])).length

test('a deposit pays a merchant’s code: a charge with its whole history, fee and shares', async () => {
  const pool = randomUUID()
  const recipient = await fixture.createMerchant(0, pool)
  const deposit = await createDeposit({ cents: 1_010, pool })
  const splits: ChargeSplit[] = [
    { type: 'PERCENTAGE', amount: 1_000, recipientAccountUuid: recipient.accountUuid },
  ]
  const code = await createCode(deposit, { valueCents: 1_000, feeCents: 10, splits })
  const { chargeUuid } = await deposit.assign(code.uuid)
  expect(await deposit.readState()).toEqual({
    reason: null,
    charge: chargeUuid,
    disposition: null,
    balances: { available: 900, fee: 10, outside: -1_010 },
  })
  expect(await fixture.readBalances(recipient.accountUuid)).toEqual({ available: 100 })
  const charge = await readCharge(chargeUuid)
  expect(charge).toMatchObject({
    state: 'paid',
    value: 1_000,
    fee: 10,
    received: 1_010,
    end_to_end: deposit.endToEnd,
    movement_uuid: deposit.uuid,
    request_id: 'assign',
    qr_code_uuid: code.uuid,
  })
  expect(charge.history.map(({ status }) => status)).toEqual(['PENDING', 'PROCESSING', 'PAID'])
  const lines = await fixture.sql(
    `select p.type, p.bucket, p.cents::int from posting p join movement m on m.uuid = p.movement_uuid
     where ? in (m.uuid, m.original_uuid) and p.account_uuid = ? order by p.id`,
    [deposit.uuid, deposit.accountUuid],
  )
  // The PIX is credited once: what the code takes of it is moved.
  expect(lines).toEqual([
    { type: 'EXTERNAL_TRANSFER', bucket: 'outside', cents: -1_010 },
    { type: 'EXTERNAL_TRANSFER', bucket: 'available', cents: 1_010 },
    { type: 'FEE', bucket: 'available', cents: -10 },
    { type: 'FEE', bucket: 'fee', cents: 10 },
    { type: 'SPLIT', bucket: 'available', cents: -100 },
  ])
  const [received] = await fixture.sql(
    'select received_count, received_cents::int from qr_code where uuid = ?',
    [code.uuid],
  )
  expect(received).toEqual({ received_count: 1, received_cents: 1_010 })
  const events = await fixture.sql<{ type: string; reason?: string; charge?: string }>(
    `select type, body ->> 'reason' as reason, coalesce(body ->> 'charge_uuid', subject_uuid::text) as charge
     from event where account_uuid = ? order by created_at, uuid`,
    [deposit.accountUuid],
  )
  expect(events).toEqual([
    { type: 'PIX_TRANSACTION', reason: 'deposit', charge: deposit.uuid },
    { type: 'PAYMENT', reason: null, charge: chargeUuid },
    { type: 'PIX_TRANSACTION', reason: null, charge: chargeUuid },
  ])
})

test('a deposit pays the pending charge of a code: the fee comes out of what was paid', async () => {
  const deposit = await createDeposit()
  const chargeUuid = await issueOpenCharge(deposit)
  expect(await deposit.assign(chargeUuid)).toMatchObject({ chargeUuid })
  expect(await readCharge(chargeUuid)).toMatchObject({ state: 'paid', value: 0, fee: 10, received: CENTS })
  expect(await deposit.readState()).toMatchObject({
    reason: null,
    balances: { available: 990, fee: 10, outside: -CENTS },
  })
  // It is used up, and so is the PIX.
  const next = await createDeposit()
  await expect(next.assign(chargeUuid)).rejects.toMatchObject({ code: 'qr_code_does_not_fit' })
  const code = await createCode(deposit)
  await expect(deposit.assign(code.uuid)).rejects.toMatchObject({ code: 'deposit_not_assignable' })
})

test('the charge of an assigned deposit is refunded, and the deposit is not returned', async () => {
  const deposit = await createDeposit()
  const code = await createCode(deposit)
  const { chargeUuid } = await deposit.assign(code.uuid)
  expect(await deposit.orderReturn()).toMatchObject({ failure: 'deposit_not_returnable' })
  await fixture.fund(deposit.connectionUuid, 10)
  const refund = {
    uuid: randomUUID(),
    chargeUuid,
    accountUuid: deposit.accountUuid,
    connectionUuid: deposit.connectionUuid,
    valueCents: CENTS,
    requestId: 'refund',
    fingerprint: 'f',
    timeScale: 1,
  }
  const payout = {
    status: 'settled',
    cents: CENTS,
    endToEnd: `D${randomUUID()}`,
    at: new Date().toISOString(),
  } as const
  let returnedId = ''
  fixture.scriptProvider({
    async refund({ endToEnd }) {
      returnedId = endToEnd
      return { kind: 'accepted', payout }
    },
  })
  await fixture.records.openRefund(refund)
  await fixture.providers.sendRefund({
    uuid: refund.uuid,
    connectionUuid: deposit.connectionUuid,
    isResend: false,
  })
  expect(returnedId).toBe(deposit.endToEnd)
  expect(await readCharge(chargeUuid)).toMatchObject({ state: 'refunded' })
})

describe('a deposit is not assigned', () => {
  const refusals: [
    title: string,
    code: string,
    prepare: (deposit: Deposit) => Promise<{ uuid: string } | unknown>,
  ][] = [
    ['to a code of another value', 'qr_code_does_not_fit', one => createCode(one, { valueCents: 999 })],
    ['to a code of another key', 'qr_code_does_not_fit', one => createCode(one, { pixKey: randomUUID() })],
    ['to a disabled code', 'qr_code_does_not_fit', one => createCode(one, { status: 'DISABLED' })],
    [
      'to a code of another account',
      'qr_code_does_not_fit',
      async one => {
        const other = await fixture.createMerchant(0)
        const [row] = await fixture.sql<{ key: string }>(
          'select collection_key as key from connection where uuid = ?',
          [one.connectionUuid],
        )
        return createCode(other, { pixKey: row!.key })
      },
    ],
    [
      'to the code of a cancelled charge',
      'qr_code_does_not_fit',
      async one => {
        const uuid = await issueOpenCharge(one)
        await fixture.providers.cancelCharge({ chargeUuid: uuid })
        return { uuid }
      },
    ],
    [
      'to the code of a charge that another payer is to pay',
      'qr_code_does_not_fit',
      async one => {
        const uuid = await issueOpenCharge(one)
        await fixture.sql('alter table charge disable trigger charge_payer_fixed')
        await fixture.sql("update charge set payer_kind = 'COMPANY' where uuid = ?", [uuid])
        await fixture.sql('alter table charge enable trigger charge_payer_fixed')
        return { uuid }
      },
    ],
    ['while its return is ordered', 'deposit_not_assignable', one => one.orderReturn()],
    ['while it is disputed', 'deposit_not_assignable', one => one.pollDispute()],
    [
      'after a part of it was returned',
      'deposit_not_assignable',
      async one => {
        await one.pollDispute({ cents: 300 })
        const at = new Date().toISOString()
        const returned = { id: randomUUID(), endToEnd: `D${randomUUID()}`, cents: 300, at }
        await one.pollDispute({ cents: 300, status: 'agreed', returns: [returned], isClosed: true })
      },
    ],
    [
      'once an operator has adjusted it',
      'deposit_not_assignable',
      one =>
        fixture.sql(
          `insert into difference (uuid, provider_account_uuid, kind, movement_type, end_to_end, detail, found_at, seen_at, closed_at,
             closed_as, closed_cause, closed_reason, closed_by)
           select gen_random_uuid(), provider_account_uuid, 'missing_there', 'IN', end_to_end, '{}', now(), now(), now(),
             'resolved', 'adjusted', 'not at the bank', 'op@trilho.test' from movement where uuid = ?`,
          [one.uuid],
        ),
    ],
    ['once its fee is not covered any more', 'deposit_spent', one => one.spend(995)],
  ]
  test.each(refusals)('%s: %s', async (_, refusal, prepare) => {
    const deposit = await createDeposit()
    const prepared = await prepare(deposit)
    const isOfCode = refusal === 'qr_code_does_not_fit'
    const code = isOfCode ? (prepared as { uuid: string }) : await createCode(deposit)
    const before = await deposit.readState()
    const charges = await countCharges(deposit)
    await expect(deposit.assign(code.uuid)).rejects.toMatchObject({ code: refusal })
    expect(await deposit.readState()).toEqual(before)
    expect(await countCharges(deposit)).toBe(charges)
    expect(
      await fixture.sql('select from deposit_assignment where movement_uuid = ?', [deposit.uuid]),
    ).toEqual([])
  })

  test('where it names a code itself', async () => {
    const deposit = await createDeposit({ txid: 'CAIXA9' })
    const code = await createCode(deposit)
    await expect(deposit.assign(code.uuid)).rejects.toMatchObject({ code: 'deposit_not_assignable' })
    expect(await deposit.readState()).toMatchObject(UNTOUCHED)
  })

  test('by another account', async () => {
    const deposit = await createDeposit()
    const other = await fixture.createMerchant(0)
    const code = await createCode(deposit)
    const order = { ...deposit.newOrder(code.uuid), accountUuid: other.accountUuid }
    await expect(runInTransaction(fixture.orm, em => assignDepositToCode(em, order))).rejects.toMatchObject({
      code: 'deposit_not_assignable',
    })
  })
})

describe('at the same moment', () => {
  const ROUNDS = 5
  const outcomeOf = (result: PromiseSettledResult<unknown>) =>
    result.status === 'fulfilled' ? 'done' : Object(result.reason).code

  test('of two assignments to two codes one is carried out', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const deposit = await createDeposit()
      const codes = [await createCode(deposit), await createCode(deposit)]
      const results = await Promise.allSettled(codes.map(({ uuid }) => deposit.assign(uuid)))
      expect(results.map(outcomeOf).toSorted()).toEqual(['deposit_not_assignable', 'done'])
      expect(await countCharges(deposit)).toBe(1)
      expect(await deposit.readState()).toMatchObject({
        balances: { available: 990, fee: 10, outside: -CENTS },
      })
    }
  })

  test('of two deposits that are assigned to the code of one charge one pays it', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const deposit = await createDeposit()
      const chargeUuid = await issueOpenCharge(deposit)
      const second = await receive(deposit.connectionUuid)
      const orders = [deposit.uuid, second.uuid].map(depositUuid => ({
        ...deposit.newOrder(chargeUuid),
        depositUuid,
      }))
      const results = await Promise.allSettled(
        orders.map(order => runInTransaction(fixture.orm, em => assignDepositToCode(em, order))),
      )
      expect(results.map(outcomeOf).toSorted()).toEqual(['done', 'qr_code_does_not_fit'])
      expect(await fixture.readBalances(deposit.accountUuid)).toEqual({
        available: 1_990,
        fee: 10,
        outside: -2 * CENTS,
      })
    }
  })

  test('of an assignment and a return one is carried out', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const deposit = await createDeposit()
      const code = await createCode(deposit)
      const [assigned, returned] = await Promise.allSettled([
        deposit.assign(code.uuid),
        deposit.orderReturn(),
      ])
      const state = await deposit.readState()
      if (outcomeOf(assigned) === 'done') {
        expect(returned).toMatchObject({ value: { failure: 'deposit_not_returnable' } })
        expect(state).toMatchObject({ reason: null, disposition: null })
      } else {
        expect(outcomeOf(assigned)).toBe('deposit_not_assignable')
        expect(returned).toMatchObject({ value: { failure: null } })
        expect(state).toMatchObject({ reason: 'deposit', disposition: 'held', balances: { pending: CENTS } })
      }
    }
  })

  test('of an assignment and the cancellation of its charge one is carried out', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const deposit = await createDeposit()
      const chargeUuid = await issueOpenCharge(deposit)
      const [assigned, cancelled] = await Promise.allSettled([
        deposit.assign(chargeUuid),
        fixture.providers.cancelCharge({ chargeUuid }),
      ])
      const isAssigned = outcomeOf(assigned) === 'done'
      expect(cancelled).toMatchObject({ value: { state: isAssigned ? 'paid' : 'cancelled' } })
      expect(await deposit.readState()).toMatchObject(isAssigned ? { charge: chargeUuid } : UNTOUCHED)
    }
  })

  test('a dispute claims the deposit or its charge, never both', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const deposit = await createDeposit()
      const code = await createCode(deposit)
      const [assigned, opened] = await Promise.allSettled([deposit.assign(code.uuid), deposit.pollDispute()])
      // The activity is repeated where the PIX has become a charge's meanwhile.
      if (opened.status === 'rejected') await deposit.pollDispute()
      const isAssigned = outcomeOf(assigned) === 'done'
      if (!isAssigned) expect(outcomeOf(assigned)).toBe('deposit_not_assignable')
      const [dispute] = await fixture.sql<{ charge: string | null; claimed: number; held: number }>(
        `select charge_uuid as charge, claimed_cents::int as claimed, held_cents::int as held from dispute
         where movement_uuid = ?`,
        [deposit.uuid],
      )
      expect(dispute).toEqual({
        charge: (await deposit.readState()).charge,
        claimed: CENTS,
        held: isAssigned ? 990 : CENTS,
      })
    }
  })
})

test.each(['a merchant’s code', 'the code of a charge'])(
  'a provider that names %s later changes nothing of an assigned deposit',
  async kind => {
    const deposit = await createDeposit()
    const assigned = await createCode(deposit)
    const named =
      kind === 'a merchant’s code' ? (await createCode(deposit)).uuid : await issueOpenCharge(deposit)
    const { chargeUuid } = await deposit.assign(assigned.uuid)
    const before = await deposit.readState()
    await deposit.reportWithTxid(staticTxidOf(named))
    await deposit.reportWithTxid(assigned.txid)
    expect(await deposit.readState()).toEqual(before)
    expect(before.charge).toBe(chargeUuid)
    const paid = await fixture.sql("select from charge where account_uuid = ? and state = 'paid'", [
      deposit.accountUuid,
    ])
    expect(paid).toHaveLength(1)
  },
)

test('an assigned deposit whose API process ended is announced by the sweep of deliveries', async () => {
  const deposit = await createDeposit()
  const code = await createCode(deposit)
  await fixture.sql(
    `insert into webhook (uuid, account_uuid, url, events, sealed_secret, masked_secret, fingerprint, created_at)
     values (gen_random_uuid(), ?, 'https://loja.test/pix', '{PAYMENT}', 's', 'm', 'f', now())`,
    [deposit.accountUuid],
  )
  await deposit.assign(code.uuid)
  const [delivery] = await fixture.sql<{ uuid: string; due: boolean }>(
    `select d.uuid, d.sweep_at <= now() as due from delivery d join event e on e.uuid = d.event_uuid where e.account_uuid = ?`,
    [deposit.accountUuid],
  )
  expect(delivery).toMatchObject({ due: true })
  await maintenanceActivities(fixture.dependencies).sweepDeliveries()
  expect(fixture.signalledWorkflowIds).toContain(`webhook/${delivery!.uuid}`)
})

test('fee, shares and the rest add up to the PIX, whatever its value and whatever was spent of it', async () => {
  const pool = randomUUID()
  const [first, second] = [await fixture.createMerchant(0, pool), await fixture.createMerchant(0, pool)]
  const sums = { available: 0, fee: 0, outside: 0 }
  for (let index = 0; index < 40; index++) {
    const cents = 1 + ((index * 7_919) % 20_011)
    const fee = { fixedCents: (index * 13) % 40, hundredthsOfPercent: (index * 37) % 500 }
    const deposit = await createDeposit({ cents, fee, pool })
    const splits = [first, second].map(
      ({ accountUuid }, position): ChargeSplit => ({
        type: 'PERCENTAGE',
        amount: (index * 311 + position * 977) % 5_001,
        recipientAccountUuid: accountUuid,
      }),
    )
    const code = await createCode(deposit, { splits })
    const spentCents = index % 3 === 0 ? 1 + ((index * 3_571) % cents) : 0
    if (spentCents > 0) await deposit.spend(spentCents)
    const feeCents = Math.min(cents, computeFeeCents(cents, fee))
    const shareCents = splits.reduce(
      (sum, { amount }) => sum + Math.floor(((cents - feeCents) * amount) / 10_000),
      0,
    )
    const isCovered = feeCents + shareCents <= cents - spentCents
    const result = await deposit.assign(code.uuid).then(
      () => 'assigned',
      error => error.code,
    )
    expect([index, result]).toEqual([index, isCovered ? 'assigned' : 'deposit_spent'])
    const { balances } = await deposit.readState()
    const takenCents = isCovered ? feeCents + shareCents : 0
    expect([balances.available ?? 0, balances.fee ?? 0, balances.outside ?? 0]).toEqual([
      cents - spentCents - takenCents,
      isCovered ? feeCents : 0,
      spentCents - cents || 0,
    ])
    sums.available += balances.available ?? 0
    sums.fee += balances.fee ?? 0
    sums.outside += balances.outside ?? 0
  }
  const shares = await Promise.all([first, second].map(one => fixture.readBalances(one.accountUuid)))
  const shareSum = shares.reduce((sum, { available = 0 }) => sum + available, 0)
  expect(sums.available + sums.fee + sums.outside + shareSum).toBe(0)
})

describe('PostgreSQL refuses', () => {
  const insertAssignment = (
    { uuid, accountUuid }: Deposit,
    { code, charge }: { code: string; charge: string },
  ) =>
    fixture.sql(
      `insert into deposit_assignment (uuid, account_uuid, movement_uuid, qr_code_uuid, charge_uuid, request_id, fingerprint, created_at)
       values (gen_random_uuid(), ?, ?, ?, ?, 'r', 'f', now())`,
      [accountUuid, uuid, code, charge],
    )

  test('a second assignment of a deposit, and one that pays nothing', async () => {
    const deposit = await createDeposit()
    const code = await createCode(deposit)
    const open = await issueOpenCharge(deposit)
    await expect(insertAssignment(deposit, { code: open, charge: open })).rejects.toThrow(
      'does not pay the code',
    )
    const { chargeUuid } = await deposit.assign(code.uuid)
    await expect(insertAssignment(deposit, { code: code.uuid, charge: chargeUuid })).rejects.toThrow(
      'deposit_assignment_once',
    )
    const other = await createDeposit()
    await expect(insertAssignment(other, { code: code.uuid, charge: chargeUuid })).rejects.toThrow(
      'deposit_assignment_charge_once',
    )
  })

  test('to change or delete an assignment', async () => {
    const deposit = await createDeposit()
    await deposit.assign((await createCode(deposit)).uuid)
    const where = `where movement_uuid = '${deposit.uuid}'`
    for (const change of [
      `update deposit_assignment set charge_uuid = charge_uuid ${where}`,
      `delete from deposit_assignment ${where}`,
    ])
      await expect(fixture.sql(change)).rejects.toThrow('append-only')
  })

  test('to return an assigned deposit, to hold it, and to make a deposit that is held a payment', async () => {
    const deposit = await createDeposit()
    await deposit.assign((await createCode(deposit)).uuid)
    const set = (uuid: string, columns: string) =>
      fixture.sql(`update movement set ${columns} where uuid = ?`, [uuid])
    await expect(set(deposit.uuid, "disposition = 'held'")).rejects.toThrow('movement_disposition')
    await expect(
      fixture.sql(
        `insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
           status, original_uuid, created_at, updated_at)
         select gen_random_uuid(), account_uuid, provider_account_uuid, connection_uuid, 'EXTERNAL_REFUND', 'OUT', value_cents,
           'PENDING', uuid, now(), now() from movement where uuid = ?`,
        [deposit.uuid],
      ),
    ).rejects.toThrow('or a payment')
    await expect(
      fixture.sql(
        `insert into deposit_return (uuid, account_uuid, connection_uuid, provider_account_uuid, movement_uuid, held_at,
           request_id, fingerprint, created_at, updated_at)
         select gen_random_uuid(), account_uuid, connection_uuid, provider_account_uuid, uuid, now(), 'r', 'f', now(), now()
         from movement where uuid = ?`,
        [deposit.uuid],
      ),
    ).rejects.toThrow('cannot be returned')
    const held = await createDeposit()
    await held.orderReturn()
    await expect(set(held.uuid, 'reason = null')).rejects.toThrow('movement_disposition')
  })

  test('two charges that one PIX pays', async () => {
    const deposit = await createDeposit()
    const { chargeUuid } = await deposit.assign((await createCode(deposit)).uuid)
    const open = await issueOpenCharge(deposit)
    await expect(
      fixture.sql(
        'update charge set movement_uuid = (select movement_uuid from charge where uuid = ?) where uuid = ?',
        [chargeUuid, open],
      ),
    ).rejects.toThrow('charge_one_pix')
  })
})
