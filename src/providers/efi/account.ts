import type { NoAnswerResult } from '../../domain/providers/provider.ts'
import { parseAnswer } from '../adapter/answer-parsing.ts'
import type { Provider } from '../port.ts'
import { efiAccountConfigSchema, efiSaldoSchema, enablePixWithoutTxid } from './account-schemas.ts'
import type { EfiClient, EfiCredentials } from './client.ts'
import { efiRandomKeysSchema } from './schemas.ts'

/** Creates the calls about the Efí account as a whole: its identity, its balance and the URL of its notifications. */
export function createEfiAccount(
  client: EfiClient,
  { notice_secret }: EfiCredentials,
): Pick<Provider, 'identity' | 'balances' | 'registerNotificationUrl'> {
  return {
    /**
     * Identifies the account by its random keys ("Listar chaves evp"): Efí publishes no call that names the account,
     * and a random key belongs to one account only.
     */
    async identity() {
      return client.lookUpExisting({ call: 'listKeys', path: '/v2/gn/evp' }, (json, notes) => {
        const list = parseAnswer(efiRandomKeysSchema, json, notes)
        return list && { keys: list.chaves }
      })
    },

    async balances() {
      const request = { call: 'balances', path: '/v2/gn/saldo?bloqueios=true' } as const
      return client.lookUpExisting(request, (json, notes) => {
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
          call: 'registerNotificationUrl',
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
    const call = { call: 'registerNotificationUrl', path: '/v2/gn/config' } as const
    const configuration = await client.lookUpExisting(call, (json, notes) =>
      parseAnswer(efiAccountConfigSchema, json, notes),
    )
    if (configuration.kind === 'no_answer') return configuration
    const { kind: _, ...config } = configuration
    const json = enablePixWithoutTxid(config, key)
    if (json === null) return null
    const outcome = await client.lookUpExisting({ ...call, method: 'PUT', json }, () => ({}))
    return outcome.kind === 'no_answer' ? outcome : null
  }
}

const WITHOUT_TXID_WARNING =
  'Efí does not notify PIX without a txid: set pixSemTxid in the account configuration; until then they are found by reconciliation only'

const collectionKeyMissing = {
  kind: 'no_answer',
  code: 'collection_key_missing',
  message: 'Efí sends notifications per PIX key, and this connection has no collection key',
} as const
