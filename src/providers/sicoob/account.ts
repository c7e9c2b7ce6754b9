import type { AdapterOptions } from '../adapter/provider-calls.ts'
import { readBacenStatement } from '../bacen/statement.ts'
import { createBacenWebhooks } from '../bacen/webhook.ts'
import type { AccountCalls, Provider } from '../port.ts'
import {
  SICOOB_ACCOUNT_PATH,
  SICOOB_PAYMENTS_PATH,
  type SicoobClient,
  type SicoobCredentials,
} from './client.ts'
import { sicoobBalanceSchema } from './schemas.ts'

/** Creates the calls about the account as a whole: its identity, its balance, its statement and the URLs of notifications. */
export function createSicoobAccount(
  client: SicoobClient,
  {
    credentials: { account_number, notification_secret },
    baseUrl,
  }: Pick<AdapterOptions<SicoobCredentials>, 'credentials' | 'baseUrl'>,
): AccountCalls & Pick<Provider, 'statement'> {
  const webhooks = createBacenWebhooks(client, notification_secret)

  async function readBalance() {
    const path = `${SICOOB_ACCOUNT_PATH}/saldo?numeroContaCorrente=${account_number}`
    return client.lookUpExisting(
      { call: 'balances', path },
      sicoobBalanceSchema,
      ({ saldo: availableCents, saldoBloqueado: blockedCents }) => ({
        balance: { availableCents, blockedCents: blockedCents ?? 0 },
      }),
    )
  }

  return {
    balances: readBalance,

    /**
     * Identifies the account by its number, of which the credentials prove that they read the balance. The host is part of it:
     * Sicoob's environment for tests has accounts of its own.
     */
    async identity() {
      const outcome = await readBalance()
      if (outcome.kind === 'no_answer') return outcome
      return { kind: 'found', id: `${new URL(baseUrl).host} ${account_number}` }
    },

    /** Lists received PIX and our devoluções of them. Sicoob has no list of sent payments with their end-to-end ids. */
    async statement(from, to) {
      const outcome = await readBacenStatement(client, { from, to })
      return outcome.kind === 'found' ? { ...outcome, leavesOutTransfers: true } : outcome
    },

    /** Finds the URL that is notified for the key, or else that of the account's sent payments. */
    async findReplacedUrl(collectionKey) {
      const ofKey = await webhooks.findReplacedUrl(collectionKey)
      if (ofKey.kind === 'no_answer' || ofKey.url !== null) return ofKey
      return webhooks.findUrl(`${SICOOB_PAYMENTS_PATH}/webhook`)
    },

    /** Registers the URL for received PIX of the key, and for sent payments; Sicoob appends `/pix` and `/lancamento`. */
    async registerNotificationUrl(url, collectionKey) {
      const received = await webhooks.registerKeyUrl(url, collectionKey)
      if (received.kind === 'no_answer') return received
      const sent = await webhooks.registerUrl(`${SICOOB_PAYMENTS_PATH}/webhook`, url)
      return sent.kind === 'no_answer' ? sent : { kind: 'registered' }
    },
  }
}
