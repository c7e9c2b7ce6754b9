import { Charge, type Split } from './entities/charge.ts'
import type { Connection } from './entities/connection.ts'
import { Movement } from './entities/movement.ts'
import type { EntityManager } from './orm.ts'
import type { Row } from './questions.ts'
import { readingOf } from './reading.ts'
import type { Where } from './where.ts'

/** A charge with all that showing it needs, to be looked at only; a loaded entity is one too. */
export type ReadCharge = Omit<Charge, 'connection' | 'movement' | 'splits'> & {
  connection: Pick<Connection, 'uuid' | 'provider'>
  movement?: Movement | null
  splits: Iterable<ReadSplit>
}
export type ReadSplit = Pick<Split, 'uuid' | 'type' | 'amount' | 'status'> & {
  recipient: { uuid: string; name: string }
}

/** Charges, newest first, as one moment saw them. The page is found by keys alone, so that a far one costs no more. */
export async function readCharges(
  em: EntityManager,
  { sql, values }: Where,
  { limit, offset }: { limit: number; offset: number },
): Promise<ReadCharge[]> {
  const charge = readingOf(em, Charge, 'c')
  const movement = readingOf(em, Movement, 'm')
  const rows = await em.execute<(Row & { provider: Connection['provider']; splits: ReadSplit[] | null })[]>(
    `select ${charge.columns}, k.provider, ${movement.columns}, ${SPLITS} as splits
     from (select uuid from charge where ${sql} order by created_at desc, uuid desc limit ? offset ?) page
     join charge c on c.uuid = page.uuid
     join connection k on k.uuid = c.connection_uuid
     left join movement m on m.uuid = c.movement_uuid
     order by c.created_at desc, c.uuid desc`,
    [...values, limit, offset],
  )
  return rows.map(row => ({
    ...charge.of(row),
    connection: { uuid: row.c_connection_uuid as string, provider: row.provider },
    movement: row.m_uuid === null ? null : movement.of(row),
    splits: row.splits ?? [],
  }))
}

export async function countCharges(em: EntityManager, { sql, values }: Where): Promise<number> {
  const [row] = await em.execute<{ total: string }[]>(
    `select count(*) as total from charge where ${sql}`,
    values,
  )
  return Number(row!.total)
}

const SPLITS = `(
  select json_agg(json_build_object('uuid', s.uuid, 'type', s.type, 'amount', s.amount, 'status', s.status,
    'recipient', json_build_object('uuid', a.uuid, 'name', a.name)) order by s.position)
  from split s join account a on a.uuid = s.recipient_account_uuid where s.charge_uuid = c.uuid
)`
