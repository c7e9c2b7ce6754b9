import { z } from 'zod'
import { isSchemaMigrated } from '../../db/client/migrate.ts'
import type { Orm } from '../../db/client/orm.ts'
import { isDatabaseWritable } from '../../db/client/startup-check.ts'
import { fail } from '../../http/api-error.ts'
import { describeFailureCause } from '../../http/error-handler.ts'
import { PROBE_TIMEOUT_MS } from '../../http/limits.ts'
import { ResponseTimeoutError, withTimeout } from '../../http/outage.ts'
import type { RouteRegistrar } from '../app.ts'
import { registerRoute } from '../http/route.ts'
import { probeTemporal } from '../operations/temporal-client.ts'

const healthResponse = z.object({ status: z.literal('ok') }).meta({ id: 'Health' })

/** Which parts answer, or why the process takes no requests now. */
const unreadinessSchema = z
  .object({ postgres: z.boolean(), temporal: z.boolean(), starting: z.boolean(), stopping: z.boolean() })
  .partial()
  .meta({ id: 'Unreadiness', examples: [{ postgres: true, temporal: false }] })

/** Registers `/healthz` (the process runs) and `/readyz` (an API can serve requests, a worker polls Temporal). */
export const healthRoutes: RouteRegistrar = (router, { orm, temporal, findUnreadiness }) => {
  registerRoute(router, 'get', '/healthz', {
    operationId: 'getLiveness',
    summary: 'Whether the process is up',
    description: 'Looks at nothing else.',
    tokens: 'none',
    responses: { 200: healthResponse },
    handle: async () => ({ body: { status: 'ok' as const } }),
  })

  registerRoute(router, 'get', '/readyz', {
    operationId: 'getReadiness',
    summary:
      'Whether PostgreSQL is migrated and takes writes, Temporal can be reached, and the process is not stopping',
    description: 'Where it is not, `data` names the part that does not answer.',
    tokens: 'none',
    responses: {
      200: healthResponse,
      errors: ['unavailable'],
      errorData: { schema: unreadinessSchema, optionalCodes: ['unavailable'] },
    },
    async handle() {
      const unreadiness = findUnreadiness?.()
      if (unreadiness)
        fail('unavailable', { retryAfterS: 1, cause: unreadiness, data: { [unreadiness]: true } })
      const [postgresFailure, temporalFailure] = await Promise.all([
        findProbeFailure(() => probePostgres(orm), 'postgres'),
        findProbeFailure(() => temporal.client().then(probeTemporal), 'temporal'),
      ])
      if (postgresFailure !== null || temporalFailure !== null) {
        const data = { postgres: postgresFailure === null, temporal: temporalFailure === null }
        fail('unavailable', { retryAfterS: 1, data, cause: postgresFailure ?? temporalFailure })
      }
      return { body: { status: 'ok' as const } }
    },
  })
}

/** Probes PostgreSQL; fails for the schema of another release, on a standby, and where transactions are read-only. */
async function probePostgres(orm: Orm): Promise<void> {
  if (!(await isSchemaMigrated(orm))) fail('unavailable', { cause: 'postgres: schema not migrated' })
  if (!(await isDatabaseWritable(orm))) fail('unavailable', { cause: 'postgres: read-only' })
}

/** Runs a probe with a limit of PROBE_TIMEOUT_MS; returns the cause of its failure, or null. */
async function findProbeFailure(probe: () => Promise<void>, part: string): Promise<string | null> {
  try {
    await withTimeout(PROBE_TIMEOUT_MS, probe())
    return null
  } catch (error) {
    return error instanceof ResponseTimeoutError ? `${part}: no answer in time` : describeFailureCause(error)
  }
}
