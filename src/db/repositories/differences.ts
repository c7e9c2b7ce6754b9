import { randomUUID } from 'node:crypto'
import type { MovementStatus } from '../../domain/ledger/movement.ts'
import type { ProviderName } from '../../domain/providers/provider.ts'
import type { PanelPixPendingReason } from '../../domain/reconciliation/panel-pix.ts'
import type {
  DifferenceKind,
  DifferenceStatus,
  StatementDifference,
} from '../../domain/reconciliation/statement-comparison.ts'
import type { EntityManager } from '../client/orm.ts'
import { runInTransaction } from '../client/transaction.ts'
import { Difference } from '../entities/reconciliation.ts'
import { selectValue } from '../select-values.ts'
import { formatTextArray, joinConditions, type OptionalSqlCondition } from '../sql-conditions.ts'
import type { LedgerScope } from './ledger-lines.ts'

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

/** A difference as its account sees it, with its connection to the provider. `found_at`: as PostgreSQL formats it. */
export type AccountDifference = {
  uuid: string
  kind: DifferenceKind
  movement_type: 'IN' | 'OUT'
  end_to_end: string
  provider_cents: number | null
  own_cents: number | null
  own_status: MovementStatus | null
  pending_reason: PanelPixPendingReason | null
  status: DifferenceStatus
  ended_at: Date | null
  found_at: string
  connection_uuid: string
  provider: ProviderName
}

/** Differences of some kinds and statuses, found in a range; without a member any. */
export type DifferenceFilter = {
  kinds?: readonly DifferenceKind[] | undefined
  statuses?: readonly DifferenceStatus[] | undefined
  found?: { $gte: Date; $lt: Date }
}

type DifferencePage = DifferenceFilter & {
  order: 'asc' | 'desc'
  /** Rows after this one in the order. */
  after?: Pick<AccountDifference, 'found_at' | 'uuid'> | undefined
  limit: number
  offset?: number
}

const STATUS_SQL = `case when d.settled_at is not null then 'SETTLED' when d.closed_at is not null then 'CLOSED' else 'OPEN' end`

/** Selects the differences `d` at the account's own provider accounts, each with its connection `c`. */
function selectAccountDifferences(
  scope: LedgerScope,
  filter: DifferenceFilter,
  more: OptionalSqlCondition[] = [],
) {
  const { accountUuid, connectionUuid, modeScope } = scope
  const { kinds, statuses, found } = filter
  const { sql, values } = joinConditions(
    connectionUuid !== null && ['c.uuid = ?', connectionUuid],
    kinds && ['d.kind = any(?::text[])', formatTextArray(kinds)],
    statuses && [`${STATUS_SQL} = any(?::text[])`, formatTextArray(statuses)],
    found && ['d.found_at >= ? and d.found_at < ?', found.$gte, found.$lt],
    ...more,
    ['true'],
  )
  return {
    sql: `from difference d join lateral (
        select k.uuid, k.provider from connection k where k.provider_account_uuid = d.provider_account_uuid
          and k.account_uuid = ? and k.type = 'NOMINAL' ${modeScope ? 'and k.is_simulated = ?' : ''}
        order by k.uuid = ? desc, k.created_at limit 1
      ) c on true where ${sql}`,
    values: [accountUuid, ...(modeScope ? [modeScope === 'test'] : []), connectionUuid, ...values],
  }
}

/** Reads a page of the differences at the account's own provider accounts. Those that accounts share (POOL) are the operator's. */
export function readDifferencePage(
  em: EntityManager,
  scope: LedgerScope,
  { order, after, limit, offset = 0, ...filter }: DifferencePage,
): Promise<AccountDifference[]> {
  const { sql, values } = selectAccountDifferences(scope, filter, [
    after && [
      `(d.found_at, d.uuid) ${order === 'asc' ? '>' : '<'} (?::timestamptz, ?::uuid)`,
      after.found_at,
      after.uuid,
    ],
  ])
  return em.execute(
    `select d.uuid, d.kind, d.movement_type, d.end_to_end, d.pending_reason, d.found_at::text as found_at,
       (d.detail #>> '{entry,cents}')::float8 as provider_cents, (d.detail #>> '{ours,cents}')::float8 as own_cents,
       d.detail #>> '{ours,status}' as own_status, ${STATUS_SQL} as status, coalesce(d.settled_at, d.closed_at) as ended_at,
       c.uuid as connection_uuid, c.provider ${sql}
     order by d.found_at ${order}, d.uuid ${order} limit ? offset ?`,
    [...values, limit, offset],
  )
}

export function countDifferences(
  em: EntityManager,
  scope: LedgerScope,
  filter: DifferenceFilter,
): Promise<number> {
  const { sql, values } = selectAccountDifferences(scope, filter)
  return selectValue(em, `select count(*)::int ${sql}`, values)
}

const DIFFERENCES_PER_BATCH = 500

/** Reads all differences that were found in a range, the oldest first, batch by batch. */
export async function* readFoundDifferences(
  em: EntityManager,
  scope: LedgerScope,
  found: { $gte: Date; $lt: Date },
): AsyncGenerator<AccountDifference> {
  for (let after: AccountDifference | undefined; ; ) {
    const page = { found, after, order: 'asc', limit: DIFFERENCES_PER_BATCH } as const
    const rows = await readDifferencePage(em, scope, page)
    yield* rows
    if (rows.length < DIFFERENCES_PER_BATCH) return
    after = rows.at(-1)
  }
}
