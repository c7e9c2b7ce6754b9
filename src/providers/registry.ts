import type { z } from 'zod'
import { PROVIDER_CAPABILITIES } from '../domain/providers/capabilities.ts'
import { PROVIDER_APIS, type ProviderApi } from '../domain/providers/provider.ts'
import type { AdapterOptions } from './adapter/provider-calls.ts'
import type { UnexplainedAnswer } from './adapter/unexplained-answers.ts'
import { BACEN_DUE_SCOPES, BACEN_RECURRENCE_SCOPES } from './bacen/client.ts'
import { type ObserveCall, observeProvider } from './call-observer.ts'
import { createEfiAdapter } from './efi/adapter.ts'
import { EFI_SCOPES, efiCredentialsSchema } from './efi/client.ts'
import { type ObserveCertificate, observeClientCertificate } from './http/certificates.ts'
import { type OpenConnectionPool, shareConnectionPools } from './http/connection-pool.ts'
import { createInterAdapter } from './inter/adapter.ts'
import { INTER_SCOPES, interCredentialsSchema } from './inter/client.ts'
import { paceProvider } from './paced-provider.ts'
import type { ClosableProvider, Provider } from './port.ts'
import type { SharedAccess } from './shared-access.ts'
import { createSicoobAdapter } from './sicoob/adapter.ts'
import { SICOOB_SCOPES, sicoobCredentialsSchema } from './sicoob/client.ts'
import { createStarkAdapter } from './stark/adapter.ts'
import { STARK_PERMISSIONS, starkCredentialsSchema } from './stark/client.ts'
import { createWooviAdapter } from './woovi/adapter.ts'
import { WOOVI_SCOPES, wooviCredentialsSchema } from './woovi/client.ts'

/** An account's connection to a provider, as stored. */
export type RegistryConnection = {
  uuid: string
  /** Absent where the credentials are not stored: they share nothing with other processes. */
  providerAccountUuid?: string
  /** Name of the provider for observers of calls. */
  provider: string
  /** Name of the provider API that an adapter implements, of `PROVIDER_APIS`. */
  dialect: string
  baseUrl: string
  sealedCredentials: string
}

export type ProviderRegistryOptions = {
  /** Unseals credentials. */
  openCredentials: (sealed: string) => unknown
  timeoutMs: number
  /** PEM of the authority that signs every provider's certificate, if it is not the system's: a local simulator. */
  ca?: string
  /** Number of cached adapters, each with its access token; their HTTP connections are shared where possible. */
  maxAdapters?: number
  observeCall?: ObserveCall
  /** Receives the expiry of certificates in use: those of credentials, and those of providers. */
  observeCertificate?: ObserveCertificate
  /** Records unexplained answers of a connection's provider; absent: none are recorded. */
  recordUnexplained?: (connection: RegistryConnection, answer: UnexplainedAnswer) => Promise<void>
  /** Shares access tokens and paces with the other processes; absent: each adapter has its own tokens, and no pace. */
  sharedAccess?: SharedAccess
}

type AdapterFactory = (options: AdapterOptions<unknown>) => ClosableProvider

/** Schema of the credentials of each provider API, whose fields an operator fills in. */
export const CREDENTIALS_SCHEMAS: Record<ProviderApi, z.ZodObject> = {
  efi: efiCredentialsSchema,
  woovi: wooviCredentialsSchema,
  sicoob: sicoobCredentialsSchema,
  inter: interCredentialsSchema,
  stark: starkCredentialsSchema,
}

/**
 * Permissions that an operator grants to the credentials of each provider API: scopes of Efí's application, and of Woovi's
 * AppID (`x-required-scope` of its OpenAPI document). docs/providers has what each is for.
 */
export const REQUIRED_PERMISSIONS: Record<ProviderApi, string[]> = {
  efi: [...EFI_SCOPES, ...BACEN_DUE_SCOPES, ...BACEN_RECURRENCE_SCOPES],
  woovi: WOOVI_SCOPES,
  sicoob: [...SICOOB_SCOPES, ...BACEN_DUE_SCOPES],
  inter: [...INTER_SCOPES, ...BACEN_DUE_SCOPES, ...BACEN_RECURRENCE_SCOPES],
  stark: STARK_PERMISSIONS,
}

/** Creates one adapter per provider API; throws for bad credentials, because no call is possible with them. */
const adapterFactories: Record<ProviderApi, AdapterFactory> = {
  efi: parsingCredentials(efiCredentialsSchema, createEfiAdapter),
  woovi: parsingCredentials(wooviCredentialsSchema, createWooviAdapter),
  sicoob: parsingCredentials(sicoobCredentialsSchema, createSicoobAdapter),
  inter: parsingCredentials(interCredentialsSchema, createInterAdapter),
  stark: parsingCredentials(starkCredentialsSchema, createStarkAdapter),
}

/** Parses the credentials by the provider's schema first; the error names each wrong field, and no value. */
function parsingCredentials<T>(
  schema: z.ZodType<T>,
  createAdapter: (options: AdapterOptions<T>) => ClosableProvider,
): AdapterFactory {
  return options => {
    const parsed = schema.safeParse(options.credentials)
    if (parsed.success) return createAdapter({ ...options, credentials: parsed.data })
    const faults = parsed.error.issues.map(
      ({ path, message }) => `${['credentials', ...path].join('.')}: ${message}`,
    )
    throw new Error(faults.join('; '))
  }
}

type CachedAdapter = { key: string; adapter: ClosableProvider }

/** Caches each connection's adapter while address and credentials are unchanged; evicts the least recently used one. */
export function createProviderRegistry({ maxAdapters = 500, ...options }: ProviderRegistryOptions) {
  const adapters = new Map<string, CachedAdapter>()
  const openPool = shareConnectionPools(options.observeCertificate)

  function providerFor(connection: RegistryConnection): Provider {
    const cachedAdapter = adapters.get(connection.uuid)
    const { dialect, baseUrl, sealedCredentials, providerAccountUuid } = connection
    // Compared without unsealing: credentials that are sealed again differ as text.
    const key = [dialect, baseUrl, sealedCredentials, providerAccountUuid].join()
    if (cachedAdapter?.key === key) {
      markUsed(connection.uuid, cachedAdapter)
      return cachedAdapter.adapter
    }
    const adapter = createAdapter(connection, { ...options, openPool })
    retire(connection.uuid)
    markUsed(connection.uuid, { key, adapter })
    if (adapters.size > maxAdapters) retire(adapters.keys().next().value!)
    return adapter
  }

  /** Moves an adapter to the end of the map, whose order of insertion is the order of use. */
  function markUsed(uuid: string, entry: CachedAdapter) {
    adapters.delete(uuid)
    adapters.set(uuid, entry)
  }

  /** Removes an adapter; its running calls finish. */
  function retire(uuid: string) {
    const entry = adapters.get(uuid)
    adapters.delete(uuid)
    return entry?.adapter.close()
  }

  return {
    providerFor,
    async close() {
      await Promise.all([...adapters.keys()].map(retire))
    },
  }
}

export type ProviderRegistry = ReturnType<typeof createProviderRegistry>

type AdapterCreation = Omit<ProviderRegistryOptions, 'maxAdapters'> & { openPool: OpenConnectionPool }

function createAdapter(
  connection: RegistryConnection,
  {
    openCredentials,
    observeCall,
    observeCertificate,
    recordUnexplained,
    sharedAccess,
    ...options
  }: AdapterCreation,
): ClosableProvider {
  const { baseUrl, sealedCredentials } = connection
  const dialect = PROVIDER_APIS.find(api => api === connection.dialect)
  if (dialect === undefined) throw new Error(`No adapter implements the provider API ${connection.dialect}`)
  try {
    const credentials = openCredentials(sealedCredentials)
    const record = recordUnexplained?.bind(null, connection)
    const { pace } = PROVIDER_CAPABILITIES[dialect]
    const { providerAccountUuid } = connection
    const access =
      providerAccountUuid === undefined
        ? undefined
        : sharedAccess?.({ providerAccountUuid, tokenPace: pace?.token, timeoutMs: options.timeoutMs })
    const adapter = adapterFactories[dialect]({
      ...options,
      baseUrl,
      credentials,
      recordUnexplained: record,
      shareToken: access?.shareToken,
    })
    if (observeCertificate) observeClientCertificate(observeCertificate, connection.uuid, credentials)
    const pacedAdapter = access && pace ? paceProvider(adapter, pace, access) : adapter
    return observeCall ? observeProvider(pacedAdapter, connection, observeCall) : pacedAdapter
  } catch (error) {
    // To observers it is a call that failed before it started.
    const call = {
      provider: connection.provider,
      connectionUuid: connection.uuid,
      operation: 'useCredentials',
    }
    observeCall?.({ ...call, outcome: 'refused', code: 'credentials_unusable', seconds: 0 })
    throw error
  }
}
