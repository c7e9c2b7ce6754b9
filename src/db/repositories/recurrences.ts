import type { EntityManager } from '../client/orm.ts'
import type { Connection } from '../entities/connection.ts'
import { Recurrence } from '../entities/recurrence.ts'
import { ROW_LOCK } from '../locks.ts'
import { getEntityMapper } from '../pipeline/entity-mapper.ts'
import type { ResultRow } from '../pipeline/query.ts'
import { selectValue, selectValues } from '../select-values.ts'
import {
  formatRowOrder,
  formatTextArray,
  type OptionalSqlCondition,
  type RowOrder,
  type RowPage,
  selectPageRows,
} from '../sql-conditions.ts'

/** Read-only recurrence with all that its response shows; a loaded entity conforms too. */
export type ReadRecurrence = Omit<Recurrence, 'connection'> & {
  connection: Pick<Connection, 'uuid' | 'provider' | 'dialect'>
}

/** Locks a recurrence's row and loads its connection. The transactions that change a recurrence, or charge a cycle of it, begin with it. */
export async function lockRecurrence(em: EntityManager, uuid: string): Promise<Recurrence> {
  const recurrence = await em.findOneOrFail(Recurrence, uuid, { ...ROW_LOCK, refresh: true })
  await em.populate(recurrence, ['connection'])
  return recurrence
}

/** Finds the recurrence that a provider account has under an id of the rail; null where it is none of ours. */
export async function findRecurrenceByRailId(
  em: EntityManager,
  key: { providerAccountUuid: string; railId: string },
): Promise<string | null> {
  const row = await em.findOne(Recurrence, key, { fields: ['uuid'], disableIdentityMap: true })
  return row?.uuid ?? null
}

/** Builds the SQL of whether the last due charge of a recurrence is not paid: its day has passed in Brasília. */
const isPastDue = (recurrence: string) => `coalesce((
  select state in ('pending', 'debiting', 'paying', 'failed', 'expired') from charge
  where recurrence_uuid = ${recurrence}.uuid and txid is not null
    and debit_on < to_char(now() at time zone 'America/Sao_Paulo', 'YYYY-MM-DD')
  order by cycle desc limit 1), false)`

/** Builds the condition that a recurrence is past due, or that it is not. */
export function buildPastDueCondition(expected: boolean): OptionalSqlCondition {
  return [`${isPastDue('recurrence')} = ?`, expected]
}

/** Finds those of some recurrences that are past due. */
export async function findPastDueRecurrences(em: EntityManager, uuids: string[]): Promise<Set<string>> {
  const sql = `select uuid from recurrence where uuid = any(?::uuid[]) and ${isPastDue('recurrence')}`
  return new Set(await selectValues<string>(em, sql, [formatTextArray(uuids)]))
}

/** Reads a page of recurrences, each with whether it is past due, in one statement and so in one snapshot. */
export async function readRecurrences(
  em: EntityManager,
  page: RowPage,
): Promise<(ReadRecurrence & { isPastDue: boolean })[]> {
  const recurrence = getEntityMapper(em, Recurrence, 'r')
  const select = (keys: string, order: RowOrder) =>
    `select ${recurrence.columns}, k.provider, k.dialect, ${isPastDue('r')} as is_past_due
     from (${keys}) page join recurrence r on r.uuid = page.uuid join connection k on k.uuid = r.connection_uuid
     order by ${formatRowOrder(order, 'r')}`
  type RecurrenceRow = ResultRow & Pick<Connection, 'provider' | 'dialect'> & { is_past_due: boolean }
  const rows = await selectPageRows<RecurrenceRow>(em, 'recurrence', page, { select })
  return rows.map(row => ({
    ...recurrence.mapRow(row),
    connection: { uuid: row.r_connection_uuid as string, provider: row.provider, dialect: row.dialect },
    isPastDue: row.is_past_due,
  }))
}

/** Lists the debits of a recurrence that its provider has made and that are not over. */
export function listOpenDebits(em: EntityManager, recurrenceUuid: string): Promise<string[]> {
  return selectValues<string>(
    em,
    `select uuid from charge where recurrence_uuid = ? and state in ('pending', 'debiting', 'paying') order by cycle`,
    [recurrenceUuid],
  )
}

/**
 * Tells whether a cycle has a charge other than one: a charge that its provider has never made leaves its cycle free, as
 * `charge_cycle_once` does.
 */
export function isCycleCharged(
  em: EntityManager,
  { recurrenceUuid, cycle, exceptUuid }: { recurrenceUuid: string; cycle: number; exceptUuid?: string },
): Promise<boolean> {
  return selectValue(
    em,
    `select exists (select from charge where recurrence_uuid = ? and cycle = ? and uuid is distinct from ?::uuid
       and (state <> 'failed' or txid is not null))`,
    [recurrenceUuid, cycle, exceptUuid ?? null],
  )
}
