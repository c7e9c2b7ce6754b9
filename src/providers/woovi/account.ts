import type { Provider } from '../port.ts'
import type { WooviCall } from './answers.ts'
import type { WooviClient } from './client.ts'
import { createWooviPagination } from './pagination.ts'
import { type WooviWebhook, wooviAccountsSchema, wooviWebhookSchema } from './schemas.ts'

/** Creates the calls about the Woovi account as a whole: its balance and the webhooks that notify us. */
export function createWooviAccount(
  client: WooviClient,
): Pick<Provider, 'balances' | 'registerNotificationUrl'> {
  const { readAllPages } = createWooviPagination(client)

  return {
    async balances() {
      return client.lookUpExisting(
        { ...buildAccountCall('balances'), method: 'GET', path: '/api/v1/account/' },
        json => {
          const accounts = wooviAccountsSchema.safeParse(json).data?.accounts
          const onlyAccount = accounts?.length === 1 ? accounts[0] : undefined
          const account = accounts?.find(({ isDefault }) => isDefault) ?? onlyAccount
          if (!account) return undefined
          const { available, blocked } = account.balance
          return { balance: { availableCents: available, blockedCents: blocked } }
        },
      )
    },

    /** Creates the missing webhooks, one per event. Existing ones are kept: each has a secret key of its own. */
    async registerNotificationUrl(url) {
      const outcome = await readAllPages<WooviWebhook>({
        call: 'registerNotificationUrl',
        path: '/api/v1/webhook',
        filter: { url },
        field: 'webhooks',
        item: wooviWebhookSchema,
        keyOf: webhook => JSON.stringify(webhook),
      })
      if (outcome.kind === 'no_answer') return outcome
      const active = outcome.items.filter(webhook => webhook.url === url && webhook.isActive !== false)
      const existingEvents = active.map(webhook => webhook.event)
      for (const event of REGISTERED_EVENTS.filter(name => !existingEvents.includes(name))) {
        const json = { webhook: { name: `Trilho ${event}`, event, url, isActive: true } }
        const call = {
          ...buildAccountCall('registerNotificationUrl'),
          method: 'POST',
          path: '/api/v1/webhook',
        } as const
        const creation = await client.lookUpExisting({ ...call, json }, () => ({}))
        if (creation.kind === 'no_answer') return creation
      }
      return { kind: 'registered' }
    },
  }
}

const buildAccountCall = <Name extends WooviCall>(call: Name) => ({ call, reference: null })

/** Events that need a webhook. A received PIX needs its transaction's event only: the charge's event repeats it. */
const REGISTERED_EVENTS = [
  'OPENPIX:TRANSACTION_RECEIVED',
  'OPENPIX:MOVEMENT_CONFIRMED',
  'OPENPIX:MOVEMENT_FAILED',
  'OPENPIX:MOVEMENT_REMOVED',
  'PIX_TRANSACTION_REFUND_SENT_CONFIRMED',
  'PIX_TRANSACTION_REFUND_SENT_REJECTED',
  'PIX_TRANSACTION_REFUND_RECEIVED_CONFIRMED',
  'OPENPIX:DISPUTE_CREATED',
  'OPENPIX:DISPUTE_ACCEPTED',
  'OPENPIX:DISPUTE_REJECTED',
  'OPENPIX:DISPUTE_CANCELED',
]
