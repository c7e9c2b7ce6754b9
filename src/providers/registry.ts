import type { z } from 'zod'
import { type SeeCertificate, seeClientCertificate } from './certificates.ts'
import { efiCredentials } from './efi/client.ts'
import { efiProvider } from './efi/efi.ts'
import { type OpenLines, sharedLines } from './lines.ts'
import { type Observe, type ObservedCall, observed } from './observed.ts'
import type { Provider } from './port.ts'
import type { RecordUnexplained, UnexplainedAnswer } from './unexplained.ts'
import { wooviCredentials } from './woovi/client.ts'
import { wooviProvider } from './woovi/woovi.ts'

/** An account's connection to a provider, as it is stored. */
export type Connection = {
  uuid: string
  /** How its calls are named to who observes them. */
  provider: string
  dialect: string
  baseUrl: string
  sealedCredentials: string
}

type Adapter = Provider & { close(): Promise<void> }
export type RegistryOptions = {
  /** Opens sealed credentials. */
  open: (sealed: string) => unknown
  timeoutMs: number
  /** PEM of the authority that vouches for every provider, where that is not the system's: a local far side. */
  ca?: string
  /** Adapters kept, each with its token; their connections are shared where they may be. */
  most?: number
  observe?: Observe
  /** Told when certificates in use expire: those of credentials, and those of providers. */
  seeCertificate?: SeeCertificate
  /** Records what a connection's provider answered that no table explains; without it nothing is recorded. */
  recordUnexplained?: (connection: Connection, answer: UnexplainedAnswer) => Promise<void>
}

type Far = {
  baseUrl: string
  credentials: unknown
  timeoutMs: number
  ca: string | undefined
  lines: OpenLines
  recordUnexplained: RecordUnexplained | undefined
}

/** One adapter per provider API; bad credentials throw, as nothing can be asked with them. */
const dialects: Record<string, (far: Far) => Adapter> = {
  efi: far => efiProvider({ ...far, credentials: credentialsOf(efiCredentials, far.credentials) }),
  woovi: far => wooviProvider({ ...far, credentials: credentialsOf(wooviCredentials, far.credentials) }),
}

/** Credentials as a dialect wants them; the error names each field that is wrong, and no value. */
function credentialsOf<T>(schema: z.ZodType<T>, given: unknown): T {
  const read = schema.safeParse(given)
  if (read.success) return read.data
  const wrong = read.error.issues.map(
    ({ path, message }) => `${['credentials', ...path].join('.')}: ${message}`,
  )
  throw new Error(wrong.join('; '))
}

type Kept = Pick<Connection, 'dialect' | 'baseUrl' | 'sealedCredentials'> & { adapter: Adapter }

/** Keeps each connection's adapter while its address and credentials stay what they are; the longest unused one goes first. */
export function providerRegistry({ most = 500, ...options }: RegistryOptions) {
  const kept = new Map<string, Kept>()
  const lines = sharedLines(options.seeCertificate)

  function providerFor(connection: Connection): Provider {
    const found = kept.get(connection.uuid)
    if (found && isSame(found, connection)) {
      keep(connection.uuid, found)
      return found.adapter
    }
    const { dialect, baseUrl, sealedCredentials } = connection
    const adapter = adapterFor(connection, { ...options, lines })
    retire(connection.uuid)
    keep(connection.uuid, { dialect, baseUrl, sealedCredentials, adapter })
    if (kept.size > most) retire(kept.keys().next().value!)
    return adapter
  }

  /** A map keeps its order of insertion: the last used is the last in. */
  function keep(uuid: string, entry: Kept) {
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

export type ProviderRegistry = ReturnType<typeof providerRegistry>

/** What is sealed anew reads otherwise: whoever compares it need not open it. */
function isSame(kept: Kept, { dialect, baseUrl, sealedCredentials }: Connection): boolean {
  return kept.dialect === dialect && kept.baseUrl === baseUrl && kept.sealedCredentials === sealedCredentials
}

type Making = Omit<RegistryOptions, 'most'> & { lines: OpenLines }

function adapterFor(
  connection: Connection,
  { open, timeoutMs, ca, observe, lines, ...more }: Making,
): Adapter {
  const { dialect, baseUrl, sealedCredentials } = connection
  if (!Object.hasOwn(dialects, dialect)) throw new Error(`No adapter speaks the dialect ${dialect}`)
  const recordUnexplained = more.recordUnexplained?.bind(null, connection)
  try {
    const credentials = open(sealedCredentials)
    const adapter = dialects[dialect]!({ baseUrl, credentials, timeoutMs, ca, lines, recordUnexplained })
    if (more.seeCertificate) seeClientCertificate(more.seeCertificate, connection.uuid, credentials)
    return observe ? observed(adapter, connection, observe) : adapter
  } catch (error) {
    observe?.(failedOpening(connection))
    throw error
  }
}

/** No call can be made with these credentials: for who observes calls it is one that failed before it began. */
function failedOpening({ uuid, provider }: Connection): ObservedCall {
  const called = { provider, connectionUuid: uuid, operation: 'useCredentials' }
  return { ...called, outcome: 'refused', code: 'credentials_unusable', seconds: 0 }
}
