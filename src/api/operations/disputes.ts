import { randomUUID } from 'node:crypto'
import {
  type AttachmentLinker,
  type DisputeReplyForm,
  type DisputesQuery,
  showDispute,
  showLinkedDispute,
} from '../../contract/disputes/dispute.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import type { Connection } from '../../db/entities/connection.ts'
import { Attachment, Dispute } from '../../db/entities/dispute.ts'
import { findDisputesByDeadline } from '../../db/repositories/account-tasks.ts'
import { isContestable, readDisputeParts, readDisputes } from '../../db/repositories/disputes.ts'
import { formatTextArray, hasAnyState } from '../../db/sql-conditions.ts'
import { REPLY_LINK_SECONDS } from '../../domain/disputes/attachment.ts'
import { type DisputeState, disputeMachine, replyErrorCodeOf } from '../../domain/disputes/dispute.ts'
import {
  checkReplyText,
  findUnwritableCharacters,
  getMaxReplyTextLength,
} from '../../domain/disputes/reply-text.ts'
import { fail, failField, failNotConfirmed } from '../../http/api-error.ts'
import { isOutage } from '../../http/outage.ts'
import { getRequestDeadline } from '../../http/request-deadline.ts'
import type { Sealer } from '../../security/sealing.ts'
import type { FileStorage } from '../../storage/storage.ts'
import { submitDisputeReply } from '../../temporal/disputes.ts'
import type { TemporalContext } from '../../temporal/workflow-options.ts'
import type { DisputeReplyDetails, ReplyToDisputeResult } from '../../workflows/contracts/disputes.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { visibilityConditions, visibilityFilter } from '../authorization/visibility.ts'
import {
  type AttachmentDependencies,
  hashAttachments,
  removeAttachments,
  storeAttachmentsInTime,
  toUploadedAttachments,
  type UploadedAttachment,
} from './dispute-attachments.ts'
import { deriveOperationUuid, fingerprintRequest, REPLAYED_HEADERS } from './idempotency.ts'
import { buildCreationConditions } from './pagination.ts'
import { readOrFailNotConfirmed } from './start-and-wait.ts'
import { runUserAct } from './user-acts.ts'
import { listVisibleRows } from './visible-list.ts'

export async function requireVisibleDispute(em: EntityManager, token: CallerToken, uuid: string) {
  const dispute = await em.findOne(
    Dispute,
    { $and: [{ uuid }, visibilityFilter(token)] },
    { populate: ['connection', 'movement'] },
  )
  return dispute ?? fail('not_found')
}

export async function showDisputeWithAttachments(em: EntityManager, storage: FileStorage, dispute: Dispute) {
  return showLinkedDispute(dispute, await readDisputeParts(em, dispute), createLinker(storage))
}

const createLinker =
  (storage: FileStorage): AttachmentLinker =>
  ({ storageKey }) =>
    storage.createLink(storageKey)

export async function listDisputes(
  em: EntityManager,
  storage: FileStorage,
  token: CallerToken,
  query: DisputesQuery,
) {
  const { status, resolved, open } = query
  const { states, statusOf, isFinal } = disputeMachine
  const isOpen = (state: DisputeState) => state !== 'accepted' && !isFinal(state)
  const { data, meta } = await listVisibleRows(em, {
    noun: 'dispute',
    token,
    query,
    states: status && states.filter(state => status.includes(statusOf(state))),
    filters: [
      query.med_type && ['kind = any(?::text[])', formatTextArray(query.med_type)],
      query.dispute_type && ['dispute_type = any(?::text[])', formatTextArray(query.dispute_type)],
      ...buildCreationConditions(query),
      resolved !== undefined && hasAnyState(states.filter(state => isFinal(state) === resolved)),
      open !== undefined && hasAnyState(states.filter(state => isOpen(state) === open)),
      query.contestable !== undefined && isContestable(query.contestable),
    ],
    read: page => readDisputes(em, page),
  })
  return {
    data: await Promise.all(data.map(one => showLinkedDispute(one, one, createLinker(storage)))),
    meta,
  }
}

/** Most disputes of a list that has no pages: those that wait for an answer are few. */
const MAX_TASKS = 100

/** Lists the disputes that wait for an answer and that a token may see, the nearest deadline first. */
export async function listDisputesByDeadline(em: EntityManager, token: CallerToken) {
  const uuids = (await findDisputesByDeadline(em, visibilityConditions(token), MAX_TASKS)).map(
    ({ uuid }) => uuid,
  )
  const rows = await em.find(
    Dispute,
    { uuid: { $in: uuids } },
    { populate: ['connection', 'movement'], orderBy: { dueAt: 'asc', uuid: 'asc' } },
  )
  return rows.map(row => showDispute(row, { attachments: [], contest: null }))
}

type DisputeReplyDependencies = AttachmentDependencies & {
  temporal: TemporalContext
  sealer: Sealer
}
type DisputeReplyRequest = {
  em: EntityManager
  token: CallerToken
  uuid: string
  idempotencyKey?: string | null
}

type DisputeReplySubmission = DisputeReplyRequest & { form: DisputeReplyForm; requestId: string }

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
  request: DisputeReplySubmission,
) {
  const { em, token, uuid, form, requestId } = request
  const dispute = await requireAnswerableDispute({ ...request, em: em.fork() })
  const id = await deriveReplyId(request)
  if (dispute.replyRequestId === id) return respondWithReply(dependencies, request, { isReplay: true })
  // The same key was used for another reply to this dispute.
  if (dispute.replyRequestId?.split(':')[0] === id.split(':')[0]) fail('idempotency_key_reused')
  const files = form.attachments.map(({ file }) => file)
  const uploads = toUploadedAttachments(uuid, files)
  await requireFittingText(dependencies.storage, dispute.connection, form, uploads)
  const deadline = getRequestDeadline()
  deadline.awaitedPart = 'temporal'
  await dependencies.temporal.client() // Fails here while Temporal is unreachable: nothing has been stored yet.
  await storeAttachmentsInTime(dependencies, uploads)
  await runUserAct(em.fork(), { token, action: 'dispute_reply', subject: `med/${uuid}` })
  deadline.markStarted({ uuid })
  return readOrFailNotConfirmed({ uuid }, async () => {
    const result = await submitReply(dependencies, { em, dispute, id, form, uploads, requestId })
    if (result === 'unknown') failNotConfirmed({ uuid })
    // Of parallel requests with one key, the workflow accepted the files of one.
    const storedAttachments =
      result === 'accepted' ? await em.fork().find(Attachment, { disputeUuid: uuid }) : []
    const usedKeys = new Set(storedAttachments.map(({ storageKey }) => storageKey))
    await removeAttachments(
      dependencies,
      uploads.filter(({ storageKey }) => !usedKeys.has(storageKey)),
    )
    if (result !== 'accepted') fail(result)
    return respondWithReply(dependencies, request, { isReplay: false })
  })
}

/**
 * Fails with 422 where the provider could not show the reply's text whole: it has other characters than a document of the
 * provider's, or the provider accepts one text only and this one, with the links to its files, is longer. A link has its
 * length before its file is stored.
 */
async function requireFittingText(
  storage: FileStorage,
  { provider, dialect }: Connection,
  { accept, analysis }: DisputeReplyForm,
  uploads: UploadedAttachment[],
) {
  const unwritable = findUnwritableCharacters(dialect, { analysis, attachmentCount: uploads.length })
  if (unwritable.length > 0)
    failField('analysis', {
      text: 'has characters that {provider} does not show without an attachment: {characters}',
      gaps: { provider, characters: unwritable.slice(0, MAX_SHOWN_CHARACTERS).join(' ') },
    })
  if (getMaxReplyTextLength(dialect, { accept }) === null) return
  const attachments = await Promise.all(
    uploads.map(async ({ name, storageKey }) => ({
      name,
      url: await storage.createLink(storageKey, REPLY_LINK_SECONDS),
    })),
  )
  const excess = checkReplyText(dialect, { accept, analysis, attachments })
  if (!excess) return
  const { maxLength: max, maxAnalysisLength } = excess
  const gaps = { provider, max, left: maxAnalysisLength, files: uploads.length }
  if (uploads.length === 0)
    failField('analysis', { text: 'is too long: {provider} accepts at most {max} characters', gaps })
  if (maxAnalysisLength > 0)
    failField('analysis', {
      text: 'is too long: {provider} accepts at most {max} characters with the links to the files ({files}), which leave {left} here',
      gaps,
    })
  failField('attachments', {
    text: 'must be fewer: {provider} accepts at most {max} characters with the links to the files ({files}), which leave none for analysis',
    gaps,
  })
}

/** Characters that an error names. */
const MAX_SHOWN_CHARACTERS = 10

/**
 * Responds with the dispute as it was when the workflow accepted the reply, whatever its current state is. `isReplay`:
 * the reply was accepted before this request; of parallel requests, all but the one whose reply was accepted are replays.
 */
async function respondWithReply(
  { storage }: DisputeReplyDependencies,
  { em: requestEm, token, uuid, form, requestId }: DisputeReplySubmission,
  { isReplay }: { isReplay: boolean },
) {
  const em = requestEm.fork()
  const dispute = await requireVisibleDispute(em, token, uuid)
  const { reply_error: _, ...current } = await showDisputeWithAttachments(em, storage, dispute)
  const data = { ...current, status: 'PROCESSING' as const, resolved: false, analysis: form.analysis }
  const headers = isReplay || dispute.replySentBy !== requestId ? { ...REPLAYED_HEADERS } : {}
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
  uploads: UploadedAttachment[]
  requestId: string
}

/** Submits the reply by an update. `unknown`: the workflow may still accept it, so its files stay. */
async function submitReply(
  { temporal, sealer, ...dependencies }: DisputeReplyDependencies,
  { em, dispute, id, form, uploads, requestId }: ReplySubmission,
): Promise<ReplyToDisputeResult | 'unknown'> {
  const attachments = uploads.map(({ path: _, ...attachment }) => attachment)
  const details: DisputeReplyDetails = { accept: form.accept, analysis: form.analysis, attachments }
  try {
    const reply = {
      details: sealer.seal(details),
      requestId: id,
      sentBy: requestId,
      updateId: id,
      waitMs: getRequestDeadline().stepTimeoutMs(),
    }
    return await submitDisputeReply(temporal, dispute, reply)
  } catch (error) {
    const current = await em.fork().findOneOrFail(Dispute, dispute.uuid)
    if (current.replyRequestId === id) return 'accepted'
    if (isOutage(error)) return 'unknown'
    // The workflow completed during the update, or there is a bug: in both cases it has not accepted the reply.
    await removeAttachments(dependencies, uploads)
    requireAnswerable(current)
    throw error
  }
}

function requireAnswerable(dispute: Dispute): void {
  const code = replyErrorCodeOf({ ...dispute, hasReply: dispute.repliedAt != null })
  if (code) fail(code)
}
