import { z } from 'zod'
import { isSchemaMigrated } from '../../db/migrating.ts'
import type { Orm } from '../../db/orm.ts'
import type { Routes } from '../app.ts'
import { Refusal, refuse } from '../errors.ts'
import { failureCause } from '../failure-cause.ts'
import { PROBE_MS } from '../limits.ts'
import { NoAnswerInTime, within } from '../outage.ts'
import { route } from '../route.ts'
import { probeTemporal } from '../temporal.ts'

const fine = z.object({ status: z.literal('ok') }).meta({ id: 'Health' })

/** `/healthz` says that the process runs, `/readyz` that it can serve. */
export const healthRoutes: Routes = (router, { orm, temporal, isStopping = () => false }) => {
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
    summary:
      'Whether PostgreSQL is migrated and takes writes, Temporal can be reached, and the process is not stopping',
    tokens: 'none',
    answers: { 200: fine, errors: ['unavailable'] },
    async handle() {
      if (isStopping()) refuse('unavailable', { retryAfterS: 1, cause: 'stopping', data: { stopping: true } })
      const [postgres, engine] = await Promise.all([
        probeFailure(() => probePostgres(orm), 'postgres'),
        probeFailure(() => temporal().then(probeTemporal), 'temporal'),
      ])
      if (postgres !== null || engine !== null) {
        const data = { postgres: postgres === null, temporal: engine === null }
        refuse('unavailable', { retryAfterS: 1, data, cause: postgres ?? engine })
      }
      return { body: { status: 'ok' as const } }
    },
  })
}

/** Refuses where the schema is not that of this release, on a standby, and where a new transaction is read-only. */
async function probePostgres(orm: Orm): Promise<void> {
  if (!(await isSchemaMigrated(orm))) throw unavailable('postgres: schema not migrated')
  const [row] = await orm.em
    .fork()
    .execute<{ writable: boolean }[]>(
      `select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off' as writable`,
    )
  if (!row!.writable) throw unavailable('postgres: read-only')
}

/** The cause of a failed probe, which gets PROBE_MS; null where it succeeds. */
async function probeFailure(probe: () => Promise<void>, part: string): Promise<string | null> {
  try {
    await within(PROBE_MS, probe())
    return null
  } catch (error) {
    return error instanceof NoAnswerInTime ? `${part}: no answer in time` : failureCause(error)
  }
}

const unavailable = (cause: string) => new Refusal('unavailable', { cause })
