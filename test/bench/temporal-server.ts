import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rename } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { buildWithGo } from '../../packages/dev/binaries/go-build.ts'
import { buildOnce } from '../../packages/dev/binaries/temporal-binary.ts'
import { type LocalConfig, readLocalConfig } from '../../packages/dev/config.ts'
import { reserveFreePort } from '../../packages/dev/os/ports.ts'
import type { PrintLine } from '../../packages/dev/os/waits.ts'
import { waitForTemporal } from '../../src/temporal/readiness.ts'
import { startServer } from '../support/servers.ts'

/**
 * Temporal as docker-compose.yml runs it: the server of that version over PostgreSQL, configured by the same variables,
 * its schema created by the same script and its namespace by the same command. Built from its Go module, because there
 * may be no containers here.
 */
export async function startTemporalServer(order: {
  /** Of the PostgreSQL where it gets two databases of its own. */
  databaseUrl: string
  say: PrintLine
  abort: AbortSignal
}): Promise<{ address: string; stop(): Promise<void> }> {
  const { databaseUrl, abort } = order
  const config = readLocalConfig()
  const programs = await buildTemporalPrograms(config, order)
  const { hostname, port, username, password } = new URL(databaseUrl)
  const environment = {
    ...config.environment,
    POSTGRES_SEEDS: hostname,
    DB_PORT: port,
    POSTGRES_USER: username,
    POSTGRES_PWD: password,
  }
  const withTools = { ...environment, PATH: programs + delimiter + (config.environment.PATH ?? '') }
  await run('sh', [join(ROOT, 'deploy/temporal/schema.sh')], { env: withTools, signal: abort })

  await using opening = new AsyncDisposableStack()
  const ports: Record<string, string> = {}
  for (const name of PORT_VARIABLES) {
    const claimed = await reserveFreePort()
    opening.defer(claimed.release)
    ports[name] = String(claimed.port)
  }
  const server = startServer(join(programs, 'temporal-server'), ['--allow-no-auth', 'start'], {
    env: { ...environment, ...SERVER_ENV, ...ports },
  })
  opening.defer(() => server.kill('SIGKILL')) // Not read again after a crash.
  const address = `127.0.0.1:${ports.FRONTEND_GRPC_PORT}`
  await waitForTemporal({ address }, { namespace: 'temporal-system', searchAttributes: [] }, abort)
  await run(process.execPath, ['src/cli.ts', 'prepare-temporal'], {
    cwd: ROOT,
    env: {
      ...config.environment,
      DATABASE_URL: databaseUrl,
      TEMPORAL_ADDRESS: address,
      TRILHO_SECRET_KEY: `unused:${randomBytes(32).toString('base64')}`,
    },
    signal: abort,
  })
  const open = opening.move()
  return { address, stop: () => open.disposeAsync() }
}

const run = promisify(execFile)

const ROOT = join(import.meta.dirname, '../..')

/** What docker-compose.yml says of its server. */
const SERVER_ENV = {
  DB: 'postgres12',
  NUM_HISTORY_SHARDS: '4',
  DYNAMIC_CONFIG_FILE_PATH: join(ROOT, 'deploy/temporal/dynamic-config.yml'),
  BIND_ON_IP: '127.0.0.1',
  LOG_LEVEL: 'warn',
}

/** Each of the four services speaks gRPC, and membership to the others. */
const PORT_VARIABLES = [
  ...['FRONTEND', 'HISTORY', 'MATCHING', 'WORKER'].flatMap(name => [
    `${name}_GRPC_PORT`,
    `${name}_MEMBERSHIP_PORT`,
  ]),
  'FRONTEND_HTTP_PORT',
]

/** The folder of the server and its schema tool, built at the first use. */
async function buildTemporalPrograms(
  { cacheHome, environment }: LocalConfig,
  { say, abort }: { say: PrintLine; abort: AbortSignal },
): Promise<string> {
  const version = await readComposedVersion()
  const folder = join(cacheHome, 'trilho', `temporal-server-${version}`)
  const isThere = () => existsSync(join(folder, 'temporal-server'))
  if (isThere()) return folder
  await buildOnce(folder, { isBuilt: isThere, print: say, abort }, async empty => {
    const packages = ['server', 'tools/sql'].map(name => `go.temporal.io/server/cmd/${name}`)
    const programs = { name: 'Temporal server', version, packages, minutes: 10 }
    if (!(await buildWithGo(empty, programs, { environment, print: say, abort })))
      throw new Error('The Temporal server is built from its Go module: install Go (https://go.dev/dl).')
    await rename(join(empty, 'sql'), join(empty, 'temporal-sql-tool'))
    await rename(join(empty, 'server'), join(empty, 'temporal-server'))
  })
  return folder
}

async function readComposedVersion(): Promise<string> {
  const compose = await readFile(join(ROOT, 'docker-compose.yml'), 'utf8')
  return /image: temporalio\/server:(\S+)/.exec(compose)![1]!
}
