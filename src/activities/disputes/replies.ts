import { type EntityManager, runInTransaction } from '../../db/client/orm.ts'
import { ATTACHMENT_ORDER, Attachment, Dispute } from '../../db/entities/dispute.ts'
import { ROW_LOCK } from '../../db/locks.ts'
import {
  constantQuery,
  mapQuery,
  type Query,
  runQuery,
  transactionReturning,
} from '../../db/pipeline/query.ts'
import { recordCircuitResult } from '../../db/repositories/circuit-breaker.ts'
import { disputeMachine, MAX_ANALYSIS_MS, replyErrorCodeOf } from '../../domain/disputes/dispute.ts'
import type { ProviderDisputeReply, ReplyToDisputeOutcome } from '../../domain/disputes/provider-dispute.ts'
import type {
  DisputeInput,
  DisputeReplyDetails,
  DisputeSnapshot,
  ReplyToDisputeInput,
  ReplyToDisputeResult,
  SendDisputeReplyResult,
} from '../../workflows/contracts/disputes.ts'
import { createAttachmentLinker, recordDisputeEvent } from '../events/record-event.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { loadProviderConnection } from '../shared/provider-client.ts'
import { transition } from '../shared/transition.ts'
import { queryDisputeSnapshot } from './poll-dispute.ts'

/** Validity of the links to the proofs: the provider's analyst may open them until the last day of the analysis. */
const ATTACHMENT_LINK_TTL_S = MAX_ANALYSIS_MS / 1_000

/** Longest duration of a call that sends a reply: the activity's timeout; its HTTP requests end far earlier. */
const MAX_REPLY_CALL_MS = 60_000

/** Locks a dispute's row. Returns null where a restore has lost it: its workflow then opens it again. */
export async function findDisputeForUpdate(em: EntityManager, uuid: string): Promise<Dispute | null> {
  const med = await em.findOne(Dispute, uuid, ROW_LOCK)
  if (med) await em.populate(med, ['connection', 'movement'])
  return med
}

async function lockDispute(em: EntityManager, uuid: string): Promise<Dispute> {
  const med = await findDisputeForUpdate(em, uuid)
  if (!med) throw new Error(`dispute ${uuid} has no row`)
  return med
}

/** Reads the state of a dispute; null where it was never opened. */
export function getDispute({ orm }: ActivityDependencies) {
  return async (uuid: string): Promise<DisputeSnapshot | null> => {
    const em = orm.em.fork()
    const med = await em.findOne(Dispute, uuid)
    return med && runQuery(em, queryDisputeSnapshot(med))
  }
}

/**
 * Stores the merchant's reply with its proofs, once: under the row lock the dispute moves to PROCESSING, before the
 * provider is called. Repeatable: a stored reply is recognized by its request id.
 */
export function storeDisputeReply({ orm, sealer }: ActivityDependencies) {
  return ({
    uuid,
    details,
    requestId,
  }: ReplyToDisputeInput & { uuid: string }): Promise<ReplyToDisputeResult> =>
    runInTransaction(orm, async em => {
      const med = await findDisputeForUpdate(em, uuid)
      if (!med) return 'med_not_answerable'
      const { accept, analysis, attachments } = sealer.open<DisputeReplyDetails>(details)
      if (med.replyRequestId === requestId) return 'accepted'
      const errorCode = replyErrorCodeOf({ ...med, hasReply: med.repliedAt != null })
      if (errorCode) return errorCode
      const at = new Date()
      Object.assign(med, {
        accept,
        analysis,
        repliedAt: at,
        replyState: 'pending',
        replyRequestId: requestId,
      })
      med.replies += 1
      med.replyFailure = null
      transition(med, disputeMachine, 'replied', at)
      for (const [position, attachment] of attachments.entries())
        em.create(Attachment, {
          ...attachment,
          disputeUuid: uuid,
          reply: med.replies,
          position,
          createdAt: at,
        })
      return 'accepted'
    })
}

/**
 * Sends the stored reply to the provider. `again`: the provider may not have it, so the workflow polls and sends it
 * once more; or another call is under way, which Temporal has timed out and which still runs.
 */
export function sendDisputeReply(dependencies: ActivityDependencies) {
  return async (order: DisputeInput): Promise<SendDisputeReplyResult> => {
    const em = dependencies.orm.em.fork()
    const claim = await transactionReturning(dependencies.orm, tx => claimReplyCall(tx, order.uuid))
    if ('kind' in claim) return claim
    const reply = await loadDisputeReply(dependencies, em, claim.med)
    const { connection, provider } = await loadProviderConnection(dependencies, em, order.connectionUuid)
    const outcome = await provider.replyToDispute(reply)
    await recordCircuitResult(em, connection, outcome)
    // The provider may refuse a repeated reply. A dispute that is still open there proves that it has no reply.
    const found = isReplyRefusal(outcome) ? await provider.findDispute(toDisputeKey(order)) : null
    const stillOpen = found?.kind === 'found' && found.dispute.status === 'open'
    return transactionReturning(dependencies.orm, async tx => {
      const med = await lockDispute(tx, order.uuid)
      // A call that exceeded MAX_REPLY_CALL_MS has lost its claim to a later call.
      if (med.replyingUntil?.getTime() === claim.until.getTime()) med.replyingUntil = null
      if (med.replyState === 'pending') {
        if (outcome.kind === 'accepted' || (found?.kind === 'found' && !stillOpen)) med.replyState = 'sent'
        if (stillOpen && outcome.kind === 'rejected') await recordReplyRefusal(tx, dependencies, med, outcome)
      }
      return queryReplyResult(med, med.replyState === 'pending' ? 'again' : 'closed')
    })
  }
}

function toDisputeKey({ providerDisputeId, endToEnd }: DisputeInput) {
  return { id: providerDisputeId, endToEnd }
}

/** Tells whether an outcome is a definite refusal of the reply; a rate limit is none. */
function isReplyRefusal(outcome: ReplyToDisputeOutcome): boolean {
  return outcome.kind === 'rejected' && outcome.code !== 'rate_limited'
}

/** Records a refused reply: the merchant can reply again, and an event says so. */
async function recordReplyRefusal(
  em: EntityManager,
  dependencies: ActivityDependencies,
  med: Dispute,
  { code, message }: { code: string; message: string },
): Promise<void> {
  const at = new Date()
  Object.assign(med, { accept: null, analysis: null, repliedAt: null, replyState: null, replyingUntil: null })
  med.replyFailure = { code, message }
  if (!disputeMachine.accepts(med.state, 'reply_refused')) return
  transition(med, disputeMachine, 'reply_refused', at)
  await recordDisputeEvent(em, med, { at, linkTo: createAttachmentLinker(dependencies) })
}

function queryReplyResult(med: Dispute, kind: SendDisputeReplyResult['kind']): Query<SendDisputeReplyResult> {
  return mapQuery(queryDisputeSnapshot(med), snapshot => ({ kind, ...snapshot }))
}

/**
 * Claims the sending of the reply for one call, under the row lock. Returns the dispute's state where there is no reply
 * to send or another call holds the claim.
 */
async function claimReplyCall(
  em: EntityManager,
  uuid: string,
): Promise<Query<{ med: Dispute; until: Date } | SendDisputeReplyResult>> {
  const med = await lockDispute(em, uuid)
  const nowMs = Date.now()
  if (med.replyState !== 'pending') return queryReplyResult(med, 'closed')
  if (med.replyingUntil && med.replyingUntil.getTime() > nowMs) return queryReplyResult(med, 'again')
  const until = new Date(nowMs + MAX_REPLY_CALL_MS)
  med.replyingUntil = until
  return constantQuery({ med, until })
}

async function loadDisputeReply(
  { storage }: ActivityDependencies,
  em: EntityManager,
  med: Dispute,
): Promise<ProviderDisputeReply> {
  const attachments = await em.find(
    Attachment,
    { disputeUuid: med.uuid, reply: med.replies },
    { orderBy: ATTACHMENT_ORDER },
  )
  return {
    id: med.providerDisputeId,
    endToEnd: med.endToEnd,
    accept: med.accept === true,
    analysis: med.analysis ?? '',
    attachments: await Promise.all(
      attachments.map(async ({ uuid, name, contentType, storageKey }) => ({
        uuid,
        name,
        contentType,
        url: await storage.createLink(storageKey, ATTACHMENT_LINK_TTL_S),
      })),
    ),
  }
}
