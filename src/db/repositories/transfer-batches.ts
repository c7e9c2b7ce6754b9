import type { TransferState } from '../../domain/transfers/transfer.ts'
import type { BatchItemState } from '../../domain/transfers/transfer-batch.ts'
import type { TransferDestination } from '../../domain/transfers/transfer-destination.ts'
import type { EntityManager } from '../client/orm.ts'
import { Connection } from '../entities/connection.ts'
import type { Transfer } from '../entities/transfer.ts'
import { TransferBatch } from '../entities/transfer-batch.ts'
import { findLockedRow } from '../locks.ts'
import { getEntityMapper } from '../pipeline/entity-mapper.ts'
import { noQuery, query, type ResultRow, runQuery, selectRows, sendStatement } from '../pipeline/query.ts'
import { selectValue } from '../select-values.ts'
import { formatTextArray, joinConditions, type OptionalSqlCondition } from '../sql-conditions.ts'

/** Batches of transfers and their items. An item is a row of `transfer_batch_item`, which has no entity. */

/** The sealed part of a transfer's order, as an item has it in plain. */
type BatchItemDetails = { destination: TransferDestination } & Record<string, unknown>

/** What an item orders; `details`: those of its transfer's order. */
export type NewBatchItem = {
  transferUuid: string
  valueCents: number
  externalRef: string
  description: string | null
  details: BatchItemDetails
}

/** Inserts the items of a batch in their order, the first one as line 1. */
export async function insertBatchItems(
  em: EntityManager,
  batchUuid: string,
  items: NewBatchItem[],
): Promise<void> {
  await sendStatement(
    em,
    `insert into transfer_batch_item (batch_uuid, line, transfer_uuid, value_cents, external_ref, description, details)
     select ?, i.line, i.transfer, i.cents, i.ref, i.description, i.details
     from unnest(?::uuid[], ?::bigint[], ?::text[], ?::text[], ?::jsonb[])
       with ordinality as i (transfer, cents, ref, description, details, line)`,
    [
      batchUuid,
      items.map(one => one.transferUuid),
      items.map(one => one.valueCents),
      items.map(one => one.externalRef),
      items.map(one => one.description),
      items.map(one => JSON.stringify(one.details)),
    ],
  )
}

/** Locks a batch; null where there is none. Its items change under this lock alone. */
export async function lockTransferBatch(em: EntityManager, uuid: string): Promise<TransferBatch | null> {
  const [batch] = await findLockedRow(em, TransferBatch, uuid, noQuery)
  return batch
}

/** An item that is to be started, or whose start is to be repeated. */
export type StartableItem = {
  line: number
  transferUuid: string
  valueCents: number
  externalRef: string
  details: BatchItemDetails
}

/** Reads the first items of a batch in a state, by line. */
export function readStartableItems(
  em: EntityManager,
  batchUuid: string,
  { state, limit }: { state: BatchItemState; limit: number },
): Promise<StartableItem[]> {
  const sql = `select line, transfer_uuid, value_cents, external_ref, details from transfer_batch_item
    where batch_uuid = ? and state = ? order by line limit ?`
  return runQuery(
    em,
    query(sql, [batchUuid, state, limit], rows =>
      rows.map(row => ({
        line: Number(row.line),
        transferUuid: String(row.transfer_uuid),
        valueCents: Number(row.value_cents),
        externalRef: String(row.external_ref),
        details: row.details as BatchItemDetails,
      })),
    ),
  )
}

/** Marks pending items as being started, so that their start is repeated after a crash. The caller holds the lock of the batch. */
export function claimBatchItems(em: EntityManager, batchUuid: string, lines: number[]): Promise<void> {
  return sendStatement(
    em,
    `update transfer_batch_item set state = 'starting' where batch_uuid = ? and line = any(?::int[]) and state = 'pending'`,
    [batchUuid, lines],
  )
}

/** Marks the items whose transfers have rows as started. May be repeated. */
export function markStartedItems(em: EntityManager, batchUuid: string): Promise<void> {
  return sendStatement(
    em,
    `update transfer_batch_item i set state = 'started' where batch_uuid = ? and state = 'starting'
       and exists (select from transfer t where t.uuid = i.transfer_uuid)`,
    [batchUuid],
  )
}

/** Cancels the items that nothing has begun to start. The caller holds the lock of the batch. */
export function cancelPendingItems(em: EntityManager, batchUuid: string): Promise<void> {
  return sendStatement(
    em,
    `update transfer_batch_item set state = 'cancelled' where batch_uuid = ? and state = 'pending'`,
    [batchUuid],
  )
}

/** Centavos and number of the transfers of a batch that are on their way to a provider, those of an unknown outcome left out. */
export type ItemsInFlight = { count: number; unheldCents: number }

/** Reads how many transfers of a batch no provider has accepted yet, and how much of them is not held. */
export function readItemsInFlight(
  em: EntityManager,
  { accountUuid, uuid }: Pick<TransferBatch, 'accountUuid' | 'uuid'>,
): Promise<ItemsInFlight> {
  const sql = `select count(*)::int as count, coalesce(sum(value_cents) filter (where held_cents = 0), 0) as cents from transfer t
    where account_uuid = ? and batch_uuid = ? and state in ('created', 'sending') and not exists (
      select from attempt a where a.operation = 'transfer' and a.subject_uuid = t.uuid and a.state = 'unknown')`
  return runQuery(
    em,
    query(sql, [accountUuid, uuid], ([row]) => ({
      count: Number(row?.count),
      unheldCents: Number(row?.cents),
    })),
  )
}

/** Number of items by their state, and of the transfers of those that were started by theirs. */
export type BatchCounts = {
  items: Partial<Record<BatchItemState, number>>
  transfers: Partial<Record<TransferState, number>>
}

/**
 * Counts the items of batches of one account in one snapshot, from the rows: no counter is written, so that items that end at the
 * same time wait for no common row.
 */
export async function countBatchItems(
  em: EntityManager,
  accountUuid: string,
  uuids: string[],
): Promise<Map<string, BatchCounts>> {
  const names = formatTextArray(uuids)
  const rows = await selectRows<{ uuid: string; kind: keyof BatchCounts; state: string; count: number }>(
    em,
    `select batch_uuid as uuid, 'items' as kind, state, count(*)::int as count from transfer_batch_item
       where batch_uuid = any(?::uuid[]) group by batch_uuid, state
     union all
     select batch_uuid, 'transfers', state, count(*)::int from transfer
       where account_uuid = ? and batch_uuid = any(?::uuid[]) group by batch_uuid, state`,
    [names, accountUuid, names],
  )
  const counts = new Map<string, BatchCounts>(uuids.map(uuid => [uuid, { items: {}, transfers: {} }]))
  for (const { uuid, kind, state, count } of rows) Object.assign(counts.get(uuid)![kind], { [state]: count })
  return counts
}

/** Connections of a batch with what an order through each depends on, in the order of trying. */
export async function readBatchConnections(em: EntityManager, candidates: string[]): Promise<Connection[]> {
  const connection = getEntityMapper(em, Connection, 'c', ['isPausedOut'])
  const sql = `select ${connection.columns} from connection c join unnest(?::uuid[]) with ordinality as k (uuid, position)
    on k.uuid = c.uuid order by k.position`
  return runQuery(
    em,
    query(sql, [formatTextArray(candidates)], rows => rows.map(connection.mapRow)),
  )
}

/** Reads what an account can spend at each of its provider accounts, in centavos. Locks nothing: the hold of a transfer decides. */
export async function readAvailableBalances(
  em: EntityManager,
  accountUuid: string,
): Promise<Map<string, number>> {
  const sql = `select provider_account_uuid as uuid, cents from balance where account_uuid = ? and bucket = 'available'`
  const rows = await selectRows<{ uuid: string; cents: string }>(em, sql, [accountUuid])
  return new Map(rows.map(({ uuid, cents }) => [uuid, Number(cents)]))
}

/** An item as its list shows it, with the transfer that it has become. */
export type ReadBatchItem = {
  line: number
  transferUuid: string
  state: BatchItemState
  valueCents: number
  externalRef: string
  description: string | null
  details: BatchItemDetails
  transfer: Pick<Transfer, 'state' | 'failure' | 'endToEnd' | 'settledAt'> | null
}

/** States of items and transfers by which a list of items selects. */
export type BatchItemFilter = { items: BatchItemState[]; transfers: TransferState[] }

function buildItemConditions(batchUuid: string, filter: BatchItemFilter | undefined) {
  const isSelected: OptionalSqlCondition = filter && [
    `(i.state = any(?::text[]) and t.uuid is null) or t.state = any(?::text[])`,
    formatTextArray(filter.items),
    formatTextArray(filter.transfers),
  ]
  return joinConditions(['i.batch_uuid = ?', batchUuid], isSelected)
}

const ITEMS_WITH_TRANSFERS = 'transfer_batch_item i left join transfer t on t.uuid = i.transfer_uuid'

/** Reads a page of the items of a batch, by line. */
export async function readBatchItems(
  em: EntityManager,
  batchUuid: string,
  page: { filter: BatchItemFilter | undefined; afterLine: number; limit: number; offset: number },
): Promise<ReadBatchItem[]> {
  const { sql, values } = buildItemConditions(batchUuid, page.filter)
  const rows: ResultRow[] = await em.execute(
    `select i.line, i.transfer_uuid, i.state, i.value_cents, i.external_ref, i.description, i.details,
       t.state as transfer_state, t.failure, t.end_to_end, t.settled_at
     from ${ITEMS_WITH_TRANSFERS} where ${sql} and i.line > ? order by i.line limit ? offset ?`,
    [...values, page.afterLine, page.limit, page.offset],
  )
  return rows.map(row => ({
    line: Number(row.line),
    transferUuid: String(row.transfer_uuid),
    state: row.state as BatchItemState,
    valueCents: Number(row.value_cents),
    externalRef: String(row.external_ref),
    description: row.description as string | null,
    details: row.details as BatchItemDetails,
    transfer:
      row.transfer_state === null
        ? null
        : {
            state: row.transfer_state as TransferState,
            failure: row.failure as Transfer['failure'],
            endToEnd: row.end_to_end as string | null,
            settledAt: row.settled_at === null ? null : new Date(row.settled_at as string | Date),
          },
  }))
}

/** Counts the items of a batch that a filter selects. */
export function countSelectedItems(
  em: EntityManager,
  batchUuid: string,
  filter: BatchItemFilter,
): Promise<number> {
  const { sql, values } = buildItemConditions(batchUuid, filter)
  return selectValue(em, `select count(*)::int from ${ITEMS_WITH_TRANSFERS} where ${sql}`, values)
}

/** Finds which of these references transfers of an account have; simulated ones are checked separately. */
export async function findUsedReferences(
  em: EntityManager,
  { accountUuid, isSimulated }: { accountUuid: string; isSimulated: boolean },
  references: string[],
): Promise<Set<string>> {
  const sql = `select distinct t.external_ref from transfer t join connection c on c.uuid = t.connection_uuid
    where t.account_uuid = ? and t.external_ref = any(?::text[]) and c.is_simulated = ?`
  const values = [accountUuid, references, isSimulated]
  return runQuery(
    em,
    query(sql, values, rows => new Set(rows.map(row => String(row.external_ref)))),
  )
}
