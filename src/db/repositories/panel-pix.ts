import type { PanelPixPendingReason } from '../../domain/reconciliation/panel-pix.ts'
import type { StatementDifference } from '../../domain/reconciliation/statement-comparison.ts'
import type { EntityManager } from '../client/orm.ts'
import { selectValue } from '../select-values.ts'

/** PIX that only a provider's statement lists: open differences of the kind `missing_here`. */

export type MissingPix = { uuid: string; detail: StatementDifference }

export function findMissingPix(em: EntityManager, providerAccountUuid: string): Promise<MissingPix[]> {
  return em.execute<MissingPix[]>(
    `select uuid, detail from difference
     where provider_account_uuid = ? and kind = 'missing_here' and settled_at is null order by found_at, uuid`,
    [providerAccountUuid],
  )
}

/** Sets why a missing PIX is not booked yet; null settles the difference. */
export function updateMissingPix(
  em: EntityManager,
  uuid: string,
  pendingReason: PanelPixPendingReason | null,
): Promise<unknown> {
  return em.execute(
    'update difference set pending_reason = ?, settled_at = case when ?::text is null then now() else settled_at end where uuid = ?',
    [pendingReason, pendingReason, uuid],
  )
}

/** Returns whether a payout of this value from the provider account has no final outcome and may have moved money. */
export function hasUnresolvedAttempt(
  em: EntityManager,
  { providerAccountUuid, cents }: { providerAccountUuid: string; cents: number },
): Promise<boolean> {
  return selectValue(
    em,
    `select exists (select from attempt a
       left join transfer t on a.operation = 'transfer' and t.uuid = a.subject_uuid
       left join refund r on a.operation = 'refund' and r.uuid = a.subject_uuid
       left join movement m on a.operation = 'return' and m.uuid = a.subject_uuid
     where a.provider_account_uuid = ? and a.operation in ('transfer', 'refund', 'return')
       and a.state in ('calling', 'accepted', 'unknown')
       and coalesce(t.value_cents, r.value_cents, m.value_cents) = ?)`,
    [providerAccountUuid, cents],
  )
}
