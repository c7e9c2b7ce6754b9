import type { EntityManager } from '../db/client/orm.ts'
import type { Sealer } from '../security/sealing.ts'

/** A column with sealed texts: by the rule for its name, or as a list of them. Its table has a `uuid`. */
type SealedColumn = { table_name: string; column_name: string; type: 'text' | 'jsonb' }

const SEALED_COLUMNS_SQL = `
  select table_name, column_name, udt_name as type from information_schema.columns
  where table_schema = current_schema()
    and (column_name like 'sealed\\_%' or (table_name, column_name) = ('webhook', 'previous_secrets'))
  order by 1, 2`

export type ResealResult = { table: string; column: string; resealed: number; unopened: number }

/**
 * Encrypts everything that is stored under an older key again with the newest one. A row that changes at the same time is
 * left to the next run; one that does not open, whichever key it names, is counted as unopened. Inputs of workflows are
 * not changed: an older key must be kept until the last workflow that started with it has ended.
 */
export async function resealSecrets(em: EntityManager, sealer: Sealer): Promise<ResealResult[]> {
  const columns: SealedColumn[] = await em.execute(SEALED_COLUMNS_SQL)
  const results: ResealResult[] = []
  for (const column of columns) results.push(await resealColumn(em, sealer, column))
  await em.execute(
    `update connection set secret_key_id = ? where secret_key_id <> ? and sealed_credentials like ?`,
    [sealer.keyId, sealer.keyId, `sealed.${sealer.keyId}.%`],
  )
  return results
}

async function resealColumn(
  em: EntityManager,
  sealer: Sealer,
  { table_name: table, column_name: column, type }: SealedColumn,
): Promise<ResealResult> {
  const rows: { uuid: string; text: string }[] = await em.execute(
    `select uuid, "${column}"::text as text from "${table}" where "${column}"::text ~ ?`,
    ['sealed\\.'],
  )
  const result = { table, column, resealed: 0, unopened: 0 }
  for (const { uuid, text } of rows) {
    const fresh = resealText(sealer, text)
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
  return result
}

/** Reseals every sealed part of a text; a part sealed with the newest key stays unchanged. Null where a part does not open. */
function resealText(sealer: Sealer, text: string): string | null {
  try {
    return text.replaceAll(/sealed\.\w+\.[\w-]+/g, sealed => {
      const value = sealer.open(sealed)
      return sealed.startsWith(`sealed.${sealer.keyId}.`) ? sealed : sealer.seal(value)
    })
  } catch {
    return null
  }
}
