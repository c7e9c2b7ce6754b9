import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import { ATTACHMENT_ORDER, Attachment, Dispute } from '../../db/entities/dispute.ts'
import { ROW_LOCK } from '../../db/locks.ts'
import { batchQueries, constantQuery, mapQuery, type Query, runQuery } from '../../db/pipeline/query.ts'
import { recordCircuitResult } from '../../db/repositories/circuit-breaker.ts'
import { NO_FOLLOW_UPS, queryFollowUps } from '../../db/repositories/follow-ups.ts'
import { REPLY_LINK_SECONDS } from '../../domain/disputes/attachment.ts'
import { disputeMachine, isCancellableDispute, replyErrorCodeOf } from '../../domain/disputes/dispute.ts'
import type {
  DisputeReference,
  ProviderDispute,
  ProviderDisputeReply,
} from '../../domain/disputes/provider-dispute.ts'
import type {
  DisputeInput,
  DisputeReplyDetails,
  DisputeSnapshot,
  PollDisputeResult,
  ReplyToDisputeInput,
  ReplyToDisputeResult,
  SendDisputeReplyResult,
} from '../../workflows/contracts/disputes.ts'
import { createAttachmentLinker, recordDisputeEvent } from '../events/record-event.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { callRepeatably, loadProviderConnection } from '../shared/provider-client.ts'
import { transition } from '../shared/transition.ts'
import { applyDisputeFacts } from './apply-provider-state.ts'

/** Polls the provider of a dispute, then applies its answer in one transaction under the row locks. */
export function pollDispute(dependencies: ActivityDependencies) {
  return async (order: DisputeInput): Promise<PollDisputeResult> => {
    const em = dependencies.orm.em.fork()
    const stored = await em.findOne(Dispute, order.uuid)
    const { answer } = await callRepeatably(dependencies, em, order.connectionUuid, provider =>
      provider.findDispute(toDisputeReference(order, stored)),
    )
    if (answer.kind === 'no_answer') return { kind: 'no_answer', code: answer.code }
    if (answer.kind === 'not_found') {
      // "Not found" of a dispute that the provider has reported before is no answer; an earlier run of the poll may store it meanwhile.
      const isStored = stored !== null || (await em.count(Dispute, order.uuid)) > 0
      return isStored ? { kind: 'no_answer', code: 'not_found' } : answer
    }
    return applyDisputeReport(dependencies, order, answer.dispute)
  }
}

/** How its provider knows a dispute: one that the account has requested by its PIX, with the id of the accepted request. */
export function toDisputeReference(order: DisputeInput, stored: Dispute | null): DisputeReference {
  const id = stored?.providerDisputeId ?? order.providerDisputeId
  const { endToEnd } = order
  if (order.request === undefined && stored?.fingerprint == null)
    return { id: id ?? endToEnd ?? '', endToEnd }
  const pix = endToEnd ?? stored?.endToEnd ?? ''
  return { id: id ?? pix, endToEnd: pix, isRequested: true }
}

/**
 * Applies what a provider reports of a dispute in one transaction under the row locks. `foreign`: another workflow has the dispute, because
 * the account has requested it. `isCancelAnswered`: the report is its answer to a cancellation, so that one that goes on is not cancelled.
 */
export function applyDisputeReport(
  dependencies: ActivityDependencies,
  order: DisputeInput,
  facts: ProviderDispute,
  { isCancelAnswered = false } = {},
): Promise<PollDisputeResult> {
  const { timeScale } = dependencies
  const linkTo = createAttachmentLinker(dependencies)
  return runInTransaction(dependencies.orm, async (em): Promise<Query<PollDisputeResult>> => {
    const dispute = await applyDisputeFacts(em, { order, facts, linkTo, timeScale })
    if (dispute && isCancelAnswered) dispute.cancelRequestedAt = null
    if (dispute?.uuid === order.uuid)
      return mapQuery(queryDisputeSnapshot(dispute), snapshot => ({ kind: 'known', ...snapshot }))
    // The PIX may not be recorded yet: reconciliation finds in the statement what a lost notification left out.
    return constantQuery(
      dispute || isClosedAtProvider(facts)
        ? { kind: 'foreign' }
        : { kind: 'no_answer', code: 'pix_not_known' },
    )
  })
}

function isClosedAtProvider({ status, isClosed }: ProviderDispute): boolean {
  return status === 'disagreed' || status === 'withdrawn' || isClosed
}

function isDisputeAnswerable({ kind, state, repliedAt }: Dispute): boolean {
  return kind === 'RECEIVED_MED' && state === 'open' && !repliedAt
}

/** Returns the query of a dispute's snapshot, with the pending follow-ups of the dispute and its transfer. */
export function queryDisputeSnapshot(dispute: Dispute): Query<DisputeSnapshot> {
  // Returns of a transfer are recorded as events of the transfer, whose workflow may have ended: this one delivers
  // them.
  const transferQuery = dispute.transferUuid
    ? queryFollowUps(dispute.transferUuid)
    : constantQuery(NO_FOLLOW_UPS)
  return mapQuery(
    batchQueries(queryFollowUps(dispute.uuid), transferQuery),
    ([ownFollowUps, transferFollowUps]) => ({
      state: dispute.state,
      accountUuid: dispute.accountUuid,
      connectionUuid: dispute.connection.uuid,
      endToEnd: dispute.endToEnd,
      valueCents: dispute.valueCents,
      dueAt: dispute.dueAt.toISOString(),
      isAnswerable: isDisputeAnswerable(dispute),
      warnedHours: dispute.warnedHours ?? null,
      isReplyPending: dispute.replyState === 'pending',
      isCancellable: isCancellableDispute(dispute),
      isCancelRequested: dispute.cancelRequestedAt != null && isCancellableDispute(dispute),
      deliveries: [...ownFollowUps.deliveries, ...transferFollowUps.deliveries],
      returns: [...ownFollowUps.returns, ...transferFollowUps.returns],
    }),
  )
}

/** Longest duration of a call that sends a reply: the activity's timeout; its HTTP requests end far earlier. */
const MAX_REPLY_CALL_MS = 60_000

/** Locks a dispute's row. Returns null where it is missing: its workflow then opens it again. */
async function findDisputeForUpdate(em: EntityManager, uuid: string): Promise<Dispute | null> {
  const dispute = await em.findOne(Dispute, uuid, ROW_LOCK)
  if (dispute) await em.populate(dispute, ['connection', 'movement'])
  return dispute
}

async function lockDispute(em: EntityManager, uuid: string): Promise<Dispute> {
  const dispute = await findDisputeForUpdate(em, uuid)
  if (!dispute) throw new Error(`dispute ${uuid} has no row`)
  return dispute
}

/** Records a warning event of a dispute without a reply, `hours` before its deadline; once for each number of hours. */
export function recordDisputeWarning(dependencies: ActivityDependencies) {
  return ({ uuid, hours }: { uuid: string; hours: number }) =>
    changeDispute(dependencies, uuid, async (em, dispute) => {
      if (!isDisputeAnswerable(dispute) || hours >= (dispute.warnedHours ?? Number.POSITIVE_INFINITY)) return
      dispute.warnedHours = hours
      const linkTo = createAttachmentLinker(dependencies)
      await recordDisputeEvent(em, dispute, { at: new Date(), linkTo })
    })
}

/** Applies a reply deadline that has passed without a reply. The dispute then waits for the provider's decision. */
export function applyDisputeDeadline(dependencies: ActivityDependencies) {
  return (uuid: string) =>
    changeDispute(dependencies, uuid, async (_em, dispute) => {
      if (disputeMachine.accepts(dispute.state, 'deadline_passed'))
        transition(dispute, disputeMachine, 'deadline_passed', new Date())
    })
}

/** Changes a dispute under its row lock. Returns its state; null where its row is missing. */
export function changeDispute(
  { orm }: Pick<ActivityDependencies, 'orm'>,
  uuid: string,
  change: (em: EntityManager, dispute: Dispute) => Promise<void>,
): Promise<DisputeSnapshot | null> {
  return runInTransaction(orm, async (em): Promise<Query<DisputeSnapshot | null>> => {
    const dispute = await findDisputeForUpdate(em, uuid)
    if (!dispute) return constantQuery(null)
    await change(em, dispute)
    return queryDisputeSnapshot(dispute)
  })
}

/** Reads the state of a dispute; null where it was never opened. */
export function getDispute({ orm }: ActivityDependencies) {
  return async (uuid: string): Promise<DisputeSnapshot | null> => {
    const em = orm.em.fork()
    const dispute = await em.findOne(Dispute, uuid)
    return dispute && runQuery(em, queryDisputeSnapshot(dispute))
  }
}

/**
 * Stores the merchant's reply with its proofs, once: under the row lock the dispute moves to PROCESSING, before the
 * provider is called. Repeatable: a stored reply is recognized by its request id.
 */
export function storeDisputeReply({ orm, sealer }: ActivityDependencies) {
  return (input: ReplyToDisputeInput & { uuid: string }): Promise<ReplyToDisputeResult> =>
    runInTransaction(orm, async em => {
      const { uuid, details, requestId, sentBy } = input
      const dispute = await findDisputeForUpdate(em, uuid)
      if (!dispute) return 'med_not_answerable'
      const { accept, analysis, attachments } = sealer.open<DisputeReplyDetails>(details)
      if (dispute.replyRequestId === requestId) return 'accepted'
      const errorCode = replyErrorCodeOf({ ...dispute, hasReply: dispute.repliedAt != null })
      if (errorCode) return errorCode
      const at = new Date()
      Object.assign(dispute, {
        accept,
        analysis,
        repliedAt: at,
        replyState: 'pending',
        replyRequestId: requestId,
        replySentBy: sentBy,
      })
      dispute.replies += 1
      dispute.failure = null
      transition(dispute, disputeMachine, 'replied', at)
      for (const [position, attachment] of attachments.entries())
        em.create(Attachment, {
          ...attachment,
          disputeUuid: uuid,
          reply: dispute.replies,
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
    const claim = await runInTransaction(dependencies.orm, tx => claimReplyCall(tx, order.uuid))
    if ('kind' in claim) return claim
    const reply = await loadDisputeReply(dependencies, em, claim.dispute)
    const { connection, provider } = await loadProviderConnection(dependencies, em, order.connectionUuid)
    const outcome = await provider.replyToDispute(reply)
    await recordCircuitResult(em, connection, { outcome })
    // The provider may refuse a repeated reply; a rate limit is no refusal. A dispute that is still open there has no reply,
    // except at a provider without a status for it (Woovi): an earlier attempt may have arrived there. The refusal counts
    // all the same, so that the merchant can reply again: Woovi adds it to the evidence, and a lost defence is worse.
    const isRefusal = outcome.kind === 'rejected' && outcome.code !== 'rate_limited'
    const disputeAnswer = isRefusal
      ? await provider.findDispute(toDisputeReference(order, claim.dispute))
      : null
    const stillOpen = disputeAnswer?.kind === 'found' && disputeAnswer.dispute.status === 'open'
    return runInTransaction(dependencies.orm, async tx => {
      const dispute = await lockDispute(tx, order.uuid)
      // A call that exceeded MAX_REPLY_CALL_MS has lost its claim to a later call.
      if (dispute.replyingUntil?.getTime() === claim.until.getTime()) dispute.replyingUntil = null
      if (dispute.replyState === 'pending') {
        if (outcome.kind === 'accepted' || (disputeAnswer?.kind === 'found' && !stillOpen))
          dispute.replyState = 'sent'
        if (stillOpen && outcome.kind === 'rejected')
          await recordReplyRefusal(tx, dependencies, dispute, outcome)
      }
      return queryReplyResult(dispute, dispute.replyState === 'pending' ? 'again' : 'closed')
    })
  }
}

/** Records a refused reply: the merchant can reply again, and an event says so. */
async function recordReplyRefusal(
  em: EntityManager,
  dependencies: ActivityDependencies,
  dispute: Dispute,
  { code, message }: { code: string; message: string },
): Promise<void> {
  const at = new Date()
  Object.assign(dispute, {
    accept: null,
    analysis: null,
    repliedAt: null,
    replyState: null,
    replyingUntil: null,
  })
  dispute.failure = { code, message }
  if (!disputeMachine.accepts(dispute.state, 'reply_refused')) return
  transition(dispute, disputeMachine, 'reply_refused', at)
  await recordDisputeEvent(em, dispute, { at, linkTo: createAttachmentLinker(dependencies) })
}

function queryReplyResult(
  dispute: Dispute,
  kind: SendDisputeReplyResult['kind'],
): Query<SendDisputeReplyResult> {
  return mapQuery(queryDisputeSnapshot(dispute), snapshot => ({ kind, ...snapshot }))
}

/** Claims the sending of the reply for one call; returns the state where there is none, or it is claimed. */
async function claimReplyCall(
  em: EntityManager,
  uuid: string,
): Promise<Query<{ dispute: Dispute; until: Date } | SendDisputeReplyResult>> {
  const dispute = await lockDispute(em, uuid)
  const nowMs = Date.now()
  if (dispute.replyState !== 'pending') return queryReplyResult(dispute, 'closed')
  if (dispute.replyingUntil && dispute.replyingUntil.getTime() > nowMs)
    return queryReplyResult(dispute, 'again')
  const until = new Date(nowMs + MAX_REPLY_CALL_MS)
  dispute.replyingUntil = until
  return constantQuery({ dispute, until })
}

async function loadDisputeReply(
  { storage }: ActivityDependencies,
  em: EntityManager,
  dispute: Dispute,
): Promise<ProviderDisputeReply> {
  const attachments = await em.find(
    Attachment,
    { disputeUuid: dispute.uuid, reply: dispute.replies },
    { orderBy: ATTACHMENT_ORDER },
  )
  return {
    // One that takes a reply was reported by its provider.
    id: dispute.providerDisputeId!,
    endToEnd: dispute.endToEnd,
    accept: dispute.accept === true,
    analysis: dispute.analysis ?? '',
    attachments: await Promise.all(
      attachments.map(async ({ uuid, name, contentType, storageKey }) => ({
        uuid,
        name,
        contentType,
        url: await storage.createLink(storageKey, REPLY_LINK_SECONDS),
      })),
    ),
  }
}
