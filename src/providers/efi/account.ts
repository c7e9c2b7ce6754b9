import type { NoAnswerResult } from '../../domain/providers/provider.ts'
import { parseAnswer } from '../adapter/answer-parsing.ts'
import type { Provider } from '../port.ts'
import { efiAccountConfigSchema, efiSaldoSchema, enablePixWithoutTxid } from './account-schemas.ts'
import type { EfiClient, EfiCredentials } from './client.ts'

/** The account itself: its balance and where its notifications go. */
export function createEfiAccount(
  client: EfiClient,
  { notice_secret }: EfiCredentials,
): Pick<Provider, 'balances' | 'registerNotificationUrl'> {
  return {
    async balances() {
      const call = { call: 'balances', reference: null, method: 'GET' } as const
      return client.lookUpExisting({ ...call, path: '/v2/gn/saldo?bloqueios=true' }, (json, notes) => {
        const read = parseAnswer(efiSaldoSchema, json, notes)
        return read && { balance: { availableCents: read.saldo, blockedCents: read.bloqueios?.total ?? 0 } }
      })
    },

    /**
     * Efí appends `/pix` to the URL. Its client certificate is checked by the proxy or not at all; our secret always is.
     * A PIX without a txid is notified only where the account's configuration says so, which is a permission of its own.
     */
    async registerNotificationUrl(url, collectionKey) {
      if (collectionKey === null) return collectionKeyMissing
      const outcome = await client.lookUpExisting(
        {
          ...REGISTRATION_CALL,
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
      return { kind: 'registered', warning: `${WITHOUT_TXID_WARNING} (${configured.message})` }
    },
  }

  /** Null once the configuration says so. What else it says stays as it is. */
  async function notifyPixWithoutTxid(key: string): Promise<NoAnswerResult | null> {
    const read = { ...REGISTRATION_CALL, method: 'GET', path: CONFIG_PATH } as const
    const found = await client.lookUpExisting(read, (json, notes) =>
      parseAnswer(efiAccountConfigSchema, json, notes),
    )
    if (found.kind === 'no_answer') return found
    const { kind: _, ...config } = found
    const json = enablePixWithoutTxid(config, key)
    if (json === null) return null
    const written = await client.lookUpExisting(
      { ...REGISTRATION_CALL, method: 'PUT', path: CONFIG_PATH, json },
      () => ({}),
    )
    return written.kind === 'no_answer' ? written : null
  }
}

const CONFIG_PATH = '/v2/gn/config'
const REGISTRATION_CALL = { call: 'registerNotificationUrl', reference: null } as const

const WITHOUT_TXID_WARNING =
  'Efí does not notify PIX without a txid: set pixSemTxid in the account configuration; until then they are found by reconciliation only'

const collectionKeyMissing = {
  kind: 'no_answer',
  code: 'collection_key_missing',
  message: 'Efí sends notices per key, and this connection has none',
} as const
