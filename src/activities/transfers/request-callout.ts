import {
  formatBatchCallout,
  formatTransferCallout,
  parseCalloutAnswer,
} from '../../contract/transfers/callout.ts'
import { showBatch } from '../../contract/transfers/transfer-batch.ts'
import type { EntityManager, Orm } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import { TransferBatch } from '../../db/entities/transfer-batch.ts'
import { CalloutSecret } from '../../db/entities/webhook.ts'
import { runQuery } from '../../db/pipeline/query.ts'
import {
  type ApprovalState,
  countCalloutRequest,
  lockApproval,
  postponeCallout,
  queryApproval,
  recordCalloutFailure,
  recordVerdict,
} from '../../db/repositories/approvals.ts'
import { countBatchItems } from '../../db/repositories/transfer-batches.ts'
import { readTransfer } from '../../db/repositories/transfers.ts'
import {
  CALLOUT_APPROVER,
  CALLOUT_TIMEOUT_MS,
  type CalloutFailure,
  findCalloutStep,
  MAX_CALLOUT_ANSWER_BYTES,
  MAX_CALLOUT_REQUESTS,
} from '../../domain/approvals/callout.ts'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import type { WebhookAttemptResult } from '../../webhook-client/client.ts'
import type { RequestCalloutInput } from '../../workflows/contracts/transfers.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { buildSignedHeaders } from '../shared/signed-headers.ts'

/** Call-outs of approvals: the merchant's server is asked about an order that waits (docs/specification.md, "Call-outs"). */

/** Added to the limit of a request before another one may be made: what a worker takes to store the answer. */
const STORING_MS = 2_000

/**
 * Makes the request of a call-out that is due, and stores what it was answered: the verdict of the call-out, or why the request has no
 * answer, which is a rejection after the last one. Each request is counted by a committed write before it is made, so that a repeat of the
 * activity makes none while another may be open. Where nothing is due it changes nothing.
 */
export function requestCallout(dependencies: ActivityDependencies) {
  const { orm, webhooks, timeScale, log, onCallout } = dependencies
  const retryMs = scaleWait(WAITS.retryCallout, timeScale)
  return async ({ subjectUuid }: RequestCalloutInput): Promise<void> => {
    const em = orm.em.fork()
    const approval = await runQuery(em, queryApproval(subjectUuid))
    if (!approval?.callout || approval.decision !== null) return
    const slot = await webhooks.acquireSlot(approval.accountUuid)
    if ('retryInMs' in slot) return postponeCallout(em, subjectUuid, slot.retryInMs)
    try {
      const request = await buildCalloutRequest(dependencies, em, approval)
      const requestCount = await claimCallout(orm, subjectUuid, CALLOUT_TIMEOUT_MS + STORING_MS + retryMs)
      if (requestCount === null) return
      const attempt = await webhooks.postSigned(request)
      const answer = judgeCalloutAnswer(attempt)
      onCallout?.(answer.kind)
      log.info(
        { order: subjectUuid, answer, request: requestCount, duration_ms: attempt.durationMs },
        'a call-out was requested',
      )
      await runInTransaction(orm, tx =>
        answer.kind === 'no_answer'
          ? recordUnanswered(tx, subjectUuid, { failure: answer.code, requestCount, retryMs })
          : recordAnswer(tx, subjectUuid, answer.kind === 'approved'),
      )
    } finally {
      slot.release()
    }
  }
}

/**
 * Counts the request that is about to be made, and returns its number; null where none is to be made now. A call-out whose requests were
 * all made ends without an answer.
 */
function claimCallout(orm: Orm, subjectUuid: string, nextInMs: number): Promise<number | null> {
  return runInTransaction(orm, async tx => {
    const approval = await lockApproval(tx, subjectUuid)
    if (!approval?.callout) return null
    const { kind } = findCalloutStep(approval, approval.given, approval.at)
    const { failure, requestCount } = approval.callout
    if (kind === 'end') await rejectByCallout(tx, subjectUuid, failure ?? 'callout_interrupted')
    if (kind !== 'request') return null
    await countCalloutRequest(tx, subjectUuid, nextInMs)
    return requestCount + 1
  })
}

/** Stores the answer of the merchant's server. What was stored before, also of another request, stays. */
async function recordAnswer(tx: EntityManager, subjectUuid: string, isApproved: boolean): Promise<void> {
  if (!isApproved) return rejectByCallout(tx, subjectUuid, 'callout_refused')
  await recordVerdict(tx, subjectUuid, { verdict: 'approve', approver: CALLOUT_APPROVER, reason: null })
}

type UnansweredRequest = { failure: CalloutFailure; requestCount: number; retryMs: number }

/** Stores that a request has no answer: of the last one as a rejection. Not of one after which another was made. */
async function recordUnanswered(
  tx: EntityManager,
  subjectUuid: string,
  { failure, requestCount, retryMs }: UnansweredRequest,
): Promise<void> {
  const approval = await lockApproval(tx, subjectUuid)
  if (approval?.decision !== null || approval.callout?.requestCount !== requestCount) return
  if (requestCount < MAX_CALLOUT_REQUESTS)
    return recordCalloutFailure(tx, subjectUuid, { failure, nextInMs: retryMs })
  await recordCalloutFailure(tx, subjectUuid, { failure, nextInMs: 0 })
  await rejectByCallout(tx, subjectUuid, failure)
}

async function rejectByCallout(tx: EntityManager, subjectUuid: string, reason: string): Promise<void> {
  await recordVerdict(tx, subjectUuid, { verdict: 'reject', approver: CALLOUT_APPROVER, reason })
}

/** Builds the signed request about an order as it is now. */
async function buildCalloutRequest(
  { sealer }: Pick<ActivityDependencies, 'sealer'>,
  em: EntityManager,
  approval: ApprovalState,
) {
  const { subjectUuid: id, accountUuid, callout } = approval
  const { body, requestId } = await formatCallout(em, approval)
  const secret = await em.findOneOrFail(CalloutSecret, accountUuid)
  return {
    url: callout!.url,
    body,
    headers: buildSignedHeaders(sealer, secret, { id, at: new Date(), body, requestId }),
    timeoutMs: CALLOUT_TIMEOUT_MS,
    // One byte more, so that an answer of exactly the limit is known to end there.
    maxAnswerBytes: MAX_CALLOUT_ANSWER_BYTES + 1,
    isSentOnce: true as const,
  }
}

async function formatCallout(
  em: EntityManager,
  approval: ApprovalState,
): Promise<{ body: string; requestId: string }> {
  const { subject, subjectUuid: uuid, accountUuid } = approval
  if (subject === 'batch') {
    const batch = await em.findOneOrFail(TransferBatch, uuid)
    const counts = (await countBatchItems(em, accountUuid, [uuid])).get(uuid)!
    const body = formatBatchCallout(showBatch(batch, { counts, approval }), approval)
    return { body, requestId: batch.requestId }
  }
  const transfer = await readTransfer(em, { sql: 'uuid = ?', values: [uuid] }, null)
  if (!transfer) throw new Error(`transfer ${uuid} has a call-out and no row`)
  return { body: formatTransferCallout(transfer, approval), requestId: transfer.requestId }
}

/** What the merchant's server has answered: `no_answer` is neither an approval nor a refusal. */
type CalloutAnswer = { kind: 'approved' | 'refused' } | { kind: 'no_answer'; code: CalloutFailure }

/** Judges the result of a request: only a whole answer of status 2xx with a boolean `approve` is one. */
function judgeCalloutAnswer(attempt: WebhookAttemptResult): CalloutAnswer {
  const noAnswer = (code: CalloutFailure) => ({ kind: 'no_answer', code }) as const
  if (attempt.kind === 'timeout') return noAnswer('callout_timeout')
  if (attempt.kind !== 'answered') return noAnswer('callout_unreachable')
  if (attempt.status < 200 || attempt.status > 299) return noAnswer('callout_bad_status')
  const isApproved = attempt.isAnswerWhole ? parseCalloutAnswer(attempt.answer) : null
  if (isApproved === null) return noAnswer('callout_bad_answer')
  return { kind: isApproved ? 'approved' : 'refused' }
}
