import { z } from 'zod'
import { ANY_ANSWER } from '../adapter/answer-parsing.ts'
import type { AccountCalls } from '../port.ts'
import type { WooviClient } from './client.ts'
import { REGISTERED_EVENTS } from './notifications.ts'
import { type WooviWebhook, wooviAccountsSchema, wooviWebhookSchema } from './schemas.ts'

/** Creates the calls about the Woovi account as a whole: its identity, its balance and the webhooks that notify us. */
export function createWooviAccount(client: WooviClient): AccountCalls {
  return {
    /** Identifies the account by Woovi's id; of several it is the one that the list of keys names. */
    async identity() {
      const call = { call: 'identity', path: '/api/v1/account/' } as const
      const outcome = await client.lookUpExisting(call, accountListSchema, list => list)
      if (outcome.kind === 'no_answer') return outcome
      const [account, secondAccount] = outcome.accounts
      if (account && !secondAccount) return { kind: 'found', id: account.accountId }
      const keysCall = { call: 'listKeys', path: '/api/v1/pix-keys' } as const
      return client.lookUpExisting(keysCall, linkedAccountSchema, list => ({ id: list.account.accountId }))
    },

    async balances() {
      const call = { call: 'balances', path: '/api/v1/account/' } as const
      return client.lookUpExisting(call, wooviAccountsSchema, ({ accounts }) => {
        const onlyAccount = accounts.length === 1 ? accounts[0] : undefined
        const account = accounts.find(({ isDefault }) => isDefault) ?? onlyAccount
        if (!account) return undefined
        const { available, blocked } = account.balance
        return { balance: { availableCents: available, blockedCents: blocked } }
      })
    },

    /** Creates the missing webhooks, one per event. Existing ones are kept: each has a secret key of its own. */
    async registerNotificationUrl(url) {
      const path = '/api/v1/webhook'
      const outcome = await client.readAllPages<WooviWebhook>({
        call: 'registerNotificationUrl',
        path,
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
        const call = { call: 'registerNotificationUrl', method: 'POST', path, json } as const
        const creation = await client.lookUpExisting(call, ANY_ANSWER, () => ({}))
        if (creation.kind === 'no_answer') return creation
      }
      return { kind: 'registered' }
    },
  }
}

const accountSchema = z.object({ accountId: z.string().min(1) })
const accountListSchema = z.object({ accounts: z.array(accountSchema).min(1) })
const linkedAccountSchema = z.object({ account: accountSchema })
