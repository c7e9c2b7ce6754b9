import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { MEMORY_FLAGS } from '../../packages/dev/env/memory-flags.ts'
import { REDACTED_LOG_SETTINGS } from '../../packages/dev/services/postgres.ts'
import { buildTemporalArguments } from '../../packages/dev/services/temporal.ts'
import { readConfig } from '../../src/config.ts'

/** What the container files say of this repository stays true. */

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFile(join(root, file), 'utf8')
const [dockerfile, compose, manifest, production, example, temporal, ...settings] = await Promise.all([
  read('Dockerfile'),
  read('docker-compose.yml'),
  read('package.json'),
  read('docs/production.md'),
  read('.env.example'),
  read('deploy/temporal/dynamic-config.yml'),
  read('src/config.ts'),
  read('packages/simulator/config.ts'),
  read('src/storage/settings.ts'),
])

const NEEDED = {
  DATABASE_URL: 'postgres://trilho@localhost/trilho',
  TEMPORAL_ADDRESS: 'localhost:7233',
  TRILHO_SECRET_KEY: `a:${Buffer.alloc(32, 7).toString('base64')}`,
}

test('the image runs the Node that package.json pins, on Debian, and not as root', () => {
  const { devDependencies } = JSON.parse(manifest)
  const images = [...dockerfile.matchAll(/^FROM (node\S+)/gm)].map(([, image]) => image)
  expect(new Set(images)).toEqual(new Set([`node:${devDependencies.node}-bookworm-slim`]))
  expect(dockerfile).toMatch(/^USER 1000:1000$/m)
})

test('every program that a service runs exists', () => {
  const programs = [...(dockerfile + compose).matchAll(/"(dist\/[a-z/-]+\.js|packages\/[a-z/-]+\.ts)"/g)].map(
    ([, name]) => name!.replace(/^dist\/(.*)\.js$/, 'src/$1.ts'),
  )
  expect(programs).toEqual(expect.arrayContaining(['src/server.ts', 'packages/simulator/main.ts']))
  expect(programs.filter(file => !existsSync(join(root, file)))).toEqual([])
})

test('the production image has nothing of development', () => {
  const [, production = ''] = /\nFROM \S+\n((?:(?!\nFROM )[\s\S])*)$/.exec(dockerfile) ?? []
  expect(production).toContain('COPY --from=build /app/dist ./dist')
  expect(production.replaceAll(/^#.*/gm, '')).not.toContain('packages')
  for (const name of ['simulator', 'demo'])
    expect(services[name]).toMatchObject({
      image: expect.stringContaining('development'),
      build: { target: 'development' },
    })
  for (const name of ['prepare', 'api', 'worker']) expect(services[name].build.target).toBeUndefined()
})

test('every setting that a service gets is read', () => {
  const variables = [...compose.matchAll(/^ +((?:TRILHO|SIMULATOR)_[A-Z0-9_]+):/gm)].map(([, name]) => name!)
  expect(variables).toContain('TRILHO_SECRET_KEY')
  expect(variables.filter(name => !new RegExp(`^ +${name}:`, 'm').test(settings.join('\n')))).toEqual([])
})

test('every variable documented for production reaches the processes, except the API’s bind address', () => {
  const [, table = ''] = /^## Variables\n(.*?)^Not for production/ms.exec(production) ?? []
  const documented = [...table.matchAll(/^\| (`[^|]+)/gm)].flatMap(
    ([, names]) => names!.match(/[A-Z][A-Z0-9_]+/g)!,
  )
  const [, shared = ''] = /^ {2}environment: &environment\n(.*?)^ {2}\S/ms.exec(compose) ?? []
  const handed = [...shared.matchAll(/^ {4}([A-Z][A-Z0-9_]+):/gm)].map(([, name]) => name!)
  expect(documented).toContain('TRILHO_METRICS_TOKEN')
  expect(documented.filter(name => !handed.includes(name))).toEqual(['HOST', 'PORT'])
  // A line of .env without a value sets nothing.
  const empty = Object.fromEntries(documented.map(name => [name, '']))
  expect(readConfig({ ...empty, ...NEEDED })).toEqual(readConfig(NEEDED))
})

test('its Temporal server has the settings of the one of `npm start`, except those specific to that one', () => {
  const documented = [...temporal.matchAll(/^(\S+): \[\{ value: (\S+) \}\]$/gm)].map(
    ([, name, value]) => `${name}=${value}`,
  )
  const server = { port: 1, namespace: 'default', searchAttributes: [] }
  const local = buildTemporalArguments(server).filter(
    (_, at, all) => all[at - 1] === '--dynamic-config-value',
  )
  expect([...documented, 'system.forceSearchAttributesCacheRefreshOnRead=false']).toEqual(local)
})

test('a PostgreSQL that is still being initialised, on its socket, is not healthy', () => {
  const probes = compose.match(/"pg_isready".*/g)
  expect(probes).toHaveLength(2)
  for (const probe of probes!) expect(probe).toContain('"-h", "127.0.0.1"')
})

test('a service that reads the simulator’s authority at its start restarts after it, wherever that is configured', () => {
  for (const text of [compose, production])
    expect(text).toMatch(/--profile simulator up -d --build .*\n.*docker compose restart api worker/)
})

test('a password that becomes part of a URL is documented as letters and digits', () => {
  expect(compose).toMatch(/trilho:\$\{POSTGRES_PASSWORD:\?\}@/)
  expect(example).toMatch(/^# Letters and digits.*\nPOSTGRES_PASSWORD=$/m)
})

test('the command line is documented for a container, with an API and without one', () => {
  const program = 'node dist/cli.js'
  expect(production).toContain(`docker compose exec api ${program}`)
  expect(production).toContain(`docker compose run --rm --no-deps api ${program}`)
})

test('Temporal’s schema is created by the tools of the same server image', () => {
  const versions = [...compose.matchAll(/image: temporalio\/(?:admin-tools|server):(\S+)/g)].map(
    ([, one]) => one,
  )
  expect(versions).toHaveLength(3)
  expect(new Set(versions).size).toBe(1)
})

test('the ledger’s PostgreSQL quotes no value in its log, here as under `npm start', () => {
  for (const [name, value] of Object.entries(REDACTED_LOG_SETTINGS))
    expect(compose).toContain(`"${name}=${value}"`)
})

test('every port is published on loopback only unless `.env` says otherwise, and every service has its limits', () => {
  const ports = [...compose.matchAll(/^ {4}ports: \["([^"]+)"\]$/gm)].map(([, one]) => one!)
  expect(ports.length).toBeGreaterThan(2)
  for (const one of ports) expect(one).toMatch(/^(127\.0\.0\.1:|\$\{TRILHO_LISTEN:-127\.0\.0\.1:)/)
  const services = compose.split(/^services:$/m)[1]!.split(/^volumes:$/m)[0]!
  for (const service of services.split(/^ {2}(?=[a-z-]+:$)/m).slice(1)) {
    expect(service).toMatch(/<<: \*(trilho|worker|development)$|mem_limit: /m)
    expect(service).toMatch(/<<: \*(trilho|worker|development)$|logging: \*logging/m)
  }
  expect(compose).toMatch(/max-size: /)
})

test('PostgreSQL allows the connections of a dozen processes, and the documents say how many', () => {
  const [, allowed] = /max_connections=(\d+)/.exec(compose) ?? []
  const { databasePool } = readConfig(NEEDED)
  expect(Number(allowed)).toBeGreaterThan(12 * databasePool)
  expect(production).toContain(`Compose allows ${allowed}`)
})

const { services } = parse(compose, { merge: true })

test('the API has the greater share of the CPU', () => {
  const shares = Object.entries<{ cpu_shares?: number }>(services).flatMap(([name, { cpu_shares }]) =>
    cpu_shares === undefined ? [] : [[name, cpu_shares]],
  )
  expect(Object.fromEntries(shares)).toEqual({ api: 8_192 })
})

test('Prometheus scrapes every API and worker at the port of its health check, and knows the alerts', async () => {
  const { scrape_configs: jobs, rule_files: rules } = parse(await read('deploy/prometheus.yml'))
  const targets: { names: string[]; port: number }[] = jobs[0].dns_sd_configs
  const ports = targets.flatMap(({ names, port }) => names.map(name => [name, port] as const))
  expect(ports.map(([name]) => name)).toEqual(['api', 'worker', 'worker-previous'])
  for (const [name, port] of ports)
    expect(services[name].healthcheck.test.at(-1)).toMatch(new RegExp(`127.0.0.1[:/]${port}\\b.*/readyz`))
  expect(services.worker.environment.TRILHO_WORKER_PORT).toBe(String(targets[1]!.port))
  expect(rules.filter((file: string) => !existsSync(join(root, 'deploy', file)))).toEqual([])
})

test.each([
  [200, true],
  [503, false],
])('the health check of a worker that answers %i', async (status, isHealthy) => {
  const server = createServer((_, response) => response.writeHead(status).end('{}')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const [, program, ...words] = services.worker.healthcheck.test as string[]
  const check = spawn(program!, [...words.slice(0, -1), words.at(-1)!.replace('/3001', `/${port}`)])
  const [code] = await once(check, 'exit')
  server.close()
  expect(code === 0).toBe(isHealthy)
})

test('the image uses the memory flags of `npm start`, and no service overrides them', () => {
  const set = [...dockerfile.matchAll(/(\w+)=("[^"]*"|\S+)/g)].map(([, name, value]) => [
    name,
    value!.replaceAll('"', ''),
  ])
  expect(Object.fromEntries(set)).toMatchObject(MEMORY_FLAGS)
  const { NODE_OPTIONS, ...malloc } = MEMORY_FLAGS
  const documented = Object.entries(malloc).map(([name, value]) => `${name}=${value}`)
  expect(production).toContain(`export NODE_OPTIONS="${NODE_OPTIONS}"`)
  expect(production).toContain(`export ${documented.join(' ')}`)
  expect(compose).not.toMatch(/NODE_OPTIONS|MALLOC_|--max-/)
})

test('the image builds from files that its context has', async () => {
  const ignore = await read('.dockerignore')
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names]) =>
    names!.split(' '),
  )
  expect(copied).toContain('tsconfig.build.json')
  expect(copied.filter(name => !ignore.includes(`!${name}\n`))).toEqual([])
})

test('the image is built with the documents that are pages under /docs', async () => {
  const ignore = await read('.dockerignore')
  for (const name of ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'docs']) {
    expect(ignore).toMatch(new RegExp(`^!${name}$`, 'm'))
    expect(dockerfile).toMatch(new RegExp(`^COPY (.* )?${name} `, 'm'))
  }
})
