import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { createProviderRegistry, type ProviderRegistry } from '../../src/providers/registry.ts'
import { createSelfSignedCertificate } from './support/certificate.ts'
import { cobOf, credentials, okReply, REFERENCE } from './support/efi-fixture.ts'
import { type ScriptedProvider, startScriptedProvider } from './support/scripted-provider.ts'

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
