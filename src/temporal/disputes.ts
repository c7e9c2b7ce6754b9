import { createHash } from 'node:crypto'
import { WithStartWorkflowOperation } from '@temporalio/client'
import type { Dispute } from '../db/entities/med.ts'
import { uuidFromHash } from '../domain/pix/identifiers.ts'
import {
  type ReplyToDisputeInput,
  type ReplyToDisputeResult,
  replyToDisputeUpdate,
} from '../workflows/contracts/messages.ts'
import { disputeWorkflowId } from '../workflows/contracts/workflow-ids.ts'
import type { disputeWorkflow } from '../workflows/disputes/dispute.workflow.ts'
import { buildReopenOptions, type WorkflowClientContext } from './workflow-options.ts'

/** Our uuid of a dispute that a provider names: always the same one, so that two notices at once are one life. */
export function deriveDisputeUuid(named: { providerAccountUuid: string; providerMedId: string }): string {
  const name = JSON.stringify(['med', named.providerAccountUuid, named.providerMedId])
  return uuidFromHash(createHash('sha256').update(name).digest())
}

export type SubmitDisputeReplyInput = ReplyToDisputeInput & {
  /** Of one request: repeated, it is the same reply and hears the same. */
  updateId: string
  waitMs: number
}

/**
 * Answers a dispute, waking its life where none runs; resolves when the reply is taken or cannot be. Taken means that
 * the row shows PROCESSING, in the same transaction that stores reply and attachments; only then is the provider told.
 */
export async function submitDisputeReply(
  engine: WorkflowClientContext,
  med: Dispute,
  { details, requestId, updateId, waitMs }: SubmitDisputeReplyInput,
): Promise<ReplyToDisputeResult> {
  const client = await engine.client()
  const { uuid, providerMedId, endToEnd } = med
  const start = new WithStartWorkflowOperation<typeof disputeWorkflow>('disputeWorkflow', {
    ...buildReopenOptions(engine, disputeWorkflowId(uuid)),
    args: [
      {
        uuid,
        providerDisputeId: providerMedId,
        endToEnd,
        connectionUuid: med.connection.uuid,
        requestId: med.requestId,
        timeScale: engine.timeScale,
      },
    ],
  })
  return client.withDeadline(Date.now() + waitMs, () =>
    client.workflow.executeUpdateWithStart(replyToDisputeUpdate, {
      args: [{ details, requestId }],
      updateId,
      startWorkflowOperation: start,
    }),
  )
}
