import { z } from 'zod'
import { chargeSchema, showCharge } from '../../contract/charges/charge.ts'
import { type AttachmentLinker, disputeSchema, showLinkedDispute } from '../../contract/disputes/dispute.ts'
import { movementSchema, showMovement } from '../../contract/ledger/movement.ts'
import { recurrenceSchema, showRecurrence } from '../../contract/recurrences/recurrence.ts'
import { refundSchema, showRefund } from '../../contract/refunds/refund.ts'
import { reportSchema, showReport } from '../../contract/reports/report.ts'
import { showTransfer, transferSchema } from '../../contract/transfers/transfer.ts'
import { batchSchema, needsBatchApproval, showBatch } from '../../contract/transfers/transfer-batch.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import type { Charge } from '../../db/entities/charge.ts'
import { Connection } from '../../db/entities/connection.ts'
import type { Dispute } from '../../db/entities/dispute.ts'
import type { Movement } from '../../db/entities/movement.ts'
import type { Recurrence } from '../../db/entities/recurrence.ts'
import type { Refund } from '../../db/entities/refund.ts'
import type { Report } from '../../db/entities/report.ts'
import type { TransferBatch } from '../../db/entities/transfer-batch.ts'
import { runQuery } from '../../db/pipeline/query.ts'
import { queryApproval } from '../../db/repositories/approvals.ts'
import { loadAttemptProviders } from '../../db/repositories/attempts.ts'
import { readDisputeParts } from '../../db/repositories/disputes.ts'
import { insertEvent, type NewEvent, scheduleDeliveriesForSweep } from '../../db/repositories/events.ts'
import { findPastDueRecurrences } from '../../db/repositories/recurrences.ts'
import { queryChargeRefunds } from '../../db/repositories/refunds.ts'
import { countBatchItems } from '../../db/repositories/transfer-batches.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import type { LockedTransfer } from '../shared/transition.ts'

/** The resource that an event is about; its events are numbered. */
type EventSubject = { uuid: string; accountUuid: string; sequence: number }
type EventFacts = Pick<NewEvent, 'connectionUuid' | 'requestId' | 'at'> & {
  /** Uuid of the operation whose workflow starts the deliveries; by default the subject itself. */
  ownerUuid?: string | undefined
}

/** Numbers and inserts an event. `buildBody` may flush, so the number is counted before it. */
async function recordEvent(
  em: EntityManager,
  type: NewEvent['type'],
  subject: EventSubject,
  { ownerUuid = subject.uuid, ...facts }: EventFacts,
  buildBody: () => NewEvent['body'] | Promise<NewEvent['body']>,
): Promise<void> {
  subject.sequence += 1
  const { uuid: subjectUuid, accountUuid, sequence } = subject
  const body = await buildBody()
  await insertEvent(em, { type, accountUuid, subjectUuid, sequence, ownerUuid, body, ...facts })
}

/** Records a PAYMENT event: the charge as its GET shows it now. `late`: the payment came after the charge had ended. */
export function recordChargeEvent(
  em: EntityManager,
  charge: Charge,
  { late = false, ...context }: { at: Date; late?: boolean; ownerUuid?: string },
): Promise<void> {
  const { connection, requestId } = charge
  const facts = { connectionUuid: connection.uuid, requestId, ...context }
  return recordEvent(em, 'PAYMENT', charge, facts, async () => {
    // Before another operation changes it, a charge has no refund.
    const refunds =
      context.ownerUuid === undefined ? [] : await runQuery(em, queryChargeRefunds(em, charge.uuid))
    return { ...z.encode(chargeSchema, showCharge(charge, refunds)), ...(late && { late: true }) }
  })
}

/** Records a TRANSFER event: the transfer as its GET shows it now. */
export function recordTransferEvent(
  em: EntityManager,
  { transfer, attempts }: LockedTransfer,
  { at, late = false }: { at: Date; late?: boolean },
): Promise<void> {
  const { connection, requestId } = transfer
  const facts = { connectionUuid: connection.uuid, requestId, at }
  return recordEvent(em, 'TRANSFER', transfer, facts, async () => {
    const approval =
      transfer.approvalsNeeded == null ? undefined : await runQuery(em, queryApproval(transfer.uuid))
    const view = showTransfer(transfer, await loadAttemptProviders(em, attempts), approval)
    return { ...z.encode(transferSchema, view), ...(late && { late: true }) }
  })
}

/** Records a BATCH event: the batch as its GET shows it now. It is of the mode of the first provider that the batch may use. */
export function recordBatchEvent(em: EntityManager, batch: TransferBatch, at: Date): Promise<void> {
  const { uuid, accountUuid, requestId, candidates } = batch
  const facts = { connectionUuid: candidates[0] ?? null, requestId, at }
  return recordEvent(em, 'BATCH', batch, facts, async () => {
    const counts = (await countBatchItems(em, accountUuid, [uuid])).get(uuid)!
    const approval = needsBatchApproval(batch) ? await runQuery(em, queryApproval(uuid)) : undefined
    return z.encode(batchSchema, showBatch(batch, { counts, approval }))
  })
}

/** Records a RECURRENCE event: the recurrence as its GET shows it now. */
export function recordRecurrenceEvent(em: EntityManager, recurrence: Recurrence, at: Date): Promise<void> {
  const { uuid, connection, requestId } = recurrence
  const facts = { connectionUuid: connection.uuid, requestId, at }
  return recordEvent(em, 'RECURRENCE', recurrence, facts, async () => {
    const isPastDue = (await findPastDueRecurrences(em, [uuid])).has(uuid)
    return z.encode(recurrenceSchema, showRecurrence(recurrence, { isPastDue }))
  })
}

/**
 * Records a REPORT event: the report as its GET shows it now. It is of the mode of the report: one of all providers names the first of
 * that mode. No workflow starts its deliveries, but the next sweep.
 */
export async function recordReportEvent(em: EntityManager, report: Report, at: Date): Promise<void> {
  const { uuid, accountUuid, isSimulated, requestId } = report
  const connectionUuid =
    report.connectionUuid ?? (await findFirstConnection(em, { accountUuid, isSimulated }))
  await recordEvent(em, 'REPORT', report, { connectionUuid, requestId, at }, () =>
    z.encode(reportSchema, showReport(report)),
  )
  await scheduleDeliveriesForSweep(em, uuid)
}

async function findFirstConnection(
  em: EntityManager,
  of: { accountUuid: string; isSimulated: boolean },
): Promise<string | null> {
  const [first] = await em.find(Connection, of, { orderBy: { createdAt: 'asc', uuid: 'asc' }, limit: 1 })
  return first?.uuid ?? null
}

/** Records a REFUND event: the refund result as its GET shows it now. */
export function recordRefundEvent(
  em: EntityManager,
  refund: Refund,
  { charge, ...context }: { charge: Charge; at: Date; ownerUuid?: string },
): Promise<void> {
  const { connectionUuid, requestId } = refund
  const facts = { connectionUuid, requestId, ...context }
  return recordEvent(em, 'REFUND', refund, facts, () => z.encode(refundSchema, showRefund(refund, charge)))
}

/** Records a MED event: the dispute as its GET shows it now, with new links to its proofs. */
export function recordDisputeEvent(
  em: EntityManager,
  dispute: Dispute,
  { at, linkTo }: { at: Date; linkTo: AttachmentLinker },
): Promise<void> {
  const { connection, requestId } = dispute
  return recordEvent(em, 'MED', dispute, { connectionUuid: connection.uuid, requestId, at }, async () => {
    const parts = await readDisputeParts(em, dispute)
    return z.encode(disputeSchema, await showLinkedDispute(dispute, parts, linkTo))
  })
}

/** Creates the function that makes links to attachments in the file store. */
export function createAttachmentLinker({ storage }: Pick<ActivityDependencies, 'storage'>): AttachmentLinker {
  return ({ storageKey }) => storage.createLink(storageKey)
}

/**
 * Records a PIX_TRANSACTION event: one settled movement, with its reason where it has one, of an operation; or the failed return
 * of a deposit that its account has ordered.
 */
export function recordMovementEvent(
  em: EntityManager,
  movement: Movement,
  owner: { uuid: string; requestId: string },
  at: Date,
): Promise<void> {
  const { uuid: ownerUuid, requestId } = owner
  const facts = { connectionUuid: movement.connectionUuid ?? null, ownerUuid, requestId, at }
  return recordEvent(em, 'PIX_TRANSACTION', movement, facts, async () => {
    const { connectionUuid } = movement
    const connection = connectionUuid ? await em.findOne(Connection, connectionUuid) : null
    return z.encode(movementSchema, showMovement(movement, connection))
  })
}

/** Records the event of a movement that no workflow owns: the next sweep starts its deliveries. */
export async function recordUnownedMovementEvent(
  em: EntityManager,
  movement: Movement,
  at: Date,
): Promise<void> {
  const { uuid } = movement
  await recordMovementEvent(em, movement, { uuid, requestId: uuid }, at)
  await scheduleDeliveriesForSweep(em, uuid)
}
