import type { NoAnswerResult } from '../../domain/providers/provider.ts'
import { parseAnswer } from '../adapter/answer-parsing.ts'
import type { Provider } from '../port.ts'
import { efiAccountConfigSchema, efiSaldoSchema, enablePixWithoutTxid } from './account-schemas.ts'
import type { EfiClient, EfiCredentials } from './client.ts'

/** Creates the calls about the Efí account as a whole: its balance and the URL of its notifications. */
export function createEfiAccount(
  client: EfiClient,
  { notice_secret }: EfiCredentials,
): Pick<Provider, 'balances' | 'registerNotificationUrl'> {
  return {
    async balances() {
      const call = { call: 'balances', reference: null, method: 'GET' } as const
      return client.lookUpExisting({ ...call, path: '/v2/gn/saldo?bloqueios=true' }, (json, notes) => {
        const balance = parseAnswer(efiSaldoSchema, json, notes)
        if (!balance) return undefined
        const { saldo: availableCents, bloqueios } = balance
        return { balance: { availableCents, blockedCents: bloqueios?.total ?? 0 } }
      })
    },

    /**
     * Registers the URL with our secret as its last part; Efí appends `/pix`. The secret is always verified, Efí's
     * client certificate only by a proxy that is set up for it, so the call skips Efí's check of mTLS. Efí notifies a
     * PIX without a txid only if the account's configuration enables it, which needs a permission of its own: without
     * it the result carries a warning.
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
      const failure = await notifyPixWithoutTxid(collectionKey)
      if (failure === null) return { kind: 'registered' }
      return { kind: 'registered', warning: `${WITHOUT_TXID_WARNING} (${failure.message})` }
    },
  }

  /** Enables notifications of PIX without a txid in the account's configuration; null on success. May be repeated. */
  async function notifyPixWithoutTxid(key: string): Promise<NoAnswerResult | null> {
    const request = { ...REGISTRATION_CALL, method: 'GET', path: CONFIG_PATH } as const
    const configuration = await client.lookUpExisting(request, (json, notes) =>
      parseAnswer(efiAccountConfigSchema, json, notes),
    )
    if (configuration.kind === 'no_answer') return configuration
    const { kind: _, ...config } = configuration
    const json = enablePixWithoutTxid(config, key)
    if (json === null) return null
    const outcome = await client.lookUpExisting(
      { ...REGISTRATION_CALL, method: 'PUT', path: CONFIG_PATH, json },
      () => ({}),
    )
    return outcome.kind === 'no_answer' ? outcome : null
  }
}

const CONFIG_PATH = '/v2/gn/config'
const REGISTRATION_CALL = { call: 'registerNotificationUrl', reference: null } as const

const WITHOUT_TXID_WARNING =
  'Efí does not notify PIX without a txid: set pixSemTxid in the account configuration; until then they are found by reconciliation only'

const collectionKeyMissing = {
  kind: 'no_answer',
  code: 'collection_key_missing',
  message: 'Efí sends notifications per PIX key, and this connection has no collection key',
} as const
