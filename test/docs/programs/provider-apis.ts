import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { createSimulatedCredentials } from '../../../packages/dev/demo/demo-logins.ts'
import { createSimulatorClient } from '../../../packages/simulator/control/client.ts'
import { startSimulator } from '../../../packages/simulator/server.ts'
import { DOCUMENTS } from '../../../src/api/docs/documents.ts'
import { LANGUAGES, readDictionary } from '../../../src/dashboard/i18n/translator.ts'
import { CREDENTIAL_FIELDS } from '../../../src/dashboard/pages/operator/connections.ts'
import { connections } from '../../../src/db/migrations/initial/connections.ts'
import { PROVIDER_APIS, type ProviderApi } from '../../../src/domain/providers/provider.ts'
import { CREDENTIALS_SCHEMAS, createProviderRegistry } from '../../../src/providers/registry.ts'

/**
 * `node test/docs/programs/provider-apis.ts` prints a report on each provider API, as JSON. It imports the files beside it, so that
 * it reports on a copy of the repository when that copy's file is started.
 */

/** `incomplete`: files that lack what they have of the other APIs, with what is missing. */
export type ProviderApiReport = { incomplete: Record<string, string>; refusal: string; balance: unknown }

const ROOT = join(import.meta.dirname, '../../..')
const BALANCE = 123.45

const home = mkdtempSync(join(tmpdir(), 'trilho-provider-apis-'))
const simulator = await startSimulator({
  config: {
    host: '127.0.0.1',
    port: 0,
    providerPorts: [0, 0, 0, 0],
    home,
    publicHost: 'localhost',
    seed: 1,
    timeScale: 60,
    logLevel: 'silent',
  },
  log: pino({ level: 'silent' }),
})
const client = createSimulatorClient(simulator.info.url, simulator.info.ca_file)
const ca = readFileSync(simulator.info.ca_file, 'utf8')
const registry = createProviderRegistry({ openCredentials: JSON.parse, timeoutMs: 30_000, ca })
try {
  const reports: Record<string, ProviderApiReport> = {}
  for (const api of PROVIDER_APIS)
    reports[api] = {
      incomplete: listIncompleteFiles(api),
      refusal: readRefusal(api),
      balance: await readBalance(api),
    }
  console.log(JSON.stringify(reports))
} finally {
  await registry.close()
  await client.close()
  await simulator.close()
  rmSync(home, { recursive: true })
}

/** Finds what the type checker cannot: texts, SQL and documents without the provider API. */
function listIncompleteFiles(api: ProviderApi): Record<string, string> {
  const missing: [file: string, what: string][] = []
  const checks = [...connections.tables!.matchAll(/dialect in \(([^)]*)\)/g)].map(([, list]) => list!)
  if (checks.length === 0 || checks.some(list => !list.split(', ').includes(`'${api}'`)))
    missing.push(['src/db/migrations/initial/connections.ts', 'the checks of the column dialect'])
  const fields = CREDENTIAL_FIELDS[api].map(({ name, credential = name }) => ({ name, credential }))
  const phrases = [`dialect.${api}`, `dialect.${api}.means`, ...fields.map(({ name }) => `field.${name}`)]
  for (const language of LANGUAGES) {
    const dictionary = readDictionary(language)
    for (const phrase of phrases.filter(one => !Object.hasOwn(dictionary, one)))
      missing.push([`src/dashboard/i18n/${language.toLowerCase()}.json`, phrase])
  }
  const { shape } = CREDENTIALS_SCHEMAS[api]
  const unknown = fields.filter(({ credential }) => !Object.hasOwn(shape, credential))
  if (unknown.length > 0)
    missing.push(['src/dashboard/pages/operator/connections.ts', unknown.map(({ name }) => name).join()])
  missing.push(...listMissingDocuments(api, Object.keys(shape)))
  return Object.fromEntries(missing)
}

/** The page of a provider API is linked, and has the fields of its credentials and its table of answers. */
function listMissingDocuments(api: ProviderApi, fields: string[]): [file: string, what: string][] {
  const read = (file: string) => (existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), 'utf8') : '')
  const missing: [file: string, what: string][] = []
  const guide = 'docs/adding-a-provider.md'
  const link = `](providers/${api}.md#before-an-account-is-connected)`
  if (!read(guide).includes(link)) missing.push([guide, link])
  const page = `docs/providers/${api}.md`
  const text = read(page)
  if (!DOCUMENTS.some(({ file, title }) => file === page && title !== ''))
    missing.push([page, 'its place in the table of contents'])
  const [, section = ''] = /\n## Before an account is connected\n([\s\S]*?)\n## /.exec(text) ?? []
  for (const field of fields.filter(one => !section.includes(`\`${one}\``))) missing.push([page, field])
  if (!/<!-- made: answers -->\n\n\| operation [\s\S]*\n<!-- end -->/.test(text))
    missing.push([page, 'the table of answers'])
  const answers = `test/providers/${api}/answers.test.ts`
  if (read(answers) === '') missing.push([answers, 'the file'])
  return missing
}

/** Reads how the registry refuses credentials without any field. */
function readRefusal(api: ProviderApi): string {
  try {
    registry.providerFor(connectionTo(api, {}))
    return 'not refused'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Asks the adapter for the balance of an account at the simulator, whose credentials the demo makes. */
async function readBalance(api: ProviderApi): Promise<unknown> {
  const { login, credentials } = await createSimulatedCredentials(client, api, `${api}-shop`)
  await client.putAccount(api, {
    provider: 'PROVIDER_A',
    dialect: api,
    ...login,
    holder: { name: 'Loja São João', document: '11222333000181' },
    ispb: '09089356',
    keys: [`${api}@trilho.test`],
    balance: BALANCE,
    ...(credentials.account_number && { options: { account_number: credentials.account_number } }),
  })
  return registry.providerFor(connectionTo(api, credentials)).balances()
}

function connectionTo(api: ProviderApi, credentials: object) {
  const sealedCredentials = JSON.stringify(credentials)
  const baseUrl = simulator.info.providers.PROVIDER_A.base_url
  return { uuid: api, provider: 'PROVIDER_A', dialect: api, baseUrl, sealedCredentials }
}
