import { createHash } from 'node:crypto'
import { efiCredentials } from './efi/client.ts'
import { efiProvider } from './efi/efi.ts'
import { type Observe, observed } from './observed.ts'
import type { Provider } from './port.ts'
import { wooviCredentials } from './woovi/client.ts'
import { wooviProvider } from './woovi/woovi.ts'

/** An account's connection to a provider, its credentials already unsealed. */
export type Connection = {
  uuid: string
  dialect: string
  baseUrl: string
  credentials: unknown
  /** How its calls are named to who observes them; its dialect where absent. */
  provider?: string
}

type Adapter = Provider & { close(): Promise<void> }
export type RegistryOptions = {
  timeoutMs: number
  /** PEM of the authority that vouches for every provider, where that is not the system's: a local far side. */
  ca?: string
  /** Adapters kept, each with its token and its sockets. */
  most?: number
  observe?: Observe
}

/** One adapter per provider API; bad credentials throw, as nothing can be asked with them. */
const dialects: Record<string, (connection: Connection, options: RegistryOptions) => Adapter> = {
  efi: ({ baseUrl, credentials }, { timeoutMs, ca }) =>
    efiProvider({ baseUrl, credentials: efiCredentials.parse(credentials), timeoutMs, ca }),
  woovi: ({ baseUrl, credentials }, { timeoutMs, ca }) =>
    wooviProvider({ baseUrl, credentials: wooviCredentials.parse(credentials), timeoutMs, ca }),
}

/** Keeps each connection's adapter while its address and credentials stay what they are; the longest unused one goes first. */
export function providerRegistry({ most = 500, ...options }: RegistryOptions) {
  const kept = new Map<string, { fingerprint: string; adapter: Adapter }>()

  function providerFor(connection: Connection): Provider {
    const fingerprint = fingerprintOf(connection)
    const found = kept.get(connection.uuid)
    if (found?.fingerprint === fingerprint) {
      keep(connection.uuid, found)
      return found.adapter
    }
    const adapter = adapterFor(connection, options)
    retire(connection.uuid)
    keep(connection.uuid, { fingerprint, adapter })
    if (kept.size > most) retire(kept.keys().next().value!)
    return adapter
  }

  /** A map keeps its order of insertion: the last used is the last in. */
  function keep(uuid: string, entry: { fingerprint: string; adapter: Adapter }) {
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

function adapterFor(connection: Connection, options: RegistryOptions): Adapter {
  if (!Object.hasOwn(dialects, connection.dialect))
    throw new Error(`No adapter speaks the dialect ${connection.dialect}`)
  const adapter = dialects[connection.dialect]!(connection, options)
  const { observe } = options
  return observe ? observed(adapter, connection.provider ?? connection.dialect, observe) : adapter
}

function fingerprintOf({ dialect, baseUrl, credentials }: Connection): string {
  return createHash('sha256')
    .update(JSON.stringify([dialect, baseUrl, credentials]))
    .digest('hex')
}
