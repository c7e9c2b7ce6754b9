import type { z } from 'zod'
import type { RecordUnexplainedAnswer, UnexplainedAnswer } from './adapter/unexplained-answers.ts'
import { createEfiAdapter } from './efi/adapter.ts'
import { efiCredentialsSchema } from './efi/client.ts'
import { type ObserveCertificate, observeClientCertificate } from './http/certificates.ts'
import { type OpenConnectionPool, shareConnectionPools } from './http/connection-pool.ts'
import { type ObserveCall, type ObservedCall, observeProvider } from './observability/call-observer.ts'
import type { Provider } from './port.ts'
import { createWooviAdapter } from './woovi/adapter.ts'
import { wooviCredentialsSchema } from './woovi/client.ts'

/** An account's connection to a provider, as it is stored. */
export type RegistryConnection = {
  uuid: string
  /** How its calls are named to who observes them. */
  provider: string
  dialect: string
  baseUrl: string
  sealedCredentials: string
}

type ClosableProvider = Provider & { close(): Promise<void> }
export type ProviderRegistryOptions = {
  /** Opens sealed credentials. */
  openCredentials: (sealed: string) => unknown
  timeoutMs: number
  /** PEM of the authority that vouches for every provider, where that is not the system's: a local far side. */
  ca?: string
  /** Adapters kept, each with its token; their connections are shared where they may be. */
  maxAdapters?: number
  observeCall?: ObserveCall
  /** Told when certificates in use expire: those of credentials, and those of providers. */
  observeCertificate?: ObserveCertificate
  /** Records what a connection's provider answered that no table explains; without it nothing is recorded. */
  recordUnexplained?: (connection: RegistryConnection, answer: UnexplainedAnswer) => Promise<void>
}

type AdapterOptions = {
  baseUrl: string
  credentials: unknown
  timeoutMs: number
  ca: string | undefined
  openPool: OpenConnectionPool
  recordUnexplained: RecordUnexplainedAnswer | undefined
}

/** One adapter per provider API; bad credentials throw, as nothing can be asked with them. */
const adapterFactories: Record<string, (far: AdapterOptions) => ClosableProvider> = {
  efi: far =>
    createEfiAdapter({ ...far, credentials: parseCredentials(efiCredentialsSchema, far.credentials) }),
  woovi: far =>
    createWooviAdapter({ ...far, credentials: parseCredentials(wooviCredentialsSchema, far.credentials) }),
}

/** Credentials as a dialect wants them; the error names each field that is wrong, and no value. */
function parseCredentials<T>(schema: z.ZodType<T>, given: unknown): T {
  const read = schema.safeParse(given)
  if (read.success) return read.data
  const wrong = read.error.issues.map(
    ({ path, message }) => `${['credentials', ...path].join('.')}: ${message}`,
  )
  throw new Error(wrong.join('; '))
}

type CachedAdapter = Pick<RegistryConnection, 'dialect' | 'baseUrl' | 'sealedCredentials'> & {
  adapter: ClosableProvider
}

/** Keeps each connection's adapter while its address and credentials stay what they are; the longest unused one goes first. */
export function createProviderRegistry({ maxAdapters: most = 500, ...options }: ProviderRegistryOptions) {
  const kept = new Map<string, CachedAdapter>()
  const lines = shareConnectionPools(options.observeCertificate)

  function providerFor(connection: RegistryConnection): Provider {
    const found = kept.get(connection.uuid)
    if (found && hasSameConfiguration(found, connection)) {
      keep(connection.uuid, found)
      return found.adapter
    }
    const { dialect, baseUrl, sealedCredentials } = connection
    const adapter = createAdapter(connection, { ...options, openPool: lines })
    retire(connection.uuid)
    keep(connection.uuid, { dialect, baseUrl, sealedCredentials, adapter })
    if (kept.size > most) retire(kept.keys().next().value!)
    return adapter
  }

  /** A map keeps its order of insertion: the last used is the last in. */
  function keep(uuid: string, entry: CachedAdapter) {
    kept.delete(uuid)
    kept.set(uuid, entry)
  }

  /** Its running calls finish. */
  function retire(uuid: string) {
    const entry = kept.get(uuid)
    kept.delete(uuid)
    return entry?.adapter.close()
  }

  return {
    providerFor,
    async close() {
      await Promise.all([...kept.keys()].map(retire))
    },
  }
}

export type ProviderRegistry = ReturnType<typeof createProviderRegistry>

/** What is sealed anew reads otherwise: whoever compares it need not open it. */
function hasSameConfiguration(
  kept: CachedAdapter,
  { dialect, baseUrl, sealedCredentials }: RegistryConnection,
): boolean {
  return kept.dialect === dialect && kept.baseUrl === baseUrl && kept.sealedCredentials === sealedCredentials
}

type AdapterCreation = Omit<ProviderRegistryOptions, 'most'> & { openPool: OpenConnectionPool }

function createAdapter(
  connection: RegistryConnection,
  { openCredentials: open, timeoutMs, ca, observeCall: observe, openPool: lines, ...more }: AdapterCreation,
): ClosableProvider {
  const { dialect, baseUrl, sealedCredentials } = connection
  if (!Object.hasOwn(adapterFactories, dialect)) throw new Error(`No adapter speaks the dialect ${dialect}`)
  const recordUnexplained = more.recordUnexplained?.bind(null, connection)
  try {
    const credentials = open(sealedCredentials)
    const adapter = adapterFactories[dialect]!({
      baseUrl,
      credentials,
      timeoutMs,
      ca,
      openPool: lines,
      recordUnexplained,
    })
    if (more.observeCertificate)
      observeClientCertificate(more.observeCertificate, connection.uuid, credentials)
    return observe ? observeProvider(adapter, connection, observe) : adapter
  } catch (error) {
    observe?.(describeUnusableCredentials(connection))
    throw error
  }
}

/** No call can be made with these credentials: for who observes calls it is one that failed before it began. */
function describeUnusableCredentials({ uuid, provider }: RegistryConnection): ObservedCall {
  const called = { provider, connectionUuid: uuid, operation: 'useCredentials' }
  return { ...called, outcome: 'refused', code: 'credentials_unusable', seconds: 0 }
}
