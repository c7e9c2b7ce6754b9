import { runInTransaction } from '../../db/client/transaction.ts'
import { Dispute } from '../../db/entities/dispute.ts'
import { batchQueries, constantQuery, mapQuery, type Query } from '../../db/pipeline/query.ts'
import { NO_FOLLOW_UPS, pendingFollowUps } from '../../db/repositories/follow-ups.ts'
import type { ProviderDispute } from '../../domain/disputes/provider-dispute.ts'
import type { DisputeInput, DisputeSnapshot, PollDisputeResult } from '../../workflows/contracts/disputes.ts'
import { createAttachmentLinker } from '../events/record-event.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { callRepeatably } from '../shared/provider-client.ts'
import { applyDisputeFacts } from './apply-provider-state.ts'

/** Polls the provider of a dispute, then applies its answer in one transaction under the row locks. */
export function pollDispute(dependencies: ActivityDependencies) {
  return async (order: DisputeInput): Promise<PollDisputeResult> => {
    const em = dependencies.orm.em.fork()
    const { answer } = await callRepeatably(dependencies, em, order.connectionUuid, provider =>
      provider.findDispute({ id: order.providerDisputeId, endToEnd: order.endToEnd }),
    )
    if (answer.kind === 'no_answer') return { kind: 'no_answer', code: answer.code }
    if (answer.kind === 'not_found') {
      // "Not found" of a dispute that the provider has reported before is no answer.
      const isStored = (await em.count(Dispute, order.uuid)) > 0
      return isStored ? { kind: 'no_answer', code: 'not_found' } : { kind: 'not_found' }
    }
    return runInTransaction(dependencies.orm, async (tx): Promise<Query<PollDisputeResult>> => {
      const { timeScale } = dependencies
      const dispute = await applyDisputeFacts(tx, {
        order,
        facts: answer.dispute,
        linkTo: createAttachmentLinker(dependencies),
        timeScale,
      })
      if (dispute)
        return mapQuery(queryDisputeSnapshot(dispute), snapshot => ({ kind: 'known', ...snapshot }))
      // The PIX may not be recorded yet: reconciliation finds in the statement what a lost notification left out.
      return constantQuery(
        isClosedAtProvider(answer.dispute)
          ? { kind: 'foreign' }
          : { kind: 'no_answer', code: 'pix_not_known' },
      )
    })
  }
}

function isClosedAtProvider({ status, isClosed }: ProviderDispute): boolean {
  return status === 'disagreed' || status === 'withdrawn' || isClosed
}

/** Tells whether the merchant can still reply to a dispute. */
export function isDisputeAnswerable({ kind, state, repliedAt }: Dispute): boolean {
  return kind === 'RECEIVED_MED' && state === 'open' && !repliedAt
}

/** Returns the query of a dispute's snapshot, with the pending follow-ups of the dispute and its transfer. */
export function queryDisputeSnapshot(dispute: Dispute): Query<DisputeSnapshot> {
  // Returns of a transfer are recorded as events of the transfer, whose workflow may have ended: this one delivers
  // them.
  const transferQuery = dispute.transferUuid
    ? pendingFollowUps(dispute.transferUuid)
    : constantQuery(NO_FOLLOW_UPS)
  return mapQuery(
    batchQueries(pendingFollowUps(dispute.uuid), transferQuery),
    ([ownFollowUps, transferFollowUps]) => ({
      state: dispute.state,
      accountUuid: dispute.accountUuid,
      connectionUuid: dispute.connection.uuid,
      endToEnd: dispute.endToEnd,
      valueCents: dispute.valueCents,
      dueAt: dispute.dueAt.toISOString(),
      isAnswerable: isDisputeAnswerable(dispute),
      warnedHours: dispute.warnedHours ?? null,
      isReplyPending: dispute.replyState === 'pending',
      deliveries: [...ownFollowUps.deliveries, ...transferFollowUps.deliveries],
      returns: [...ownFollowUps.returns, ...transferFollowUps.returns],
    }),
  )
}
