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
  return ({ uuid, hours }: { uuid: string; hours: number }): Promise<DisputeSnapshot | null> =>
    transactionReturning(dependencies.orm, async (em): Promise<Query<DisputeSnapshot | null>> => {
      const dispute = await findDisputeForUpdate(em, uuid)
      if (!dispute) return constantQuery(null)
      const { warnedHours } = dispute
      if (isDisputeAnswerable(dispute) && (warnedHours == null || hours < warnedHours)) {
        dispute.warnedHours = hours
        await recordDisputeEvent(em, dispute, {
          at: new Date(),
          linkTo: createAttachmentLinker(dependencies),
        })
      }
      return queryDisputeSnapshot(dispute)
    })
}

/** Applies a reply deadline that has passed without a reply. The dispute then waits for the provider's decision. */
export function applyDisputeDeadline({ orm }: ActivityDependencies) {
  return (uuid: string): Promise<DisputeSnapshot | null> =>
    transactionReturning(orm, async (em): Promise<Query<DisputeSnapshot | null>> => {
      const dispute = await findDisputeForUpdate(em, uuid)
      if (!dispute) return constantQuery(null)
      if (disputeMachine.accepts(dispute.state, 'deadline_passed'))
        transition(dispute, disputeMachine, 'deadline_passed', new Date())
      return queryDisputeSnapshot(dispute)
    })
}
