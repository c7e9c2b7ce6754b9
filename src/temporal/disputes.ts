import { createHash } from 'node:crypto'
import type { Dispute } from '../db/entities/dispute.ts'
import { uuidFromHash } from '../domain/pix/identifiers.ts'
import {
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
  const { uuid, providerDisputeId, endToEnd } = dispute
  const input = {
    uuid,
    providerDisputeId,
    endToEnd,
    connectionUuid: dispute.connection.uuid,
    requestId: dispute.requestId,
    timeScale: temporal.timeScale,
  }
  const workflow = { noun: 'dispute', uuid, input } as const
  const args: [ReplyToDisputeInput] = [{ details, requestId, sentBy }]
  return executeUpdateWithStart(temporal, workflow, replyToDisputeUpdate, { ...request, args })
}
