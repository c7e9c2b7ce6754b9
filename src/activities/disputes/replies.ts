import { type EntityManager, runInTransaction } from '../../db/client/orm.ts'
import { ATTACHMENT_ORDER, Attachment, Dispute } from '../../db/entities/med.ts'
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
  ReplyToDisputeInput,
  ReplyToDisputeResult,
} from '../../workflows/contracts/messages.ts'
import { createAttachmentLinker, recordDisputeEvent } from '../events/record-event.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { loadProviderConnection } from '../shared/provider-client.ts'
import { transitionDispute } from '../shared/transition.ts'
import { type DisputeSnapshot, queryDisputeSnapshot } from './poll-dispute.ts'

/** Whoever analyses the dispute may open its proofs on the last day. */
const ATTACHMENT_LINK_TTL_S = MAX_ANALYSIS_MS / 1_000

/** No call that tells a reply is under way after this long: Temporal gives one as much, and its requests far less. */
const MAX_REPLY_CALL_MS = 60_000

/** The dispute under its row lock; null where a restore has lost it, which its workflow opens again. */
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

/** Where a dispute stands; null where it was never opened. */
export function getDispute({ orm }: ActivityDependencies) {
  return async (uuid: string): Promise<DisputeSnapshot | null> => {
    const em = orm.em.fork()
    const med = await em.findOne(Dispute, uuid)
    return med && runQuery(em, queryDisputeSnapshot(med))
  }
}

/**
 * Takes a reply, once: the row moves to PROCESSING under its lock, with the proofs, before the provider is called.
 * Safe to repeat: by its request a reply that was taken is known again.
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
      const why = replyErrorCodeOf({ ...med, hasReply: med.repliedAt != null })
      if (why) return why
      const at = new Date()
      Object.assign(med, { accept, analysis, repliedAt: at, replyState: 'wanted', replyRequestId: requestId })
      med.replies += 1
      med.replyFailure = null
      transitionDispute(med, 'replied', at)
      for (const [position, attachment] of attachments.entries())
        em.create(Attachment, {
          ...attachment,
          medUuid: uuid,
          reply: med.replies,
          position,
          createdAt: at,
        })
      return 'accepted'
    })
}

export type SendDisputeReplyResult = DisputeSnapshot & { kind: 'closed' | 'again' }

/**
 * Tells the provider our reply. `again`: it may not have it, so it is asked and told once more; or another call is under
 * way, one that its life has given up and that still runs.
 */
export function sendDisputeReply(dependencies: ActivityDependencies) {
  return async (order: DisputeInput): Promise<SendDisputeReplyResult> => {
    const em = dependencies.orm.em.fork()
    const begun = await transactionReturning(dependencies.orm, tx => claimReplyCall(tx, order.uuid))
    if ('kind' in begun) return begun
    const reply = await loadDisputeReply(dependencies, em, begun.med)
    const { connection, provider } = await loadProviderConnection(dependencies, em, order.connectionUuid)
    const outcome = await provider.replyToDispute(reply)
    await recordCircuitResult(em, connection, outcome)
    // A refusal may be of a repeat: that the dispute is still open there proves that no reply was taken.
    const found = isReplyRefusal(outcome) ? await provider.findDispute(toDisputeKey(order)) : null
    const stillOpen = found?.kind === 'found' && found.dispute.status === 'open'
    return transactionReturning(dependencies.orm, async tx => {
      const med = await lockDispute(tx, order.uuid)
      // One that took longer than any may has been followed by another, whose turn it is now.
      if (med.replyingUntil?.getTime() === begun.until.getTime()) med.replyingUntil = null
      if (med.replyState === 'wanted') {
        if (outcome.kind === 'accepted' || (found?.kind === 'found' && !stillOpen)) med.replyState = 'sent'
        if (stillOpen && outcome.kind === 'rejected') await recordReplyRefusal(tx, dependencies, med, outcome)
      }
      return queryReplyResult(med, med.replyState === 'wanted' ? 'again' : 'closed')
    })
  }
}

function toDisputeKey({ providerDisputeId: providerMedId, endToEnd }: DisputeInput) {
  return { id: providerMedId, endToEnd }
}

/** A definite no; that a provider takes no more requests for now says nothing of the reply. */
function isReplyRefusal(outcome: ReplyToDisputeOutcome): boolean {
  return outcome.kind === 'rejected' && outcome.code !== 'rate_limited'
}

/** The dispute can be answered again, and the merchant is told so. */
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
  transitionDispute(med, 'reply_refused', at)
  await recordDisputeEvent(em, med, { at, linkTo: createAttachmentLinker(dependencies) })
}

function queryReplyResult(med: Dispute, kind: SendDisputeReplyResult['kind']): Query<SendDisputeReplyResult> {
  return mapQuery(queryDisputeSnapshot(med), now => ({ kind, ...now }))
}

/** Lets one call tell the reply; where there is none to tell, or another call does, what stands now. */
async function claimReplyCall(
  em: EntityManager,
  uuid: string,
): Promise<Query<{ med: Dispute; until: Date } | SendDisputeReplyResult>> {
  const med = await lockDispute(em, uuid)
  const at = Date.now()
  if (med.replyState !== 'wanted') return queryReplyResult(med, 'closed')
  if (med.replyingUntil && med.replyingUntil.getTime() > at) return queryReplyResult(med, 'again')
  const until = new Date(at + MAX_REPLY_CALL_MS)
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
    { medUuid: med.uuid, reply: med.replies },
    { orderBy: ATTACHMENT_ORDER },
  )
  return {
    id: med.providerMedId,
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
