import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { checkLedger } from '../../../src/db/repositories/ledger-rules.ts'
import { openMoneyFixture } from '../support/money-fixture.ts'

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
    `update movement set disposition = 'not_returned' where uuid = :pix`,
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
