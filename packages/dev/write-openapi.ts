import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { createApp } from '../../src/api/app.ts'
import { MERCHANT_ROUTES } from '../../src/api/merchant-routes.ts'
import { readConfig } from '../../src/config.ts'
import { openOrm } from '../../src/db/client/orm.ts'
import { TemporalConnectionError } from '../../src/http/outage.ts'
import { startServer } from '../../src/http/server.ts'
import { createSealer } from '../../src/security/sealing.ts'
import { openStorage } from '../../src/storage/storage.ts'

/**
 * `npm run openapi`: writes `openapi.json` in the root of the repository as `/openapi.json` serves it, so that a change
 * of the API is seen in a review. Neither PostgreSQL nor Temporal is contacted.
 */

const config = readConfig({
  DATABASE_URL: 'postgres://unused@127.0.0.1:1/unused',
  TEMPORAL_ADDRESS: '127.0.0.1:1',
  PORT: '0',
  TRILHO_SECRET_KEY: `unused:${randomBytes(32).toString('base64')}`,
})
const orm = await openOrm({ databaseUrl: config.databaseUrl })
const app = createApp({
  orm,
  temporal: {
    client: async () => {
      throw new TemporalConnectionError('not used')
    },
    taskQueue: config.temporal.taskQueue,
    timeScale: config.timeScale,
  },
  config,
  log: pino({ level: 'silent' }),
  sealer: createSealer(config.secretKeys),
  storage: await openStorage(config),
  routes: MERCHANT_ROUTES,
})
const server = await startServer(app, config)
const response = await fetch(`${server.url}/openapi.json`)
await server.stop()
await orm.close()
await writeFile(
  join(import.meta.dirname, '../../openapi.json'),
  `${JSON.stringify(await response.json(), null, 2)}\n`,
)
