import { formatEventBody } from '../../contract/events/event.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import { Delivery, DeliveryAttempt, Event, Webhook } from '../../db/entities/webhook.ts'
import { ROW_LOCK } from '../../db/locks.ts'
import { sendChanges } from '../../db/pipeline/query.ts'
import {
  endUndeliverableDelivery,
  postponeDelivery,
  recordSuccessfulAttempt,
} from '../../db/repositories/deliveries.ts'
import { transitionDelivery } from '../../db/repositories/delivery-status.ts'
import { disableWebhook, getEndingEvent, lockWebhook } from '../../db/repositories/webhook-endpoints.ts'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import { DISABLE_AFTER_MS, RETRY_SCHEDULE_MS, retryDelayMs } from '../../domain/webhooks/webhook.ts'
import type { WebhookAttemptSample } from '../../metrics/worker-metrics.ts'
import type { Sealer } from '../../security/sealing.ts'
import type { WebhookAttemptResult, WebhookClient } from '../../webhook-client/client.ts'
import type { AttemptDeliveryInput, AttemptDeliveryResult } from '../../workflows/contracts/webhooks.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { buildSignedHeaders } from '../shared/signed-headers.ts'

/** Tolerance for the clocks of two machines: an attempt may be made this much earlier than it is due. */
const CLOCK_TOLERANCE_MS = 1_000
/** Result where the event was pruned, and its delivery with it. */
export const PRUNED_RESULT: AttemptDeliveryResult = { kind: 'closed', outcome: 'CANCELLED' }

type AttemptOptions = { em?: EntityManager; postSigned?: WebhookClient['postSigned']; isClaimed?: boolean }

/**
 * Makes one delivery attempt if it is due, records it, and returns whether and when the next one follows (SPEC §8). Temporal repeats
 * it without limit: the attempt is claimed, so that nothing is sent while PostgreSQL takes no writes.
 */
export function attemptDelivery(dependencies: ActivityDependencies) {
  const attempt = createDeliveryAttempt(dependencies)
  return (input: Pick<AttemptDeliveryInput, 'deliveryUuid'>) => attempt(input, { isClaimed: true })
}

/**
 * Creates the attempt of a delivery. `em`: one that has read the rows already; `postSigned`: of the client, or a function that
 * observes it; `isClaimed`: whether a committed write precedes the request, for an attempt that may be repeated.
 */
export function createDeliveryAttempt({
  orm,
  sealer,
  webhooks,
  timeScale,
  onDeliveryAttempt,
  log,
}: ActivityDependencies) {
  return async (
    { deliveryUuid }: Pick<AttemptDeliveryInput, 'deliveryUuid'>,
    { em = orm.em.fork(), postSigned = webhooks.postSigned, isClaimed = false }: AttemptOptions = {},
  ): Promise<AttemptDeliveryResult> => {
    const delivery = await em.findOne(Delivery, deliveryUuid)
    if (!delivery) return PRUNED_RESULT
    if (delivery.status !== 'PENDING') return { kind: 'closed', outcome: delivery.status }
    // A signal may come early: only `nextAttemptAt` of the row makes an attempt due.
    const dueInMs = (delivery.nextAttemptAt?.getTime() ?? 0) - Date.now()
    if (dueInMs > CLOCK_TOLERANCE_MS) return { kind: 'again', waitMs: dueInMs * timeScale }

    const endpoint = await em.findOneOrFail(Webhook, delivery.webhookUuid)
    const endingEvent = getEndingEvent(endpoint)
    if (endingEvent) {
      const outcome = await endUndeliverableDelivery(em, { uuid: deliveryUuid, endpoint, event: endingEvent })
      // The endpoint may have been enabled, or deleted, since it was read: the next attempt reads it anew.
      return outcome ? { kind: 'closed', outcome } : { kind: 'again', waitMs: 0 }
    }
    const event = await em.findOneOrFail(Event, delivery.eventUuid)
    const slot = await webhooks.acquireSlot(endpoint.uuid, { failingForMs: getFailingTimeMs(endpoint) })
    if ('retryInMs' in slot) return postponeUntilSlot(em, { delivery, endpoint, retryInMs: slot.retryInMs })
    const at = new Date()
    let attempt: WebhookAttemptResult
    try {
      if (isClaimed && !(await postponeDelivery(em, delivery, { sweepAt: overdueFrom(at) })))
        return { kind: 'again', waitMs: 0 }
      attempt = await postSigned(buildSignedRequest(sealer, endpoint, event, at))
    } finally {
      slot.release()
    }
    onDeliveryAttempt?.(toAttemptMetric(attempt, event))
    try {
      return await recordAttempt(em, { deliveryBefore: delivery, url: endpoint.url, attempt, at, timeScale })
    } catch (error) {
      // The request was made: a repeat waits as after any attempt. Thrown, the error would have Temporal repeat it at once.
      log.error(
        { delivery: deliveryUuid, err: error },
        'the outcome of a webhook delivery attempt is not stored',
      )
      return { kind: 'again', waitMs: getUnrecordedWaitMs(delivery, attempt) }
    }
  }

  /** Postpones a delivery whose endpoint has too many requests open. The sweep finds it if its workflow is lost. */
  async function postponeUntilSlot(
    em: EntityManager,
    { delivery, endpoint, retryInMs }: { delivery: Delivery; endpoint: Webhook; retryInMs: number },
  ): Promise<AttemptDeliveryResult> {
    const retryAt = new Date(Date.now() + retryInMs)
    // At an endpoint that works, a delivery that waits for a slot is late.
    const nextAttemptAt = endpoint.failingSince ? retryAt : undefined
    await postponeDelivery(em, delivery, { sweepAt: overdueFrom(retryAt), nextAttemptAt })
    // `retryInMs` is real time of a socket: multiplied here, because the workflow divides every wait by the time scale.
    return { kind: 'again', waitMs: retryInMs * timeScale }
  }

  /** Returns when a delivery that is due at `dueAt` is overdue, and the sweep signals its workflow. */
  function overdueFrom(dueAt: Date): Date {
    return new Date(dueAt.getTime() + scaleWait(WAITS.deliveryOverdue, timeScale))
  }

  async function recordAttempt(em: EntityManager, record: AttemptRecord): Promise<AttemptDeliveryResult> {
    const { deliveryBefore: delivery, attempt } = record
    if (!isSuccessfulAttempt(attempt)) return runInTransaction(orm, tx => recordFailedAttempt(tx, record))
    const isRecorded = await recordSuccessfulAttempt(em, { ...record, delivery, attempt })
    return isRecorded ? { kind: 'closed', outcome: 'DELIVERED' } : PRUNED_RESULT
  }
}

/** Returns the wait after an attempt whose outcome could not be stored, as if it had been stored as a failure. */
function getUnrecordedWaitMs(delivery: Delivery, attempt: WebhookAttemptResult): number {
  const attempts = delivery.attemptCount + 1 - delivery.attemptsBeforeRun
  const retryAfterMs = attempt.kind === 'answered' ? attempt.retryAfterMs : 0
  const number = Math.min(attempts, RETRY_SCHEDULE_MS.length)
  return retryDelayMs(number, Math.random(), retryAfterMs)!
}

/** Returns how long an endpoint has failed; undefined where its last attempt succeeded. */
function getFailingTimeMs({ failingSince }: Webhook): number | undefined {
  return failingSince ? Math.max(0, Date.now() - failingSince.getTime()) : undefined
}

/** Converts an attempt to a sample for the metrics. The lag counts from the event's `created_at`. */
function toAttemptMetric(attempt: WebhookAttemptResult, event: Event): WebhookAttemptSample {
  if (attempt.kind !== 'answered') return { outcome: 'no_answer', lagSeconds: null }
  if (!isSuccessfulAttempt(attempt)) return { outcome: 'refused', lagSeconds: null }
  return { outcome: 'delivered', lagSeconds: Math.max(0, Date.now() - event.createdAt.getTime()) / 1000 }
}

/** Builds body and Standard Webhooks signature; a replaced signing secret signs as well until it expires. */
function buildSignedRequest(sealer: Sealer, endpoint: Webhook, event: Event, at: Date) {
  const body = formatEventBody(event)
  const { uuid: id, requestId } = event
  const headers = buildSignedHeaders(sealer, endpoint, { id, at, body, requestId })
  return { url: endpoint.url, body, headers }
}

type AnsweredAttempt = Extract<WebhookAttemptResult, { kind: 'answered' }>
/** `deliveryBefore`: the delivery's row as it was when the attempt started; `url`: the address that was called. */
type AttemptRecord = {
  deliveryBefore: Delivery
  url: string
  attempt: WebhookAttemptResult
  at: Date
  timeScale: number
}

async function recordFailedAttempt(em: EntityManager, record: AttemptRecord): Promise<AttemptDeliveryResult> {
  const { deliveryBefore, attempt, at, timeScale } = record
  // Endpoints are locked before deliveries.
  const endpoint = await lockWebhook(em, deliveryBefore.webhookUuid)
  const delivery = await em.findOne(Delivery, deliveryBefore.uuid, ROW_LOCK)
  // Another attempt of the same delivery that was made meanwhile succeeded, and is the newer sign of health.
  if (endpoint && delivery?.status !== 'DELIVERED') await updateEndpointHealth(em, endpoint, record)
  if (!delivery) return PRUNED_RESULT
  // Disabling an endpoint ends its deliveries.
  if (endpoint?.status === 'DISABLED') await em.refresh(delivery)
  delivery.attemptCount += 1
  const isAnswered = attempt.kind === 'answered'
  em.create(DeliveryAttempt, {
    deliveryUuid: delivery.uuid,
    number: delivery.attemptCount,
    statusCode: isAnswered ? attempt.status : null,
    failure: isAnswered ? null : attempt.kind,
    durationMs: attempt.durationMs,
    answer: isAnswered ? attempt.answer : '',
    at,
  })
  if (delivery.status !== 'PENDING') {
    delivery.sweepAt = null // Its workflow ends by this result.
    return { kind: 'closed', outcome: delivery.status }
  }
  // Another attempt was requested during this one.
  if (delivery.nextAttemptAt?.getTime() !== deliveryBefore.nextAttemptAt?.getTime())
    return { kind: 'again', waitMs: 0 }
  const retryAfterMs = isAnswered ? attempt.retryAfterMs : 0
  const waitMs = retryDelayMs(delivery.attemptCount - delivery.attemptsBeforeRun, Math.random(), retryAfterMs)
  if (waitMs === null) {
    transitionDelivery(delivery, 'given_up')
    return { kind: 'closed', outcome: 'FAILED' }
  }
  delivery.nextAttemptAt = new Date(at.getTime() + scaleWait(waitMs, timeScale))
  delivery.sweepAt = new Date(delivery.nextAttemptAt.getTime() + scaleWait(WAITS.deliveryOverdue, timeScale))
  return { kind: 'again', waitMs }
}

/** Updates the health of an endpoint, whose row is locked, from a failed attempt, unless its address has changed. */
async function updateEndpointHealth(
  em: EntityManager,
  endpoint: Webhook,
  { url, attempt, at, timeScale }: AttemptRecord,
): Promise<void> {
  if (endpoint.status !== 'ACTIVE' || endpoint.url !== url) return
  endpoint.failingSince ??= at
  const isGone = attempt.kind === 'answered' && attempt.status === 410
  const isSilent = at.getTime() - endpoint.failingSince.getTime() >= scaleWait(DISABLE_AFTER_MS, timeScale)
  if (isGone || isSilent) await disableWebhook(em, endpoint, isGone ? 'gone' : 'silent')
  else await sendChanges(em)
}

/** Tells whether an attempt succeeded: only a 2xx response does (SPEC §8). */
function isSuccessfulAttempt(attempt: WebhookAttemptResult): attempt is AnsweredAttempt {
  return attempt.kind === 'answered' && attempt.status >= 200 && attempt.status < 300
}
