import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { chargeMachine } from '../../../src/domain/charges/charge.ts'
import { splitMachine } from '../../../src/domain/charges/split.ts'
import { disputeMachine } from '../../../src/domain/disputes/dispute.ts'
import { movementMachine } from '../../../src/domain/ledger/movement.ts'
import { ATTEMPT_MACHINES } from '../../../src/domain/providers/attempt.ts'
import { refundMachine } from '../../../src/domain/refunds/refund.ts'
import { PAYOUT_NOUNS, type PayoutNoun } from '../../../src/domain/shared/nouns.ts'
import type { StateMachine } from '../../../src/domain/shared/state-machine.ts'
import { transferMachine } from '../../../src/domain/transfers/transfer.ts'
import { deliveryMachine } from '../../../src/domain/webhooks/delivery.ts'
import { openMoneyFixture } from '../support/money-fixture.ts'

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
  ['a charge counts an amount that was never refunded', 'charge_returns', ofCharge('refunded_cents = 1000')],
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
  ['a share is credited that failed', 'split_credited', split('FIXED', 1, { credited: 1, status: 'FAILED' })],
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
  ['refund', refundMachine, reachedFrom],
  ['dispute', disputeMachine, reachedFrom],
  ['delivery', deliveryMachine, stepsFrom],
  ['movement', movementMachine, stepsFrom],
  ['split', splitMachine, stepsFrom],
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
