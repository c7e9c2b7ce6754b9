import { Dispute } from '../../db/entities/med.ts'
import {
  batchQueries,
  constantQuery,
  mapQuery,
  type Query,
  transactionReturning,
} from '../../db/pipeline/query.ts'
import { recordCircuitResult } from '../../db/repositories/circuit-breaker.ts'
import type { DisputeState } from '../../domain/disputes/dispute.ts'
import type { ProviderDispute } from '../../domain/disputes/provider-dispute.ts'
import type { DisputeInput } from '../../workflows/contracts/messages.ts'
import { type FollowUps, NO_FOLLOW_UPS, pendingFollowUps } from '../events/follow-ups.ts'
import { createAttachmentLinker } from '../events/record-event.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { loadProviderConnection } from '../shared/provider-client.ts'
import { applyDisputeFacts } from './apply-provider-state.ts'

/** Where a dispute stands, and what an operator is shown of it. */
export type DisputeSnapshot = FollowUps & {
  state: DisputeState
  accountUuid: string
  connectionUuid: string
  endToEnd: string
  valueCents: number
  /** ISO 8601 UTC. */
  dueAt: string
  /** Whether the merchant can still answer, and so is warned before the deadline. */
  isAnswerable: boolean
  warnedHours: number | null
  /** A reply has been taken that the provider does not have yet. */
  isReplyPending: boolean
}

export type PollDisputeResult =
  | (DisputeSnapshot & { kind: 'known' })
  /** The provider knows no such dispute. */
  | { kind: 'not_found' }
  /** It is over there, and about a PIX that was never seen here. */
  | { kind: 'foreign' }
  | { kind: 'no_answer'; code: string }

/** Asks the provider of a dispute what it knows and takes its answer, all in one transaction under the row locks. */
export function pollDispute(dependencies: ActivityDependencies) {
  return async (order: DisputeInput): Promise<PollDisputeResult> => {
    const em = dependencies.orm.em.fork()
    const { connection, provider } = await loadProviderConnection(dependencies, em, order.connectionUuid)
    const found = await provider.findDispute({ id: order.providerDisputeId, endToEnd: order.endToEnd })
    await recordCircuitResult(em, connection, found)
    if (found.kind === 'no_answer') return { kind: 'no_answer', code: found.code }
    if (found.kind === 'not_found') {
      // A provider that has told of a dispute and does not find it has not answered.
      const isOurs = (await em.count(Dispute, order.uuid)) > 0
      return isOurs ? { kind: 'no_answer', code: 'not_found' } : { kind: 'not_found' }
    }
    return transactionReturning(dependencies.orm, async (tx): Promise<Query<PollDisputeResult>> => {
      const { timeScale } = dependencies
      const med = await applyDisputeFacts(tx, {
        order,
        facts: found.dispute,
        linkTo: createAttachmentLinker(dependencies),
        timeScale,
      })
      if (med) return mapQuery(queryDisputeSnapshot(med), now => ({ kind: 'known', ...now }))
      // Its PIX may still be on its way to us: the statement brings what a lost notice left behind.
      return constantQuery(
        isClosedAtProvider(found.dispute)
          ? { kind: 'foreign' }
          : { kind: 'no_answer', code: 'pix_not_known' },
      )
    })
  }
}

function isClosedAtProvider({ status, isClosed: closed }: ProviderDispute): boolean {
  return status === 'disagreed' || status === 'withdrawn' || closed
}

export function isDisputeAnswerable({ kind, state, repliedAt }: Dispute): boolean {
  return kind === 'RECEIVED_MED' && state === 'open' && !repliedAt
}

export function queryDisputeSnapshot(med: Dispute): Query<DisputeSnapshot> {
  // What came back of a transfer is told by events of the transfer, which nobody else may be awake to deliver.
  const others = med.transferUuid ? pendingFollowUps(med.transferUuid) : constantQuery(NO_FOLLOW_UPS)
  return mapQuery(batchQueries(pendingFollowUps(med.uuid), others), ([left, others]) => ({
    state: med.state,
    accountUuid: med.accountUuid,
    connectionUuid: med.connection.uuid,
    endToEnd: med.endToEnd,
    valueCents: med.valueCents,
    dueAt: med.dueAt.toISOString(),
    isAnswerable: isDisputeAnswerable(med),
    warnedHours: med.warnedHours ?? null,
    isReplyPending: med.replyState === 'wanted',
    deliveries: [...left.deliveries, ...others.deliveries],
    returns: [...left.returns, ...others.returns],
  }))
}
