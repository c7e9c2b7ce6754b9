import type { NoAnswer } from '../../domain/provider.ts'
import type { Provider } from '../port.ts'
import { readShape } from '../reading.ts'
import type { EfiClient, EfiCredentials } from './client.ts'
import { accountConfig, saldo, withPixWithoutTxid } from './shapes-of-account.ts'

/** The account itself: its balance and where its notifications go. */
export function account(
  client: EfiClient,
  { notice_secret }: EfiCredentials,
): Pick<Provider, 'balances' | 'registerNotices'> {
  return {
    async balances() {
      const call = { call: 'balances', reference: null, method: 'GET' } as const
      return client.lookUpOwn({ ...call, path: '/v2/gn/saldo?bloqueios=true' }, (json, notes) => {
        const read = readShape(saldo, json, notes)
        return read && { balance: { availableCents: read.saldo, blockedCents: read.bloqueios?.total ?? 0 } }
      })
    },

    /**
     * Efí appends `/pix` to the URL. Its client certificate is checked by the proxy or not at all; our secret always is.
     * A PIX without a txid is notified only where the account's configuration says so, which is a permission of its own.
     */
    async registerNotices(url, collectionKey) {
      if (collectionKey === null) return keyMissing
      const outcome = await client.lookUpOwn(
        {
          ...REGISTRATION,
          method: 'PUT',
          path: `/v2/webhook/${encodeURIComponent(collectionKey)}`,
          headers: { 'x-skip-mtls-checking': 'true' },
          json: { webhookUrl: `${url}/${encodeURIComponent(notice_secret)}` },
        },
        () => ({}),
      )
      if (outcome.kind === 'no_answer') return outcome
      const configured = await notifyPixWithoutTxid(collectionKey)
      if (configured === null) return { kind: 'registered' }
      return { kind: 'registered', warning: `${WITHOUT_TXID} (${configured.message})` }
    },
  }

  /** Null once the configuration says so. What else it says stays as it is. */
  async function notifyPixWithoutTxid(key: string): Promise<NoAnswer | null> {
    const read = { ...REGISTRATION, method: 'GET', path: CONFIG } as const
    const found = await client.lookUpOwn(read, (json, notes) => readShape(accountConfig, json, notes))
    if (found.kind === 'no_answer') return found
    const { kind: _, ...config } = found
    const json = withPixWithoutTxid(config, key)
    if (json === null) return null
    const written = await client.lookUpOwn({ ...REGISTRATION, method: 'PUT', path: CONFIG, json }, () => ({}))
    return written.kind === 'no_answer' ? written : null
  }
}

const CONFIG = '/v2/gn/config'
const REGISTRATION = { call: 'registerNotices', reference: null } as const

const WITHOUT_TXID =
  'Efí does not notify PIX without a txid: set pixSemTxid in the account configuration; until then they are found by reconciliation only'

const keyMissing = {
  kind: 'no_answer',
  code: 'collection_key_missing',
  message: 'Efí sends notices per key, and this connection has none',
} as const
