import type { AccountCalls } from '../port.ts'
import type { StarkClient, StarkCredentials } from './client.ts'
import { STARK_LISTS } from './lists.ts'
import { REGISTERED_STARK_SUBSCRIPTIONS } from './notifications.ts'
import {
  oneStarkEntity,
  starkBalancesSchema,
  starkWebhookRequestSchema,
  starkWebhookSchema,
} from './schemas.ts'

/** Creates the calls about the workspace as a whole, which is the account: its identity, its balance, its webhooks. */
export function createStarkAccount(
  client: StarkClient,
  { access_id: accessId }: StarkCredentials,
): AccountCalls {
  return {
    /** Identifies the workspace of the credentials: the one that they name, or else the only one that they may use. */
    async identity() {
      const list = await client.readAllPages({
        call: 'identity',
        ...STARK_LISTS.workspaces,
      })
      if (list.kind === 'no_answer') return list
      const [, namedId] = /\/workspace\/(\d+)$/.exec(accessId) ?? []
      const usable = namedId ? list.items.filter(({ id }) => id === namedId) : list.items
      const [workspace] = usable
      const isOnly = usable.length === 1 && list.unreadableItems.length === 0
      return workspace && isOnly ? { kind: 'found', id: workspace.id } : workspaceUnclear
    },

    /** Reads the balance. Stark Bank reports one amount, and none that is blocked. */
    async balances() {
      return client.lookUpExisting(
        { call: 'balances', path: '/v2/balance' },
        starkBalancesSchema,
        ({ balances: [{ amount }] }) => ({ balance: { availableCents: amount, blockedCents: 0 } }),
      )
    },

    async registerNotificationUrl(url) {
      const path = '/v2/webhook'
      const list = await client.readAllPages({
        call: 'registerNotificationUrl',
        ...STARK_LISTS.webhooks,
      })
      if (list.kind === 'no_answer') return list
      const existing = list.items.filter(webhook => webhook.url === url)
      const existingSubscriptions = existing.flatMap(webhook => webhook.subscriptions)
      const subscriptions = REGISTERED_STARK_SUBSCRIPTIONS.filter(
        name => !existingSubscriptions.includes(name),
      )
      if (subscriptions.length === 0) return { kind: 'registered' }
      const json = starkWebhookRequestSchema.parse({ url, subscriptions })
      const outcome = await client.lookUpExisting(
        { call: 'registerNotificationUrl', method: 'POST', path, json },
        oneStarkEntity('webhook', starkWebhookSchema),
        webhook => (webhook.url === url ? {} : undefined),
      )
      return outcome.kind === 'no_answer' ? outcome : { kind: 'registered' }
    },
  }
}

const workspaceUnclear = {
  kind: 'no_answer',
  code: 'account_not_listed',
  message: 'Stark Bank does not list exactly one workspace for these credentials',
} as const
