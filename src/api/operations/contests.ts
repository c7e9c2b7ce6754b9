import { randomUUID } from 'node:crypto'
import { storeContest } from '../../activities/disputes/contests.ts'
import type { ContestForm } from '../../contract/disputes/dispute.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Contest, type Dispute } from '../../db/entities/dispute.ts'
import { contestErrorCodeOf, NotContestable } from '../../domain/disputes/contest.ts'
import { fail } from '../../http/api-error.ts'
import { isOutage } from '../../http/outage.ts'
import type { TemporalContext } from '../../temporal/workflow-options.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import {
  type AttachmentDependencies,
  hashAttachments,
  removeAttachments,
  storeAttachmentsInTime,
  toUploadedAttachments,
} from './dispute-attachments.ts'
import { requireVisibleDispute, showDisputeWithAttachments } from './disputes.ts'
import {
  deriveOperationUuid,
  fingerprintRequest,
  REPLAYED_HEADERS,
  requireSameRequest,
} from './idempotency.ts'
import { orderAuthorOf, writeDirectly } from './user-acts.ts'
import { startDeliverySweepIfUp } from './webhook-deliveries.ts'

type ContestRequest = {
  em: EntityManager
  token: CallerToken
  uuid: string
  idempotencyKey?: string | null
}

/** Reads a dispute that may be contested, or was contested under this Idempotency-Key (SPEC §5); else 404 or 409. */
export async function requireContestable(request: ContestRequest): Promise<Dispute> {
  const { em, token, uuid, idempotencyKey } = request
  const dispute = await requireVisibleDispute(em, token, uuid)
  const contest = await em.findOne(Contest, { disputeUuid: uuid })
  const isRepeat = idempotencyKey != null && contest?.orderUuid === deriveContestUuid(request)
  const code = isRepeat ? null : getContestErrorCode(dispute, contest)
  return code ? fail(code) : dispute
}

/** Returns the code of the catalogue that refuses a contest of this dispute now; null where it may be contested. */
export function getContestErrorCode({ kind, returnedAt = null }: Dispute, contest: Contest | null) {
  return contestErrorCodeOf({ kind, returnedAt, hasContest: contest !== null, now: new Date() })
}

/**
 * Contests what was returned by a dispute, or replays the response of the same Idempotency-Key (SPEC §2). Not by `createOperation`: no
 * provider is called; the row is written here, after its files are stored under keys of this request alone, and its outcome is certain
 * when the statement returns. Files of a contest that is refused are removed.
 */
export async function contestDispute(
  dependencies: AttachmentDependencies & { temporal: TemporalContext },
  request: ContestRequest & { form: ContestForm; requestId: string },
) {
  const { em, token, uuid, form, requestId, idempotencyKey } = request
  const files = form.attachments.map(({ file }) => file)
  const fingerprint = fingerprintRequest({
    body: { analysis: form.analysis, files: await hashAttachments(files) },
    connectionUuid: token.connectionUuid,
  })
  const orderUuid = idempotencyKey == null ? randomUUID() : deriveContestUuid(request)
  const findStored = () => em.fork().findOne(Contest, { disputeUuid: uuid, orderUuid })
  const respond = async (headers: Record<string, string>) => {
    const { storage } = dependencies
    const read = em.fork()
    const { contest, ...shown } = await showDisputeWithAttachments(
      read,
      storage,
      await requireVisibleDispute(read, token, uuid),
    )
    const { created_at, analysis } = contest!
    // As it was stored: a replay shows no later progress.
    const stored = { status: 'PENDING' as const, analysis, created_at, updated_at: created_at }
    return { headers, body: { data: { ...shown, contest: stored } } }
  }
  const replay = (stored: Contest) => {
    requireSameRequest(stored, fingerprint)
    return respond(REPLAYED_HEADERS)
  }
  const stored = await findStored()
  if (stored) return replay(stored)
  await requireContestable({ ...request, em: em.fork() })
  const uploads = toUploadedAttachments(uuid, files)
  await storeAttachmentsInTime(dependencies, uploads)
  const order = {
    disputeUuid: uuid,
    orderUuid,
    fingerprint,
    requestId,
    analysis: form.analysis,
    attachments: uploads.map(({ path: _, ...attachment }) => attachment),
    ...orderAuthorOf(token),
  }
  const act = { token, action: 'dispute_contest', subject: `med/${uuid}` } as const
  try {
    await writeDirectly(em, { ids: { uuid }, act }, tx => storeContest(tx, dependencies.storage, order))
  } catch (error) {
    // After an outage during the commit the contest may be stored, and its files stay.
    if (!isOutage(error)) await removeAttachments(dependencies, uploads)
    if (!(error instanceof NotContestable)) throw error
    // A parallel request with the same key may have contested it.
    const parallel = await findStored()
    return parallel ? replay(parallel) : fail(error.code)
  }
  await startDeliverySweepIfUp(dependencies.temporal, token.accountUuid)
  return respond({})
}

function deriveContestUuid({ token, uuid, idempotencyKey }: ContestRequest): string {
  const path = `/api/v1/meds/${uuid}/contest`
  return deriveOperationUuid({ owner: token, method: 'POST', path, key: idempotencyKey ?? null })
}
