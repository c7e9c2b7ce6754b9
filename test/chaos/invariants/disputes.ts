import type { DisputeState } from '../../../src/domain/disputes/dispute.ts'
import type { FinalState, ProviderDisputeReply, Violation } from '../final-state.ts'
import { sumCents, violationIf } from './violations.ts'

/** SPEC §5: every dispute at the simulator is one of ours, ended as it was decided there, and blocks no money afterwards. */
export function checkDisputes(world: FinalState): Violation[] {
  return [...findDisputeDifferences(world), ...findClaimDifferences(world), ...findReturnDifferences(world)]
}

const EXPECTED_STATES: Record<FinalState['disputesAtProvider'][number]['status'], readonly DisputeState[]> = {
  open: ['open'],
  replied: ['analysing'],
  agreed: ['resolved'],
  disagreed: ['rejected'],
  cancelled: ['cancelled'],
}

function findDisputeDifferences({ disputesAtProvider: contested, disputes: meds }: FinalState): Violation[] {
  const ours = Map.groupBy(meds, disputeNameOf)
  const theirs = new Set(contested.map(disputeNameOf))
  return [
    ...contested.flatMap(one => {
      const [med, ...more] = ours.get(disputeNameOf(one)) ?? []
      const where = `dispute ${disputeNameOf(one)}`
      if (!med) return [{ rule: 'dispute_unknown', where, detail: one.status }]
      return [
        ...violationIf(more.length > 0, 'dispute_twice', where, `${[med, ...more].map(({ uuid }) => uuid)}`),
        ...violationIf(
          !EXPECTED_STATES[one.status].includes(med.state),
          'dispute_differs',
          where,
          `${one.status}, is ${med.state}`,
        ),
        ...violationIf(
          countDistinctReplies(one.replies) > med.replies,
          'replied_twice',
          where,
          `${countDistinctReplies(one.replies)} of ${med.replies} replies`,
        ),
      ]
    }),
    ...meds
      .filter(med => !theirs.has(disputeNameOf(med)))
      .map(({ uuid }) => ({
        rule: 'dispute_invented',
        where: `dispute ${uuid}`,
        detail: 'it was not opened',
      })),
  ]
}

/**
 * Woovi never confirms a reply, so one whose answer was lost is sent again, its documents under the same ids (the same
 * correlationID in every attempt): the same reply, not another.
 */
function countDistinctReplies(replies: ProviderDisputeReply[]): number {
  const idOf = (document: unknown) => (document as { correlationID?: string }).correlationID ?? document
  return new Set(replies.map(({ text, documents }) => JSON.stringify([text, documents.map(idOf)]))).size
}

/**
 * The amount that a charge withholds from refunds is what its disputes claim, and the blocked amount is never more than
 * that.
 */
function findClaimDifferences({ charges, disputes: meds }: FinalState): Violation[] {
  const ofCharge = Map.groupBy(meds, med => med.charge)
  return [
    ...charges.flatMap(({ uuid, disputedCents }) => {
      const claimed = sumCents((ofCharge.get(uuid) ?? []).map(med => med.claimedCents))
      return violationIf(
        claimed !== disputedCents,
        'claims_differ',
        `charge ${uuid}`,
        `${disputedCents}, claimed ${claimed}`,
      )
    }),
    ...meds.flatMap(({ uuid, claimedCents, heldCents, retainedCents }) =>
      violationIf(
        heldCents + retainedCents > claimedCents,
        'held_above_claim',
        `dispute ${uuid}`,
        `${heldCents} + ${retainedCents} of ${claimedCents}`,
      ),
    ),
  ]
}

/** A dispute's returned amount is the sum of its movements. */
function findReturnDifferences({ disputes: meds, movements }: FinalState): Violation[] {
  const back = Map.groupBy(
    movements.filter(one => one.type === 'EXTERNAL_REFUND' && one.status === 'SETTLED'),
    one => one.med,
  )
  return meds
    .filter(({ kind }) => kind === 'RECEIVED_MED')
    .flatMap(({ uuid, returnedCents }) => {
      const cents = sumCents((back.get(uuid) ?? []).map(one => one.cents))
      const detail = `row says ${returnedCents}, movements ${cents}`
      return violationIf(cents !== returnedCents, 'dispute_returns_differ', `dispute ${uuid}`, detail)
    })
}

function disputeNameOf({ providerAccount, id }: { providerAccount: string; id: string }): string {
  return `${providerAccount} ${id}`
}
