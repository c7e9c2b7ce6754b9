import type { NamedAttempt } from './attempts.ts'
import { Attempt } from './entities/attempt.ts'
import type { Connection } from './entities/connection.ts'
import { Movement } from './entities/movement.ts'
import { Transfer } from './entities/transfer.ts'
import type { EntityManager } from './orm.ts'
import type { Row } from './questions.ts'
import { readingOf } from './reading.ts'
import type { Where } from './where.ts'

/** A transfer with its connection and movement, to be looked at only; a loaded entity is one too. */
export type ReadTransfer = Omit<Transfer, 'connection' | 'movement'> & {
  connection: Pick<Connection, 'uuid' | 'provider'>
  movement?: Movement | null
}
export type TriedTransfer = ReadTransfer & { attempts: NamedAttempt[] }

/** `through` is the connection whose attempts are read, or null for all of them. */
type Page = { limit: number; offset: number; through: string | null }

/** Transfers with their attempts, newest first, as one moment saw them; the page is found by keys alone. */
export async function readTransfers(
  em: EntityManager,
  { sql, values }: Where,
  { limit, offset, through }: Page,
): Promise<TriedTransfer[]> {
  const [transfer, movement, attempt] = [
    readingOf(em, Transfer, 't'),
    readingOf(em, Movement, 'm'),
    readingOf(em, Attempt, 'a'),
  ]
  const rows = await em.execute<(Row & { provider: Connection['provider']; tried: Row[] | null })[]>(
    `select ${transfer.columns}, k.provider, ${movement.columns}, (
       select json_agg(tried order by tried.a_position) from (
         select ${attempt.columns}, k.provider from attempt a join connection k on k.uuid = a.connection_uuid
         where a.operation = 'transfer' and a.subject_uuid = t.uuid and a.connection_uuid = coalesce(?, a.connection_uuid)
       ) tried
     ) as tried
     from (select uuid from transfer where ${sql} order by created_at desc, uuid desc limit ? offset ?) page
     join transfer t on t.uuid = page.uuid
     join connection k on k.uuid = t.connection_uuid
     left join movement m on m.uuid = t.movement_uuid
     order by t.created_at desc, t.uuid desc`,
    [through, ...values, limit, offset],
  )
  return rows.map(row => ({
    ...transfer.of(row),
    connection: { uuid: row.t_connection_uuid as string, provider: row.provider },
    movement: row.m_uuid === null ? null : movement.of(row),
    attempts: (row.tried ?? []).map(one => ({ attempt: attempt.of(one), provider: one.provider as string })),
  }))
}

export async function countTransfers(em: EntityManager, { sql, values }: Where): Promise<number> {
  const [row] = await em.execute<{ total: string }[]>(
    `select count(*) as total from transfer where ${sql}`,
    values,
  )
  return Number(row!.total)
}

/** Whether a transfer of an account carries a reference already; those of the simulator are a world of their own. */
export async function isRefTaken(
  em: EntityManager,
  { isSimulated, ...ref }: { accountUuid: string; externalRef: string; isSimulated: boolean },
): Promise<boolean> {
  return (await em.count(Transfer, { ...ref, connection: { isSimulated } })) > 0
}
