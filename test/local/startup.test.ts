import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { createServer as createTlsServer, TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Client, Connection, ScheduleNotFoundError } from '@temporalio/client'
import { reserveFreePort } from '../../packages/dev/os/ports.ts'
import { migrate } from '../../src/db/client/migrate.ts'
import { waitUntil } from '../../src/startup/wait-until.ts'
import { SEARCH_ATTRIBUTES } from '../../src/workflows/contracts/search-attributes.ts'
import { createSelfSignedCertificate } from '../providers/support/certificate.ts'
import { openTestOrm } from '../support/orm.ts'
import { startPostgres } from '../support/postgres.ts'
import { PROGRAM_ENVIRONMENT } from '../support/program-environment.ts'
import { startTemporal } from '../support/temporal.ts'

/** Invalid settings that API and worker refuse at their start, and servers they wait for. Processes are really started, a few at a time. */

const ROOT = join(import.meta.dirname, '../..')
const PROGRAMS = {
  api: 'src/server.ts',
  worker: 'src/worker.ts',
  builtApi: 'dist/server.js',
  builtWorker: 'dist/worker.js',
}
const run = promisify(execFile)
/** As in src/server.ts: the API listens after it, whether its servers have responded or not. */
const STARTUP_CHECK_WAIT_MS = 2_500
const KEY = randomBytes(32).toString('base64')

let postgres: Awaited<ReturnType<typeof startPostgres>>
let temporal: Awaited<ReturnType<typeof startTemporal>>
let tlsPort: number
const tlsServer = createTlsServer(socket => socket.on('error', () => {})).on('tlsClientError', () => {})
/** Accepts TLS as PostgreSQL does, with a certificate of no known authority. */
let untrusted: Server
beforeAll(async () => {
  const { certificate: cert, key } = await createSelfSignedCertificate()
  tlsServer.setSecureContext({ cert, key })
  tlsServer.listen(0, '127.0.0.1')
  await once(tlsServer, 'listening')
  tlsPort = (tlsServer.address() as AddressInfo).port
  ;[postgres, temporal] = await Promise.all([
    startPostgres({}),
    startTemporal(Object.values(SEARCH_ATTRIBUTES)),
  ])
  untrusted = createServer(socket => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write('S')
      new TLSSocket(socket, { isServer: true, key, cert }).on('error', () => {})
    })
  }).listen(0, '127.0.0.1')
  await once(untrusted, 'listening')
  await migrate(postgres.url)
  const orm = await openTestOrm({ databaseUrl: postgres.url })
  for (const statement of [
    'create database unmigrated',
    'create database before_release',
    `create role reader login password 'reader'`,
    'revoke connect on database postgres from public',
  ])
    await orm.em.fork().execute(statement)
  await orm.close()
  const before = await openTestOrm({ databaseUrl: urlWith(url => (url.pathname = '/before_release')) })
  await before.em.fork().execute(`
    create table mikro_orm_migrations (id serial primary key, name varchar(255), executed_at timestamptz default now());
    insert into mikro_orm_migrations (name) values ('001_charges')`)
  await before.close()
})
afterAll(async () => {
  tlsServer.close()
  untrusted?.close()
  await Promise.all([postgres?.stop(), temporal?.stop()])
})

const urlWith = (change: (url: URL) => void) => {
  const url = new URL(postgres.url)
  change(url)
  return url.href
}

const untrustedUrl = () =>
  urlWith(url => {
    Object.assign(url, { hostname: 'localhost', search: '?sslmode=verify-full' })
    url.port = String((untrusted.address() as AddressInfo).port)
  })

type Line = { level: number; time: number; msg: string; url?: string }

function start(program: keyof typeof PROGRAMS, environment: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [join(ROOT, PROGRAMS[program])], {
    cwd: ROOT,
    env: {
      ...PROGRAM_ENVIRONMENT,
      DATABASE_URL: postgres.url,
      TEMPORAL_ADDRESS: temporal.address,
      TRILHO_SECRET_KEY: `a:${KEY}`,
      PORT: '0',
      TRILHO_DRAIN_SECONDS: '0',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += String(chunk)))
  return {
    child,
    /** Every complete line written so far; throws where one is not JSON. */
    lines: (): Line[] =>
      output
        .split('\n')
        .slice(0, -1)
        .map(line => JSON.parse(line)),
    text: () => output,
  }
}

async function end(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const closed = once(child, 'close')
    child.kill('SIGTERM')
    await closed
  }
  return child.exitCode
}

describe.each(['api', 'worker'] as const)('%s', program => {
  const PASSWORD = 'not-the-password'
  test.concurrent.each<[what: string, environment: () => NodeJS.ProcessEnv, message: RegExp]>([
    // What else a process refuses to read from its environment: test/local/settings.test.ts.
    [
      'several invalid variables',
      () => ({ TRILHO_TIME_SCALE: '2', TRILHO_OUTBOX: 'true' }),
      /TIME_SCALE.*TRILHO_OUTBOX/,
    ],
    [
      'a wrong password',
      () => ({ DATABASE_URL: urlWith(url => (url.password = PASSWORD)) }),
      /PostgreSQL refuses the password of DATABASE_URL/,
    ],
    [
      'a log that is silent',
      () => ({ DATABASE_URL: urlWith(url => (url.password = PASSWORD)), TRILHO_LOG_LEVEL: 'silent' }),
      /DATABASE_URL/,
    ],
    [
      'no password',
      () => ({ DATABASE_URL: urlWith(url => (url.password = '')) }),
      /DATABASE_URL has no password/,
    ],
    [
      'a database that is not there',
      () => ({ DATABASE_URL: urlWith(url => (url.pathname = '/nowhere')) }),
      /DATABASE_URL names a database/,
    ],
    [
      'a role without privileges',
      () => ({
        DATABASE_URL: urlWith(url => Object.assign(url, { username: 'reader', password: 'reader' })),
      }),
      /user of DATABASE_URL lacks privileges/,
    ],
    [
      'TLS that PostgreSQL does not speak',
      () => ({ DATABASE_URL: `${postgres.url}?sslmode=verify-full` }),
      /sslmode of DATABASE_URL/,
    ],
    [
      'a certificate that is not trusted',
      () => ({ DATABASE_URL: untrustedUrl() }),
      /certificate of PostgreSQL is not trusted.*sslrootcert of DATABASE_URL/,
    ],
    [
      'a file of certificates that is not there',
      () => ({ DATABASE_URL: `${postgres.url}?sslmode=verify-full&sslrootcert=/nowhere.pem` }),
      /sslrootcert of DATABASE_URL/,
    ],
    [
      'a schema that is not migrated',
      () => ({ DATABASE_URL: urlWith(url => (url.pathname = '/unmigrated')) }),
      /not migrated.*`trilho migrate`/,
    ],
    [
      'a schema of before the first release',
      () => ({ DATABASE_URL: urlWith(url => (url.pathname = '/before_release')) }),
      /not migrated.*`trilho migrate`/,
    ],
    ['a namespace that is not there', () => ({ TEMPORAL_NAMESPACE: 'nowhere' }), /TEMPORAL_NAMESPACE/],
    [
      'an invalid address',
      () => ({ TEMPORAL_ADDRESS: 'http://temporal:7233' }),
      /TEMPORAL_ADDRESS is not valid/,
    ],
    [
      'a certificate of Temporal that is not trusted',
      () => ({ TEMPORAL_ADDRESS: `127.0.0.1:${tlsPort}`, TEMPORAL_TLS: 'true' }),
      /TLS with the Temporal server.*TEMPORAL_TLS_SERVER_CA_CERT_PATH/,
    ],
  ])('refuses %s in one line', async (_what, environment, message) => {
    const startedAtMs = Date.now()
    const { child, lines, text } = start(program, environment())
    const [code] = await once(child, 'close')
    const fatal = lines().filter(({ level }) => level === 60)
    expect({ code, fatal }).toEqual({
      code: 1,
      fatal: [expect.objectContaining({ process: program, msg: expect.stringMatching(message) })],
    })
    // An API whose servers have not responded in time listens, and answers 503; on a busy machine it does so here too.
    const isLate = ({ msg, time }: Line) =>
      program === 'api' && msg === 'listening' && time >= startedAtMs + STARTUP_CHECK_WAIT_MS
    const serving = lines().filter(({ msg }) => /listening|ready/.test(msg))
    expect(serving.filter(line => !isLate(line))).toEqual([])
    expect(text()).not.toMatch(/stack|select /)
    for (const secret of [PASSWORD, KEY, new URL(postgres.url).password]) expect(text()).not.toContain(secret)
  })

  test.concurrent('waits for PostgreSQL that refuses connections, and writes JSON lines only', async () => {
    const { port, release } = await reserveFreePort() // Kept until the end: no other server may listen on it.
    const { child, lines } = start(program, {
      DATABASE_URL: urlWith(url => (url.port = String(port))),
      TRILHO_LOG_LEVEL: 'debug',
    })
    const isTold = (message: RegExp) => () => {
      expect(child.exitCode).toBeNull()
      return lines().some(({ msg }) => message.test(msg))
    }
    await waitUntil(isTold(/PostgreSQL does not answer/), { description: 'no warning', limitMs: 60_000 })
    const forward = await forwardTo(Number(new URL(postgres.url).port), port)
    try {
      await waitUntil(isTold(/^(ready|listening)$/), { description: 'it does not start', limitMs: 120_000 })
    } finally {
      await end(child)
      forward.close()
      release()
    }
    expect(child.exitCode).toBe(0)
    expect(lines().at(-1)).toMatchObject({ msg: 'stopped' })
  })
})

test.concurrent('a local environment may have all of them', async () => {
  const { child, lines } = start('api', {
    TRILHO_ENVIRONMENT: 'local',
    TRILHO_TIME_SCALE: '60',
    TRILHO_LOOPBACK_WEBHOOKS: 'true',
    TRILHO_SECRET_KEY: `a:${Buffer.alloc(32).toString('base64')}`,
  })
  await waitUntil(() => lines().some(({ msg }) => msg === 'listening'), {
    description: 'it does not listen',
    limitMs: 60_000,
  })
  expect(await end(child)).toBe(0)
})

test.concurrent.each([
  ['api', 'PORT'],
  ['worker', 'TRILHO_WORKER_PORT'],
] as const)('a port of the %s that is in use is reported in one line', async (program, variable) => {
  const blocker = createServer().listen(0, '127.0.0.1')
  await once(blocker, 'listening')
  const { port } = blocker.address() as AddressInfo
  const { child, lines } = start(program, { [variable]: String(port) })
  const [code] = await once(child, 'close')
  blocker.close()
  expect(code).toBe(1)
  expect(lines().filter(({ level }) => level === 60)).toEqual([
    expect.objectContaining({ msg: expect.stringMatching(`HOST and ${variable} .EADDRINUSE`) }),
  ])
})

test.concurrent('the programs that `npm run build` makes start without a bundler, and serve their files', async () => {
  await run('npm', ['run', '-s', 'build'], { cwd: ROOT })
  const help = ['dist/cli.js', 'src/cli.ts'].map(cli => run(process.execPath, [join(ROOT, cli), '--help']))
  const [built, source] = await Promise.all(help)
  expect(built!.stdout).toBe(source!.stdout)

  await rm(join(ROOT, 'dist/workflows/bundle/print-bundle.js'))
  const [api, worker] = [start('builtApi', {}), start('builtWorker', {})]
  const urlOf = ({ lines }: typeof api, message: string) => lines().find(({ msg }) => msg === message)?.url
  const isReady = async () => {
    const urls = [urlOf(api, 'listening'), urlOf(worker, 'health and metrics are served')]
    const answers = urls.map(url => fetch(`${url}/readyz`).catch(() => undefined))
    return (await Promise.all(answers)).every(answer => answer?.ok)
  }
  await waitUntil(isReady, { description: 'they are not ready', limitMs: 120_000 })
  for (const path of [
    '/dashboard/sign-in',
    '/dashboard/assets/dashboard.js',
    '/docs/pt/charges',
    '/openapi.json',
  ])
    expect([path, (await fetch(urlOf(api, 'listening') + path)).status]).toEqual([path, 200])
  // The pages of the build name assets that the process serves.
  const page = await (await fetch(`${urlOf(api, 'listening')}/docs/production`)).text()
  const [, asset = ''] = / href="(\/docs\/assets\/[^"]+)"/.exec(page)!
  expect((await fetch(`${urlOf(api, 'listening')}${asset}`)).status).toBe(200)
  expect([await end(api.child), await end(worker.child)]).toEqual([0, 0])
})

test.concurrent('a worker with a build belongs to its version on both task queues, and creates schedules once that is current', async () => {
  const version = { deploymentName: 'shop', buildId: '3a7c0e4' }
  const connection = await Connection.connect({ address: temporal.address })
  const { namespace } = temporal
  const client = new Client({ connection, namespace })
  const { child, lines } = start('worker', {
    TRILHO_BUILD_ID: version.buildId,
    TRILHO_DEPLOYMENT: version.deploymentName,
    TRILHO_TASK_QUEUE: 'versioned',
  })
  const request = { namespace, deploymentVersion: version }
  const queues = async () => {
    const { workerDeploymentVersionInfo } =
      await client.workflowService.describeWorkerDeploymentVersion(request)
    return new Set(workerDeploymentVersionInfo?.taskQueueInfos?.map(({ name }) => name))
  }
  const tally = client.schedule.getHandle('tally/versioned')
  try {
    await waitUntil(async () => (await queues().catch(() => new Set())).size === 2, {
      description: 'its version does not poll both task queues',
      limitMs: 120_000,
    })
    expect(await queues()).toEqual(new Set(['versioned', 'versioned-webhooks']))
    await expect(tally.describe()).rejects.toThrow(ScheduleNotFoundError)
    const { deploymentName, buildId } = version
    await client.workflowService.setWorkerDeploymentCurrentVersion({ namespace, deploymentName, buildId })
    await waitUntil(
      () =>
        tally.describe().then(
          () => true,
          () => false,
        ),
      { description: 'no schedule is made', limitMs: 60_000 },
    )
    const { url } = lines().find(({ msg }) => msg === 'health and metrics are served')!
    const scrape = async () => (await fetch(`${url}/metrics`)).text()
    await waitUntil(async () => /trilho_current_version\{[^}]*\} 1$/m.test(await scrape()), {
      description: 'the metrics do not say that a version is current',
      limitMs: 60_000,
    })
    for (const name of ['trilho_worker_version', 'trilho_version_needed'])
      expect(await scrape()).toMatch(new RegExp(`${name}\\{[^}]*build_id="3a7c0e4"[^}]*\\} 1$`, 'm'))
    await tally.trigger()
    await waitUntil(
      async () =>
        (await tally.describe()).info.recentActions.some(({ action }) => action.type === 'startWorkflow'),
      { description: 'the schedule starts nothing', limitMs: 60_000 },
    )
    const [started] = (await tally.describe()).info.recentActions
    expect(await client.workflow.getHandle(started!.action.workflow.workflowId).result()).toEqual(
      expect.any(Number),
    )
  } finally {
    await end(child)
    await connection.close()
  }
})

/** A listener that passes bytes on, and starts when the test says. */
async function forwardTo(target: number, port: number): Promise<{ close(): void }> {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    const other = connect(target, '127.0.0.1')
    for (const one of [socket, other]) sockets.add(one.on('error', () => {}))
    socket.pipe(other).pipe(socket)
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
