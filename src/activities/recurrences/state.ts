import type { EntityManager } from '../../db/client/orm.ts'
import type { Recurrence } from '../../db/entities/recurrence.ts'
import { runQuery, sendChanges } from '../../db/pipeline/query.ts'
import { findAttempts } from '../../db/repositories/attempts.ts'
import { queryFollowUpsOfRow } from '../../db/repositories/follow-ups.ts'
import { listOpenDebits } from '../../db/repositories/recurrences.ts'
import type { ProviderRecurrence } from '../../domain/providers/provider-recurrence.ts'
import {
  isChargeableRecurrenceState,
  type RecurrenceEvent,
  recurrenceMachine,
} from '../../domain/recurrences/recurrence.ts'
import { findStoredCreation } from '../../domain/recurrences/stored-terms.ts'
import { computeBrasiliaDayEnd } from '../../domain/shared/brasilia-day.ts'
import { HOUR } from '../../domain/shared/intervals.ts'
import type { RecurrenceSnapshot } from '../../workflows/contracts/recurrences.ts'
import { recordRecurrenceEvent } from '../events/record-event.ts'
import { transition } from '../shared/transition.ts'

/**
 * Changes the state of a recurrence by an event, and tells its merchant of each but its creation, which the
 * response of its request has told. The caller holds its row lock, and has found that its state accepts the event.
 */
export async function changeRecurrence(
  em: EntityManager,
  row: Recurrence,
  event: RecurrenceEvent,
): Promise<void> {
  const at = new Date()
  transition(row, recurrenceMachine, event, at)
  if (event !== 'created') await recordRecurrenceEvent(em, row, at)
}

const EVENTS: Record<Exclude<ProviderRecurrence['status'], 'waiting'>, RecurrenceEvent> = {
  received: 'received',
  active: 'activated',
  rejected: 'rejected',
  expired: 'expired',
  cancelled: 'cancelled',
}

/**
 * Applies what a provider reports of a recurrence. An authorized one ends by our calendar, once a provider has answered after its last day:
 * some report nothing of the end (bacen/pix-api issue 629). So does a request that the payer has not answered, once its provider still
 * reports no answer long after its end. A status that its state does not accept changes nothing. The caller holds the
 * row lock.
 */
export async function applyReport(
  em: EntityManager,
  row: Recurrence,
  report: ProviderRecurrence,
): Promise<void> {
  row.payload ??= report.payload
  const event = findReportedEvent(row, report)
  if (!event || !recurrenceMachine.accepts(row.state, event)) return
  if (event === 'rejected' || event === 'cancelled') {
    row.reasonCode = report.code ?? row.reasonCode ?? null
    const payer = report.status === 'rejected' ? 'payer' : null
    if (event === 'cancelled') row.cancelledBy = report.cancelledBy ?? payer
  }
  await changeRecurrence(em, row, event)
}

function findReportedEvent(row: Recurrence, { status }: ProviderRecurrence): RecurrenceEvent | null {
  const isUnanswered = status === 'waiting' || status === 'received'
  if (isUnanswered && hasRequestEnded(row)) return 'expired'
  if (status === 'waiting') return null
  if (!isChargeableRecurrenceState(row.state)) return EVENTS[status]
  // Some report that the payer has withdrawn the authorization as its rejection.
  if (status === 'rejected') return 'cancelled'
  const isOver = row.endsOn != null && computeBrasiliaDayEnd(row.endsOn) <= new Date()
  return status === 'expired' || (isOver && status === 'active') ? 'ended' : EVENTS[status]
}

/** Longest time after its end in which the answer to a request reaches its receiver: that of a pain.012 (bacen/pix-api issue 624). */
const ANSWER_DELAY_MS = 12 * HOUR

function hasRequestEnded({ requestedAt, requestExpiresAt }: Recurrence): boolean {
  return (
    requestedAt != null &&
    requestExpiresAt != null &&
    requestExpiresAt.getTime() + ANSWER_DELAY_MS <= Date.now()
  )
}

/** Reads the state of a recurrence, with what its workflow does next, at the end of the transaction that changes it. */
export async function readSnapshot(em: EntityManager, row: Recurrence): Promise<RecurrenceSnapshot> {
  await sendChanges(em)
  const { uuid, state, endsOn } = row
  const attempts =
    state === 'creating' ? await findAttempts(em, { operation: 'create_recurrence', subjectUuid: uuid }) : []
  const openDebits = recurrenceMachine.isFinal(state) ? await listOpenDebits(em, uuid) : []
  const isUnrequested = row.journey === 'REQUEST' && row.requestedAt == null
  return {
    state,
    connectionUuid: row.connection.uuid,
    tried: attempts.map(attempt => attempt.connectionUuid),
    hasFirstCharge: row.firstChargeUuid != null,
    hasOpenDebits: openDebits.length > 0,
    cancelRequested: row.cancelRequestedAt != null,
    isRequestDue: isUnrequested && state === 'pending',
    nextCreationAt: findStoredCreation(row, new Date()).next?.createAt.toISOString() ?? null,
    endsAt: endsOn == null ? null : computeBrasiliaDayEnd(endsOn).toISOString(),
    ...(await runQuery(em, queryFollowUpsOfRow(row))),
  }
}
