import type { MedState } from '../../../src/domain/med.ts'
import type { Reply, Violation, World } from '../world.ts'
import { sum, when } from './found.ts'

/** SPEC §5: every dispute of the far side is one of ours, ended as it was decided there, and keeps no money afterwards. */
export function disputesHold(world: World): Violation[] {
  return [...disputesAgree(world), ...claimsHold(world), ...returnsHold(world)]
}

const ENDS: Record<World['contested'][number]['status'], readonly MedState[]> = {
  open: ['open'],
  replied: ['analysing'],
  agreed: ['resolved'],
  disagreed: ['rejected'],
  cancelled: ['cancelled'],
}

function disputesAgree({ contested, meds }: World): Violation[] {
  const ours = Map.groupBy(meds, nameOf)
  const theirs = new Set(contested.map(nameOf))
  return [
    ...contested.flatMap(one => {
      const [med, ...more] = ours.get(nameOf(one)) ?? []
      const where = `dispute ${nameOf(one)}`
      if (!med) return [{ rule: 'dispute_unknown', where, detail: one.status }]
      return [
        ...when(more.length > 0, 'dispute_twice', where, `${[med, ...more].map(({ uuid }) => uuid)}`),
        ...when(
          !ENDS[one.status].includes(med.state),
          'dispute_differs',
          where,
          `${one.status}, is ${med.state}`,
        ),
        ...when(
          differentReplies(one.replies) > med.replies,
          'replied_twice',
          where,
          `${differentReplies(one.replies)} of ${med.replies} replies`,
        ),
      ]
    }),
    ...meds
      .filter(med => !theirs.has(nameOf(med)))
      .map(({ uuid }) => ({
        rule: 'dispute_invented',
        where: `dispute ${uuid}`,
        detail: 'nobody opened it',
      })),
  ]
}

/**
 * Woovi never says that it has a reply, so one whose answer was lost is told again, its documents under the same ids
 * (the same correlationID in every attempt): the same reply, not another.
 */
function differentReplies(replies: Reply[]): number {
  const idOf = (document: unknown) => (document as { correlationID?: string }).correlationID ?? document
  return new Set(replies.map(({ text, documents }) => JSON.stringify([text, documents.map(idOf)]))).size
}

/** What a charge keeps from refunds is what its disputes claim, and what they have is never more than that. */
function claimsHold({ charges, meds }: World): Violation[] {
  const ofCharge = Map.groupBy(meds, med => med.charge)
  return [
    ...charges.flatMap(({ uuid, disputedCents }) => {
      const claimed = sum((ofCharge.get(uuid) ?? []).map(med => med.claimedCents))
      return when(
        claimed !== disputedCents,
        'claims_differ',
        `charge ${uuid}`,
        `${disputedCents}, claimed ${claimed}`,
      )
    }),
    ...meds.flatMap(({ uuid, claimedCents, heldCents, retainedCents }) =>
      when(
        heldCents + retainedCents > claimedCents,
        'held_above_claim',
        `dispute ${uuid}`,
        `${heldCents} + ${retainedCents} of ${claimedCents}`,
      ),
    ),
  ]
}

/** What a dispute says went back is what its movements moved. */
function returnsHold({ meds, movements }: World): Violation[] {
  const back = Map.groupBy(
    movements.filter(one => one.type === 'EXTERNAL_REFUND' && one.status === 'SETTLED'),
    one => one.med,
  )
  return meds
    .filter(({ kind }) => kind === 'RECEIVED_MED')
    .flatMap(({ uuid, returnedCents }) => {
      const cents = sum((back.get(uuid) ?? []).map(one => one.cents))
      const detail = `row says ${returnedCents}, movements ${cents}`
      return when(cents !== returnedCents, 'dispute_returns_differ', `dispute ${uuid}`, detail)
    })
}

function nameOf({ providerAccount, id }: { providerAccount: string; id: string }): string {
  return `${providerAccount} ${id}`
}
