import { fork } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Pool } from 'pg'
import { tryReadJsonFile } from '../../../packages/dev/env/state-dir.ts'
import { reserveFreePort } from '../../../packages/dev/os/ports.ts'
import type { SimulatorInfo } from '../../../packages/simulator/server.ts'
import { createProviderRegistry } from '../../../src/providers/registry.ts'
import { generateSigningSecret } from '../../../src/webhook-client/signature.ts'
import { stopProcess } from '../../support/second-processes.ts'
import type { BenchStack } from '../bench-stack.ts'
import type { Implementation } from '../implementations.ts'
import { SCHEMA } from './schema.ts'

export type Baseline = Implementation & {
  /** A merchant with so many charges, spread over a year; answers its token. */
  createSeededMerchant(charges: number): Promise<string>
  close(): Promise<void>
}

/**
 * A plain implementation of charges, as many are written: Koa, pg, a job table and a webhook sender, over the same
 * PostgreSQL, in a database of its own, and the same simulated provider. What it is faster by is the price of
 * durability.
 */
export async function openBaseline(site: BenchStack): Promise<Baseline> {
  await using opening = new AsyncDisposableStack()
  const { database_url } = site.local
  const databaseUrl = await createDatabase(database_url)
  const pool = new Pool({ connectionString: databaseUrl, max: 5 })
  opening.defer(() => pool.end())
  await pool.query(SCHEMA)
  const port = await reserveFreePort()
  opening.defer(port.release)
  const url = `http://127.0.0.1:${port.port}`
  const provider = await openProviderAccount(site)
  for (const program of ['api', 'sender'] as const) {
    const child = fork(fileURLToPath(new URL(`./${program}.ts`, import.meta.url)), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: site.environment,
    })
    opening.defer(() => stopProcess(child))
    child.send({ databaseUrl, port: port.port, provider })
    await once(child, 'message')
  }
  await registerNotificationUrl(url, provider)
  const open = opening.move()
  async function insertMerchant(): Promise<{ id: string; token: string }> {
    const token = randomUUID()
    const { rows } = await pool.query({
      name: 'insert-merchant',
      text: 'insert into merchant (token_hash) values ($1) returning id',
      values: [createHash('sha256').update(token).digest()],
    })
    return { id: rows[0].id, token }
  }

  return {
    name: 'baseline',
    programs: ['baseline', 'PostgreSQL'],
    api: site.api(url),
    async createMerchant(endpoints = []) {
      const { id, token } = await insertMerchant()
      for (const endpoint of endpoints)
        await pool.query({
          name: 'insert-endpoint',
          text: 'insert into endpoint (merchant_id, url, secret) values ($1, $2, $3)',
          values: [id, endpoint, generateSigningSecret()],
        })
      return token
    },
    async createSeededMerchant(charges) {
      const { id, token } = await insertMerchant()
      await pool.query({
        name: 'seed-charges',
        text: `insert into charge (uuid, merchant_id, txid, status, value_cents, payload, end_to_end, created_at, expires_at)
         select gen_random_uuid(), $1::bigint, md5(n::text), 'paid', 1000, repeat('0', 200),
           'E' || lpad(n::text, 31, '0'), now() - interval '365 days' * (n::float8 / $2::int), now()
         from generate_series(1, $2::int) n`,
        values: [id, charges],
      })
      await pool.query('vacuum (analyze) charge')
      return token
    },
    close: () => open.disposeAsync(),
  }
}

async function createDatabase(serverUrl: string): Promise<string> {
  const pool = new Pool({ connectionString: serverUrl, max: 1 })
  await pool.query('create database bench_baseline').finally(() => pool.end())
  const url = new URL(serverUrl)
  url.pathname = '/bench_baseline'
  return url.href
}

/** An account at the simulated provider that Trilho does not know, and what a client of it needs. */
async function openProviderAccount({ stage }: BenchStack) {
  const simulator = await tryReadJsonFile<SimulatorInfo>(`${stage.home.simulator}/simulator.json`)
  const credentials = {
    client_id: `baseline-${randomUUID()}`,
    client_secret: randomUUID(),
    notification_secret: randomUUID(),
  }
  const collectionKey = randomUUID()
  await stage.simulator.putAccount(credentials.client_id, {
    ...credentials,
    provider: 'PROVIDER_A',
    dialect: 'efi',
    city: 'SAO PAULO',
    ispb: '09089356',
    holder: { name: 'Loja de Teste Ltda', document: '11222333000181' },
    keys: [collectionKey],
    balance: 0,
    requires_certificate: false,
    amount_magic: false,
  })
  return { baseUrl: simulator!.providers.PROVIDER_A.base_url, ca: stage.ca, collectionKey, credentials }
}

async function registerNotificationUrl(
  url: string,
  { baseUrl, ca, collectionKey, credentials }: Awaited<ReturnType<typeof openProviderAccount>>,
): Promise<void> {
  const registry = createProviderRegistry({ openCredentials: JSON.parse, timeoutMs: 10_000, ca })
  const connection = { uuid: randomUUID(), provider: 'PROVIDER_A', dialect: 'efi', baseUrl }
  const provider = registry.providerFor({ ...connection, sealedCredentials: JSON.stringify(credentials) })
  const { kind } = await provider.registerNotificationUrl(
    `${url}/provider-notifications/baseline`,
    collectionKey,
  )
  await registry.close()
  if (kind !== 'registered') throw new Error(`the baseline's notifications: ${kind}`)
}
