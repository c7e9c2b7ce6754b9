import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { changeAccount } from '../../../src/admin/accounts.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { checkLedger } from '../../../src/db/repositories/ledger-rules.ts'
import { chargeMachine } from '../../../src/domain/charges/charge.ts'
import { chargeRevisionMachine } from '../../../src/domain/charges/charge-revision.ts'
import { splitMachine } from '../../../src/domain/charges/split.ts'
import { contestMachine } from '../../../src/domain/disputes/contest.ts'
import { disputeMachine } from '../../../src/domain/disputes/dispute.ts'
import { movementMachine } from '../../../src/domain/ledger/movement.ts'
import { ATTEMPT_MACHINES } from '../../../src/domain/providers/attempt.ts'
import { recurrenceMachine } from '../../../src/domain/recurrences/recurrence.ts'
import { refundMachine } from '../../../src/domain/refunds/refund.ts'
import { reportMachine } from '../../../src/domain/reports/report.ts'
import { PAYOUT_NOUNS, type PayoutNoun } from '../../../src/domain/shared/nouns.ts'
import type { StateMachine } from '../../../src/domain/shared/state-machine.ts'
import { transferMachine } from '../../../src/domain/transfers/transfer.ts'
import { batchMachine } from '../../../src/domain/transfers/transfer-batch.ts'
import { deliveryMachine } from '../../../src/domain/webhooks/delivery.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'
import { createDisputeFixture } from '../support/dispute-fixture.ts'
import { createPaidCharge, type FixtureMerchant, openMoneyFixture } from '../support/money-fixture.ts'

describe('ledger holds', () => {
  /** Rules over many rows, which no constraint can hold: money held for no operation, or waiting for nothing. */

  let fixture: Awaited<ReturnType<typeof openMoneyFixture>>
  beforeAll(async () => {
    fixture = await openMoneyFixture()
  })
  afterAll(() => fixture?.close())

  const found = async (statements: string) => {
    const violations = await fixture.inUndoneTransaction(statements, checkLedger)
    return violations.map(({ rule, detail }) => `${rule}: ${detail}`)
  }

  test('a ledger in which every hold has its operation has no violation', async () => {
    expect(await found('select 1')).toEqual([])
  })

  test.each([
    [
      'a transfer fails, and its hold stays',
      `update transfer set state = 'failed', held_cents = 0 where uuid = :settling`,
      'provisioned_is_held: balance 500, operations 0',
    ],
    [
      'a transfer in progress without a hold',
      'update transfer set held_cents = 0 where uuid = :settling',
      'provisioned_is_held: balance 500, operations 0',
    ],
    [
      'a running refund without a hold',
      `insert into refund (uuid, charge_uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents,
       fee_cents, parts, request_id, fingerprint, created_at, updated_at)
     select gen_random_uuid(), uuid, account_uuid, connection_uuid, provider_account_uuid, 'sending', 300, 7,
       jsonb_build_array(jsonb_build_object('accountUuid', account_uuid, 'cents', 300)), 'r', 'f', now(), now()
     from charge where uuid = :charge;
     update charge set state = 'refunding', refunding_cents = 300 where uuid = :charge`,
      'provisioned_is_held: balance 0, operations 307',
    ],
    [
      'an unmatched PIX is the account’s, and waits on',
      `update movement set disposition = 'kept' where uuid = :unmatched`,
      'pending_waits: balance 1000, operations 0',
    ],
    [
      'a PIX that is paid waits again',
      `update movement set disposition = 'not_returned', reason = 'orphan' where uuid = :pix`,
      'pending_waits: balance 0, operations 1000',
    ],
  ])('%s: check-ledger reports it', async (_, planted, violation) => {
    expect(await found(planted)).toEqual([violation])
  })

  test('an unmatched PIX without a running return needs no hold', async () => {
    expect(await found(`update movement set disposition = 'returning' where uuid = :unmatched`)).toEqual([
      'provisioned_is_held: balance 500, operations 1500',
      'pending_waits: balance 1000, operations 0',
    ])
  })
})

describe('disputed splits', () => {
  /** Who pays a disputed charge that was split (SPEC §5): the recipients their shares, as of a refund, or the owner all. */

  let fixture: Awaited<ReturnType<typeof openActivityFixture>>
  beforeAll(async () => {
    fixture = await openActivityFixture()
  })
  afterAll(() => fixture?.close())

  type DisputedSplit = { percent: number; policy?: 'share' | 'owner'; spentCents?: number }

  /** A charge of R$ 10.00, of which a seller has got a share and spent so much, and its open dispute. */
  async function openDisputeOfSplit({ percent, policy = 'share', spentCents = 0 }: DisputedSplit) {
    const pool = randomUUID()
    const [owner, seller] = [await fixture.createMerchant(0, pool), await fixture.createMerchant(0, pool)]
    await runInTransaction(fixture.orm, em =>
      changeAccount(em, {
        actor: 'ana',
        reason: 'a drill',
        uuid: owner.accountUuid,
        change: { disputedSplitPolicy: policy },
      }),
    )
    const uuid = await createPaidCharge(fixture, owner, [
      { type: 'PERCENTAGE', amount: percent * 100, recipientAccountUuid: seller.accountUuid },
    ])
    if (spentCents > 0) await spend(seller, spentCents)
    const [pix] = await fixture.sql<{ endToEnd: string }>(
      'select end_to_end as "endToEnd" from charge where uuid = ?',
      [uuid],
    )
    const dispute = createDisputeFixture(fixture, { connectionUuid: owner.connectionUuid, ...pix! })
    await dispute.pollAnswering()
    return {
      ...dispute,
      async readBalances() {
        expect(await checkLedger(fixture.orm.em.fork())).toEqual([])
        return [await fixture.readBalances(owner.accountUuid), await fixture.readBalances(seller.accountUuid)]
      },
      async isReturned(cents: number, isClosed = true) {
        const returned = {
          id: randomUUID(),
          endToEnd: `D${randomUUID().replaceAll('-', '').slice(1)}`,
          cents,
          at: new Date().toISOString(),
        }
        await dispute.pollAnswering({ status: 'agreed', returns: [returned], isClosed })
      },
      async readParts() {
        const refunds = await fixture.sql<{ parts: { cents: number }[] }>(
          'select parts from refund where charge_uuid = ?',
          [uuid],
        )
        return refunds.map(({ parts }) => parts.map(({ cents }) => cents))
      },
    }
  }

  async function spend(merchant: FixtureMerchant, valueCents: number) {
    const order = fixture.transferInput(merchant, { valueCents })
    await fixture.records.storeTransfer(order)
    const payout = { status: 'in_process', cents: valueCents, endToEnd: '', at: null } as const
    fixture.scriptProvider({ sendTransfer: async () => ({ kind: 'accepted', payout }) })
    const { connectionUuid } = merchant
    await fixture.providers.sendTransfer({ uuid: order.uuid, connectionUuid, isResend: false })
  }

  test.each([100, 40])(
    'of a split of %d %% the seller pays its share of an accepted dispute',
    async percent => {
      const dispute = await openDisputeOfSplit({ percent })
      expect(await dispute.readBalances()).toMatchObject([{ blocked: 1_000 }, {}])
      await dispute.isReturned(1_000)
      expect(await dispute.readBalances()).toEqual([{}, {}])
      expect(await dispute.readParts()).toEqual([[percent * 10, 1_000 - percent * 10]])
    },
  )

  test.each(['disagreed', 'withdrawn'] as const)(
    'a dispute that is %s gives the seller its share again',
    async status => {
      const dispute = await openDisputeOfSplit({ percent: 40 })
      await dispute.pollAnswering({ status })
      expect(await dispute.readBalances()).toEqual([{ available: 600, outside: -1_000 }, { available: 400 }])
    },
  )

  test('of a return of a part the seller pays in proportion, and has the rest again once the dispute is over', async () => {
    const dispute = await openDisputeOfSplit({ percent: 40 })
    await dispute.isReturned(500)
    expect(await dispute.readBalances()).toEqual([{ available: 300, outside: -500 }, { available: 200 }])
    expect(await dispute.readParts()).toEqual([[200, 300]])
  })

  test('what a seller has spent of its share is the owner’s debt', async () => {
    const dispute = await openDisputeOfSplit({ percent: 100, spentCents: 700 })
    expect(await dispute.readBalances()).toMatchObject([{ blocked: 300 }, { provisioned: 700 }])
    await dispute.isReturned(1_000)
    expect(await dispute.readBalances()).toMatchObject([{ shortfall: -700 }, { provisioned: 700 }])
  })

  test('by the policy `owner` no seller pays', async () => {
    const dispute = await openDisputeOfSplit({ percent: 40, policy: 'owner' })
    expect(await dispute.readBalances()).toMatchObject([{ blocked: 600 }, { available: 400 }])
    await dispute.isReturned(1_000)
    expect(await dispute.readBalances()).toMatchObject([{ shortfall: -400 }, { available: 400 }])
  })

  test('no more is taken back from splits than a dispute claims', async () => {
    await openDisputeOfSplit({ percent: 40 })
    await expect(
      fixture.sql('update dispute set reclaimed_cents = claimed_cents + 1 where claimed_cents > 0'),
    ).rejects.toMatchObject({ constraint: 'dispute_reclaimed_limit' })
  })
})

describe('database constraints', () => {
  /** A review's finding: rules about money that only the code held. PostgreSQL refuses every row that breaks one. */

  let fixture: Awaited<ReturnType<typeof openMoneyFixture>>
  beforeAll(async () => {
    fixture = await openMoneyFixture()
  })
  afterAll(() => fixture?.close())

  const isAccepted = (statements: string) => fixture.inUndoneTransaction(statements, async () => true)

  const ofCharge = (change: string) => `update charge set ${change} where uuid = :charge`
  const ofPaid = (change: string) => `update transfer set ${change} where uuid = :paid`
  const ofSettling = (change: string) => `update transfer set ${change} where uuid = :settling`
  const ofPix = (change: string) => `update movement set ${change} where uuid = :pix`
  const refunded = (state: string, cents: number) => `
  insert into refund (uuid, charge_uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents,
    request_id, fingerprint, created_at, updated_at)
  select gen_random_uuid(), uuid, account_uuid, connection_uuid, provider_account_uuid, '${state}', ${cents}, 'r', 'f',
    now(), now() from charge where uuid = :charge;`
  const split = (type: string, amount: number, { credited = 0, status = 'PENDING' } = {}) => `
  insert into split (uuid, charge_uuid, position, type, amount, recipient_account_uuid, status, credited_cents)
  values (gen_random_uuid(), :charge, 0, '${type}', ${amount}, :other, '${status}', ${credited});`
  const moved = `
  insert into movement (uuid, account_uuid, provider_account_uuid, type, movement_type, value_cents, status, settled_at,
    created_at, updated_at)
  select gen_random_uuid(), account_uuid, provider_account_uuid, 'EXTERNAL_TRANSFER', 'IN', 500, 'SETTLED', now(), now(), now()
  from charge where uuid = :charge`
  const twin = `
  insert into charge select (jsonb_populate_record(c, jsonb_build_object('uuid', gen_random_uuid()))).*
  from charge c where uuid = :charge`

  test.each([
    ['a paid charge waits again', 'charge_transition', ofCharge(`state = 'pending'`)],
    ['a paid charge is issued again', 'charge_transition', ofCharge(`state = 'issuing'`)],
    ['a paid charge fails', 'charge_transition', ofCharge(`state = 'failed'`)],
    ['a charge is refunded by no refund', 'charge_returns', ofCharge(`state = 'refunded'`)],
    [
      'a charge counts an amount that was never refunded',
      'charge_returns',
      ofCharge('refunded_cents = 1000'),
    ],
    [
      'a charge has been refunded by no refund',
      'charge_refunds',
      ofCharge(`state = 'refunded', refunded_cents = 1000`),
    ],
    ['a charge counts a refund that does not run', 'charge_returns', ofCharge('refunding_cents = 1000')],
    [
      'a charge is being refunded by no refund',
      'charge_refunds',
      ofCharge(`state = 'refunding', refunding_cents = 1000`),
    ],
    ['a refund runs that its charge does not count', 'charge_refunds', refunded('sending', 500)],
    ['a refund settles above the received amount', 'charge_refunds', refunded('settled', 5_000)],
    [
      'a refund runs above the received amount',
      'charge_remainder',
      refunded('sending', 5_000) + ofCharge(`state = 'refunding', refunding_cents = 5000`),
    ],
    [
      'a settled refund fails',
      'refund_transition',
      `${refunded('settled', 500)} update refund set state = 'failed' where charge_uuid = :charge`,
    ],
    [
      'a refund becomes another',
      'refund_value_fixed',
      `${refunded('settled', 500)} update refund set value_cents = 400 where charge_uuid = :charge`,
    ],
    ['a charge is paid without an amount', 'charge_settled', ofCharge('received_cents = 0')],
    ['a charge is paid with more', 'charge_settled', ofCharge('received_cents = 999999')],
    ['a total is not value and fee', 'charge_total', ofCharge('total_cents = 5, received_cents = 5')],
    ['a fee exceeds the received amount', 'charge_total', ofCharge('fee_cents = 999999')],
    ['a charge becomes another', 'charge_value_fixed', ofCharge('value_cents = 0')],
    ['one PIX pays two charges', 'charge_one_pix', twin],
    ['shares exceed the value', 'split_shares', split('PERCENTAGE', 10_000) + split('FIXED', 1)],
    [
      'more is credited than was received',
      'split_shares',
      split('FIXED', 1_000, { credited: 1_001, status: 'CREDITED' }),
    ],
    ['a share is credited that waits', 'split_credited', split('FIXED', 1, { credited: 1 })],
    [
      'a credited share waits again',
      'split_transition',
      `${split('FIXED', 1, { credited: 1, status: 'CREDITED' })} update split set status = 'PENDING', credited_cents = 0 where charge_uuid = :charge`,
    ],
    [
      'a share is credited that failed',
      'split_credited',
      split('FIXED', 1, { credited: 1, status: 'FAILED' }),
    ],
    ['a paid transfer waits again', 'transfer_transition', ofPaid(`state = 'created'`)],
    ['a paid transfer fails', 'transfer_transition', ofPaid(`state = 'failed'`)],
    ['a paid transfer has no movement', 'transfer_paid_by_movement', ofPaid('movement_uuid = null')],
    ['a paid transfer becomes another', 'transfer_value_fixed', ofPaid('value_cents = 5')],
    ['more is held than value and fee', 'transfer_held_whole', ofSettling('held_cents = 999999')],
    ['a hold outlives its transfer', 'transfer_held_while_open', ofSettling(`state = 'failed'`)],
    [
      'a sent return waits to be sent again',
      'attempt_transition',
      `update attempt set state = 'rejected' where subject_uuid = :paid`,
    ],
    [
      'an accepted return waits to be sent again',
      'attempt_transition',
      `update attempt set state = 'calling' where subject_uuid = :settling`,
    ],
    ['the movement has another amount', 'movement_fixed', ofPix('value_cents = 1')],
    ['an incoming movement becomes outgoing', 'movement_fixed', ofPix(`movement_type = 'OUT'`)],
    ['a settled movement fails', 'movement_transition', ofPix(`status = 'FAILED'`)],
    ['a settled movement is pending again', 'movement_transition', ofPix(`status = 'PENDING'`)],
    ['a settled movement loses its end-to-end id', 'movement_fixed', ofPix('end_to_end = null')],
    ['a settled movement changes its end-to-end id', 'movement_fixed', ofPix(`end_to_end = 'E1'`)],
    ['a settled movement has no settlement time', 'movement_settled', ofPix('settled_at = null')],
    ['a settled movement is not posted', 'movement_booked', moved],
    [
      'a movement is of a transfer that is never written',
      'movement_transfer_uuid_fkey',
      ofPix('transfer_uuid = gen_random_uuid()'),
    ],
  ])('%s: refused by %s', async (_, constraint, statements) => {
    await expect(isAccepted(statements)).rejects.toMatchObject({ constraint })
  })

  test('an end-to-end id may be added late', async () => {
    const booked = `
    with made as (${moved} returning *)
    insert into posting (movement_uuid, account_uuid, provider_account_uuid, type, bucket, cents, balance_cents)
    select uuid, account_uuid, provider_account_uuid, type, bucket, cents, 0
    from made cross join (values ('available', 500), ('outside', -500)) as leg (bucket, cents);`
    const learned = `update movement set end_to_end = 'E2' where end_to_end is null and charge_uuid is null and transfer_uuid is null`
    expect(await isAccepted(booked + learned)).toBe(true)
  })

  /** The states that a table reaches from a state, over any number of steps, without the state itself. */
  function reachedFrom<State extends string>(
    machine: StateMachine<State, string, never>,
    from: State,
  ): Set<State> {
    const reached = new Set(machine.nextStates(from))
    for (const state of reached) for (const next of machine.nextStates(state)) reached.add(next)
    reached.delete(from)
    return reached
  }

  /** The states that one event leads to. Attempts, deliveries, movements and splits take one step at a time: what was accepted is not called again. */
  function stepsFrom<State extends string>(
    machine: StateMachine<State, string, never>,
    from: State,
  ): Set<State> {
    return new Set(machine.nextStates(from).filter(to => to !== from))
  }

  test.each([
    ...Object.entries(ATTEMPT_MACHINES).map(([operation, machine]) => [
      PAYOUT_NOUNS.includes(operation as PayoutNoun) ? 'payout_attempt' : `${operation}_attempt`,
      machine,
      stepsFrom,
    ]),
    ['charge', chargeMachine, reachedFrom],
    ['transfer', transferMachine, reachedFrom],
    ['transfer_batch', batchMachine, reachedFrom],
    ['refund', refundMachine, reachedFrom],
    ['dispute', disputeMachine, reachedFrom],
    ['contest', contestMachine, stepsFrom],
    ['delivery', deliveryMachine, stepsFrom],
    ['movement', movementMachine, stepsFrom],
    ['split', splitMachine, stepsFrom],
    ['charge_revision', chargeRevisionMachine, stepsFrom],
    ['recurrence', recurrenceMachine, reachedFrom],
    ['report', reportMachine, stepsFrom],
  ] as [string, StateMachine<string, string, never>, typeof reachedFrom][])(
    'the database allows a %s exactly the state changes of its table',
    async (name, machine, statesFrom) => {
      const pairs = machine.states.flatMap(from => machine.states.map(to => [from, to] as const))
      const answers = await Promise.all(
        pairs.map(async ([from, to]) => {
          const [row] = await fixture.sql<{ leads: boolean }>(`select ${name}_can_become(?, ?) as leads`, [
            from,
            to,
          ])
          return [from, to, row!.leads]
        }),
      )
      expect(answers).toEqual(pairs.map(([from, to]) => [from, to, statesFrom(machine, from).has(to)]))
    },
  )
})
