import type { EntityManager } from '../client/orm.ts'

/** A column with sealed texts: by the rule for its name, or as a list of them. Its table has a `uuid`. */
type SealedColumn = { table: string; column: string; type: 'text' | 'jsonb' }

const SEALED_COLUMNS_SQL = `
  select table_name as "table", column_name as "column", udt_name as type from information_schema.columns
  where table_schema = current_schema()
    and (column_name like 'sealed\\_%' or (table_name, column_name) = ('webhook', 'previous_secrets'))
  order by 1, 2`

export type ResealResult = { table: string; column: string; resealed: number; unopened: number }

/** Replaces every sealed text by the result of `reseal`, null where a text does not open; rows that change meanwhile stay. */
export async function resealColumns(
  em: EntityManager,
  reseal: (text: string) => string | null,
): Promise<ResealResult[]> {
  const results: ResealResult[] = []
  for (const { table, column, type } of await em.execute<SealedColumn[]>(SEALED_COLUMNS_SQL)) {
    const rows: { uuid: string; text: string }[] = await em.execute(
      `select uuid, "${column}"::text as text from "${table}" where "${column}"::text ~ ?`,
      ['sealed\\.'],
    )
    const result = { table, column, resealed: 0, unopened: 0 }
    for (const { uuid, text } of rows) {
      const fresh = reseal(text)
      if (fresh === null) result.unopened += 1
      else if (fresh !== text) {
        const { affectedRows } = await em.execute<{ affectedRows: number }>(
          `update "${table}" set "${column}" = ?::${type} where uuid = ? and "${column}"::text = ?`,
          [fresh, uuid, text],
          'run',
        )
        result.resealed += affectedRows
      }
    }
    results.push(result)
  }
  return results
}
