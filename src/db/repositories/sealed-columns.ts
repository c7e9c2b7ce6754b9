import type { EntityManager } from '../client/orm.ts'
import { Connection } from '../entities/connection.ts'
import { selectValue } from '../select-values.ts'

/** A column with sealed texts: by the rule for its name, or as a list of them. Its table has a `uuid`. */
type SealedColumn = { table: string; column: string; type: 'text' | 'jsonb' }

const SEALED_COLUMNS_SQL = `
  select table_name as "table", column_name as "column", udt_name as type from information_schema.columns
  where table_schema = current_schema()
    and (column_name like 'sealed\\_%' or column_name = 'previous_secrets')
  order by 1, 2`

/** Rows that are read and changed at a time: some columns hold whole messages. */
const BATCH_SIZE = 100

/** `unopened`: rows that no known key opens. `left`: rows that still hold a text of another key than the newest. */
export type ResealResult = { table: string; column: string; resealed: number; unopened: number; left: number }

export type ResealOptions = {
  /** Id of the newest key. */
  keyId: string
  /** Returns the text sealed with the newest key; null where it does not open. */
  reseal(text: string): string | null
}

/**
 * Replaces every sealed text by the result of `reseal`, column by column in small batches, each committed by itself, so that
 * no row stays locked while others are changed. Safe to repeat after an interruption, and while the rows are used: a text
 * that changes after it was read is left as it is, and counted where it still needs another key.
 */
export async function* resealColumns(
  em: EntityManager,
  { keyId, reseal }: ResealOptions,
): AsyncGenerator<ResealResult> {
  if (em.isInTransaction()) throw new Error('each batch is a transaction of its own')
  for (const column of await em.execute<SealedColumn[]>(SEALED_COLUMNS_SQL)) {
    const { table, column: name } = column
    const result = { table, column: name, resealed: 0, unopened: 0 }
    for await (const rows of readBatches(em, column)) {
      const changed: ResealedRow[] = []
      for (const { uuid, text } of rows) {
        const fresh = reseal(text)
        if (fresh === null) result.unopened += 1
        else if (fresh !== text) changed.push({ uuid, text, fresh })
      }
      result.resealed += await replaceTexts(em, column, changed)
    }
    yield { ...result, left: await countOtherKeys(em, column, keyId) }
  }
}

type SealedRow = { uuid: string; text: string }
type ResealedRow = SealedRow & { fresh: string }

/** Reads the rows with sealed texts in the order of their key. */
async function* readBatches(em: EntityManager, { table, column }: SealedColumn): AsyncGenerator<SealedRow[]> {
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const rows = await em.execute<SealedRow[]>(
      `select uuid, "${column}"::text as text from "${table}"
       where uuid > ? and "${column}"::text ~ ? order by uuid limit ${BATCH_SIZE}`,
      [after, 'sealed\\.'],
    )
    if (rows.length > 0) yield rows
    if (rows.length < BATCH_SIZE) return
    after = rows.at(-1)!.uuid
  }
}

/**
 * Replaces the texts that are unchanged, and returns how many. First the rows that are not locked, by one statement; then each
 * locked one by a statement of its own: this one never waits for a row while it holds another.
 */
async function replaceTexts(em: EntityManager, column: SealedColumn, rows: ResealedRow[]): Promise<number> {
  if (rows.length === 0) return 0
  const replaced = new Set(await updateTexts(em, column, rows, 'skip locked'))
  let count = replaced.size
  for (const row of rows.filter(({ uuid }) => !replaced.has(uuid)))
    count += (await updateTexts(em, column, [row])).length
  return count
}

async function updateTexts(
  em: EntityManager,
  { table, column, type }: SealedColumn,
  rows: ResealedRow[],
  lockOption = '',
): Promise<string[]> {
  const updated = await em.execute<{ uuid: string }[]>(
    `with changed as (select * from json_to_recordset(?::json) as t (uuid uuid, text text, fresh text)),
       free as (
         select r.uuid, changed.fresh from "${table}" r join changed using (uuid)
         where r."${column}"::text = changed.text for no key update of r ${lockOption}
       )
     update "${table}" r set "${column}" = free.fresh::${type} from free where r.uuid = free.uuid returning r.uuid`,
    [JSON.stringify(rows)],
  )
  return updated.map(({ uuid }) => uuid)
}

async function countOtherKeys(
  em: EntityManager,
  { table, column }: SealedColumn,
  keyId: string,
): Promise<number> {
  return selectValue(em, `select count(*)::int from "${table}" where "${column}"::text ~ ?`, [
    `sealed\\.(?!${keyId}\\.)`,
  ])
}

/** Stores with each connection the key of its credentials, one row at a time, for those that have the newest. */
export async function updateConnectionKeys(em: EntityManager, keyId: string): Promise<void> {
  const isNewest = { secretKeyId: { $ne: keyId }, sealedCredentials: { $re: `^sealed\\.${keyId}\\.` } }
  const rows = await em.find(Connection, isNewest, { fields: ['uuid'], disableIdentityMap: true })
  for (const { uuid } of rows)
    await em.nativeUpdate(Connection, { uuid, ...isNewest }, { secretKeyId: keyId })
}
