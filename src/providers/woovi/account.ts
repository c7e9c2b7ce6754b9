import type { Provider } from '../port.ts'
import type { WooviCall } from './answers.ts'
import type { WooviClient } from './client.ts'
import { createWooviPagination } from './pagination.ts'
import { type WooviWebhook, wooviAccountsSchema, wooviWebhookSchema } from './schemas.ts'

/** The account itself: its balance and where its notices go. */
export function createWooviAccount(
  client: WooviClient,
): Pick<Provider, 'balances' | 'registerNotificationUrl'> {
  const { readAllPages } = createWooviPagination(client)

  return {
    async balances() {
      return client.lookUpExisting(
        { ...buildAccountCall('balances'), method: 'GET', path: '/api/v1/account/' },
        json => {
          const all = wooviAccountsSchema.safeParse(json).data?.accounts
          const ours = all?.find(one => one.isDefault) ?? (all?.length === 1 ? all[0] : undefined)
          if (!ours) return undefined
          const { available, blocked } = ours.balance
          return { balance: { availableCents: available, blockedCents: blocked } }
        },
      )
    },

    /** One webhook an event; those that are there already stay, since each has its own secret key. */
    async registerNotificationUrl(url) {
      const there = await readAllPages<WooviWebhook>({
        ...{ call: 'registerNotificationUrl', path: '/api/v1/webhook', filter: { url } },
        ...{ field: 'webhooks', item: wooviWebhookSchema, keyOf: one => JSON.stringify(one) },
      })
      if (there.kind === 'no_answer') return there
      const active = there.items.filter(one => one.url === url && one.isActive !== false)
      for (const event of REGISTERED_EVENTS.filter(name => !active.some(one => one.event === name))) {
        const json = { webhook: { name: `Trilho ${event}`, event, url, isActive: true } }
        const call = {
          ...buildAccountCall('registerNotificationUrl'),
          method: 'POST',
          path: '/api/v1/webhook',
        } as const
        const made = await client.lookUpExisting({ ...call, json }, () => ({}))
        if (made.kind === 'no_answer') return made
      }
      return { kind: 'registered' }
    },
  }
}

const buildAccountCall = <Name extends WooviCall>(call: Name) => ({ call, reference: null })

/** A received PIX is told once, by its transaction: the charge's own event would only say it again. */
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
