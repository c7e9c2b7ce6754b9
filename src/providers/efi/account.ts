import type { NoAnswerResult } from '../../domain/providers/provider.ts'
import { ANY_ANSWER } from '../adapter/answer-parsing.ts'
import type { AccountCalls } from '../port.ts'
import { efiAccountConfigSchema, efiSaldoSchema, enablePixWithoutTxid } from './account-schemas.ts'
import type { EfiClient, EfiCredentials } from './client.ts'
import { efiRandomKeysSchema } from './schemas.ts'

/** Creates the calls about the Efí account as a whole: its identity, its balance and the URL of its notifications. */
export function createEfiAccount(client: EfiClient, { notice_secret }: EfiCredentials): AccountCalls {
  return {
    /**
     * Identifies the account by its random keys ("Listar chaves evp"): Efí publishes no call that names the account,
     * and a random key belongs to one account only.
     */
    async identity() {
      const request = { call: 'listKeys', path: '/v2/gn/evp' } as const
      return client.lookUpExisting(request, efiRandomKeysSchema, ({ chaves }) => ({ keys: chaves }))
    },

    async balances() {
      const request = { call: 'balances', path: '/v2/gn/saldo?bloqueios=true' } as const
      return client.lookUpExisting(request, efiSaldoSchema, ({ saldo: availableCents, bloqueios }) => ({
        balance: { availableCents, blockedCents: bloqueios?.total ?? 0 },
      }))
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
        ANY_ANSWER,
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
    const found = await client.lookUpExisting(call, efiAccountConfigSchema, config => ({ config }))
    if (found.kind === 'no_answer') return found
    const json = enablePixWithoutTxid(found.config, key)
    if (json === null) return null
    const outcome = await client.lookUpExisting({ ...call, method: 'PUT', json }, ANY_ANSWER, () => ({}))
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
