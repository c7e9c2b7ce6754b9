import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import pino from 'pino'
import { finalityOf, RAIL_CODES } from '../../src/domain/pix/rail-codes.ts'
import { createWorkerMetrics } from '../../src/metrics/worker-metrics.ts'
import { sanitizeProviderName } from '../../src/providers/adapter/provider-calls.ts'
import { logFailedCall } from '../../src/providers/call-observer.ts'
import type { Provider } from '../../src/providers/port.ts'
import { createProviderRegistry, type ProviderRegistry } from '../../src/providers/registry.ts'
import { createSelfSignedCertificate } from './support/certificate.ts'
import {
  cobOf,
  credentials,
  credentials as efiCredentials,
  okReply,
  REFERENCE,
} from './support/efi-fixture.ts'
import { findUnusedUrl, type ScriptedProvider, startScriptedProvider } from './support/scripted-provider.ts'
import { credentials as wooviCredentials } from './support/woovi-fixture.ts'

describe('registry', () => {
  let scriptedProvider: ScriptedProvider
  let registry: ProviderRegistry

  beforeEach(async () => {
    scriptedProvider = await startScriptedProvider()
    scriptedProvider.scriptReplies(`GET /v2/cob/${REFERENCE}`, okReply(cobOf()))
    registry = createProviderRegistry({
      openCredentials: JSON.parse,
      timeoutMs: 10_000,
      ca: scriptedProvider.ca,
      maxAdapters: 2,
    })
  })
  afterEach(async () => {
    await registry.close()
    await scriptedProvider.close()
  })

  type Changes = { dialect?: string; baseUrl?: string; sealed?: object }
  const connection = (uuid: string, { sealed = credentials, ...changes }: Changes = {}) => ({
    uuid,
    provider: 'PROVIDER_A',
    dialect: 'efi',
    baseUrl: scriptedProvider.url,
    sealedCredentials: JSON.stringify(sealed),
    ...changes,
  })

  test('a connection keeps its adapter, and so its access token', async () => {
    for (let times = 0; times < 3; times++) {
      const outcome = await registry.providerFor(connection('a')).findCharge(REFERENCE)
      expect(outcome.kind).toBe('found')
    }
    expect(scriptedProvider.countTokenRequests()).toBe(1)
  })

  test('other credentials or another address create another adapter', () => {
    const first = registry.providerFor(connection('a'))
    const second = registry.providerFor(connection('a', { sealed: { ...credentials, client_secret: 'new' } }))
    const third = registry.providerFor(connection('a', { baseUrl: 'https://localhost:1' }))
    expect(new Set([first, second, third]).size).toBe(3)
    expect(registry.providerFor(connection('a', { baseUrl: 'https://localhost:1' }))).toBe(third)
  })

  test('accounts at one provider share its connections as long as one of them exists', async () => {
    const opened = () => new Set(scriptedProvider.seen.map(call => call.connection)).size
    const call = async (uuid: string) => {
      const outcome = await registry.providerFor(connection(uuid)).findCharge(REFERENCE)
      expect(outcome.kind).toBe('found')
    }
    await call('a')
    const alone = opened()
    for (const uuid of ['b', 'c', 'd', 'b']) await call(uuid)
    expect(scriptedProvider.countTokenRequests()).toBe(5) // Two adapters are kept, so that one is created anew.
    expect(opened()).toBe(alone)
  })

  test('an account with another certificate has connections of its own', async () => {
    const { certificate, key } = await createSelfSignedCertificate()
    const showing = { ...credentials, certificate, private_key: key }
    await registry.providerFor(connection('a')).findCharge(REFERENCE)
    await registry.providerFor(connection('b', { sealed: showing })).findCharge(REFERENCE)
    expect(scriptedProvider.seen.map(({ client }) => client)).toEqual([
      undefined,
      undefined,
      'localhost',
      'localhost',
    ])
  })

  test('each provider API has its adapter', () => {
    const woovi = registry.providerFor(
      connection('b', { dialect: 'woovi', sealed: { app_id: 'id', webhook_secret: 'secret' } }),
    )
    expect(woovi.findReplacedUrl).toBeUndefined()
    expect(registry.providerFor(connection('a')).findReplacedUrl).toBeDefined()
  })

  test('the least recently used adapter is removed first', () => {
    const a = registry.providerFor(connection('a'))
    const b = registry.providerFor(connection('b'))
    registry.providerFor(connection('a'))
    registry.providerFor(connection('c'))
    expect(registry.providerFor(connection('a'))).toBe(a)
    expect(registry.providerFor(connection('b'))).not.toBe(b)
  })

  test('a removed adapter answers, or reports that nothing was sent', async () => {
    const finding = registry.providerFor(connection('a')).findCharge(REFERENCE)
    registry.providerFor(connection('a', { sealed: { ...credentials, client_id: 'new' } }))
    expect(['found', 'no_answer']).toContain((await finding).kind)
  })

  test.each([
    ['an unknown provider API', { dialect: 'esperanto' }],
    ['a provider API named like an object’s property', { dialect: 'constructor' }],
    ['no AppID', { dialect: 'woovi', sealed: { webhook_secret: 'secret' } }],
    ['credentials that do not fit', { sealed: { client_id: 'id' } }],
    [
      'a certificate without its key',
      { sealed: { ...credentials, certificate: '-----BEGIN CERTIFICATE-----' } },
    ],
  ])('%s throws', (_name, changes) => {
    expect(() => registry.providerFor(connection('a', changes))).toThrow()
  })
})

describe('rail codes', () => {
  /** Every code that pacs.002 XSD 1.17 allows. */
  const allowed =
    'AB03 AB09 AB11 AC03 AC06 AC07 AC14 AG03 AG12 AG13 AGNT AM01 AM02 AM04 AM09 AM12 AM18 AM23 BE01 BE05 BE15 BE17 ' +
    'CH11 CH16 CN01 DS02 DS04 DS0G DS27 DT02 DT05 DU03 DUPL ED05 FF07 FF08 FRAD INDT MD01 RC09 RC10 RR04 RR06 SL02 UPAY'
  const otherMayHelp = 'AB03 AB11 AG12 AGNT AM04 AM12 AM18 AM23 BE05 CH16 DS0G DS27 DT02 ED05 FF07 FF08 RC09'
  const returnOnly = 'AG13 AM09 DT05 SL02'

  test('the table has every code of the rail, and no other', () => {
    expect(Object.keys(RAIL_CODES).sort()).toEqual(allowed.split(' ').sort())
  })

  test.each(allowed.split(' '))('%s', code => {
    const helps = otherMayHelp.split(' ').includes(code)
    const fallback = helps ? 'other_may_help' : returnOnly.split(' ').includes(code) ? 'return_only' : 'final'
    expect(RAIL_CODES[code]).toEqual({ meaning: expect.stringMatching(/./), fallback })
    expect(finalityOf(code)).toBe(helps ? 'other_may_help' : 'final')
  })

  test.each(['XX99', '', 'ac03', 'constructor', 'AP15'])('%p, which is not a rail code, is final', code => {
    expect(finalityOf(code)).toBe('final')
  })
})

describe('safe name', () => {
  test.each(['erro_aplicacao', 'PixDevolucaoInvalida', 'OPENPIX:SOMETHING_NEW', 'AC03', 'http2-reset'])(
    'the code %s is used as its own name',
    code => {
      expect(sanitizeProviderName(code)).toBe(code)
    },
  )

  test.each([
    ['a sentence', 'Chave de Maria da Silva inválida'],
    ['a document', '52998224725'],
    ['a document after a text', 'cpf52998224725'],
    ['an address', 'maria@example.com'],
    ['a name of any length', 'a'.repeat(81)],
  ])('%s is named by a digest, the same each time', (_, text) => {
    expect(sanitizeProviderName(text)).toMatch(/^text-[0-9a-f]{8}$/)
    expect(sanitizeProviderName(text)).toBe(sanitizeProviderName(text))
  })

  test('an empty code has no name', () => {
    expect(sanitizeProviderName('')).toBe('')
  })
})

describe('failed calls', () => {
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
        for (const path of [
          'POST /oauth/token',
          `GET /v2/cob/${REFERENCE}`,
          `GET /api/v1/charge/${REFERENCE}`,
        ])
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
})
