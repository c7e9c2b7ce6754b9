/** A dummy provider API: what adding it writes into each file that docs/adding-a-provider.md lists. */

export const DUMMY_API = 'acme'

/** The new files by their paths from the root. The API has one call, and the adapter refuses all others without a request. */
export const DUMMY_FILES: Record<string, string> = {
  'src/providers/acme/client.ts': `
import { z } from 'zod'
import type { NamedError } from '../adapter/documented-answers.ts'
import { type AdapterOptions, createProviderCalls } from '../adapter/provider-calls.ts'
import { createHttpClient, type HttpCall } from '../http/client.ts'
import type { ProviderResponse } from '../http/exchange.ts'
import { type AcmeCall, acmeAnswers } from './answers.ts'

export const acmeCredentialsSchema = z.object({ client_id: z.string().min(1), access_key: z.string().min(8) })
export type AcmeCredentials = z.infer<typeof acmeCredentialsSchema>

export const ACME_PERMISSIONS = ['balance.read']

const errorSchema = z.object({ code: z.string(), message: z.string() })

function readAcmeError({ json }: ProviderResponse): NamedError | undefined {
  const { data } = errorSchema.safeParse(json)
  return data && { name: data.code, message: data.message }
}

export function createAcmeClient({ ca, credentials, ...options }: AdapterOptions<AcmeCredentials>) {
  const { call, preconnect, close } = createHttpClient({ ...options, tls: { ca } })
  const headers = { 'x-client': credentials.client_id, 'x-key': credentials.access_key }
  const exchange = (request: HttpCall) => call({ ...request, headers })
  const api = { answers: acmeAnswers, readError: readAcmeError }
  return { ...createProviderCalls<AcmeCall>(exchange, api, options.recordUnexplained), preconnect, close }
}
`,
  'src/providers/acme/answers.ts': `
import { documentAnswers, refusalByProvider } from '../adapter/documented-answers.ts'

export type AcmeCall = 'balances'

export const acmeAnswers = documentAnswers<AcmeCall>({
  balances: [[401, 'KEY_REVOKED', refusalByProvider('provider_denied'), 'Acme Developers, Errors']],
})
`,
  'src/providers/acme/adapter.ts': `
import { z } from 'zod'
import type { AdapterOptions } from '../adapter/provider-calls.ts'
import { rejectForThisProvider } from '../adapter/outcomes.ts'
import { UNSUPPORTED_CALLS } from '../adapter/unsupported-calls.ts'
import type { ClosableProvider } from '../port.ts'
import { type AcmeCredentials, createAcmeClient } from './client.ts'

const noCall = { kind: 'no_answer', code: 'not_found', message: 'The API of Acme has no such call' } as const
const refusal = rejectForThisProvider('provider_denied', noCall.message)

export function createAcmeAdapter(options: AdapterOptions<AcmeCredentials>): ClosableProvider {
  const client = createAcmeClient(options)
  return {
    ...UNSUPPORTED_CALLS,
    issueCharge: async () => refusal,
    findCharge: async () => noCall,
    cancelCharge: async () => noCall,
    findPayment: async () => noCall,
    refund: async () => refusal,
    findRefund: async () => noCall,
    sendTransfer: async () => refusal,
    findTransfer: async () => noCall,
    identity: async () => noCall,
    balances: () =>
      client.lookUpExisting(
        { call: 'balances', path: '/acme/balance' },
        z.object({ available: z.number().int() }),
        ({ available }) => ({ balance: { availableCents: available, blockedCents: 0 } }),
      ),
    statement: async () => noCall,
    registerNotificationUrl: async () => noCall,
    readNotification: async () => ({ kind: 'unreadable' }),
    preconnect: client.preconnect,
    close: client.close,
  }
}
`,
  'packages/simulator/provider-apis/acme.ts': `
import Router from '@koa/router'
import type { ProviderName } from '../../../src/domain/providers/provider.ts'
import type { SimulatedResponse } from '../provider-calls.ts'
import type { SimulatorState } from '../state.ts'
import { isSameSecret, serveProviderApi } from './serve-calls.ts'

const refuse = (status: number, code: string): SimulatedResponse => ({ status, body: { code, message: code } })

export function createAcmeRoutes(state: SimulatorState, provider: ProviderName): Router {
  const router = new Router({ prefix: '/acme' })
  serveProviderApi(router, state, provider, {
    routes: [
      [
        'get',
        '/balance',
        {
          operation: 'balances',
          isLookUp: true,
          handle: ({ account }) => ({ status: 200, body: { available: account.balanceCents } }),
        },
      ],
    ],
    authenticate: ctx => {
      const account = state.accounts.findByClient(provider, ctx.get('x-client'))
      const isValid = account?.dialect === 'acme' && isSameSecret(account.clientSecret, ctx.get('x-key'))
      return isValid ? { account } : { refusal: refuse(401, 'KEY_REVOKED') }
    },
    failures: {
      documentedRefusal: () => refuse(401, 'KEY_REVOKED'),
      tooManyRequests: () => refuse(429, 'TOO_MANY'),
      internalError: () => refuse(500, 'INTERNAL'),
      unknownRoute: () => refuse(404, 'NO_ROUTE'),
      unlistedRefusals: [refuse(400, 'OTHER')],
    },
    malformedJson: () => refuse(400, 'JSON'),
  })
  return router
}
`,
  'packages/simulator/provider-apis/acme/notifications.ts': `
import type { NotificationFormat } from '../../notifications.ts'

export function createAcmeNotificationFormat(): NotificationFormat {
  return { buildNotifications: () => [], buildForgeries: () => [] }
}
`,
  [`docs/providers/${DUMMY_API}.md`]: `# Acme

What the adapter \`acme\` relies on in Acme's published API. [Adding a provider](../adding-a-provider.md) has the rules for all adapters.

## Before an account is connected

The credentials are \`client_id\` and \`access_key\`.

| permission | for |
| --- | --- |
| \`balance.read\` | the balance |

## What an answer proves

<!-- made: answers -->
<!-- end -->
`,
  'test/providers/acme/answers.test.ts': `
import { createAcmeAdapter } from '../../../src/providers/acme/adapter.ts'
import { acmeAnswers } from '../../../src/providers/acme/answers.ts'
import { describeAnswers } from '../support/answer-tables.ts'

describeAnswers({
  name: 'Acme',
  answers: acmeAnswers,
  bodyOf: name => ({ code: name, message: name }),
  calls: { balances: { make: provider => provider.balances(), unprovenKind: 'no_answer' } },
  open: options =>
    createAcmeAdapter({
      ...options,
      baseUrl: 'https://acme.test',
      credentials: { client_id: 'shop', access_key: 'a-secret-key' },
      timeoutMs: 1_000,
    }),
  times: 2_000,
  seed: 50,
})
`,
}

type Change = (text: string) => string

/** Writes an entry after the only place of a file where a text stands. */
function after(anchor: string, entry: string): Change {
  return text => {
    const [before, rest, ...others] = text.split(anchor)
    if (before === undefined || rest === undefined || others.length > 0)
      throw new Error(`the text does not stand in the file once: ${anchor}`)
    return `${before}${anchor}${entry}${rest}`
  }
}

function importing(line: string): Change {
  return text => `${line}\n${text}`
}

function addPhrases(phrases: Record<string, string>): Change {
  return text => `${JSON.stringify({ ...JSON.parse(text), ...phrases }, null, 2)}\n`
}

/** The file that names the API; the others follow from it. */
export const NAMING_FILE = 'src/domain/providers/provider.ts'

/** The entry in each file that all provider APIs share. */
export const SHARED_CHANGES: Record<string, readonly Change[]> = {
  [NAMING_FILE]: [after('export const PROVIDER_APIS = [', `'acme', `)],
  'src/domain/providers/capabilities.ts': [
    after(
      'PROVIDER_CAPABILITIES: Record<ProviderApi, ProviderCapabilities> = {\n',
      `  acme: {
    canIssueOpenAmount: false,
    dueCharges: null,
    journeys: [],
    locksPayer: 'none',
    canTransfer: false,
    payableAccountTypes: [],
    payableCodes: [],
    transferLookUp: 'id',
    keepsOrderIds: false,
    refundsOneAtATime: false,
    canCheckDocument: false,
    canLookUpKey: false,
    issuesReceipts: false,
    creatableKeyTypes: [],
    notifiesByKey: false,
    disputes: null,
    pace: null,
  },
`,
    ),
  ],
  'src/providers/registry.ts': [
    importing(`import { createAcmeAdapter } from './acme/adapter.ts'`),
    importing(`import { ACME_PERMISSIONS, acmeCredentialsSchema } from './acme/client.ts'`),
    after('CREDENTIALS_SCHEMAS: Record<ProviderApi, z.ZodObject> = {\n', '  acme: acmeCredentialsSchema,\n'),
    after('REQUIRED_PERMISSIONS: Record<ProviderApi, string[]> = {\n', '  acme: ACME_PERMISSIONS,\n'),
    after(
      'adapterFactories: Record<ProviderApi, AdapterFactory> = {\n',
      '  acme: parsingCredentials(acmeCredentialsSchema, createAcmeAdapter),\n',
    ),
  ],
  'src/db/migrations/initial/connections.ts': [after('const DIALECTS = "(', `'acme', `)],
  'src/dashboard/pages/operator/connections.ts': [
    after(
      'CREDENTIAL_FIELDS: Record<ProviderApi, CredentialField[]> = {\n',
      `  acme: [{ name: 'client_id' }, { name: 'access_key' }],\n`,
    ),
  ],
  'src/dashboard/i18n/en.json': [
    addPhrases({
      'dialect.acme': 'Acme',
      'dialect.acme.means': 'API of Acme, with an access key',
      'field.access_key': 'Access key',
    }),
  ],
  'src/dashboard/i18n/pt-br.json': [
    addPhrases({
      'dialect.acme': 'Acme',
      'dialect.acme.means': 'API da Acme, com chave de acesso',
      'field.access_key': 'Chave de acesso',
    }),
  ],
  'docs/tables/answer-tables.ts': [
    importing(`import { acmeAnswers } from '../../src/providers/acme/answers.ts'`),
    after('ANSWER_TABLES: Record<ProviderApi, DocumentedAnswers> = {\n', '  acme: acmeAnswers,\n'),
  ],
  'docs/adding-a-provider.md': [
    after(
      'The page of a provider API has the fields of its credentials: ',
      '[`acme`](providers/acme.md#before-an-account-is-connected), ',
    ),
  ],
  'packages/simulator/server.ts': [
    importing(`import { createAcmeRoutes } from './provider-apis/acme.ts'`),
    after(
      'PROVIDER_API_SERVERS: Record<ProviderApi, ServeProviderApi> = {\n',
      '  acme: servingRoutes(createAcmeRoutes),\n',
    ),
  ],
  'packages/simulator/state.ts': [
    importing(`import { createAcmeNotificationFormat } from './provider-apis/acme/notifications.ts'`),
    after('    formats: {\n', '      acme: createAcmeNotificationFormat(),\n'),
  ],
  'packages/dev/demo/demo-logins.ts': [
    after(
      'notification_secret: secret() }\n  switch (dialect) {\n',
      `    case 'acme':
      return { login, credentials: { client_id: clientId, access_key: login.client_secret } }
`,
    ),
    after(
      '): SimulatorLogin {\n  switch (dialect) {\n',
      `    case 'acme':
      return pickLogin({ ...credentials, client_secret: credentials.access_key!, notification_secret: 'unused' })
`,
    ),
  ],
  'test/providers/support/simulated.ts': [
    after(
      'CREDENTIALS: Record<SimulatedApi, Record<string, string>> = {\n',
      '  acme: { client_id: SHOP.client_id, access_key: SHOP.client_secret },\n',
    ),
  ],
  'test/providers/simulated/transfers.test.ts': [
    after(
      'const documented = {\n',
      `    acme: {
      repeated: { kind: 'rejected', code: 'provider_denied' },
      noBalance: { kind: 'rejected', code: 'provider_denied' },
      refused: { kind: 'rejected', code: 'provider_denied' },
      tooManyRequests: { kind: 'rejected', code: 'provider_denied' },
      listsReturns: false,
      namesRailCodes: false,
      refusedIsStored: false,
      missingAccount: 'provider_rejected',
      blockedAccount: 'provider_rejected',
    },
`,
    ),
  ],
  'test/api/transfers/bank-pairs.test.ts': [
    after('const REFUSALS = {\n', `  acme: ['sendTransfer', 'refused'],\n`),
  ],
  'test/api/payouts/undocumented-answers.test.ts': [
    after('ANSWERS: Record<ProviderApi, typeof EVERYWHERE> = {\n', '  acme: EVERYWHERE,\n'),
  ],
  'test/http/dashboard/onboarding-errors.test.ts': [
    after(
      'CREDENTIALS: Record<ProviderApi, Fields> = {\n',
      `  acme: { client_id: 'app-1', access_key: 'secret-1' },\n`,
    ),
  ],
  'test/chaos/provider-visibility.ts': [
    after(
      'API_VISIBILITIES: Record<ProviderApi, ApiVisibility> = {\n',
      `  acme: { showsReturns: false, showsEndToEnd: false, cancelsCharges: false, reportsDueParts: 'never' },\n`,
    ),
  ],
}
