import { afterEach, describe, expect, test } from '@jest/globals'
import pino from 'pino'
import { createWorkerMetrics } from '../../src/metrics/worker-metrics.ts'
import { logFailedCall } from '../../src/providers/call-observer.ts'
import type { Provider } from '../../src/providers/port.ts'
import { createProviderRegistry } from '../../src/providers/registry.ts'
import { createSelfSignedCertificate } from './support/certificate.ts'
import { credentials as efiCredentials, REFERENCE } from './support/efi-fixture.ts'
import { findUnusedUrl, startScriptedProvider } from './support/scripted-provider.ts'
import { credentials as wooviCredentials } from './support/woovi-fixture.ts'

/** Every failed call of a provider, however early it fails, is one log line and one count, with its cause and no secret. */

const CONNECTION = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
const HOUR_MS = 3_600_000
const SECRETS = /hush|our-app-id|the-secret-key|BEGIN|Bearer|rosebud/

let closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(closers.map(end => end()))
  closers = []
})

const CREDENTIALS: Record<string, object> = { efi: efiCredentials, woovi: wooviCredentials }
const tooLongALabel = 'a'.repeat(64)

type Setting = { baseUrl: string; ca?: string; more?: object; timeoutMs?: number }

/** An adapter as a worker has it, with its log and counters. */
function observedAdapter(dialect: string, { baseUrl, ca, more = {}, timeoutMs = 10_000 }: Setting) {
  const lines: string[] = []
  const log = pino({ base: null }, { write: line => void lines.push(line) })
  const metrics = createWorkerMetrics('w')
  const registry = createProviderRegistry({
    openCredentials: JSON.parse,
    timeoutMs,
    ...(ca !== undefined && { ca }),
    observeCall(call) {
      metrics.recordProviderCall(call)
      logFailedCall(log, call)
    },
    observeCertificate: metrics.recordCertificate,
  })
  closers.push(() => registry.close())
  return {
    adapter: (): Provider =>
      registry.providerFor({
        uuid: CONNECTION,
        provider: 'PROVIDER_A',
        dialect,
        baseUrl,
        sealedCredentials: JSON.stringify({ ...CREDENTIALS[dialect], ...more }),
      }),
    lines,
    counted: async (name: string) =>
      (await metrics.registry.metrics()).match(new RegExp(`^${name}\\{.*$`, 'gm')) ?? [],
  }
}

async function openScriptedProvider(options: Parameters<typeof startScriptedProvider>[0] = {}) {
  const side = await startScriptedProvider(options)
  closers.push(() => side.close())
  return side
}

const FAULTS: Record<string, { code: string; make: () => Promise<Setting> }> = {
  'no such host': {
    code: 'dns_failed',
    make: async () => ({ baseUrl: `https://${tooLongALabel}.invalid` }),
  },
  'a port where nothing listens': {
    code: 'connection_refused',
    make: async () => ({ baseUrl: await findUnusedUrl() }),
  },
  'a handshake that is reset': {
    code: 'connection_reset',
    async make() {
      const side = await openScriptedProvider()
      side.resetHandshakes(20)
      return { baseUrl: side.url, ca: side.ca }
    },
  },
  'a certificate of an unknown authority': {
    code: 'tls_failed',
    make: async () => ({
      baseUrl: (await openScriptedProvider()).url,
      ca: (await createSelfSignedCertificate()).certificate,
    }),
  },
  'a certificate that has expired': {
    code: 'certificate_expired',
    async make() {
      const side = await openScriptedProvider({
        serverCertificate: await createSelfSignedCertificate('localhost', -HOUR_MS),
      })
      return { baseUrl: side.url, ca: side.ca }
    },
  },
  'a provider that ends the connection of who shows no certificate': {
    code: 'connection_reset',
    async make() {
      const side = await openScriptedProvider({ ca: (await createSelfSignedCertificate()).certificate })
      return { baseUrl: side.url, ca: side.ca }
    },
  },
  'no answer in time': {
    code: 'timeout',
    async make() {
      const side = await openScriptedProvider()
      for (const path of ['POST /oauth/token', `GET /v2/cob/${REFERENCE}`, `GET /api/v1/charge/${REFERENCE}`])
        side.scriptReplies(path, 'hang')
      return { baseUrl: side.url, ca: side.ca, timeoutMs: 2_000 }
    },
  },
}

describe.each(['efi', 'woovi'])('%s', dialect => {
  test.each(Object.entries(FAULTS))('%s', async (_, { code, make }) => {
    const { adapter, lines, counted } = observedAdapter(dialect, await make())
    expect(await adapter().findCharge(REFERENCE)).toMatchObject({ kind: 'no_answer', code })
    expect(lines.map(line => JSON.parse(line))).toEqual([
      expect.objectContaining({
        connection: CONNECTION,
        provider: 'PROVIDER_A',
        operation: 'findCharge',
        code,
        ms: expect.any(Number),
      }),
    ])
    expect(lines.join()).not.toMatch(SECRETS)
    expect(await counted('trilho_provider_failures_total')).toEqual([
      `trilho_provider_failures_total{provider="PROVIDER_A",code="${code}",worker="w"} 1`,
    ])
  })

  test('credentials that cannot be used', async () => {
    const { adapter, lines } = observedAdapter(dialect, {
      baseUrl: 'https://localhost:1',
      more: { client_id: '', app_id: '' },
    })
    expect(adapter).toThrow()
    expect(lines.map(line => JSON.parse(line))).toEqual([
      expect.objectContaining({ connection: CONNECTION, code: 'credentials_unusable', ms: 0 }),
    ])
    expect(lines.join()).not.toMatch(SECRETS)
  })
})

test('a refused access token', async () => {
  const side = await openScriptedProvider()
  side.scriptReplies('POST /oauth/token', { status: 401, json: { error: 'rosebud' } })
  const { adapter, lines, counted } = observedAdapter('efi', { baseUrl: side.url, ca: side.ca })
  await adapter().findCharge(REFERENCE)
  expect(lines.map(line => JSON.parse(line))).toEqual([expect.objectContaining({ code: 'no_token' })])
  expect(lines.join()).not.toMatch(SECRETS)
  expect((await counted('trilho_provider_failures_total')).join()).toContain('code="no_token"')
})

describe('certificates', () => {
  const CERTIFICATE = /name="([^"]+)",worker="w"\} (\d+)/

  test('that expire within 30 days have a series: ours, and the provider’s', async () => {
    const side = await openScriptedProvider({
      serverCertificate: await createSelfSignedCertificate('localhost', 20 * 24 * HOUR_MS),
    })
    const { certificate, key } = await createSelfSignedCertificate('trilho', 10 * 24 * HOUR_MS)
    const setting = { baseUrl: side.url, ca: side.ca, more: { certificate, private_key: key } }
    const { adapter, counted } = observedAdapter('efi', setting)
    await adapter().findCharge(REFERENCE)
    const shown = (await counted('trilho_certificate_not_after_seconds')).map(line => {
      const [, name, seconds] = CERTIFICATE.exec(line)!
      return [name, Math.round((Number(seconds) * 1000 - Date.now()) / (24 * HOUR_MS))]
    })
    expect(shown).toEqual([
      [CONNECTION, 10],
      ['localhost', 20],
    ])
  })

  test('that are valid for longer have none', async () => {
    const side = await openScriptedProvider({
      serverCertificate: await createSelfSignedCertificate('localhost', 40 * 24 * HOUR_MS),
    })
    const { certificate, key } = await createSelfSignedCertificate('trilho', 40 * 24 * HOUR_MS)
    const setting = { baseUrl: side.url, ca: side.ca, more: { certificate, private_key: key } }
    const { adapter, counted } = observedAdapter('efi', setting)
    await adapter().findCharge(REFERENCE)
    expect(await counted('trilho_certificate_not_after_seconds')).toEqual([])
  })
})
