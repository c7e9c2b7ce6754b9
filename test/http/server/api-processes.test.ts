import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text as allOf } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createToken, revokeTokens } from '../../../src/admin/tokens.ts'
import { waitUntil } from '../../../src/startup/wait-until.ts'
import { PROGRAM_ENVIRONMENT } from '../../support/program-environment.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

/** Two processes of the API over one database: the limits of one token apply across both. */

const BURST = 40
const MAIN = join(import.meta.dirname, '../../../src/server.ts')

let fixture: ApiFixture
const processes: { url: string; child: ChildProcess }[] = []
beforeAll(async () => {
  fixture = await openApiFixture([])
  processes.push(...(await Promise.all([start(), start()])))
})
afterAll(async () => {
  for (const { child } of processes) child.kill('SIGTERM')
  await Promise.all(processes.map(({ child }) => child.exitCode ?? once(child, 'exit')))
  await fixture?.close()
})

async function start(environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN], {
    env: {
      ...PROGRAM_ENVIRONMENT,
      DATABASE_URL: fixture.config.databaseUrl,
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      PORT: '0',
      TRILHO_SECRET_KEY: `a:${Buffer.alloc(32, 7).toString('base64')}`,
      TRILHO_ENVIRONMENT: 'local',
      TRILHO_DRAIN_SECONDS: '0',
      TRILHO_UNSAFE_DATABASE: 'true',
      TRILHO_RATE_LIMIT: '0.001', // No bucket refills while this runs.
      TRILHO_RATE_BURST: String(BURST),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface(child.stdout)) {
    const { url } = JSON.parse(line) as { url?: string }
    if (!url) continue
    const output = allOf(child.stdout)
    return { url, child, output }
  }
  throw new Error('the API ended before it listened')
}

const call = (url: string, token: string) =>
  fetch(`${url}/api/v1/providers`, { headers: { authorization: `Bearer ${token}` } })
const everywhere = (token: string) =>
  Promise.all(processes.map(async ({ url }) => (await call(url, token)).status))
const token = async (more: { expiresAt?: Date } = {}) => {
  const accountUuid = await fixture.insertAccount()
  const text = await createToken(fixture.orm.em.fork(), { accountUuid, name: 'shop', mode: 'test', ...more })
  return { accountUuid, text }
}

describe('across processes', () => {
  test('a burst counts once, and a refused request has a Retry-After', async () => {
    const { text } = await token()
    const answers = await Promise.all(
      processes.flatMap(({ url }) => Array.from({ length: BURST }, () => call(url, text))),
    )
    const refusals = answers.filter(({ status }) => status === 429)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(BURST)
    expect(refusals).toHaveLength(BURST)
    for (const { headers } of refusals) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      expect(headers.get('ratelimit')).toMatch(/^"token";r=0;/)
      expect(headers.get('ratelimit-policy')).toMatch(/^"token";q=40;/)
    }
    expect(await everywhere((await token()).text)).toEqual([200, 200])
  })

  test('a revoked token is refused everywhere within a second', async () => {
    const { text, accountUuid } = await token()
    expect(await everywhere(text)).toEqual([200, 200])
    const act = { actor: 'ana', reason: 'a drill', accountUuid, which: { name: 'shop' } }
    await revokeTokens(fixture.orm.em.fork(), act)
    await pause(1_000)
    expect(await everywhere(text)).toEqual([401, 401])
  })

  test('a token is refused everywhere from its expiry, cached or not', async () => {
    const expiresAt = new Date(Date.now() + 2_000)
    const { text } = await token({ expiresAt })
    await pause(expiresAt.getTime() - Date.now() - 500)
    const before = await everywhere(text)
    if (Date.now() < expiresAt.getTime()) expect(before).toEqual([200, 200])
    await pause(Math.max(0, expiresAt.getTime() - Date.now()) + 10)
    expect(await everywhere(text)).toEqual([401, 401])
  })

  test('the last use is written once a minute, not once per process or second', async () => {
    const { text, accountUuid } = await token()
    const uses = async () => {
      const rows = await fixture.orm.em
        .fork()
        .execute<object[]>('select last_used_at, prefix, xmin::text from token where account_uuid = ?', [
          accountUuid,
        ])
      return rows[0] as { last_used_at: Date; prefix: string; xmin: string }
    }
    await everywhere(text)
    const first = await uses()
    expect(first.last_used_at).not.toBeNull()
    await pause(1_050)
    await everywhere(text)
    expect(await uses()).toEqual(first)
    expect(text.startsWith(first.prefix)).toBe(true)
    expect(first.prefix).toMatch(/^trl_test_.{6}$/)
  })
})

describe('a stop', () => {
  test.concurrent('is reported by /readyz while requests are still served, and only then closes the listener', async () => {
    const { url, child } = await start({ TRILHO_DRAIN_SECONDS: '4' })
    const ready = async () => (await fetch(`${url}/readyz`)).json() as Promise<{ data?: object }>
    expect((await ready()).data).not.toEqual({ stopping: true })
    child.kill('SIGTERM')
    await waitUntil(async () => JSON.stringify((await ready()).data) === '{"stopping":true}', {
      description: 'the API does not say that it stops',
      limitMs: 30_000,
      everyMs: 50,
    })
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    const [code] = await once(child, 'exit')
    expect(code).toBe(0)
    await expect(fetch(`${url}/healthz`)).rejects.toThrow()
  })

  test.concurrent.each([
    ['is not there', false],
    ['does not answer', true],
  ])('completes although the trace collector %s', async (_, listens) => {
    using open = new DisposableStack()
    const sockets: Socket[] = []
    const collector = createServer(socket => sockets.push(socket)).listen(0, '127.0.0.1')
    await once(collector, 'listening')
    const { port } = collector.address() as AddressInfo
    if (!listens) collector.close()
    open.defer(() => {
      for (const socket of sockets) socket.destroy()
      collector.close()
    })
    const { url, child, output } = await start({ TRILHO_OTLP_URL: `http://127.0.0.1:${port}` })
    await fetch(`${url}/api/v1/providers`)
    child.kill('SIGTERM')
    const [code] = await once(child, 'exit')
    expect(code).toBe(0)
    expect((await output).split('\n').at(-2)).toContain('"msg":"stopped"')
  })
})
