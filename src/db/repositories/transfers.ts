import type { EntityManager } from '../client/orm.ts'
import { Attempt } from '../entities/attempt.ts'
import type { Connection } from '../entities/connection.ts'
import { Movement } from '../entities/movement.ts'
import { Transfer } from '../entities/transfer.ts'
import { queryAvailableBalance } from '../ledger/post.ts'
import { connectionLock } from '../locks.ts'
import { getEntityMapper } from '../pipeline/entity-mapper.ts'
import {
  batchQueries,
  firstRow,
  mapQuery,
  type Query,
  type ResultRow,
  selectRows,
} from '../pipeline/query.ts'
import {
  formatRowOrder,
  NEWEST_FIRST,
  type OptionalSqlCondition,
  type RowOrder,
  type RowPage,
  type SqlCondition,
  selectPageRows,
} from '../sql-conditions.ts'
import { type LimitsInForce, queryLockedLimits } from './account-limits.ts'
import { APPROVAL_STATE_SQL, type ApprovalState, parseApprovalState } from './approvals.ts'
import type { AttemptWithProvider } from './attempts.ts'

/** Read-only transfer with its connection and movement; a loaded entity conforms too. */
export type ReadTransfer = Omit<Transfer, 'connection' | 'movement'> & {
  connection: Pick<Connection, 'uuid' | 'provider'>
  movement?: Movement | null
  /** What it waits, or has waited, for; absent where it was not read. */
  approval?: ApprovalState | null
}
export type TransferWithAttempts = ReadTransfer & { attempts: AttemptWithProvider[] }

type TransferRow = ResultRow & { provider: Connection['provider']; tried: ResultRow[] | null } & {
  approval: ResultRow | null
}

/** Reads one transfer with its attempts through one connection, or all of them for null. */
export async function readTransfer(
  em: EntityManager,
  { sql, values }: SqlCondition,
  connectionUuid: string | null,
): Promise<TransferWithAttempts | null> {
  const { select, mapRow } = buildTransferSelect(em)
  const statement = select(`select uuid from transfer where ${sql}`)
  const [row] = await selectRows<TransferRow>(em, statement, [connectionUuid, ...values])
  return row ? mapRow(row) : null
}

/** Reads a page of transfers with their attempts through one connection, or all of them for null; in one snapshot. */
export async function readTransfers(
  em: EntityManager,
  page: RowPage,
  connectionUuid: string | null,
): Promise<TransferWithAttempts[]> {
  const { select, mapRow } = buildTransferSelect(em)
  const firstValues = [connectionUuid]
  return (await selectPageRows<TransferRow>(em, 'transfer', page, { select, firstValues })).map(mapRow)
}

/** What a transfer waits for, by conditions that are no state: its day, or an outcome that is unknown. */
export const WAITING_TRANSFERS = {
  scheduled: ["state = 'created' and scheduled_for is not null"],
  unknown: [`uuid in (select subject_uuid from attempt where operation = 'transfer' and state = 'unknown')`],
} as const satisfies Record<string, OptionalSqlCondition>
export type WaitingTransfers = keyof typeof WAITING_TRANSFERS

/** Builds the select of transfers by a query of keys, and the mapper of its rows. First value: connection or null. */
function buildTransferSelect(em: EntityManager) {
  const [transfer, movement, attempt] = [
    getEntityMapper(em, Transfer, 't'),
    getEntityMapper(em, Movement, 'm'),
    getEntityMapper(em, Attempt, 'a'),
  ]
  return {
    select: (
      keys: string,
      order: RowOrder = NEWEST_FIRST,
    ) => `select ${transfer.columns}, k.provider, ${movement.columns}, (
       select json_agg(tried order by tried.a_position) from (
         select ${attempt.columns}, k.provider from attempt a join connection k on k.uuid = a.connection_uuid
         where a.operation = 'transfer' and a.subject_uuid = t.uuid and a.connection_uuid = coalesce(?, a.connection_uuid)
       ) tried
     ) as tried, case when t.approvals_needed is not null then (
       select row_to_json(requested) from (${APPROVAL_STATE_SQL} where r.subject_uuid = t.uuid) requested) end as approval
     from (${keys}) page
     join transfer t on t.uuid = page.uuid
     join connection k on k.uuid = t.connection_uuid
     left join movement m on m.uuid = t.movement_uuid
     order by ${formatRowOrder(order, 't')}`,
    mapRow: (row: TransferRow): TransferWithAttempts => ({
      ...transfer.mapRow(row),
      connection: { uuid: row.t_connection_uuid as string, provider: row.provider },
      movement: row.m_uuid === null ? null : movement.mapRow(row),
      approval: row.approval && parseApprovalState(row.approval),
      attempts: (row.tried ?? []).map(row => ({
        attempt: attempt.mapRow(row),
        provider: row.provider as string,
      })),
    }),
  }
}

/** Returns whether a transfer of an account has this external reference; simulated transfers are checked separately. */
export async function isExternalRefUsed(
  em: EntityManager,
  { isSimulated, ...ref }: { accountUuid: string; externalRef: string; isSimulated: boolean },
): Promise<boolean> {
  return (await em.count(Transfer, { ...ref, connection: { isSimulated } })) > 0
}

/** Locks an account that allows each external reference once; returns whether it does. */
export async function lockUniqueRefAccount(em: EntityManager, accountUuid: string): Promise<boolean> {
  const accounts: object[] = await em.execute(
    'select from account where uuid = ? and unique_external_ref for no key update',
    [accountUuid],
  )
  return accounts.length > 0
}

/** Facts read and locked before a transfer's row is written. */
export type TransferPreconditions = {
  /** First candidate connection, locked `for no key update`. Undefined where the transfer has a row already. */
  connection: Connection | undefined
  /** Available balance of its account at that connection's provider account, in centavos. */
  availableCents: number
  /** Limits in force of its account, locked; null where it has none. */
  limits: LimitsInForce | null
}

/**
 * Returns the query of a transfer's preconditions, to be run after the lock of its row, in the global lock order. Where
 * the row exists it locks nothing: the row may name another connection by now, whose lock comes first.
 */
export function queryTransferPreconditions(
  em: EntityManager,
  { uuid, accountUuid, candidates }: { uuid: string; accountUuid: string; candidates: string[] },
): Query<TransferPreconditions> {
  const values = [candidates[0]!, uuid]
  const subquery = (column: string) =>
    `(select ${column} from connection where uuid = ? and not exists (select from transfer where uuid = ?))`
  const queries = batchQueries(
    firstRow(connectionLock(em, values, subquery('uuid'))),
    queryAvailableBalance(accountUuid, values, subquery('provider_account_uuid')),
    queryLockedLimits(accountUuid, [uuid], 'not exists (select from transfer where uuid = ?)'),
  )
  return mapQuery(queries, ([connection, availableCents, limits]) => ({ connection, availableCents, limits }))
}
