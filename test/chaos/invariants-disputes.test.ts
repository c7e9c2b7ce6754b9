import { expect, test } from '@jest/globals'
import { told } from './support/clean-world.ts'
import { first, named, type Planted, put, rulesBrokenBy } from './support/planted.ts'

/** The checker is checked: what is wrong with disputes. */

test.each<Planted>([
  [
    'a dispute that nobody follows',
    ['row_without_life', 'not_over', 'dispute_differs'],
    ({ meds }) => put(first(meds), { state: 'accepted' }),
  ],
  [
    'a dispute that its provider has and we have not',
    ['dispute_unknown', 'dispute_invented'],
    ({ contested }) => put(first(contested), { id: 'dispute-2' }),
  ],
  [
    'one dispute as two rows',
    ['dispute_twice', 'not_announced'],
    ({ meds }) => meds.push({ ...first(meds), uuid: 'med-2' }),
  ],
  [
    'a dispute decided otherwise than at its provider',
    ['dispute_differs'],
    ({ contested }) => put(first(contested), { status: 'agreed' }),
  ],
  [
    'a reply told twice',
    ['replied_twice'],
    ({ contested }) => put(first(contested), { replies: [told('letter'), told('another letter')] }),
  ],
  [
    'a claim that outlives its dispute',
    ['claims_differ'],
    ({ charges }) => put(first(charges), { disputedCents: 100 }),
  ],
  ['more held than is claimed', ['held_above_claim'], ({ meds }) => put(first(meds), { heldCents: 100 })],
  [
    'a return that the dispute does not know',
    ['dispute_returns_differ'],
    ({ movements }) => put(named(movements, 'm-refund'), { med: 'med-1' }),
  ],
  [
    'money kept for a dispute that is over',
    ['held_for_nothing', 'provider_differs'],
    ({ buckets }) => buckets.push({ ...first(buckets), bucket: 'blocked', cents: 5, foldCents: 5 }),
  ],
  [
    'a decision that nobody was told',
    ['not_announced', 'announced_otherwise', 'announced_differently', 'arrived_differently'],
    ({ events }) => put(named(events, 'event-med-1-2').data, { status: 'PENDING' }),
  ],
])('%s is found', (_, rules, plant) => {
  expect(rulesBrokenBy(plant)).toEqual(rules.toSorted())
})
