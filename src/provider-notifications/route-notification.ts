import type { EntityManager } from '../db/client/orm.ts'
import { Attempt } from '../db/entities/attempt.ts'
import { Connection } from '../db/entities/connection.ts'
import { Movement } from '../db/entities/movement.ts'
import type { NotificationOutcome, ProviderNotification } from '../db/entities/notice.ts'
import { Refund } from '../db/entities/refund.ts'
import { batchQueries, type Query, runQuery } from '../db/pipeline/query.ts'
import { queryAttemptByReference } from '../db/repositories/attempts.ts'
import { markNotificationRouted } from '../db/repositories/provider-notifications.ts'
import { hasWorkflow } from '../disaster-recovery/workflow-history.ts'
import { referenceOf, uuidFromReference } from '../domain/pix/identifiers.ts'
import { scaleWait } from '../domain/shared/intervals.ts'
import {
  signalDeposit,
  signalIfRunning,
  signalPayloadOwner,
  signalRefund,
  signalReturn,
  signalTransfer,
} from '../temporal/signals.ts'
import type { WorkflowClientContext } from '../temporal/workflow-options.ts'
import { chargeWorkflowId } from '../workflows/contracts/workflow-ids.ts'
import { queryProviderDisputeIds, routeToDispute, routeToDisputes } from './disputes.ts'
import { buildNotificationSignal, type InboundNotification } from './notification.ts'

/** After this long, a notification that names a charge without row and workflow is not ours. */
const FOREIGN_AFTER_MS = 10 * 60_000

/**
 * Routes a stored notification to its workflow by signal, and marks it. It proves nothing: the workflow polls the provider.
 * Returns its outcome; null where no workflow accepts it yet: it stays stored, and the sweep routes it later. Safe to repeat at
 * any point.
 */
export async function routeNotification(
  engine: WorkflowClientContext,
  em: EntityManager,
  notice: ProviderNotification,
  known: { connection?: Connection; subject?: InboundNotificationSubject } = {},
): Promise<NotificationOutcome | null> {
  const connection = known.connection ?? (await em.findOneOrFail(Connection, notice.connectionUuid))
  const outcome = await routeByKind(engine, em, { ...known, notification: notice, connection })
  if (outcome) await markNotificationRouted(em, notice, outcome)
  return outcome
}

/** The attempt whose id a notification names, and the disputes about its PIX. */
export type InboundNotificationSubject = [attempt: Attempt | undefined, disputes: string[]]

/** Query of what a notification is about, at the provider account of its connection. */
export function queryNotificationSubject(
  em: EntityManager,
  { reference, endToEnd }: Pick<ProviderNotification, 'reference' | 'endToEnd'>,
  { providerAccountUuid }: Connection,
): Query<InboundNotificationSubject> {
  const named = queryAttemptByReference(em, { reference, providerAccountUuid })
  return batchQueries(named, queryProviderDisputeIds({ endToEnd, providerAccountUuid }))
}

/** A notification with the id of ours that it names, and the attempt of that id. */
type IdentifiedNotification = InboundNotification & { uuid: string | null; attempt: Attempt | undefined }

async function routeByKind(
  engine: WorkflowClientContext,
  em: EntityManager,
  { subject: about, ...told }: InboundNotification & { subject?: InboundNotificationSubject },
): Promise<NotificationOutcome | null> {
  const { notification: notice, connection } = told
  if (notice.kind === 'med' && notice.reference) return routeToDispute(engine, told)
  const subjectUuid = notice.reference ? uuidFromReference(notice.reference) : null
  const [attempt, disputes] = about ?? (await runQuery(em, queryNotificationSubject(em, notice, connection)))
  const own = () => routeByReference(engine, em, { ...told, uuid: subjectUuid, attempt })
  if (notice.kind === 'payment') return own()
  // A return may be of a dispute: the disputes of that PIX are signalled as well.
  const disputed = await routeToDisputes(engine, told, disputes)
  const taken = notice.kind === 'med' ? null : await own()
  if (disputed || taken === 'taken') return 'taken'
  return taken ?? (isRecent(engine, notice) ? null : 'foreign')
}

/** Routes by the id that the notification names; a connection can only report what its provider account carries. */
async function routeByReference(
  engine: WorkflowClientContext,
  em: EntityManager,
  told: IdentifiedNotification,
): Promise<NotificationOutcome | null> {
  const { notification: notice, uuid, attempt } = told
  if (!uuid)
    return notice.kind === 'payment' ? routeToDeposit(engine, told) : routeByEndToEnd(engine, em, told)
  if (!attempt) return routeUnknownReference(engine, em, { ...told, uuid })
  return routeToAttempt(engine, attempt, told)
}

async function routeToAttempt(
  engine: WorkflowClientContext,
  attempt: Attempt,
  told: InboundNotification,
): Promise<NotificationOutcome | null> {
  const { notification: notice } = told
  const { subjectUuid, connectionUuid } = attempt
  switch (attempt.operation) {
    case 'issue':
      return routeToCharge(engine, attempt, told)
    case 'transfer':
      // Polled at the connection of the attempt, whichever one the notification came through.
      await signalTransfer(engine, subjectUuid, { ...buildNotificationSignal(notice), connectionUuid })
      return 'taken'
    case 'refund':
      await signalRefund(engine, subjectUuid, buildNotificationSignal(notice))
      return 'taken'
    case 'return':
      await signalReturn(engine, { uuid: subjectUuid, connectionUuid }, buildNotificationSignal(notice))
      return 'taken'
    case 'create_key':
    case 'delete_key':
      return 'foreign' // No provider gets an id of ours with a key.
  }
}

async function routeToCharge(
  engine: WorkflowClientContext,
  attempt: Attempt,
  told: InboundNotification,
): Promise<NotificationOutcome | null> {
  const { notification: notice } = told
  switch (await signalPayloadOwner(engine, attempt, buildNotificationSignal(notice))) {
    case 'told':
      return 'taken'
    case 'issuing':
      return (await signalIfRunning(
        engine,
        chargeWorkflowId(attempt.subjectUuid),
        buildNotificationSignal(notice),
      ))
        ? 'taken'
        : null
    case 'none':
      return routeToDeposit(engine, told, attempt)
  }
}

/** Routes a reference that no attempt at this provider account has: too early, foreign, or of an unknown charge. */
async function routeUnknownReference(
  engine: WorkflowClientContext,
  em: EntityManager,
  told: InboundNotification & { uuid: string },
): Promise<NotificationOutcome | null> {
  const { notification: notice, uuid } = told
  if (notice.kind !== 'payment') return 'foreign'
  if (await isAtOtherProviderAccount(em, told)) return routeToDeposit(engine, told)
  if (await signalIfRunning(engine, chargeWorkflowId(uuid), buildNotificationSignal(notice))) return 'taken'
  if (isRecent(engine, notice)) return null
  // A workflow without a row is newer than a restored database: the rebuild finds it.
  if (await hasWorkflow(await engine.client(), chargeWorkflowId(uuid))) return null
  return routeToDeposit(engine, told)
}

/**
 * Its provider account carries no such charge: whatever money there is, the provider says so, came as a deposit. Of one that
 * is found again after a restore nobody knows yet who carries it; one statement, because its attempt may just be written.
 */
async function isAtOtherProviderAccount(
  em: EntityManager,
  { connection, uuid }: InboundNotification & { uuid: string },
) {
  const charges = await em.execute<object[]>(
    `select from charge c where c.uuid = ? and c.state <> 'issuing' and not exists (
       select from attempt a where a.reference = ? and a.provider_account_uuid = ?)`,
    [uuid, referenceOf(uuid), connection.providerAccountUuid],
  )
  return charges.length > 0
}

/** Routes a notification that names only the returned PIX: every workflow of that PIX is signalled. */
async function routeByEndToEnd(
  engine: WorkflowClientContext,
  em: EntityManager,
  told: InboundNotification,
): Promise<NotificationOutcome | null> {
  const { notification: notice, connection } = told
  const { providerAccountUuid } = connection
  if (!notice.endToEnd) return 'foreign'
  const movement = await em.findOne(Movement, {
    providerAccountUuid,
    endToEnd: notice.endToEnd,
    movementType: notice.kind === 'refund' ? 'IN' : 'OUT',
  })
  const subjects = movement
    ? [movement.uuid, movement.transferUuid, ...(await findRefundUuids(em, movement))]
    : []
  const attempts = await em.find(Attempt, {
    reference: { $in: subjects.filter(uuid => uuid != null).map(referenceOf) },
    providerAccountUuid,
    operation: { $ne: 'issue' },
  })
  for (const attempt of attempts) await routeToAttempt(engine, attempt, told)
  if (attempts.length > 0) return 'taken'
  // It may be earlier than the settlement here, which writes the movement's end-to-end id.
  return isRecent(engine, notice) ? null : 'foreign'
}

function isRecent(engine: WorkflowClientContext, { receivedAt }: ProviderNotification): boolean {
  return Date.now() - receivedAt.getTime() <= scaleWait(FOREIGN_AFTER_MS, engine.timeScale)
}

async function findRefundUuids(em: EntityManager, { chargeUuid }: Movement): Promise<string[]> {
  if (!chargeUuid) return []
  return (await em.find(Refund, { chargeUuid }, { fields: ['uuid'] })).map(refund => refund.uuid)
}

/**
 * Routes money that names no charge. On a shared provider account its owner is unknown, unless it names a charge that was tried
 * there: then no account is credited, and reconciliation shows it.
 */
async function routeToDeposit(
  engine: WorkflowClientContext,
  { notification: notice, connection }: InboundNotification,
  attempt?: Attempt,
): Promise<NotificationOutcome> {
  const connectionUuid = connection.type === 'POOL' ? attempt?.connectionUuid : connection.uuid
  if (notice.kind !== 'payment' || !notice.endToEnd || !connectionUuid) return 'foreign'
  const { endToEnd, requestId } = notice
  await signalDeposit(engine, { connectionUuid, endToEnd, requestId }, buildNotificationSignal(notice))
  return 'taken'
}
