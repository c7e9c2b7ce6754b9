import { Pool } from 'undici'
import { reserveFreePort } from '../../packages/dev/os/ports.ts'
import { waitUntilReady } from '../../packages/dev/services/startup.ts'
import { spawnProgram, stopProcess } from '../support/second-processes.ts'
import { measureCpu } from './cpu.ts'
import { type Figures, formatTable } from './figures.ts'
import type { Bench } from './main.ts'
import { type SeededAccount, seedAccount } from './seeded-account.ts'

const CHARGES = 1_000
const REQUESTS = 150
const WARM_UP_REQUESTS = 20
/** Above it a route needs an explanation in docs/production.md. */
const EXPLAINED_ABOVE_MS = 15

/** A route that reads; `why` it may take more than the limit. */
type Route = { path: string; why?: string }

/** The processor time of the API for each route that reads: for so long its one thread serves no other request. */
export async function routes({ site, say }: Pick<Bench, 'site' | 'say'>): Promise<Partial<Figures>> {
  const server = { databaseUrl: site.local.database_url, sealer: site.stage.seal }
  const account = await seedAccount(server, { name: 'bench_routes', charges: CHARGES })
  const port = await reserveFreePort()
  const api = spawnProgram('src/server.ts', {
    ...site.environment,
    DATABASE_URL: account.databaseUrl,
    PORT: String(port.port),
  })
  const url = `http://127.0.0.1:${port.port}`
  const pool = new Pool(url, { connections: 1 })
  try {
    await waitUntilReady(url, AbortSignal.timeout(120_000))
    const get = createReader(pool, account.token)
    const found: { route: Route; ms: number; bytes: number }[] = []
    for (const route of listRoutes(account)) {
      for (let n = 0; n < WARM_UP_REQUESTS; n += 1) await get(route.path)
      let bytes = 0
      const spent = await measureCpu(async () => {
        for (let n = 0; n < REQUESTS; n += 1) bytes = (await get(route.path)).length
      })
      found.push({ route, ms: spent ? spent.API / REQUESTS : Number.NaN, bytes })
      say(`${route.path}: ${found.at(-1)!.ms.toFixed(1)} ms`)
    }
    const notes = formatTable(
      found.map(({ route, ms, bytes }) => ({
        route: route.path.replaceAll(/[0-9a-f-]{36}/g, ':uuid'),
        'API CPU ms': ms,
        'bytes compressed': bytes,
        [`above ${EXPLAINED_ABOVE_MS} ms because`]:
          ms > EXPLAINED_ABOVE_MS ? (route.why ?? 'NOT EXPLAINED') : '',
      })),
    )
    return { notes: [notes] }
  } finally {
    await pool.close()
    await stopProcess(api)
    await port.release()
  }
}

type Reader = (path: string) => Promise<Buffer>

/** Reads as a client that takes compressed answers. */
function createReader(pool: Pool, token: string): Reader {
  const headers = { authorization: `Bearer ${token}`, 'accept-encoding': 'br' }
  return async path => {
    const { statusCode, body } = await pool.request({ method: 'GET', path, headers })
    const content = Buffer.from(await body.arrayBuffer())
    if (statusCode !== 200) throw new Error(`${path} answers ${statusCode}`)
    return content
  }
}

/** Lists the routes of the table in docs/production.md, with the objects of a seeded account. */
function listRoutes({ batch, refunded, webhook, connections }: SeededAccount): Route[] {
  const charge = `/api/v1/payments/${refunded}`
  const deliveries = `/api/v1/webhooks/${webhook}/deliveries`
  const lists: Route[] = [
    ...['refunds', 'meds', 'ledger'].map(name => ({ path: `/api/v1/${name}` })),
    { path: '/api/v1/payments', why: 'the most JSON of all' },
    { path: '/api/v1/transfers', why: 'each with its attempts' },
    { path: '/api/v1/events', why: 'each with its body' },
    { path: deliveries, why: 'each with its event and its attempts' },
    { path: '/api/v1/transfers/batches' },
    { path: `/api/v1/transfers/batches/${batch}/items` },
  ]
  return [
    { path: '/healthz' },
    { path: charge },
    { path: `/api/v1/providers/${connections[0]}` },
    { path: `/api/v1/webhooks/${webhook}` },
    { path: '/api/v1/ledger/balances' },
    { path: `${charge}/refunds` },
    { path: `${charge}/qr.svg` },
    { path: `${charge}/qr.png` },
    ...lists.map(route => ({ ...route, path: `${route.path}?per_page=15` })),
    ...lists.map(route => ({ ...route, path: `${route.path}?per_page=100` })),
    { path: '/api/v1/ledger.csv', why: 'in steps of 1,000 lines, between which other requests run' },
    { path: '/docs/reference', why: '800 kB, compressed for each request' },
    { path: '/docs/search/en.json', why: '400 kB, compressed for each request' },
    { path: '/openapi.json', why: '400 kB, compressed for each request' },
  ]
}
