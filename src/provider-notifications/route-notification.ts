import { createHash, randomUUID } from 'node:crypto'
import type { EntityManager } from '../db/client/orm.ts'
import { Attempt } from '../db/entities/attempt.ts'
import { Connection } from '../db/entities/connection.ts'
import { Movement } from '../db/entities/movement.ts'
import { type NotificationOutcome, ProviderNotification } from '../db/entities/provider-notification.ts'
import { Refund } from '../db/entities/refund.ts'
import { batchQueries, type Query, runQuery } from '../db/pipeline/query.ts'
import { findPreparedTransfer, queryAttemptByReference } from '../db/repositories/attempts.ts'
import { isChargeAtOtherAccount } from '../db/repositories/charges.ts'
import { type PixDispute, queryDisputesOfPix } from '../db/repositories/disputes.ts'
import {
  markNotificationRouted,
  storeProviderNotifications,
} from '../db/repositories/provider-notifications.ts'
import { findRecurrenceByRailId } from '../db/repositories/recurrences.ts'
import { uuidFromHash, uuidFromReference } from '../domain/pix/identifiers.ts'
import { scaleWait } from '../domain/shared/intervals.ts'
import { deriveDisputeUuid } from '../temporal/disputes.ts'
import {
  signalDeposit,
  signalDispute,
  signalIfRunning,
  signalOperation,
  signalPayloadOwner,
  signalRecurrence,
  signalReturn,
} from '../temporal/signals.ts'
import { hasWorkflow } from '../temporal/workflow-history.ts'
import type { TemporalContext } from '../temporal/workflow-options.ts'
import type { ProviderNotificationSignal } from '../workflows/contracts/provider-notifications.ts'
import { WORKFLOWS } from '../workflows/contracts/workflows.ts'

/** Unscaled age after which a notification that names a charge without row and workflow is not ours. */
const FOREIGN_AFTER_MS = 10 * 60_000

/**
 * Routes a stored notification to its workflow by signal, and marks it. It proves nothing: the workflow polls the
 * provider. Returns its outcome; null if no workflow accepts it yet: it stays stored, and the sweep routes it later.
 * Safe to repeat at any point.
 */
export async function routeNotification(
  temporal: TemporalContext,
  em: EntityManager,
  notification: ProviderNotification,
  context: { connection?: Connection; subject?: InboundNotificationSubject } = {},
): Promise<NotificationOutcome | null> {
  const connection = context.connection ?? (await em.findOneOrFail(Connection, notification.connectionUuid))
  const signal = buildNotificationSignal(notification)
  const outcome = await routeByKind(temporal, em, { ...context, notification, connection, signal })
  if (outcome) await markNotificationRouted(em, notification, outcome)
  return outcome
}

/** The attempt whose reference a notification names, and the disputes about its PIX. */
export type InboundNotificationSubject = [attempt: Attempt | undefined, disputes: PixDispute[]]

/** Queries the subject of a notification, at the provider account of its connection. */
export function queryNotificationSubject(
  em: EntityManager,
  { reference, endToEnd }: Pick<ProviderNotification, 'reference' | 'endToEnd'>,
  { providerAccountUuid }: Connection,
): Query<InboundNotificationSubject> {
  const attempt = queryAttemptByReference(em, { reference, providerAccountUuid })
  return batchQueries(attempt, queryDisputesOfPix({ endToEnd, providerAccountUuid }))
}

/** A notification with the id of ours that it names, and the attempt of that id. */
type IdentifiedNotification = InboundNotification & { uuid: string | null; attempt: Attempt | undefined }

async function routeByKind(
  temporal: TemporalContext,
  em: EntityManager,
  { subject, ...inbound }: InboundNotification & { subject?: InboundNotificationSubject },
): Promise<NotificationOutcome | null> {
  const { notification, connection } = inbound
  if (notification.kind === 'recurrence') return routeToRecurrence(temporal, em, inbound)
  const uuid = notification.reference ? uuidFromReference(notification.reference) : null
  const [attempt, disputes] =
    subject ?? (await runQuery(em, queryNotificationSubject(em, notification, connection)))
  if (notification.kind === 'dispute' && notification.reference)
    return routeToDispute(temporal, inbound, identifyDispute(inbound, notification.reference, disputes))
  const routeOwn = () => routeByReference(temporal, em, { ...inbound, uuid, attempt })
  if (notification.kind === 'payment') return routeOwn()
  // A return may be of a dispute: the disputes of that PIX are signalled as well.
  for (const dispute of disputes) await routeToDispute(temporal, inbound, dispute)
  const outcome = notification.kind === 'dispute' ? null : await routeOwn()
  if (disputes.length > 0 || outcome === 'routed') return 'routed'
  return outcome ?? (isRecent(temporal, notification) ? null : 'foreign')
}

/** Routes by the id in the notification, ours or the provider's; a connection can only report what its provider account carries. */
function routeByReference(temporal: TemporalContext, em: EntityManager, inbound: IdentifiedNotification) {
  const { notification, uuid, attempt } = inbound
  if (attempt) return routeToAttempt(temporal, attempt, inbound)
  if (uuid) return routeUnknownReference(temporal, em, { ...inbound, uuid })
  return notification.kind === 'payment'
    ? routeToDeposit(temporal, inbound)
    : routeByEndToEnd(temporal, em, inbound)
}

async function routeToAttempt(temporal: TemporalContext, attempt: Attempt, inbound: InboundNotification) {
  const { signal } = inbound
  const { subjectUuid, connectionUuid } = attempt
  switch (attempt.operation) {
    case 'issue':
      return routeToCharge(temporal, attempt, inbound)
    case 'transfer':
      // Polled at the attempt's connection, whichever connection received the notification.
      await signalOperation(temporal, 'transfer', subjectUuid, { ...signal, connectionUuid })
      return 'routed'
    case 'refund':
      await signalOperation(temporal, 'refund', subjectUuid, signal)
      return 'routed'
    case 'return':
      await signalReturn(temporal, { uuid: subjectUuid, connectionUuid }, signal)
      return 'routed'
    case 'create_key':
    case 'delete_key':
    case 'create_recurrence':
      return 'foreign' // Providers receive no id of ours with a key, and name a recurrence by the rail's.
  }
}

async function routeToCharge(temporal: TemporalContext, attempt: Attempt, inbound: InboundNotification) {
  const { signal } = inbound
  switch (await signalPayloadOwner(temporal, attempt, signal)) {
    case 'signalled':
      return 'routed'
    case 'issuing': {
      const workflowId = WORKFLOWS.charge.idOf(attempt.subjectUuid)
      return (await signalIfRunning(temporal, workflowId, signal)) ? 'routed' : null
    }
    case 'none':
      return routeToDeposit(temporal, inbound, attempt)
  }
}

/** Routes a reference that no attempt at this provider account has: too early, foreign, or of an unknown charge. */
async function routeUnknownReference(
  temporal: TemporalContext,
  em: EntityManager,
  inbound: InboundNotification & { uuid: string },
): Promise<NotificationOutcome | null> {
  const { notification, signal, uuid } = inbound
  if (notification.kind !== 'payment') return 'foreign'
  // Money that the provider reports for a charge at another provider account is a deposit. While a charge is `issuing`,
  // also when it is being recovered after a restore, its provider account is not known yet.
  const { providerAccountUuid } = inbound.connection
  if (await isChargeAtOtherAccount(em, { uuid, providerAccountUuid }))
    return routeToDeposit(temporal, inbound)
  if (await signalIfRunning(temporal, WORKFLOWS.charge.idOf(uuid), signal)) return 'routed'
  if (isRecent(temporal, notification)) return null
  // A workflow without a row is newer than a restored database: the rebuild handles it.
  if (await hasWorkflow(await temporal.client(), WORKFLOWS.charge.idOf(uuid))) return null
  return routeToDeposit(temporal, inbound)
}

/** Routes a notification that names only the returned PIX: signals the workflow of every attempt about it. */
async function routeByEndToEnd(temporal: TemporalContext, em: EntityManager, inbound: InboundNotification) {
  const { notification, connection } = inbound
  const { providerAccountUuid } = connection
  // The provider's own id may arrive before our record of the answer that names it.
  if (!notification.endToEnd)
    return notification.reference && isRecent(temporal, notification) ? null : 'foreign'
  const movement = await em.findOne(Movement, {
    providerAccountUuid,
    endToEnd: notification.endToEnd,
    movementType: notification.kind === 'refund' ? 'IN' : 'OUT',
  })
  const subjects = movement
    ? [movement.uuid, movement.transferUuid, ...(await findRefundUuids(em, movement))]
    : []
  const attempts = await em.find(Attempt, {
    subjectUuid: { $in: subjects.filter(uuid => uuid != null) },
    providerAccountUuid,
    operation: { $ne: 'issue' },
  })
  for (const attempt of attempts) await routeToAttempt(temporal, attempt, inbound)
  if (attempts.length > 0) return 'routed'
  // Its end-to-end id was stored with the preparation, before any settlement: so it is about the transfer, and no return.
  const prepared = await findPreparedTransfer(em, { providerAccountUuid, endToEnd: notification.endToEnd })
  if (prepared) {
    const { isAboutReturn: _, ...signal } = inbound.signal
    return routeToAttempt(temporal, prepared, { ...inbound, signal })
  }
  // It may arrive before our settlement, which writes the movement's end-to-end id.
  return isRecent(temporal, notification) ? null : 'foreign'
}

function isRecent(temporal: TemporalContext, { receivedAt }: ProviderNotification): boolean {
  return Date.now() - receivedAt.getTime() <= scaleWait(FOREIGN_AFTER_MS, temporal.timeScale)
}

async function findRefundUuids(em: EntityManager, { chargeUuid }: Movement): Promise<string[]> {
  if (!chargeUuid) return []
  return (await em.find(Refund, { chargeUuid }, { fields: ['uuid'] })).map(refund => refund.uuid)
}

/** Routes money that names no charge to a deposit, at the connection of the attempt that it names, if it names one. */
async function routeToDeposit(
  temporal: TemporalContext,
  { notification, connection, signal }: InboundNotification,
  attempt?: Attempt,
): Promise<NotificationOutcome> {
  const connectionUuid = (connection.type === 'POOL' && attempt?.connectionUuid) || connection.uuid
  if (notification.kind !== 'payment' || !notification.endToEnd) return 'foreign'
  const { endToEnd, requestId } = notification
  await signalDeposit(temporal, { connectionUuid, endToEnd, requestId }, signal)
  return 'routed'
}

type InboundNotification = {
  notification: ProviderNotification
  connection: Connection
  signal: ProviderNotificationSignal
}

/** Age up to which a notification's own request still waits for the routing; older ones come in bulk. */
const NEW_NOTIFICATION_MS = 5_000

/**
 * Builds the signal of a notification: what to poll, whether it has just arrived, and whether it is about a return. A
 * transfer notification without a reference, only with the id of a PIX that we sent, is about a return
 * (src/providers/woovi/notifications.ts).
 */
export function buildNotificationSignal({
  uuid,
  connectionUuid,
  receivedAt,
  kind,
  reference,
}: ProviderNotification): ProviderNotificationSignal {
  const isNew = Date.now() - receivedAt.getTime() < NEW_NOTIFICATION_MS
  const isAboutReturn = kind === 'transfer' && reference === null
  return {
    notificationUuid: uuid,
    connectionUuid,
    ...(isNew && { isNew: true }),
    ...(isAboutReturn && { isAboutReturn }),
  }
}

/** Routes what changed of a recurrence, by the rail's id, which is stored with the answer that names it. */
async function routeToRecurrence(
  temporal: TemporalContext,
  em: EntityManager,
  { notification, connection, signal }: InboundNotification,
): Promise<NotificationOutcome | null> {
  const { providerAccountUuid } = connection
  const railId = notification.reference
  const uuid = railId ? await findRecurrenceByRailId(em, { providerAccountUuid, railId }) : null
  if (!uuid) return isRecent(temporal, notification) ? null : 'foreign'
  await signalRecurrence(temporal, uuid, signal)
  return 'routed'
}

type RoutedDispute = Pick<PixDispute, 'uuid' | 'providerDisputeId'>

/**
 * Identifies the dispute with a provider's id among those of its PIX: the one with this id, else the one that the account has requested,
 * which its provider may know by several ids, else a new one.
 */
function identifyDispute(
  { connection: { providerAccountUuid } }: InboundNotification,
  providerDisputeId: string,
  disputes: PixDispute[],
): RoutedDispute {
  return (
    disputes.find(dispute => dispute.providerDisputeId === providerDisputeId) ??
    disputes.find(({ isRequested }) => isRequested) ?? {
      uuid: deriveDisputeUuid({ providerAccountUuid, providerDisputeId }),
      providerDisputeId,
    }
  )
}

/** Signals the workflow of a dispute, which creates the dispute or polls it. */
async function routeToDispute(
  temporal: TemporalContext,
  { notification, connection, signal }: InboundNotification,
  { uuid, providerDisputeId }: RoutedDispute,
): Promise<NotificationOutcome> {
  const { uuid: connectionUuid } = connection
  const { endToEnd = null, requestId } = notification
  await signalDispute(temporal, { uuid, connectionUuid, providerDisputeId, endToEnd, requestId }, signal)
  return 'routed'
}

/** A change that a provider lists; `facts` identify it. */
type ListedChange = Pick<ProviderNotification, 'connectionUuid' | 'kind' | 'reference' | 'endToEnd'> & {
  facts: object
  /** Whether a change that was stored before is routed again. */
  isReroutingKnown: boolean
}

/**
 * Stores a notification of a change that a provider lists, once, and routes it: the provider's own notification was
 * lost, or it sends none. Returns the outcome of a new one; undefined where it was stored before.
 */
export async function notifyOfListedChange(
  temporal: TemporalContext,
  em: EntityManager,
  { facts, isReroutingKnown, ...change }: ListedChange,
): Promise<NotificationOutcome | null | undefined> {
  const body = JSON.stringify({ reconciliation: facts })
  const uuid = deriveNotificationUuid(change.connectionUuid, body)
  const storedNotification = await em.findOne(ProviderNotification, uuid)
  if (storedNotification && isReroutingKnown) await routeNotification(temporal, em, storedNotification)
  if (storedNotification) return undefined
  const { connectionUuid, ...identity } = change
  const received = { ...identity, uuid, requestId: randomUUID(), body }
  // A concurrent reconciliation may store it first.
  const [notification] = await runQuery(em, storeProviderNotifications(em, connectionUuid, [received]))
  return notification && routeNotification(temporal, em, notification)
}

/** Derives the uuid of a notification from its connection and its text, so that one that is sent again is stored once. */
export function deriveNotificationUuid(connectionUuid: string, body: string): string {
  const identity = JSON.stringify(['notification', connectionUuid, body])
  return uuidFromHash(createHash('sha256').update(identity).digest())
}
