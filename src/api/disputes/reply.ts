import { randomUUID } from 'node:crypto'
import type { DisputeReplyForm } from '../../contract/disputes/dispute-reply.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Attachment, Dispute } from '../../db/entities/med.ts'
import { replyErrorCodeOf } from '../../domain/disputes/dispute.ts'
import type { Sealer } from '../../security/sealing.ts'
import { submitDisputeReply } from '../../temporal/disputes.ts'
import type { WorkflowClientContext } from '../../temporal/workflow-options.ts'
import type { DisputeReplyDetails, ReplyToDisputeResult } from '../../workflows/contracts/messages.ts'
import { fail, failNotConfirmed } from '../http/api-error.ts'
import { isOutage } from '../http/outage.ts'
import { DISPUTE_REPLY_RESERVE_MS, STORED_BYTES_PER_MS } from '../limits.ts'
import type { CallerToken } from '../middleware/authenticate.ts'
import { getRequestDeadline } from '../middleware/request-deadline.ts'
import { deriveOperationUuid, fingerprintRequest, REPLAYED_HEADERS } from '../operations/idempotency.ts'
import { readOrFailNotConfirmed } from '../operations/start-and-wait.ts'
import {
  type AttachmentDependencies,
  hashAttachments,
  type ReplyAttachment,
  removeAttachments,
  storeAttachments,
  toReplyAttachments,
} from './attachments.ts'
import { requireVisibleDispute, showDisputeWithAttachments } from './find.ts'

export type DisputeReplyDependencies = AttachmentDependencies & {
  engine: WorkflowClientContext
  sealer: Sealer
}
export type DisputeReplyRequest = {
  em: EntityManager
  token: CallerToken
  uuid: string
  idempotencyKey?: string | null
}

/** SPEC §5: the token's own dispute that takes a reply, or has taken one under this very key: else 404 or 409. */
export async function requireAnswerableDispute({
  em,
  token,
  uuid,
  idempotencyKey,
}: DisputeReplyRequest): Promise<Dispute> {
  const med = await requireVisibleDispute(em, token, uuid)
  const replied = med.replyRequestId?.split(':')[0]
  if (idempotencyKey == null || replied !== deriveReplyUuid({ token, uuid, idempotencyKey }))
    requireAnswerable(med)
  return med
}

/**
 * Answers a dispute, once. The files are stored first, under keys of this reply alone; its life then takes them or
 * refuses them, and what it refuses is removed.
 */
export async function replyToDispute(
  replying: DisputeReplyDependencies,
  request: DisputeReplyRequest & { form: DisputeReplyForm },
) {
  const { em, uuid, form } = request
  const med = await requireAnswerableDispute({ ...request, em: em.fork() })
  const id = await deriveReplyId(request)
  if (med.replyRequestId === id)
    return respondWithReply(replying, request, { headers: { ...REPLAYED_HEADERS } })
  // The key led to a dispute that it has answered, but with something else.
  if (med.replyRequestId?.split(':')[0] === id.split(':')[0]) fail('idempotency_key_reused')
  const deadline = getRequestDeadline()
  deadline.awaitedPart = 'temporal'
  await replying.engine.client() // Refuses here where Temporal is away: nothing has been stored yet.
  const files = form.attachments.map(({ file }) => file)
  const proofs = toReplyAttachments(uuid, files)
  await storeAttachmentsInTime(replying, proofs)
  deadline.markStarted(uuid)
  return readOrFailNotConfirmed(uuid, async () => {
    const answer = await submitReply(replying, { em, med, id, form, proofs })
    if (answer === 'unknown') failNotConfirmed(uuid)
    // Of calls with one key at once one has brought the files.
    const used = answer === 'accepted' ? await em.fork().find(Attachment, { medUuid: uuid }) : []
    const usedKeys = new Set(used.map(({ storageKey }) => storageKey))
    await removeAttachments(
      replying,
      proofs.filter(({ storageKey }) => !usedKeys.has(storageKey)),
    )
    if (answer !== 'accepted') fail(answer)
    return respondWithReply(replying, request, { headers: {} })
  })
}

/** Stores the files while there is time to take the reply with them; what is stored later is removed. */
async function storeAttachmentsInTime(
  keeping: AttachmentDependencies,
  proofs: ReplyAttachment[],
): Promise<void> {
  const deadline = getRequestDeadline()
  deadline.awaitedPart = 'storage'
  deadline.extendBy(proofs.reduce((sum, { bytes }) => sum + bytes, 0) / STORED_BYTES_PER_MS)
  const kept = storeAttachments(keeping, proofs)
  try {
    await deadline.awaitStep(kept, DISPUTE_REPLY_RESERVE_MS)
  } catch (error) {
    kept.then(
      () => removeAttachments(keeping, proofs),
      () => undefined, // It has removed them itself.
    )
    throw error
  }
}

/** What was taken, whatever has become of it since. */
async function respondWithReply(
  { storage }: DisputeReplyDependencies,
  { em: outside, token, uuid, form }: DisputeReplyRequest & { form: DisputeReplyForm },
  { headers }: { headers: Record<string, string> },
) {
  const em = outside.fork()
  const now = await showDisputeWithAttachments(em, storage, await requireVisibleDispute(em, token, uuid))
  const data = { ...now, status: 'PROCESSING' as const, resolved: false, analysis: form.analysis }
  return { headers, body: { data } }
}

/**
 * What makes a reply the same one: its key and what it says; without a key none is. Never the caller's id of the request:
 * two replies may carry the same.
 */
async function deriveReplyId({
  token,
  uuid,
  idempotencyKey,
  form,
}: DisputeReplyRequest & { form: DisputeReplyForm }) {
  if (idempotencyKey == null) return randomUUID()
  const { accept, analysis, attachments } = form
  const files = await hashAttachments(attachments.map(({ file }) => file))
  const fingerprint = fingerprintRequest({
    body: { accept, analysis, files },
    connectionUuid: token.connectionUuid,
  })
  return `${deriveReplyUuid({ token, uuid, idempotencyKey })}:${fingerprint}`
}

function deriveReplyUuid(reply: { token: CallerToken; uuid: string; idempotencyKey: string }): string {
  const path = `/api/v1/meds/${reply.uuid}/reply`
  return deriveOperationUuid({ owner: reply.token, method: 'POST', path, key: reply.idempotencyKey })
}

type ReplySubmission = {
  em: EntityManager
  med: Dispute
  id: string
  form: DisputeReplyForm
  proofs: ReplyAttachment[]
}

/** `unknown`: the life was asked and its answer did not come; it may take the reply all the same, so its files stay. */
async function submitReply(
  { engine, sealer, ...keeping }: DisputeReplyDependencies,
  { em, med, id, form, proofs }: ReplySubmission,
): Promise<ReplyToDisputeResult | 'unknown'> {
  const attachments = proofs.map(({ path: _, ...attachment }) => attachment)
  const details: DisputeReplyDetails = { accept: form.accept, analysis: form.analysis, attachments }
  try {
    const reply = {
      details: sealer.seal(details),
      requestId: id,
      updateId: id,
      waitMs: getRequestDeadline().stepTimeoutMs(),
    }
    return await submitDisputeReply(engine, med, reply)
  } catch (error) {
    const now = await em.fork().findOneOrFail(Dispute, med.uuid)
    if (now.replyRequestId === id) return 'accepted'
    if (isOutage(error)) return 'unknown'
    // The life ended while it was asked, or there is a bug: either way it has not taken the reply.
    await removeAttachments(keeping, proofs)
    requireAnswerable(now)
    throw error
  }
}

function requireAnswerable(med: Dispute): void {
  const why = replyErrorCodeOf({ ...med, hasReply: med.repliedAt != null })
  if (why) fail(why)
}
