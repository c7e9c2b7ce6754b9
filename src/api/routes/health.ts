import { z } from 'zod'
import type { Orm } from '../../db/orm.ts'
import type { Routes } from '../app.ts'
import { refuse } from '../errors.ts'
import { PROBE_MS } from '../limits.ts'
import { within } from '../outage.ts'
import { route } from '../route.ts'
import { probeTemporal } from '../temporal.ts'

const fine = z.object({ status: z.literal('ok') }).meta({ id: 'Health' })

/** `/healthz` says that the process runs, `/readyz` that it can serve. */
export const healthRoutes: Routes = (router, { orm, temporal }) => {
  route(router, {
    method: 'get',
    path: '/healthz',
    summary: 'Whether the process is up',
    tokens: 'none',
    answers: { 200: fine },
    async handle() {
      return { body: { status: 'ok' as const } }
    },
  })

  route(router, {
    method: 'get',
    path: '/readyz',
    summary: 'Whether PostgreSQL is migrated and takes writes, and Temporal can be reached',
    tokens: 'none',
    answers: { 200: fine, errors: ['unavailable'] },
    async handle() {
      const [postgres, engine] = await Promise.all([
        answers(isMigrated(orm).then(migrated => migrated && takesWrites(orm))),
        answers(
          temporal()
            .then(probeTemporal)
            .then(() => true),
        ),
      ])
      if (!postgres || !engine) {
        refuse('unavailable', { retryAfterS: 1, data: { postgres, temporal: engine } })
      }
      return { body: { status: 'ok' as const } }
    },
  })
}

async function isMigrated({ migrator }: Orm): Promise<boolean> {
  return (await migrator.getPending()).length === 0
}

/** False on a standby, and where a new transaction is read-only. */
async function takesWrites({ em }: Orm): Promise<boolean> {
  const [row] = await em
    .fork()
    .execute<{ writable: boolean }[]>(
      `select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off' as writable`,
    )
  return row!.writable
}

function answers(probe: Promise<boolean>): Promise<boolean> {
  return within(PROBE_MS, probe).catch(() => false)
}
