import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { showWebhook, webhookSchema } from '../../contract/webhooks/webhook.ts'
import { type DeliveriesQuery, showDelivery } from '../../contract/webhooks/webhook-delivery.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Delivery, DeliveryAttempt, Event, type Webhook } from '../../db/entities/webhook.ts'
import { ROW_LOCK } from '../../db/locks.ts'
import { sendChanges } from '../../db/pipeline/query.ts'
import { transitionDelivery } from '../../db/repositories/delivery-status.ts'
import { readListCounter } from '../../db/repositories/list-counters.ts'
import { scaleWait } from '../../domain/shared/intervals.ts'
import { fail } from '../../http/api-error.ts'
import { SIGNAL_TIMEOUT_MS } from '../../http/limits.ts'
import { isOutage, withTimeout } from '../../http/outage.ts'
import { getRequestDeadline } from '../../http/request-deadline.ts'
import { signalDelivery, startDeliverySweep, startEventReplay } from '../../temporal/deliveries.ts'
import type { TemporalContext } from '../../temporal/workflow-options.ts'
import { buildCreationRange, readEntityPage } from './pagination.ts'
import { prepareWorkflowCall, readOrFailNotConfirmed } from './start-and-wait.ts'
import { writeDirectly } from './user-acts.ts'
import {
  describeWebhookWrite,
  lockVisibleWebhook,
  requireVisibleWebhook,
  type WebhookReference,
} from './webhooks.ts'

/** Most attempts shown per delivery; the latest are shown. */
const MAX_ATTEMPTS_SHOWN = 20
/** Delay before the sweep signals the delivery workflow; normally the request itself signals it. */
const SWEEP_AFTER_MS = 20_000

export async function listDeliveries(em: EntityManager, reference: WebhookReference, query: DeliveriesQuery) {
  const webhook = await requireVisibleWebhook(em, reference)
  const { status = [], type } = query
  const created = buildCreationRange(query)
  const filter = {
    webhookUuid: webhook.uuid,
    ...(status.length > 0 && { status: { $in: status } }),
    ...(type && { eventType: { $in: type } }),
    ...(created && { createdAt: created }),
  }
  const { data, meta } = await readEntityPage(em, Delivery, {
    name: `deliveries of ${webhook.uuid}`,
    query,
    filter,
    // The counters do not separate types; the index of the list counts them.
    count: () =>
      type
        ? em.count(Delivery, filter)
        : readListCounter(em, {
            noun: 'delivery',
            conditions: [
              ['account_uuid = ?', webhook.accountUuid],
              ['connection_uuid = ?', webhook.uuid],
            ],
            states: status,
            created,
          }),
  })
  return { data: await showDeliveries(em, data), meta }
}

/** Presents deliveries with their attempts; one more statement, however many deliveries. */
async function showDeliveries(em: EntityManager, deliveries: Delivery[]) {
  const uuids = deliveries.map(delivery => delivery.uuid)
  const latest = deliveries.map(({ uuid, attemptCount }) => ({
    deliveryUuid: uuid,
    number: { $gt: attemptCount - MAX_ATTEMPTS_SHOWN },
  }))
  const attempts =
    uuids.length === 0 ? [] : await em.find(DeliveryAttempt, { $or: latest }, { orderBy: { number: 'asc' } })
  const attemptsOf = Map.groupBy(attempts, one => one.deliveryUuid)
  return deliveries.map(delivery => showDelivery(delivery, attemptsOf.get(delivery.uuid) ?? []))
}

/** A retry that is due within this time is not brought forward: the request may be the same one sent twice. */
const SOON_MS = 60_000

/**
 * Restarts the retry schedule of a delivery, whatever its status, and makes it due at once. Fails where an attempt is due
 * already: of concurrent requests, and of a request sent twice, one restarts the schedule.
 */
export function resendDelivery(
  em: EntityManager,
  reference: WebhookReference,
  { deliveryUuid, timeScale }: { deliveryUuid: string; timeScale: number },
) {
  const { act } = describeWebhookWrite(reference, 'webhook_resend')
  return writeDirectly(em, { ids: { uuid: deliveryUuid }, act }, async tx => {
    const webhook = await lockActiveWebhook(tx, reference)
    const delivery = await tx.findOne(Delivery, { uuid: deliveryUuid, webhookUuid: webhook.uuid }, ROW_LOCK)
    if (!delivery) return fail('not_found')
    if (isAttemptDue(delivery, timeScale)) return fail('resend_in_progress')
    transitionDelivery(delivery, 'resent')
    delivery.attemptsBeforeRun = delivery.attemptCount
    delivery.nextAttemptAt = new Date()
    delivery.sweepAt = new Date(Date.now() + SWEEP_AFTER_MS)
    await sendChanges(tx) // It sets `updatedAt`.
    return (await showDeliveries(tx, [delivery]))[0]!
  })
}

/** Returns whether the next attempt of a delivery is being made, or will be soon. */
function isAttemptDue(
  { status, attemptCount, attemptsBeforeRun, nextAttemptAt }: Delivery,
  timeScale: number,
): boolean {
  if (status !== 'PENDING') return false
  if (!nextAttemptAt) return true
  // The wait before the first attempt of a run is one for a slot or an answer, which no time scale divides.
  const soonMs = attemptCount === attemptsBeforeRun ? SOON_MS : scaleWait(SOON_MS, timeScale)
  return nextAttemptAt.getTime() <= Date.now() + soonMs
}

type TestDelivery = { requestId: string; eventUuid?: string }

/**
 * Creates a TEST event, which carries the webhook as its GET shows it, and its one delivery. A second request with the same
 * `eventUuid` creates nothing.
 */
export function createTestDelivery(
  em: EntityManager,
  reference: WebhookReference,
  { requestId, eventUuid = randomUUID() }: TestDelivery,
) {
  const deliveryUuid = randomUUID()
  const { act } = describeWebhookWrite(reference, 'webhook_test')
  const hasChanged = (delivery: ReturnType<typeof showDelivery>) => delivery.uuid === deliveryUuid
  return writeDirectly(em, { ids: { uuid: deliveryUuid }, act, hasChanged }, async tx => {
    const webhook = await lockActiveWebhook(tx, reference)
    const repeated = await tx.findOne(Delivery, { eventUuid, webhookUuid: webhook.uuid })
    if (repeated) return (await showDeliveries(tx, [repeated]))[0]!
    webhook.sequence += 1
    const { uuid, accountUuid, sequence } = webhook
    const event = tx.create(Event, {
      uuid: eventUuid,
      accountUuid,
      connectionUuid: null,
      type: 'TEST',
      subjectUuid: uuid,
      sequence,
      body: { ...z.encode(webhookSchema, showWebhook(webhook)), sequence },
      ownerUuid: uuid,
      requestId,
      createdAt: new Date(),
    })
    const delivery = tx.create(Delivery, {
      uuid: deliveryUuid,
      webhookUuid: uuid,
      eventUuid: event.uuid,
      eventType: event.type,
      status: 'PENDING',
      sweepAt: new Date(Date.now() + SWEEP_AFTER_MS),
    })
    return showDelivery(delivery, [])
  })
}

/** Locks a webhook that is ACTIVE; fails for a disabled one, which the merchant must enable first, with a handshake. */
async function lockActiveWebhook(em: EntityManager, reference: WebhookReference): Promise<Webhook> {
  const webhook = await lockVisibleWebhook(em, reference)
  return webhook.status === 'ACTIVE' ? webhook : fail('webhook_disabled')
}

/** Starts sending an endpoint again what it has missed since a moment; fails where that is in progress. */
export async function startRecovery(
  temporal: TemporalContext,
  { em, reference, since }: { em: EntityManager; reference: WebhookReference; since: Date },
): Promise<void> {
  const { uuid: webhookUuid } = reference
  const call = { em, ...describeWebhookWrite(reference, 'webhook_recover') }
  const deadline = await prepareWorkflowCall(temporal, call)
  const timeoutMs = deadline.stepTimeoutMs(SIGNAL_TIMEOUT_MS)
  const range = { webhookUuid, since: since.toISOString() }
  const result = await readOrFailNotConfirmed({ uuid: webhookUuid }, () =>
    startEventReplay(temporal, range, timeoutMs),
  )
  if (result === 'already_running') fail('recovery_in_progress')
}

/** Signals the workflows of rows that a request has changed. It succeeds without Temporal too: the next sweep finds the row. */

export function signalOpenDelivery(context: TemporalContext, uuid: string): Promise<void> {
  return ignoreOutage(signalDelivery(context, { uuid, status: 'PENDING' }))
}

export function startDeliverySweepIfUp(context: TemporalContext, accountUuid: string): Promise<void> {
  return ignoreOutage(startDeliverySweep(context, accountUuid))
}

async function ignoreOutage(signal: Promise<void>): Promise<void> {
  try {
    await withTimeout(getRequestDeadline().stepTimeoutMs(SIGNAL_TIMEOUT_MS), signal)
  } catch (error) {
    if (!isOutage(error)) throw error
  }
}
