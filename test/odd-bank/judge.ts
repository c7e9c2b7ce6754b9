import type { TestStack } from '../api/support/test-stack.ts'
import { sumCents } from './books.ts'
import type { OddCase } from './cases.ts'
import { allBooks, isPayloadOf, type OddMerchant } from './odd-merchants.ts'

/** Compares what the engine shows of a merchant with the books of its banks. */

type Row = { uuid: string; state: string; cents: number }
type AttemptRow = { operation: string; subject_uuid: string; state: string }
export type Verdict = {
  /** What is not at rest, each with its state. */
  pending: string[]
  /** What is not at rest, and has an owner: an operator's list names it. */
  owned: string[]
  violations: string[]
}

const referenceOf = ({ uuid }: { uuid: string }) => uuid.replaceAll('-', '')

export async function judgeMerchant(
  stage: TestStack,
  merchant: OddMerchant,
  { scenario }: OddCase,
): Promise<Verdict> {
  const { accountUuid } = merchant
  const read = <Shape extends object = Row>(query: string) => stage.sql<Shape>(query, [accountUuid])
  // One after the other: a movement that is read later than its order would seem to be without one.
  const balances = await readBalances(stage, merchant)
  const charges = await read(
    'select uuid, state, value_cents::int as cents, payload from charge where account_uuid = ?',
  )
  const transfers = await read(
    'select uuid, state, value_cents::int as cents from transfer where account_uuid = ?',
  )
  const refunds = await read(
    'select uuid, state, value_cents::int as cents from refund where account_uuid = ?',
  )
  const disputes = await read(
    'select uuid, state, claimed_cents::int as cents from dispute where account_uuid = ?',
  )
  const keys = await read<Row & { key: string | null }>(
    `select uuid, state, 0 as cents, key from pix_key where account_uuid = ?`,
  )
  const attempts = await read<AttemptRow>(
    `select operation, subject_uuid, state from attempt
     where connection_uuid in (select uuid from connection where account_uuid = ?)`,
  )
  const unmatched = await read<{ disposition: string }>(
    `select disposition from movement where account_uuid = ? and disposition in ('held', 'returning')`,
  )
  const differences = await read<{ kind: string }>(
    `select kind from difference where settled_at is null and closed_at is null and provider_account_uuid in
       (select provider_account_uuid from connection where account_uuid = ?)`,
  )

  const books = allBooks(merchant)
  const violations: string[] = []
  const moving = [
    ...charges.filter(({ state }) => ['issuing', 'paying', 'refunding'].includes(state)),
    ...transfers.filter(({ state }) =>
      ['created', 'held', 'approved', 'sending', 'settling'].includes(state),
    ),
    ...refunds.filter(({ state }) => ['sending', 'settling'].includes(state)),
    ...disputes.filter(({ state }) => !['resolved', 'rejected', 'cancelled', 'lapsed'].includes(state)),
    ...keys.filter(({ state }) => ['creating', 'removing'].includes(state)),
  ]
  const isUnknown = ({ uuid }: Row) =>
    attempts.some(one => one.subject_uuid === uuid && ['unknown', 'orphan'].includes(one.state))
  const owned = moving.filter(isUnknown).map(({ uuid, state }) => `${uuid} ${state}`)

  for (const transfer of transfers) {
    const paid = books.flatMap(({ sent }) => sent.get(referenceOf(transfer)) ?? []).filter(isMoved)
    if (paid.length > 1) violations.push(`transfer ${transfer.uuid} was paid ${paid.length} times`)
    if (paid.some(({ cents }) => cents !== transfer.cents)) violations.push('a transfer has another value')
    if (['paid', 'refunded'].includes(transfer.state) && paid.length === 0)
      violations.push(`transfer ${transfer.uuid} is ${transfer.state} and no bank paid it`)
    if (['failed', 'cancelled'].includes(transfer.state) && paid.length > 0)
      violations.push(`transfer ${transfer.uuid} is ${transfer.state} and a bank paid it`)
  }
  for (const refund of refunds) {
    const paid = books.flatMap(one => one.refunds.get(referenceOf(refund)) ?? []).filter(isMoved)
    if (refund.state === 'settled' && paid.length !== 1) violations.push('a settled refund was not paid')
    if (refund.state === 'failed' && paid.length > 0) violations.push('a failed refund was paid')
  }
  const orders = new Set([...transfers, ...refunds].map(referenceOf))
  for (const payout of books.flatMap(one => [...one.sent.values(), ...one.refunds.values()]))
    if (!orders.has(payout.id)) violations.push(`the bank paid ${payout.id}, which nobody ordered`)

  const payments = books.flatMap(({ received }) =>
    [...received.values()].filter(({ reference }) => reference),
  )
  if (payments.length > 1) violations.push('a charge was paid twice')
  for (const { state, uuid } of charges) {
    const isShownPaid = ['paid', 'partially_refunded', 'refunded', 'refunding'].includes(state)
    if (isShownPaid && payments.length === 0) violations.push(`charge ${uuid} is ${state} and nobody paid it`)
    if (['failed', 'expired', 'cancelled'].includes(state) && payments.length > 0)
      violations.push(`charge ${uuid} is ${state} and was paid`)
    if (state === 'pending' && payments.length > 0) moving.push({ uuid, state: 'pending and paid', cents: 0 })
  }
  const shown = charges.map(charge => String(Object(charge).payload ?? ''))
  const orphans = merchant.connections.flatMap(({ account }) =>
    [...account.books.charges.values()].filter(
      charge => charge.state === 'open' && !shown.some(payload => isPayloadOf(account, charge, payload)),
    ),
  )
  if (orphans.length > 0) {
    moving.push(
      ...orphans.map(({ reference }) => ({ uuid: reference, state: 'payable without a charge', cents: 0 })),
    )
    if (attempts.some(({ state }) => state === 'orphan')) owned.push('payable without a charge')
  }

  const bankKeys = new Set(books.flatMap(one => [...one.keys]))
  for (const { state, key } of keys)
    if (state === 'active' && !bankKeys.has(key ?? '')) violations.push('an active key is not at the bank')
  for (const { availableCents, ledgerCents, bankCents, name } of balances) {
    if (availableCents > bankCents)
      violations.push(`available at ${name} is ${availableCents}, the bank holds ${bankCents}`)
    if (ledgerCents !== bankCents)
      moving.push({ uuid: name, state: `ledger ${ledgerCents}, bank ${bankCents}`, cents: 0 })
  }
  const bankDisputes = books.flatMap(one => [...one.disputes.values()])
  if (scenario === 'dispute' && bankDisputes.length > disputes.length)
    moving.push({ uuid: bankDisputes[0]!.id, state: 'unseen dispute', cents: 0 })

  const pending = [
    ...moving.map(({ uuid, state }) => `${uuid} ${state}`),
    ...unmatched.map(({ disposition }) => `movement ${disposition}`),
    ...differences.map(({ kind }) => `difference ${kind}`),
  ]
  const hasOpenDifference = differences.length > 0
  return {
    pending,
    owned: hasOpenDifference ? [...owned, ...pending.filter(text => text.includes('ledger'))] : owned,
    violations,
  }
}

const isMoved = ({ state }: { state: string }) => state !== 'failed'

async function readBalances({ sql }: TestStack, { accountUuid, connections }: OddMerchant) {
  const rows = await sql<{ at: string; bucket: string; cents: number }>(
    `select provider_account_uuid as at, bucket, cents::int as cents from balance
     where account_uuid = ? and bucket <> 'outside'`,
    [accountUuid],
  )
  return connections.map(({ account, providerAccountUuid }) => {
    const mine = rows.filter(({ at }) => at === providerAccountUuid)
    return {
      name: account.api,
      availableCents: sumCents(mine.filter(({ bucket }) => bucket === 'available')),
      ledgerCents: sumCents(mine),
      bankCents: account.books.balanceCents,
    }
  })
}
