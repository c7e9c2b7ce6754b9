import type { z } from 'zod'
import type { ProviderBalance } from '../../domain/providers/provider.ts'
import type { AdapterOptions } from '../adapter/provider-calls.ts'
import { UNSUPPORTED_CALLS } from '../adapter/unsupported-calls.ts'
import type { ClosableProvider, Provider, TransferCalls } from '../port.ts'
import type { BacenAutomaticPix } from './automatic-pix.ts'
import { createBacenCharges } from './charges.ts'
import type { BacenClient } from './client.ts'
import { createBacenNotifications, type NotificationParts } from './notifications.ts'
import { createBacenPayments } from './payments.ts'
import { createBacenWebhooks, isUrlOfOurs } from './webhook.ts'

/** What a bank has besides the Central Bank's Pix API, as data: an account with a balance, and payments with notifications. */
type BankProfile = {
  /** Path of the balance, which only the credentials of the account read, and its schema in centavos. */
  balance: { path: string; schema: z.ZodType<ProviderBalance> }
  /** Path of the webhook of sent payments, of the shape of `/webhook/{chave}`. */
  sentWebhookPath: string
  /** Converts a PIX key to what the path of its webhook has; absent: the key itself. */
  toWebhookKey?: (key: string) => string
  notifications: NotificationParts
  /** Absent where the bank has no Pix Automático. */
  automaticPix?: BacenAutomaticPix
}

/** The credentials that identify an account by its number. */
type BankCredentials = { account_number: string; notification_secret: string }

/**
 * Creates the adapter of a bank over the Central Bank's Pix API, without PIX keys and disputes; `ownCalls` are the calls of the
 * bank's other APIs.
 */
export function createBankAdapter(
  client: BacenClient,
  { credentials, baseUrl, now = Date.now, recordUnexplained: record }: AdapterOptions<BankCredentials>,
  { balance, sentWebhookPath, toWebhookKey = key => key, notifications, automaticPix }: BankProfile,
  ownCalls: TransferCalls & Pick<Provider, 'statement'>,
): ClosableProvider {
  const { account_number, notification_secret: secret } = credentials
  const webhooks = createBacenWebhooks(client, secret)
  const findWebhookKey = (key: string | null) => (key === null ? null : toWebhookKey(key))

  async function balances() {
    const call = { call: 'balances', path: balance.path } as const
    return client.lookUpExisting(call, balance.schema, read => ({ balance: read }))
  }

  return {
    ...createBacenCharges(client, now, automaticPix?.debits),
    ...automaticPix?.recurrences,
    ...createBacenPayments(client),
    ...createBacenNotifications({ secret, record, ...notifications }),
    ...UNSUPPORTED_CALLS,
    balances,

    /**
     * Identifies the account by its number, of which the credentials prove that they read the balance. The host is part of it: the
     * bank's environment for tests has accounts of its own.
     */
    async identity() {
      const outcome = await balances()
      if (outcome.kind === 'no_answer') return outcome
      return { kind: 'found', id: `${new URL(baseUrl).host} ${account_number}` }
    },

    /** Looks up the URLs of received PIX of the key and of sent payments; one of another system is reported first. */
    async findReplacedUrl(collectionKey) {
      const ofKey = await webhooks.findReplacedUrl(findWebhookKey(collectionKey))
      if (ofKey.kind === 'no_answer') return ofKey
      const ofPayments = await webhooks.findUrl(sentWebhookPath)
      if (ofPayments.kind === 'no_answer') return ofPayments
      const urls = [ofKey.url, ofPayments.url].filter(url => url !== null)
      const otherUrl = urls.find(url => !isUrlOfOurs(url))
      return { kind: 'found', url: otherUrl ?? urls[0] ?? null }
    },

    /** Registers the URL for received PIX of the key, for sent payments and for recurrences; the bank appends the name of each. */
    async registerNotificationUrl(url, collectionKey) {
      const ofKey = await webhooks.registerKeyUrl(url, findWebhookKey(collectionKey))
      if (ofKey.kind === 'no_answer') return ofKey
      const ofPayments = await webhooks.registerUrl(sentWebhookPath, url)
      if (ofPayments.kind === 'no_answer') return ofPayments
      return { kind: 'registered', ...(await automaticPix?.webhooks.registerUrls(url)) }
    },

    ...ownCalls,
    preconnect: client.preconnect,
    close: client.close,
  }
}
