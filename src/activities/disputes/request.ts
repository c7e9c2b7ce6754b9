import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import { Dispute } from '../../db/entities/dispute.ts'
import type { Query } from '../../db/pipeline/query.ts'
import { requestedDisputeOf } from '../../db/repositories/disputes.ts'
import {
  disputeMachine,
  isCancellableDispute,
  MAX_ANALYSIS_MS,
  requestErrorCodeOf,
  situationOf,
} from '../../domain/disputes/dispute.ts'
import type {
  DisputeReference,
  FindDisputeOutcome,
  RequestDisputeOutcome,
} from '../../domain/disputes/provider-dispute.ts'
import { failureOf } from '../../domain/errors/error-catalogue.ts'
import { formatTimestamp } from '../../domain/shared/timestamp.ts'
import type { Provider } from '../../providers/port.ts'
import type {
  DisputeInput,
  DisputeRequestDetails,
  DisputeSnapshot,
  PollDisputeResult,
} from '../../workflows/contracts/disputes.ts'
import { createAttachmentLinker, recordDisputeEvent } from '../events/record-event.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { callRepeatably } from '../shared/provider-client.ts'
import { lockTransfer, transition } from '../shared/transition.ts'
import { applyDisputeReport, changeDispute, queryDisputeSnapshot, toDisputeReference } from './activities.ts'

/** Disputes that an account requests about its transfers: they are stored, sent to the provider, and cancelled there. */

/** Stores the request of an account before its provider is called; a repeat finds its row. */
export function openRequestedDispute({ orm, sealer }: ActivityDependencies) {
  return (order: DisputeInput): Promise<DisputeSnapshot> =>
    runInTransaction(orm, async (em): Promise<Query<DisputeSnapshot>> => {
      const stored = await em.findOne(Dispute, order.uuid, { populate: ['connection', 'movement'] })
      if (stored) return queryDisputeSnapshot(stored)
      const details = sealer.open<DisputeRequestDetails>(order.request!.details)
      return queryDisputeSnapshot(await storeRequest(em, order, details))
    })
}

/**
 * Stores a request under the row lock of its transfer. Where the money has come back, or the PIX was disputed, since the API has
 * validated it, it is stored as refused.
 */
async function storeRequest(
  em: EntityManager,
  { uuid, requestId, request }: DisputeInput,
  { disputeType, details, fingerprint }: DisputeRequestDetails,
): Promise<Dispute> {
  const { details: _, transferUuid, accountUuid, ...author } = request!
  const { transfer } = await lockTransfer(em, transferUuid)
  const { connection, providerAccountUuid, movement, state, settledAt, valueCents } = transfer
  const endToEnd = transfer.endToEnd!
  const at = new Date()
  const isRequested = (await em.count(Dispute, requestedDisputeOf({ providerAccountUuid, endToEnd }))) > 0
  const settledAtMs = settledAt?.getTime() ?? null
  const code = requestErrorCodeOf({ state, settledAtMs, isRequested, nowMs: at.getTime() })
  const firstState = code ? 'refused' : 'requesting'
  return em.create(Dispute, {
    uuid,
    accountUuid,
    connection,
    providerAccountUuid,
    kind: 'REQUESTED_MED',
    disputeType,
    state: firstState,
    endToEnd,
    movement: movement!,
    transferUuid,
    valueCents,
    splitParts: [],
    openedAt: at,
    dueAt: new Date(at.getTime() + MAX_ANALYSIS_MS),
    details,
    failure: code && failureOf(code),
    fingerprint,
    ...author,
    history: [{ status: disputeMachine.statusOf(firstState), created_at: formatTimestamp(at) }],
    requestId,
    createdAt: at,
    updatedAt: at,
  })
}

/**
 * Requests a dispute at its provider. A repeat looks it up by its PIX first, because an earlier request may have arrived; a PIX has one for
 * ever, so that none is made twice. `not_found`: the row is missing.
 */
export function requestDispute(dependencies: ActivityDependencies) {
  return async (order: DisputeInput): Promise<PollDisputeResult> => {
    let isRepeat = false
    const snapshot = await changeDispute(dependencies, order.uuid, async (_em, dispute) => {
      isRepeat = dispute.requestedAt != null
      dispute.requestedAt ??= new Date()
    })
    if (!snapshot) return { kind: 'not_found' }
    if (!disputeMachine.accepts(snapshot.state, 'requested')) return { kind: 'known', ...snapshot }
    const em = dependencies.orm.em.fork()
    const dispute = await em.findOneOrFail(Dispute, order.uuid)
    const { answer } = await callRepeatably(dependencies, em, order.connectionUuid, provider =>
      requestAtProvider(provider, toDisputeReference(order, dispute), { dispute, isRepeat }),
    )
    if (answer.kind === 'found' || answer.kind === 'accepted')
      return applyDisputeReport(dependencies, order, answer.dispute)
    if (answer.kind === 'rejected' && answer.code !== 'rate_limited')
      return recordRequestRefusal(dependencies, order.uuid, answer)
    return { kind: 'no_answer', code: answer.code }
  }
}

async function requestAtProvider(
  provider: Provider,
  reference: DisputeReference,
  { dispute, isRepeat }: { dispute: Dispute; isRepeat: boolean },
): Promise<Exclude<FindDisputeOutcome, { kind: 'not_found' }> | RequestDisputeOutcome> {
  if (isRepeat) {
    const found = await provider.findDispute(reference)
    if (found.kind !== 'not_found') return found
  }
  const { endToEnd, disputeType, details } = dispute
  const request = { endToEnd, situation: situationOf(disputeType), details }
  return (await provider.requestDispute?.(request)) ?? REQUEST_UNSUPPORTED
}

const REQUEST_UNSUPPORTED = {
  kind: 'rejected',
  finality: 'final',
  code: 'dispute_not_supported',
  message: 'The provider requests no disputes by its API',
} as const

async function recordRequestRefusal(
  dependencies: ActivityDependencies,
  uuid: string,
  { code, message }: { code: string; message: string },
): Promise<PollDisputeResult> {
  const snapshot = await changeDispute(dependencies, uuid, async (em, dispute) => {
    if (!disputeMachine.accepts(dispute.state, 'request_refused')) return
    const at = new Date()
    dispute.failure = { code, message }
    transition(dispute, disputeMachine, 'request_refused', at)
    await recordDisputeEvent(em, dispute, { at, linkTo: createAttachmentLinker(dependencies) })
  })
  return snapshot ? { kind: 'known', ...snapshot } : { kind: 'not_found' }
}

/**
 * Cancels what an account has requested, at its provider. The cancellation is stored before the call, and called again until the provider
 * answers; a dispute that goes on after an answer was not cancelled. `not_found`: the row is missing.
 */
export function cancelDispute(dependencies: ActivityDependencies) {
  return async (order: DisputeInput): Promise<PollDisputeResult> => {
    const snapshot = await changeDispute(dependencies, order.uuid, async (_em, dispute) => {
      if (isCancellableDispute(dispute)) dispute.cancelRequestedAt ??= new Date()
    })
    if (!snapshot) return { kind: 'not_found' }
    if (!snapshot.isCancelRequested) return { kind: 'known', ...snapshot }
    const em = dependencies.orm.em.fork()
    const { providerDisputeId: id, endToEnd } = await em.findOneOrFail(Dispute, order.uuid)
    const reference = { id: id ?? endToEnd, endToEnd, isRequested: true } as const
    const { answer } = await callRepeatably(
      dependencies,
      em,
      order.connectionUuid,
      async provider => (await provider.cancelDispute?.(reference)) ?? CANCEL_UNSUPPORTED,
    )
    if (answer.kind === 'found')
      return applyDisputeReport(dependencies, order, answer.dispute, { isCancelAnswered: true })
    return { kind: 'no_answer', code: answer.kind === 'no_answer' ? answer.code : answer.kind }
  }
}

const CANCEL_UNSUPPORTED = {
  kind: 'no_answer',
  code: 'dispute_not_supported',
  message: 'The provider cancels no disputes by its API',
} as const
