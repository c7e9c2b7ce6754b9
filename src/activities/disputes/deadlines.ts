import type { EntityManager } from '../../db/client/orm.ts'
import type { Dispute } from '../../db/entities/dispute.ts'
import { constantQuery, type Query, transactionReturning } from '../../db/pipeline/query.ts'
import { disputeMachine } from '../../domain/disputes/dispute.ts'
import type { DisputeSnapshot } from '../../workflows/contracts/disputes.ts'
import { createAttachmentLinker, recordDisputeEvent } from '../events/record-event.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { transition } from '../shared/transition.ts'
import { isDisputeAnswerable, queryDisputeSnapshot } from './poll-dispute.ts'
import { findDisputeForUpdate } from './replies.ts'

/** Records a warning event of a dispute without a reply, `hours` before its deadline; once for each number of hours. */
export function recordDisputeWarning(dependencies: ActivityDependencies) {
  return ({ uuid, hours }: { uuid: string; hours: number }) =>
    changeDispute(dependencies, uuid, async (em, dispute) => {
      if (!isDisputeAnswerable(dispute) || hours >= (dispute.warnedHours ?? Number.POSITIVE_INFINITY)) return
      dispute.warnedHours = hours
      const linkTo = createAttachmentLinker(dependencies)
      await recordDisputeEvent(em, dispute, { at: new Date(), linkTo })
    })
}

/** Applies a reply deadline that has passed without a reply. The dispute then waits for the provider's decision. */
export function applyDisputeDeadline(dependencies: ActivityDependencies) {
  return (uuid: string) =>
    changeDispute(dependencies, uuid, async (_em, dispute) => {
      if (disputeMachine.accepts(dispute.state, 'deadline_passed'))
        transition(dispute, disputeMachine, 'deadline_passed', new Date())
    })
}

/** Changes a dispute under its row lock. Returns its state; null where a restore has lost its row. */
function changeDispute(
  { orm }: ActivityDependencies,
  uuid: string,
  change: (em: EntityManager, dispute: Dispute) => Promise<void>,
): Promise<DisputeSnapshot | null> {
  return transactionReturning(orm, async (em): Promise<Query<DisputeSnapshot | null>> => {
    const dispute = await findDisputeForUpdate(em, uuid)
    if (!dispute) return constantQuery(null)
    await change(em, dispute)
    return queryDisputeSnapshot(dispute)
  })
}
