import type { EntityManager } from '../client/orm.ts'
import { Recurrence } from '../entities/recurrence.ts'
import { ROW_LOCK } from '../locks.ts'
import { selectValue, selectValues } from '../select-values.ts'
import { formatTextArray } from '../sql-conditions.ts'

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

/** Finds those of some recurrences whose last due charge is not paid: its day has passed in Brasília. */
export async function findPastDueRecurrences(em: EntityManager, uuids: string[]): Promise<Set<string>> {
  if (uuids.length === 0) return new Set()
  const rows = await selectValues<string>(
    em,
    `select r.uuid from unnest(?::uuid[]) as r (uuid), lateral (
       select state from charge where recurrence_uuid = r.uuid and txid is not null
         and debit_on < to_char(now() at time zone 'America/Sao_Paulo', 'YYYY-MM-DD')
       order by cycle desc limit 1) last
     where last.state in ('pending', 'debiting', 'paying', 'failed', 'expired')`,
    [formatTextArray(uuids)],
  )
  return new Set(rows)
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
