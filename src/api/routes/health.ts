import { z } from 'zod'
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
    summary: 'Whether PostgreSQL is migrated and Temporal can be reached',
    tokens: 'none',
    answers: { 200: fine, errors: ['unavailable'] },
    async handle() {
      const [postgres, engine] = await Promise.all([
        answers(orm.migrator.getPending().then(pending => pending.length === 0)),
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

function answers(probe: Promise<boolean>): Promise<boolean> {
  return within(PROBE_MS, probe).catch(() => false)
}
