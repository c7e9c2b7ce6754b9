import { z } from 'zod'
import type { AdapterOptions } from '../adapter/provider-calls.ts'
import { bacenSumSchema } from '../bacen/schemas.ts'
import { createBacenWebhooks } from '../bacen/webhook.ts'
import type { AccountCalls } from '../port.ts'
import { INTER_BANKING_PATH, type InterClient, type InterCredentials } from './client.ts'

const SENT_WEBHOOK_PATH = `${INTER_BANKING_PATH}/webhooks/pix-pagamento`

/** Creates the calls about the account as a whole: its identity, its balance and the URLs of notifications. */
export function createInterAccount(
  client: InterClient,
  {
    credentials: { account_number, notification_secret },
    baseUrl,
  }: Pick<AdapterOptions<InterCredentials>, 'credentials' | 'baseUrl'>,
): AccountCalls {
  const webhooks = createBacenWebhooks(client, notification_secret)

  async function balances() {
    const call = { call: 'balances', path: `${INTER_BANKING_PATH}/saldo` } as const
    return client.lookUpExisting(call, balanceSchema, ({ disponivel, ...blocked }) => ({
      balance: {
        availableCents: disponivel,
        blockedCents: Object.values(blocked).reduce<number>((sum, cents) => sum + (cents ?? 0), 0),
      },
    }))
  }

  return {
    balances,

    /**
     * Identifies the account by its number, of which the credentials prove that they read the balance. The host is part of it:
     * Inter's environment for tests has accounts of its own.
     */
    async identity() {
      const outcome = await balances()
      if (outcome.kind === 'no_answer') return outcome
      return { kind: 'found', id: `${new URL(baseUrl).host} ${account_number}` }
    },

    /** Looks up the URLs of received PIX of the key and of sent payments; one of another system is reported first. */
    async findReplacedUrl(collectionKey) {
      const ofKey = await webhooks.findReplacedUrl(toWebhookKey(collectionKey))
      if (ofKey.kind === 'no_answer') return ofKey
      const ofPayments = await webhooks.findUrl(SENT_WEBHOOK_PATH)
      if (ofPayments.kind === 'no_answer') return ofPayments
      const urls = [ofKey.url, ofPayments.url].filter(url => url !== null)
      const otherUrl = urls.find(url => !url.includes('/provider-notifications/'))
      return { kind: 'found', url: otherUrl ?? urls[0] ?? null }
    },

    /** Registers the URL for received PIX of the key, and for sent payments; Inter appends `/pix` and `/pix-pagamento`. */
    async registerNotificationUrl(url, collectionKey) {
      const ofKey = await webhooks.registerKeyUrl(url, toWebhookKey(collectionKey))
      if (ofKey.kind === 'no_answer') return ofKey
      const ofPayments = await webhooks.registerUrl(SENT_WEBHOOK_PATH, url)
      return ofPayments.kind === 'no_answer' ? ofPayments : { kind: 'registered' }
    },
  }
}

/** Removes the sign before a phone: Inter takes none in the path of a webhook. */
function toWebhookKey(key: string | null): string | null {
  return key?.replace(/^\+/, '') ?? null
}

const blockedSchema = bacenSumSchema.refine(cents => cents >= 0).nullish()
const balanceSchema = z.object({
  disponivel: bacenSumSchema,
  bloqueadoCheque: blockedSchema,
  bloqueadoJudicialmente: blockedSchema,
  bloqueadoAdministrativo: blockedSchema,
})
