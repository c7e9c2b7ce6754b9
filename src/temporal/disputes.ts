import { createHash } from 'node:crypto'
import type { Dispute } from '../db/entities/dispute.ts'
import { uuidFromHash } from '../domain/pix/identifiers.ts'
import {
  type CancelDisputeResult,
  cancelDisputeUpdate,
  type ReplyToDisputeInput,
  type ReplyToDisputeResult,
  replyToDisputeUpdate,
} from '../workflows/contracts/disputes.ts'
import { executeUpdateWithStart, type UpdateRequest } from './start.ts'
import type { TemporalContext } from './workflow-options.ts'

/** Derives our uuid of a provider's dispute. Deterministic, so that two concurrent notifications reach one workflow. */
export function deriveDisputeUuid(id: { providerAccountUuid: string; providerDisputeId: string }): string {
  const name = JSON.stringify(['med', id.providerAccountUuid, id.providerDisputeId])
  return uuidFromHash(createHash('sha256').update(name).digest())
}

export type SubmitDisputeReplyInput = ReplyToDisputeInput & UpdateRequest

/**
 * Submits a dispute reply by update-with-start; resolves when the reply is accepted or refused. Accepted means that
 * one transaction has stored reply and attachments and the row shows PROCESSING; only then does the workflow send it
 * to the provider.
 */
export function submitDisputeReply(
  temporal: TemporalContext,
  dispute: Dispute,
  { details, requestId, sentBy, ...request }: SubmitDisputeReplyInput,
): Promise<ReplyToDisputeResult> {
  const args: [ReplyToDisputeInput] = [{ details, requestId, sentBy }]
  const workflow = buildDisputeWorkflow(temporal, dispute)
  return executeUpdateWithStart(temporal, workflow, replyToDisputeUpdate, { ...request, args })
}

/** Cancels by update what an account has requested; starts the workflow of the dispute from its row if none runs. */
export function executeCancelDisputeUpdate(
  temporal: TemporalContext,
  dispute: Dispute,
  request: UpdateRequest,
): Promise<CancelDisputeResult> {
  const workflow = buildDisputeWorkflow(temporal, dispute)
  return executeUpdateWithStart(temporal, workflow, cancelDisputeUpdate, { ...request, args: [] })
}

function buildDisputeWorkflow({ timeScale }: TemporalContext, dispute: Dispute) {
  const { uuid, endToEnd, requestId, connection } = dispute
  const providerDisputeId = dispute.providerDisputeId ?? null
  const input = { uuid, providerDisputeId, endToEnd, connectionUuid: connection.uuid, requestId, timeScale }
  return { noun: 'dispute', uuid, input } as const
}
