import { randomUUID } from 'node:crypto'
import type { StatementDifference } from '../../domain/reconciliation/statement-comparison.ts'
import type { EntityManager } from '../client/orm.ts'
import { runInTransaction } from '../client/transaction.ts'
import { Difference } from '../entities/reconciliation.ts'

/** Stores differences between a statement and the ledger for the operator, until a comparison finds them gone. */

/** Result of one comparison of one provider account: what still differs, and which differences it has checked. */
export type DifferenceComparison = {
  providerAccountUuid: string
  remaining: StatementDifference[]
  /** Tells whether the comparison has checked a difference: one outside its period may still exist. */
  covers: (difference: StatementDifference) => boolean
}

/**
 * Records a comparison in one transaction. A repeated difference keeps its first time and its closing; one that was
 * closed with other facts is open again, as found now; a checked one that is gone is settled.
 */
export function recordDifferences(em: EntityManager, comparison: DifferenceComparison): Promise<void> {
  return runInTransaction(em, tx => writeComparison(tx, comparison))
}

async function writeComparison(
  em: EntityManager,
  { providerAccountUuid, remaining, covers }: DifferenceComparison,
): Promise<void> {
  const open = await em.find(
    Difference,
    { providerAccount: providerAccountUuid, settledAt: null },
    { fields: ['uuid', 'detail'], disableIdentityMap: true },
  )
  const checked = open.filter(({ detail }) => covers(detail)).map(({ uuid }) => uuid)
  await em.nativeUpdate(Difference, { uuid: { $in: checked } }, { settledAt: new Date() })
  for (const difference of remaining)
    await em.execute(
      `insert into difference as d (uuid, provider_account_uuid, kind, movement_type, end_to_end, detail, found_at, seen_at)
       values (?, ?, ?, ?, ?, ?, now(), now())
       on conflict (provider_account_uuid, movement_type, end_to_end, kind)
       do update set detail = excluded.detail, seen_at = now(), settled_at = null,
         found_at = case when d.closed_at is null or difference_facts(d.detail) = difference_facts(excluded.detail)
           then d.found_at else now() end,
         (closed_at, closed_as, closed_cause, closed_reason, closed_by) = (
           select d.closed_at, d.closed_as, d.closed_cause, d.closed_reason, d.closed_by
           where difference_facts(d.detail) = difference_facts(excluded.detail))`,
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

/** Lists the differences that no comparison has found gone and no operator has closed, the oldest first. */
export function listUnsettledDifferences(em: EntityManager): Promise<object[]> {
  return em.execute(
    'select * from difference where settled_at is null and closed_at is null order by found_at',
  )
}
