import { randomUUID } from 'node:crypto'
import type { DisputeReplyForm } from '../../../contract/disputes/dispute-reply.ts'
import type { EntityManager } from '../../../db/client/orm.ts'
import { Attachment, Dispute } from '../../../db/entities/dispute.ts'
import { replyErrorCodeOf } from '../../../domain/disputes/dispute.ts'
import { fail, failNotConfirmed } from '../../../http/api-error.ts'
import { DISPUTE_REPLY_RESERVE_MS, STORED_BYTES_PER_MS } from '../../../http/limits.ts'
import { isOutage } from '../../../http/outage.ts'
import { getRequestDeadline } from '../../../http/request-deadline.ts'
import type { Sealer } from '../../../security/sealing.ts'
import { submitDisputeReply } from '../../../temporal/disputes.ts'
import type { TemporalContext } from '../../../temporal/workflow-options.ts'
import type { DisputeReplyDetails, ReplyToDisputeResult } from '../../../workflows/contracts/disputes.ts'
import type { CallerToken } from '../../authorization/authenticate.ts'
import { deriveOperationUuid, fingerprintRequest, REPLAYED_HEADERS } from '../idempotency.ts'
import { readOrFailNotConfirmed } from '../start-and-wait.ts'
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
  temporal: TemporalContext
  sealer: Sealer
}
export type DisputeReplyRequest = {
  em: EntityManager
  token: CallerToken
  uuid: string
  idempotencyKey?: string | null
}

/** Reads a dispute that accepts a reply, or has accepted one under this Idempotency-Key (SPEC §5); else 404 or 409. */
export async function requireAnswerableDispute({ em, token, uuid, idempotencyKey }: DisputeReplyRequest) {
  const dispute = await requireVisibleDispute(em, token, uuid)
  const repliedUuid = dispute.replyRequestId?.split(':')[0]
  if (idempotencyKey == null || repliedUuid !== deriveReplyUuid({ token, uuid, idempotencyKey }))
    requireAnswerable(dispute)
  return dispute
}

/**
 * Replies to a dispute, once. The files are stored first, under keys of this reply alone; then the workflow accepts
 * or rejects the reply by an update. Files of a rejected reply are removed. Not by `createOperation`: a reply has no row
 * of its own, it changes the dispute's, which holds the reply's id; and its files take part in the fingerprint.
 */
export async function replyToDispute(
  dependencies: DisputeReplyDependencies,
  request: DisputeReplyRequest & { form: DisputeReplyForm },
) {
  const { em, uuid, form } = request
  const dispute = await requireAnswerableDispute({ ...request, em: em.fork() })
  const id = await deriveReplyId(request)
  if (dispute.replyRequestId === id)
    return respondWithReply(dependencies, request, { headers: { ...REPLAYED_HEADERS } })
  // The same key was used for another reply to this dispute.
  if (dispute.replyRequestId?.split(':')[0] === id.split(':')[0]) fail('idempotency_key_reused')
  const deadline = getRequestDeadline()
  deadline.awaitedPart = 'temporal'
  await dependencies.temporal.client() // Fails here while Temporal is unreachable: nothing has been stored yet.
  const files = form.attachments.map(({ file }) => file)
  const proofs = toReplyAttachments(uuid, files)
  await storeAttachmentsInTime(dependencies, proofs)
  deadline.markStarted(uuid)
  return readOrFailNotConfirmed(uuid, async () => {
    const result = await submitReply(dependencies, { em, dispute, id, form, proofs })
    if (result === 'unknown') failNotConfirmed(uuid)
    // Of parallel requests with one key, the workflow accepted the files of one.
    const used = result === 'accepted' ? await em.fork().find(Attachment, { disputeUuid: uuid }) : []
    const usedKeys = new Set(used.map(({ storageKey }) => storageKey))
    await removeAttachments(
      dependencies,
      proofs.filter(({ storageKey }) => !usedKeys.has(storageKey)),
    )
    if (result !== 'accepted') fail(result)
    return respondWithReply(dependencies, request, { headers: {} })
  })
}

/** Stores the files while there is time left to submit the reply; files that are stored later are removed. */
async function storeAttachmentsInTime(dependencies: AttachmentDependencies, proofs: ReplyAttachment[]) {
  const deadline = getRequestDeadline()
  deadline.awaitedPart = 'storage'
  deadline.extendBy(proofs.reduce((sum, { bytes }) => sum + bytes, 0) / STORED_BYTES_PER_MS)
  const storage = storeAttachments(dependencies, proofs)
  try {
    await deadline.awaitStep(storage, DISPUTE_REPLY_RESERVE_MS)
  } catch (error) {
    storage.then(
      () => removeAttachments(dependencies, proofs),
      () => undefined, // `storeAttachments` has removed them itself.
    )
    throw error
  }
}

/** Responds with the dispute as it was when the workflow accepted the reply, whatever its current state is. */
async function respondWithReply(
  { storage }: DisputeReplyDependencies,
  { em: outside, token, uuid, form }: DisputeReplyRequest & { form: DisputeReplyForm },
  { headers }: { headers: Record<string, string> },
) {
  const em = outside.fork()
  const current = await showDisputeWithAttachments(em, storage, await requireVisibleDispute(em, token, uuid))
  const data = { ...current, status: 'PROCESSING' as const, resolved: false, analysis: form.analysis }
  return { headers, body: { data } }
}

/** Derives the id of a reply from its Idempotency-Key and content; a new one without a key. */
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
  dispute: Dispute
  id: string
  form: DisputeReplyForm
  proofs: ReplyAttachment[]
}

/** Submits the reply by an update. `unknown`: the workflow may still accept it, so its files stay. */
async function submitReply(
  { temporal, sealer, ...dependencies }: DisputeReplyDependencies,
  { em, dispute, id, form, proofs }: ReplySubmission,
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
    return await submitDisputeReply(temporal, dispute, reply)
  } catch (error) {
    const current = await em.fork().findOneOrFail(Dispute, dispute.uuid)
    if (current.replyRequestId === id) return 'accepted'
    if (isOutage(error)) return 'unknown'
    // The workflow completed during the update, or there is a bug: in both cases it has not accepted the reply.
    await removeAttachments(dependencies, proofs)
    requireAnswerable(current)
    throw error
  }
}

function requireAnswerable(dispute: Dispute): void {
  const code = replyErrorCodeOf({ ...dispute, hasReply: dispute.repliedAt != null })
  if (code) fail(code)
}
