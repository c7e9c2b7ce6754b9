import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import { readLocalConfig } from '../../packages/dev/config.ts'
import { withReachableBindHost } from '../../packages/dev/env/bind-host.ts'
import { createStateDir, resolveStateDir } from '../../packages/dev/env/state-dir.ts'
import { readConfig, readServiceConfig } from '../../src/config.ts'

/** Invalid settings that a process refuses at its start, with their messages. */

const key = (id: string, fill: number, bytes = 32) => `${id}:${Buffer.alloc(bytes, fill).toString('base64')}`
const VALID = {
  DATABASE_URL: 'postgres://trilho@localhost/trilho',
  TEMPORAL_ADDRESS: 'localhost:7233',
  TRILHO_SECRET_KEY: key('a', 1),
}
const read = (variables: NodeJS.ProcessEnv) => readConfig({ ...VALID, ...variables })

describe('TRILHO_SECRET_KEY', () => {
  test('is one key, or several of different ids', () => {
    for (const keys of [key('a', 1), `${key('b', 2)},${key('a', 1)}`])
      expect(read({ TRILHO_SECRET_KEY: keys }).secretKeys).toBe(keys)
  })

  test.each<[what: string, keys: string, why: RegExp]>([
    ['an id twice', `${key('a', 2)},${key('a', 1)}`, /entry 2 repeats the id/],
    ['a byte too many', `${key('a', 1)},${key('b', 2, 33)}`, /entry 2 is not the base64 of 32 bytes/],
    ['a byte too few', key('a', 1, 31), /entry 1 is not the base64 of 32 bytes/],
    ['no base64', `a:${'='.repeat(44)}`, /entry 1 is not id:base64/],
    ['no id', key('', 1), /entry 1 is not id:base64/],
    ['nothing after a comma', `${key('a', 1)},`, /entry 2 is not id:base64/],
  ])('%s is refused, and its secrets are not quoted', (_what, keys, why) => {
    const parse = () => read({ TRILHO_SECRET_KEY: keys })
    expect(parse).toThrow(why)
    expect(parse).toThrow(/TRILHO_SECRET_KEY/)
    for (const secret of keys.match(/[\w+/]{40,}/g) ?? []) expect(parse).not.toThrow(secret)
  })
})

describe('a process refuses', () => {
  const random = randomBytes(32).toString('base64')
  test.each<[what: string, variables: NodeJS.ProcessEnv, why: RegExp]>([
    ['a missing variable', { DATABASE_URL: '' }, /DATABASE_URL is missing/],
    ['a variable that is not valid', { TRILHO_LOG_LEVEL: 'loud' }, /TRILHO_LOG_LEVEL/],
    ['a time scale', { TRILHO_TIME_SCALE: '60' }, /TRILHO_TIME_SCALE is not 1/],
    ['loopback webhooks', { TRILHO_LOOPBACK_WEBHOOKS: 'true' }, /TRILHO_LOOPBACK_WEBHOOKS/],
    ['an outbox', { TRILHO_OUTBOX: '1' }, /TRILHO_OUTBOX/],
    ['an unsafe database that is allowed', { TRILHO_UNSAFE_DATABASE: 'true' }, /TRILHO_UNSAFE/],
    [
      'a key of zeros',
      { TRILHO_SECRET_KEY: `a:${random},b:${Buffer.alloc(32).toString('base64')}` },
      /TRILHO_SECRET_KEY is not random in entry 2/,
    ],
    [
      'several errors at once',
      { TRILHO_TIME_SCALE: '2', TRILHO_OUTBOX: 'true' },
      /TIME_SCALE.*TRILHO_OUTBOX/,
    ],
  ])('%s in one line', (_what, variables, why) => {
    const parse = () => readServiceConfig({ ...VALID, TRILHO_SECRET_KEY: `a:${random}`, ...variables })
    expect(parse).toThrow(why)
    expect(parse).not.toThrow(/\n/)
    expect(parse).not.toThrow(random)
  })
})

describe('base addresses', () => {
  test('end without a slash, however many they are given with', () => {
    const { publicUrl, otlpUrl, temporal } = read({
      TRILHO_PUBLIC_URL: 'https://pix.loja.test/',
      TRILHO_OTLP_URL: 'http://localhost:4318/',
      TEMPORAL_UI_URL: 'https://loja.test/temporal//',
    })
    expect([publicUrl, otlpUrl, temporal.uiUrl]).toEqual([
      'https://pix.loja.test',
      'http://localhost:4318',
      'https://loja.test/temporal',
    ])
  })

  test.each(['TRILHO_PUBLIC_URL', 'TRILHO_OTLP_URL', 'TEMPORAL_UI_URL'])('%s must be http or https', name => {
    for (const url of ['localhost:3000', 'ftp://loja.test', 'javascript:alert(1)'])
      expect(() => read({ [name]: url })).toThrow(name)
  })
})

test('traces go where OpenTelemetry’s own variable says, unless ours says otherwise', () => {
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://localhost:4318/'
  expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT }).otlpUrl).toBe('http://localhost:4318')
  expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT, TRILHO_OTLP_URL: 'http://other.test' }).otlpUrl).toBe(
    'http://other.test',
  )
})

test('a start passes its children the public address without the slash, and none where it is empty', () => {
  expect(readLocalConfig({ TRILHO_PUBLIC_URL: 'http://localhost:3000/' }).publicUrl).toBe(
    'http://localhost:3000',
  )
  expect(readLocalConfig({ TRILHO_PUBLIC_URL: '' }).publicUrl).toBeUndefined()
})

test('a command during a start uses its Temporal and its task queue, whatever is left empty', async () => {
  const home = resolveStateDir(await mkdtemp(join(tmpdir(), 'trilho-settings-')))
  const local = {
    database_url: 'postgres://trilho@localhost:1/trilho',
    api_url: 'http://127.0.0.1:2',
    worker_url: 'http://127.0.0.1:4',
    temporal_address: '127.0.0.1:3',
    temporal_namespace: 'till',
    task_queue: 'fast',
  }
  await writeFile(home.localInfo, JSON.stringify(local))
  await writeFile(home.secretKey, key('local', 1))
  const left = { DATABASE_URL: '', TEMPORAL_ADDRESS: '', TRILHO_SECRET_KEY: '', TRILHO_PUBLIC_URL: '' }
  const env = { ...readLocalConfig().environment, ...left, TRILHO_HOME: home.folder }
  const ask = `import { COMMAND_DEFAULTS } from './packages/dev/commands.ts'
    import { createShellEnvironment } from './src/cli/command-context.ts'
    const shell = createShellEnvironment(COMMAND_DEFAULTS)
    await shell.withContext(async ({ config }) => shell.print(config))`
  const cwd = join(import.meta.dirname, '../..')
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', ask], {
    cwd,
    env,
  })
  expect(JSON.parse(stdout)).toMatchObject({
    databaseUrl: local.database_url,
    publicUrl: local.api_url,
    workerPort: 4,
    secretKeys: key('local', 1),
    temporal: { address: local.temporal_address, namespace: 'till', taskQueue: 'fast' },
  })
  await rm(home.folder, { recursive: true })
})

test('a start passes its children no empty variable', () => {
  const { environment } = readLocalConfig({ TRILHO_STORAGE_FOLDER: '', TRILHO_LOG_LEVEL: 'warn' })
  expect(environment).toEqual({ TRILHO_LOG_LEVEL: 'warn' })
})

test.each([
  ['127.0.0.2', '127.0.0.1'],
  ['till-3.loja.test', '127.0.0.1'],
  ['0.0.0.0', '0.0.0.0'],
  ['::', '::'],
])('a start reaches its children although the shell exports HOST=%s', (HOST, listens) => {
  expect(withReachableBindHost({ HOST })).toEqual({ HOST: listens })
})

test('a new home is of its own user only, and root’s can be entered by PostgreSQL’s; one that exists keeps its mode', async () => {
  const root = await mkdtemp(join(tmpdir(), 'trilho-test-'))
  try {
    const modeOf = async (name: string) => (await stat(join(root, name))).mode & 0o777
    createStateDir(join(root, 'user'), false)
    createStateDir(join(root, 'root'), true)
    await mkdir(join(root, 'shared'))
    await chmod(join(root, 'shared'), 0o755)
    createStateDir(join(root, 'shared'), false)
    expect([await modeOf('user'), await modeOf('root'), await modeOf('shared')]).toEqual([
      0o700, 0o711, 0o755,
    ])
  } finally {
    await rm(root, { recursive: true })
  }
})
