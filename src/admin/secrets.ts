import type { EntityManager } from '../db/orm.ts'
import type { Sealer } from '../sealing.ts'

/** A sealed column, by the house's rule for its name; its table has a `uuid`. */
type SealedColumn = { table_name: string; column_name: string }

export type Resealed = { table: string; column: string; resealed: number; unopened: number }

/**
 * Seals everything that is stored under an older key anew under the newest one. A row that somebody changes meanwhile is
 * left to the next run; one whose key is not known here is counted as unopened. What runs under an older key is not
 * touched: the key must stay known until the last life that began under it is over.
 */
export async function reseal(em: EntityManager, sealer: Sealer): Promise<Resealed[]> {
  const columns: SealedColumn[] = await em.execute(
    `select table_name, column_name from information_schema.columns
     where table_schema = current_schema() and column_name like 'sealed\\_%' order by 1, 2`,
  )
  const told: Resealed[] = []
  for (const column of columns) told.push(await resealColumn(em, sealer, column))
  await em.execute(
    `update connection set secret_key_id = ? where secret_key_id <> ? and sealed_credentials like ?`,
    [sealer.keyId, sealer.keyId, `${newest(sealer)}%`],
  )
  return told
}

async function resealColumn(
  em: EntityManager,
  sealer: Sealer,
  { table_name: table, column_name: column }: SealedColumn,
): Promise<Resealed> {
  const rows: { uuid: string; sealed: string }[] = await em.execute(
    `select uuid, "${column}" as sealed from "${table}" where left("${column}", ?) <> ?`,
    [newest(sealer).length, newest(sealer)],
  )
  const told = { table, column, resealed: 0, unopened: 0 }
  for (const { uuid, sealed } of rows) {
    const fresh = sealedAnew(sealer, sealed)
    if (fresh === null) told.unopened += 1
    else {
      const { affectedRows } = await em.execute<{ affectedRows: number }>(
        `update "${table}" set "${column}" = ? where uuid = ? and "${column}" = ?`,
        [fresh, uuid, sealed],
        'run',
      )
      told.resealed += affectedRows
    }
  }
  return told
}

function sealedAnew(sealer: Sealer, sealed: string): string | null {
  try {
    return sealer.seal(sealer.open(sealed))
  } catch {
    return null
  }
}

function newest({ keyId }: Sealer): string {
  return `sealed.${keyId}.`
}
