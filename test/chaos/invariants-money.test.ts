import { expect, test } from '@jest/globals'
import { findViolations } from './invariants.ts'
import {
  assignTo,
  findBrokenRules,
  findByUuid,
  firstOf,
  type PlantedViolation,
  removeWhere,
} from './support/planted-violations.ts'
import { buildValidFinalState } from './support/valid-final-state.ts'

/** Tests the checker: it is silent on a valid state, and names every planted violation. Here violations of money. */

test('the valid final state has no violation', () => {
  expect(findViolations(buildValidFinalState())).toEqual([])
})

test.each<PlantedViolation>([
  [
    'a transfer paid twice, by two providers, and both booked',
    ['paid_twice', 'moved_twice', 'not_announced', 'bank_line_unmatched'],
    ({ lines, movements }) => {
      lines.push({ ...lines[2]!, providerAccount: 'pb', endToEnd: 'E9' })
      movements.push({
        ...findByUuid(movements, 'm-transfer'),
        uuid: 'm-again',
        providerAccount: 'pb',
        endToEnd: 'E9',
      })
    },
  ],
  [
    'a transfer that refuses another receiver, and paid one',
    ['paid_other_receiver'],
    ({ lines }) => assignTo(lines[2]!, { receiver: { name: 'João Lima', document: '12345678909' } }),
  ],
  [
    'a PIX that a look-up has sent',
    ['sent_without_transfer', 'return_credited_twice'],
    ({ movements }) => assignTo(findByUuid(movements, 'm-transfer'), { transfer: null }),
  ],
  [
    'a refund sent twice by one provider',
    [
      ...['statement_line_unknown', 'paid_twice', 'provider_differs', 'bank_line_unmatched'],
      'available_above_bank',
    ],
    ({ lines, holdings }) => {
      lines.push({ ...lines[1]!, endToEnd: 'D9', original: 'E0' })
      firstOf(holdings).cents -= 400
    },
  ],
  [
    'an unknown line of the statement',
    ['statement_line_unknown', 'bank_line_unmatched'],
    ({ lines }) => lines.push({ ...lines[4]!, endToEnd: 'E9' }),
  ],
  [
    'a charge shown under a txid that was made of its own id',
    ['txid_not_of_provider'],
    ({ charges }) => assignTo(firstOf(charges), { txid: 'charge-1-ref' }),
  ],
  [
    'a charge that counts as issued and was never taken',
    ['charge_not_at_provider'],
    ({ chargesAtProvider }) => void chargesAtProvider.pop(),
  ],
  [
    'money booked that never moved',
    ['movement_never_settled', 'statement_row_unmatched'],
    ({ lines }) => void lines.pop(),
  ],
  [
    'another value than the rail moved',
    [
      ...['statement_line_unknown', 'movement_never_settled'],
      ...['bank_line_unmatched', 'statement_row_unmatched'],
    ],
    ({ lines }) => assignTo(lines[4]!, { cents: 51 }),
  ],
  [
    'postings that do not add up',
    ['postings_not_zero'],
    ({ unbalancedMovements: unbalanced }) => unbalanced.push({ movement: 'm-payment', cents: 1 }),
  ],
  [
    'a balance that is not its postings',
    ['balance_is_no_fold'],
    ({ buckets }) => assignTo(firstOf(buckets), { foldCents: 12_219 }),
  ],
  [
    'a provider that holds less',
    ['provider_differs'],
    ({ holdings }) => assignTo(firstOf(holdings), { cents: 12_409 }),
  ],
  [
    'a merchant that owes',
    ['bucket_below_zero', 'provider_differs'],
    ({ buckets }) => buckets.push({ ...firstOf(buckets), bucket: 'pending', cents: -1, foldCents: -1 }),
  ],
  [
    'money held for no operation',
    ['held_for_nothing', 'provider_differs'],
    ({ buckets }) => buckets.push({ ...firstOf(buckets), bucket: 'provisioned', cents: 5, foldCents: 5 }),
  ],
  [
    'a refund above the received amount',
    [
      ...['refunded_above_received', 'movement_never_settled', 'statement_line_unknown'],
      ...['bank_line_unmatched', 'statement_row_unmatched'],
    ],
    ({ lines }) => assignTo(lines[1]!, { cents: 1_001 }),
  ],
  [
    'refunds that the charge does not know',
    ['refunds_differ', 'not_announced', 'announced_otherwise'],
    ({ refunds }) => assignTo(firstOf(refunds), { state: 'failed' }),
  ],
  [
    'splits above the received amount',
    ['shared_above_received', 'shares_differ'],
    ({ splits }) => assignTo(firstOf(splits), { cents: 991 }),
  ],
  [
    'a share that was not booked',
    ['shares_differ'],
    ({ movements }) => removeWhere(movements, one => one.uuid === 'm-split'),
  ],
  [
    'an undecided split',
    ['share_undecided', 'failed_share_credited'],
    ({ splits }) => assignTo(firstOf(splits), { status: 'PENDING' }),
  ],
  [
    'more returned than was sent',
    ['returns_differ'],
    ({ transfers }) => assignTo(firstOf(transfers), { returnedCents: 600 }),
  ],
  [
    'a tariff that the ledger does not know',
    ['entries_differ', 'provider_differs', 'available_above_bank'],
    ({ lines, holdings }) => {
      lines.push({ ...lines[4]!, kind: 'tariff', endToEnd: null })
      firstOf(holdings).cents -= 50
    },
  ],
  [
    'a tariff booked twice',
    ['entries_differ'],
    ({ lines, movements }) => {
      lines.push({ ...lines[4]!, kind: 'tariff', endToEnd: null })
      const booked = {
        type: 'ADJUSTMENT',
        direction: 'OUT' as const,
        endToEnd: null,
        reason: 'provider_tariff',
      }
      for (const uuid of ['m-tariff', 'm-tariff-again'])
        movements.push({ ...findByUuid(movements, 'm-deposit'), uuid, ...booked })
    },
  ],
  [
    'one PIX booked as a deposit and as the payment of its charge',
    ['credited_twice', 'not_announced', 'movement_never_settled'],
    ({ movements }) =>
      movements.push({ ...findByUuid(movements, 'm-payment'), uuid: 'm-again', charge: null, cents: 999 }),
  ],
  [
    'a return booked under two ids',
    ['return_credited_twice', 'returns_differ', 'movement_never_settled', 'not_announced'],
    ({ movements }) =>
      movements.push({ ...findByUuid(movements, 'm-return'), uuid: 'm-again', endToEnd: 'other-id' }),
  ],
  [
    'a refusal at a provider that moved the money',
    ['refused_and_moved'],
    ({ attempts }) => assignTo(findByUuid(attempts, 'attempt-2'), { state: 'rejected' }),
  ],
  [
    'a payout that counts as never sent, and was sent',
    ['refused_and_moved'],
    ({ attempts }) => assignTo(findByUuid(attempts, 'attempt-2'), { state: 'unreachable' }),
  ],
  [
    'an item of no documented shape that became money',
    ['odd_item_credited', 'movement_never_settled', 'statement_line_unknown'],
    ({ movements }) => assignTo(findByUuid(movements, 'm-deposit'), { endToEnd: 'E-odd' }),
  ],
  [
    'an undocumented item that is not stored',
    ['odd_item_not_kept'],
    ({ unexplainedAnswers: kept }) => void kept.pop(),
  ],
  [
    'an accepted return of a deposit that was never sent',
    ['deposit_not_returned'],
    ({ depositReturns }) => depositReturns.push({ uuid: 'order-1', movement: 'm-deposit', failure: null }),
  ],
  [
    'a counter of a limit that keeps the room of a failed order',
    ['limit_usage_differs'],
    ({ limitUsages }) => assignTo(firstOf(limitUsages), { orderedCents: 0 }),
  ],
  [
    "an order that was approved without the merchant's server",
    ['callout_missing'],
    ({ callouts }) => assignTo(callouts[0]!, { verdict: null }),
  ],
  [
    "an order that was sent although the merchant's server refused it",
    ['callout_missing'],
    ({ callouts }) => assignTo(callouts[1]!, { isStarted: true }),
  ],
  [
    "an approval that the merchant's server never gave",
    ['callout_verdict_differs'],
    ({ callouts }) => assignTo(callouts[1]!, { verdict: 'approve' }),
  ],
  [
    "an order that the merchant's server was asked about too often",
    ['callout_repeated'],
    ({ callouts }) => assignTo(callouts[0]!, { requestCount: 4 }),
  ],
  [
    'a deposit whose return was ordered twice',
    ['deposit_not_returned', 'deposit_ordered_twice'],
    ({ depositReturns }) =>
      depositReturns.push(
        { uuid: 'order-1', movement: 'm-deposit', failure: null },
        { uuid: 'order-2', movement: 'm-deposit', failure: null },
      ),
  ],
  [
    'a charge with a due date that received what its provider never computed',
    ['received_otherwise_than_computed', 'paid_parts_differ'],
    ({ dueChargesAtProvider }) =>
      assignTo(firstOf(firstOf(dueChargesAtProvider).payments), { fineCents: 40, interestCents: 21 }),
  ],
  [
    'parts of a payment that its provider computed otherwise',
    ['paid_parts_differ'],
    ({ dueChargesAtProvider }) =>
      assignTo(firstOf(firstOf(dueChargesAtProvider).payments), { fineCents: 40, interestCents: 20 }),
  ],
  [
    'a charge that asks what a refused revision said',
    ['asks_no_revision', 'provider_asks_otherwise'],
    ({ charges }) => assignTo(findByUuid(charges, 'charge-due'), { totalCents: 1_000 }),
  ],
  [
    'a charge whose last accepted revision was lost',
    ['asks_no_revision'],
    ({ revisions }) => removeWhere(revisions, ({ status }) => status === 'revised'),
  ],
  [
    'a number of a revision that is missing',
    ['revision_number'],
    ({ charges, revisions }) => {
      assignTo(findByUuid(charges, 'charge-due'), { revision: 2 })
      assignTo(findByUuid(revisions, 'revision-1'), { number: 2 })
    },
  ],
  [
    'a charge that asks at its provider what it does not here',
    ['provider_asks_otherwise'],
    ({ dueChargesAtProvider }) => assignTo(firstOf(firstOf(dueChargesAtProvider).asks), { cents: 2_011 }),
  ],
  [
    'a revision that counts as refused while its charge was pending, and was carried out',
    ['provider_asks_otherwise'],
    ({ dueChargesAtProvider, revisions }) => {
      assignTo(findByUuid(revisions, 'revision-2'), { isEndedWithCharge: false })
      assignTo(firstOf(dueChargesAtProvider), { asks: [{ on: '2030-05-09', cents: 3_000 }] })
    },
  ],
  [
    'a revision whose answer nobody waits for any more',
    ['revision_undecided'],
    ({ revisions }) => assignTo(findByUuid(revisions, 'revision-2'), { status: 'requested' }),
  ],
  [
    'a charge with a due date whose splits take its fee',
    ['shared_above_received'],
    ({ splits, movements }) => {
      splits.push({ charge: 'charge-due', status: 'CREDITED', cents: 2_061, returnRequestedCents: 0 })
      movements.push({
        ...findByUuid(movements, 'm-split'),
        uuid: 'm-due-split',
        cents: 2_061,
        charge: 'charge-due',
      })
    },
  ],
])('the checker finds %s', (_, rules, plant) => {
  expect(findBrokenRules(plant)).toEqual(rules.toSorted())
})
