import type { EntityManager } from '../client/orm.ts'
import { selectValue } from '../select-values.ts'

/** Up to when the statement of each provider account has been compared (columns of `provider_account`). */

/**
 * Reads the time up to which a provider account's statement has been compared without a gap, in ms: where it never was,
 * the time since which its movements are credited. Null where neither is known.
 */
export function readComparedUntil(em: EntityManager, providerAccountUuid: string): Promise<number | null> {
  return selectValue(
    em,
    `select (extract(epoch from coalesce(p.compared_until, (
       select min(c.credited_since) from connection c
       where c.provider_account_uuid = p.uuid and c.credited_since <= now()))) * 1000)::float8
     from provider_account p where p.uuid = ?`,
    [providerAccountUuid],
  )
}

/**
 * Records a comparison that has just ended. `comparedUntil` (ms) is absent where a gap before its period remains; the
 * recorded time never goes back.
 */
export async function recordComparison(
  em: EntityManager,
  { providerAccountUuid, comparedUntil }: { providerAccountUuid: string; comparedUntil?: number | undefined },
): Promise<void> {
  const until = comparedUntil === undefined ? null : new Date(comparedUntil)
  await em.execute(
    `update provider_account set compared_at = now(), compared_until = greatest(compared_until, ?::timestamptz)
     where uuid = ?`,
    [until, providerAccountUuid],
  )
}

/** Finds when a provider account's statement was last compared with the ledger; null where it never was. */
export async function findComparisonTime(
  em: EntityManager,
  providerAccountUuid: string,
): Promise<string | null> {
  const [row] = await em.execute<{ compared_at: string | null }[]>(
    'select compared_at from provider_account where uuid = ?',
    [providerAccountUuid],
  )
  return row?.compared_at ?? null
}
