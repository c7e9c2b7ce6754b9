import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { createApp } from './api/app.ts'
import type { AnyRoute } from './api/http/route-definition.ts'
import { MERCHANT_ROUTES } from './api/merchant-routes.ts'
import { createConfiguredCodeReader } from './code-reader/reader.ts'
import { readConfig } from './config.ts'
import { openOrm } from './db/client/orm.ts'
import { TemporalConnectionError } from './http/outage.ts'
import { createSealer } from './security/sealing.ts'
import { openStorage } from './storage/storage.ts'

/** Lists the routes of the API, for what is made from them. Neither PostgreSQL nor Temporal is contacted. */
export async function listOfflineRoutes(): Promise<AnyRoute[]> {
  const config = readConfig({
    DATABASE_URL: 'postgres://unused@127.0.0.1:1/unused',
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    PORT: '0',
    TRILHO_SECRET_KEY: `unused:${randomBytes(32).toString('base64')}`,
  })
  const orm = await openOrm({ databaseUrl: config.databaseUrl })
  let routes: AnyRoute[] = []
  try {
    createApp({
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
      codeReader: createConfiguredCodeReader(config),
      routes: [
        ...MERCHANT_ROUTES,
        router => {
          routes = router.routes
        },
      ],
    })
  } finally {
    await orm.close()
  }
  return routes
}
