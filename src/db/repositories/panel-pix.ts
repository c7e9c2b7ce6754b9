import type { PanelPixPendingReason } from '../../domain/reconciliation/panel-pix.ts'
import { DAY, HOUR, scaleWait } from '../../domain/shared/intervals.ts'
import type { EntityManager } from '../client/orm.ts'
import { Difference } from '../entities/reconciliation.ts'
import { ROW_LOCK } from '../locks.ts'
import { selectValue } from '../select-values.ts'

/**
 * PIX that only a provider's statement lists: open differences of the kind `missing_here`. One that an operator has closed
 * is not posted: an adjustment may account for it.
 */

/** Finds the missing PIX of a provider account, the oldest first. */
export function findMissingPix(em: EntityManager, providerAccountUuid: string): Promise<Difference[]> {
  const missing = { kind: 'missing_here', settledAt: null, closedAt: null } as const
  return em.find(
    Difference,
    { ...missing, providerAccount: providerAccountUuid },
    { orderBy: { foundAt: 'asc', uuid: 'asc' } },
  )
}

/**
 * Locks a missing PIX until the transaction ends, before any charge or balance. Returns false where it is no longer to be
 * booked: an operator has closed it, or another reconciliation has booked it.
 */
export async function lockMissingPix(em: EntityManager, uuid: string): Promise<boolean> {
  return (await em.findOne(Difference, { uuid, settledAt: null, closedAt: null }, ROW_LOCK)) !== null
}

/** Sets why a missing PIX is not booked yet; null settles the difference. The caller has locked it. */
export function updateMissingPix(
  em: EntityManager,
  uuid: string,
  pendingReason: PanelPixPendingReason | null,
): Promise<unknown> {
  const settlement = pendingReason === null ? { settledAt: new Date() } : {}
  return em.nativeUpdate(Difference, uuid, { pendingReason, ...settlement })
}

/** Longest time between a payout of ours and a statement entry under another id that may be the same money. */
const MAX_PAYOUT_DISTANCE_MS = 2 * DAY
/** Time after its settlement in which an hourly comparison may not have missed a payout yet. */
const COMPARISON_WAIT_MS = 2 * HOUR

/**
 * Returns whether money that left the provider account may be that of a payout of ours with the same value: of one
 * without a final outcome, or of one that settled near it and that the provider's statement does not list by its id,
 * unless an operator has closed that difference with a cause by which its money is not this. A payout that settled in the
 * last two hours counts as not listed yet, if it was created before the money left; with
 * `countsUnidentified` so does one later that is a transfer without an end-to-end id, because no comparison finds it: not
 * for an adjustment, for which two operators have named the money. The times are scaled like every wait.
 */
export function mayBeOurPayout(
  em: EntityManager,
  entry: {
    providerAccountUuid: string
    cents: number
    at: Date
    timeScale: number
    countsUnidentified: boolean
  },
): Promise<boolean> {
  const { providerAccountUuid, cents, at, timeScale, countsUnidentified } = entry
  const seconds = (waitMs: number) => scaleWait(waitMs, timeScale) / 1_000
  return selectValue(
    em,
    `with entry as (select ?::uuid as account, ?::bigint as cents, ?::timestamptz as at,
       make_interval(secs => ?) as distance, make_interval(secs => ?) as wait, ?::boolean as counts_unidentified)
     select exists (select from entry, attempt a
       left join transfer t on a.operation = 'transfer' and t.uuid = a.subject_uuid
       left join refund r on a.operation = 'refund' and r.uuid = a.subject_uuid
       left join movement m on a.operation = 'return' and m.uuid = a.subject_uuid
     where a.provider_account_uuid = entry.account and a.operation in ('transfer', 'refund', 'return')
       and a.state in ('calling', 'accepted', 'unknown')
       and coalesce(t.value_cents, r.value_cents, m.value_cents) = entry.cents)
     or exists (select from entry, difference d
     where d.provider_account_uuid = entry.account and d.kind = 'missing_there' and d.movement_type = 'OUT'
       and d.settled_at is null and (d.closed_cause is null or d.closed_cause = 'recorded_under_other_id')
       and (d.detail #>> '{ours,cents}')::bigint = entry.cents
       and (d.detail #>> '{ours,settledAt}')::timestamptz
         between entry.at - entry.distance and entry.at + entry.distance)
     or exists (select from entry, movement m
     where m.provider_account_uuid = entry.account and m.movement_type = 'OUT' and m.status = 'SETTLED'
       and m.type in ('EXTERNAL_TRANSFER', 'EXTERNAL_REFUND') and m.reason is null and m.value_cents = entry.cents
       and m.created_at between entry.at - entry.distance and entry.at
       and (m.updated_at > now() - entry.wait or (entry.counts_unidentified and m.end_to_end is null and m.type = 'EXTERNAL_TRANSFER')))`,
    [
      providerAccountUuid,
      cents,
      at,
      seconds(MAX_PAYOUT_DISTANCE_MS),
      seconds(COMPARISON_WAIT_MS),
      countsUnidentified,
    ],
  )
}
