import { z } from 'zod'
import type { NoAnswerResult } from '../../domain/providers/provider.ts'
import { ANY_ANSWER, type ParsedPage } from '../adapter/answer-parsing.ts'
import type { AccountCalls } from '../port.ts'
import type { WooviClient } from './client.ts'
import { AUTOMATIC_PIX_EVENTS, REGISTERED_EVENTS } from './notifications.ts'
import { wooviBalanceSchema, wooviWebhookSchema } from './schemas.ts'

/** Creates the calls about the Woovi account as a whole: its identity, its balance and the webhooks that notify us. */
export function createWooviAccount(client: WooviClient, identifyAccount: IdentifyWooviAccount): AccountCalls {
  return {
    identity: identifyAccount,

    /** Reads the balance of the account that charges, payments and the identity are about, which may not be the default. */
    async balances() {
      const list = await client.readAllPages({
        ...accountList,
        call: 'balances',
        row: accountWithBalanceSchema,
        toItem: account => account,
      })
      if (list.kind === 'no_answer') return list
      const identity = getOnlyAccount(list) ?? (await identifyAccount())
      if (identity.kind === 'no_answer') return identity
      const account = list.items.find(({ accountId }) => accountId === identity.id)
      if (!account) return accountNotListed
      const { available, blocked } = account.balance
      return { kind: 'found', balance: { availableCents: available, blockedCents: blocked } }
    },

    /**
     * Creates the missing webhooks, one per event. Existing ones are kept: each has a secret key of its own. Where those of Pix Automático are
     * refused, the account is connected for everything else: its recurrences are polled.
     */
    async registerNotificationUrl(url) {
      const path = '/api/v1/webhook'
      const outcome = await client.readAllPages({
        call: 'registerNotificationUrl',
        path,
        filter: { url },
        field: 'webhooks',
        row: wooviWebhookSchema,
        toItem: webhook => webhook,
        keyOf: webhook => JSON.stringify(webhook),
      })
      if (outcome.kind === 'no_answer') return outcome
      const active = outcome.items.filter(webhook => webhook.url === url && webhook.isActive !== false)
      const existingEvents = active.map(webhook => webhook.event)
      const events = [...REGISTERED_EVENTS, ...AUTOMATIC_PIX_EVENTS]
      for (const event of events.filter(name => !existingEvents.includes(name))) {
        const json = { webhook: { name: `Trilho ${event}`, event, url, isActive: true } }
        const call = { call: 'registerNotificationUrl', method: 'POST', path, json } as const
        const creation = await client.lookUpExisting(call, ANY_ANSWER, () => ({}))
        if (creation.kind !== 'no_answer') continue
        if (!AUTOMATIC_PIX_EVENTS.includes(event)) return creation
        return { kind: 'registered', warning: `Woovi ${RECURRENCES_NOT_NOTIFIED} (${creation.message})` }
      }
      return { kind: 'registered' }
    },
  }
}

const RECURRENCES_NOT_NOTIFIED =
  'does not notify recurrences (Pix Automático) and their charges: they are polled only'

/**
 * Identifies the account that the AppID is linked to, by Woovi's id: charges collect for it. A payment names it, because
 * Woovi takes a payment's money from the default account otherwise ("Como utilizar a API para criar um pagamento?").
 */
export type IdentifyWooviAccount = () => Promise<{ kind: 'found'; id: string } | NoAnswerResult>

/** Creates the identification, which is looked up once: an AppID stays linked to its account. */
export function createAccountIdentification(client: WooviClient): IdentifyWooviAccount {
  let identity: { kind: 'found'; id: string } | undefined
  return async () => {
    if (identity) return identity
    const outcome = await lookUpIdentity(client)
    if (outcome.kind === 'found') identity = outcome
    return outcome
  }
}

/** Looks up the only account of the company; of several, the one that the list of the AppID's keys names. */
async function lookUpIdentity(client: WooviClient) {
  const list = await client.readAllPages({
    ...accountList,
    call: 'identity',
    row: accountSchema,
    toItem: account => account,
  })
  if (list.kind === 'no_answer') return list
  const onlyAccount = getOnlyAccount(list)
  if (onlyAccount) return onlyAccount
  const keysCall = { call: 'listKeys', path: '/api/v1/pix-keys' } as const
  return client.lookUpExisting(keysCall, linkedAccountSchema, keys => ({ id: keys.account.accountId }))
}

type WooviAccount = z.infer<typeof accountSchema>

function getOnlyAccount({ items, unreadableItems }: ParsedPage<WooviAccount>) {
  const [account] = items
  const isOnly = account && items.length + unreadableItems.length === 1
  return isOnly ? { kind: 'found' as const, id: account.accountId } : undefined
}

const accountSchema = z.object({ accountId: z.string().min(1) })
const accountWithBalanceSchema = accountSchema.extend({ balance: wooviBalanceSchema })
const linkedAccountSchema = z.object({ account: accountSchema })

const accountList = {
  path: '/api/v1/account/',
  field: 'accounts',
  keyOf: ({ accountId }: WooviAccount) => accountId,
}

const accountNotListed: NoAnswerResult = {
  kind: 'no_answer',
  code: 'account_not_listed',
  message: 'Woovi does not list the account that the AppID is linked to with a balance',
}
