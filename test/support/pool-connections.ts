import type { Orm } from '../../src/db/client/orm.ts'
import { pollUntil } from '../api/support/poll-until.ts'

/**
 * Opens all connections of a pool, and returns the process ids of their backends. A statement that takes a connection which
 * another one has just released opens none: on a slow machine all connections exist only after some rounds.
 */
export async function openAllConnections(orm: Orm, poolSize: number): Promise<Set<number>> {
  const select = () =>
    orm.em.fork().execute<{ pid: number }[]>('select pg_backend_pid() as pid, pg_sleep(0.1)')
  return pollUntil(
    async () => {
      const rows = await Promise.all(Array.from({ length: poolSize }, select))
      return new Set(rows.map(([row]) => row!.pid))
    },
    pids => pids.size === poolSize,
  )
}
