import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../../db/client/orm.ts'
import type { StatementDifference } from '../../domain/reconciliation/statement-comparison.ts'

/** Differences between a provider's statement and ours, kept for the operator until a look finds them gone. */

/** One look at one provider account: what is left different, and what it can tell to be gone. */
export type DifferenceComparison = {
  providerAccountUuid: string
  remaining: StatementDifference[]
  /** Whether what differed was looked at: what lies outside the period that was compared may stand as ever. */
  covers: (difference: StatementDifference) => boolean
}

/** Differences seen again keep the time they were first seen; those that were looked at and are gone are settled. */
export async function recordDifferences(
  em: EntityManager,
  { providerAccountUuid, remaining: left, covers }: DifferenceComparison,
): Promise<void> {
  const open: { uuid: string; detail: StatementDifference }[] = await em.execute(
    'select uuid, detail from difference where provider_account_uuid = ? and settled_at is null',
    [providerAccountUuid],
  )
  const lookedAt = open.filter(({ detail }) => covers(detail)).map(({ uuid }) => uuid)
  await em.execute('update difference set settled_at = now() where uuid = any(array[?]::uuid[])', [lookedAt])
  for (const difference of left)
    await em.execute(
      `insert into difference (uuid, provider_account_uuid, kind, movement_type, end_to_end, detail, found_at, seen_at)
       values (?, ?, ?, ?, ?, ?, now(), now())
       on conflict (provider_account_uuid, movement_type, end_to_end, kind)
       do update set detail = excluded.detail, seen_at = now(), settled_at = null`,
      [
        randomUUID(),
        providerAccountUuid,
        difference.kind,
        difference.direction,
        difference.endToEnd,
        JSON.stringify(difference),
      ],
    )
}
