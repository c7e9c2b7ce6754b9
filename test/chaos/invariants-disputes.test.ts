import { expect, test } from '@jest/globals'
import {
  assignTo,
  findBrokenRules,
  findByUuid,
  firstOf,
  type PlantedViolation,
} from './support/planted-violations.ts'
import { disputeReply } from './support/valid-final-state.ts'

/** Tests the checker: violations of disputes. */

test.each<PlantedViolation>([
  [
    'a dispute without a running workflow',
    ['row_without_workflow', 'not_over', 'dispute_differs'],
    ({ disputes: meds }) => assignTo(firstOf(meds), { state: 'accepted' }),
  ],
  [
    'a dispute that its provider has and we have not',
    ['dispute_unknown', 'dispute_invented'],
    ({ disputesAtProvider: contested }) => assignTo(firstOf(contested), { id: 'dispute-2' }),
  ],
  [
    'one dispute as two rows',
    ['dispute_twice', 'not_announced'],
    ({ disputes: meds }) => meds.push({ ...firstOf(meds), uuid: 'med-2' }),
  ],
  [
    'a dispute decided otherwise than at its provider',
    ['dispute_differs'],
    ({ disputesAtProvider: contested }) => assignTo(firstOf(contested), { status: 'agreed' }),
  ],
  [
    'a reply sent twice',
    ['replied_twice'],
    ({ disputesAtProvider: contested }) =>
      assignTo(firstOf(contested), { replies: [disputeReply('letter'), disputeReply('another letter')] }),
  ],
  [
    'a claim that outlives its dispute',
    ['claims_differ'],
    ({ charges }) => assignTo(firstOf(charges), { disputedCents: 100 }),
  ],
  [
    'more held than is claimed',
    ['held_above_claim'],
    ({ disputes: meds }) => assignTo(firstOf(meds), { heldCents: 100 }),
  ],
  [
    'a return that the dispute does not know',
    ['dispute_returns_differ'],
    ({ movements }) => assignTo(findByUuid(movements, 'm-refund'), { med: 'med-1' }),
  ],
  [
    'money blocked for a closed dispute',
    ['held_for_nothing', 'provider_differs'],
    ({ buckets }) => buckets.push({ ...firstOf(buckets), bucket: 'blocked', cents: 5, foldCents: 5 }),
  ],
  [
    'a decision without an event',
    ['not_announced', 'announced_otherwise', 'announced_differently', 'arrived_differently'],
    ({ events }) => assignTo(findByUuid(events, 'event-med-1-2').data, { status: 'PENDING' }),
  ],
])('the checker finds %s', (_, rules, plant) => {
  expect(findBrokenRules(plant)).toEqual(rules.toSorted())
})
