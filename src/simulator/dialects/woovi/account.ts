import type { Account } from '../../accounts.ts'
import type { Answer, Call } from '../../calls.ts'
import { isSecure } from '../../webhooks.ts'
import type { World } from '../../world.ts'
import * as errors from './errors.ts'
import { noticeKeyOf } from './notice-key.ts'
import { listed } from './pages.ts'
import { read, webhookBody } from './schemas.ts'
import { type WooviWebhook, wooviWebhooksOf } from './webhooks.ts'

type Routes<Names extends string> = Record<Names, (call: Call) => Answer>

/** The account of the application: `/account`. */
export function accountCallsOf(): Routes<'list' | 'show'> {
  return {
    list: call => listed(call, { field: 'accounts', between: () => [call.account], shown: shownAccount }),
    show: ({ account }) => ({ status: 200, body: { account: shownAccount(account) } }),
  }
}

/** Where notices go: `/webhook`, one for each event. Unlike Woovi this does not call the address to try it. */
export function webhookCallsOf({ store, now }: World): Routes<'create' | 'list' | 'remove' | 'publicKeys'> {
  const webhooks = wooviWebhooksOf(store)
  return {
    create: ({ account, body }) => {
      const asked = read(webhookBody, body)
      if ('refusal' in asked) return asked.refusal
      const { name, event, url, authorization = null, isActive } = asked.value.webhook
      if (!URL.canParse(url) || !isSecure(new URL(url))) return errors.invalidUrl()
      const webhook = webhooks.add({
        ...{ accountId: account.id, name, event, url, authorization },
        isActive: isActive ? 1 : 0,
        createdAt: now().toISOString(),
      })
      return { status: 200, body: { webhook: shownWebhook(webhook) } }
    },
    list: call => {
      const url = call.query.get('url')
      return listed(call, {
        field: 'webhooks',
        between: () => webhooks.list(call.account.id).filter(webhook => url === null || webhook.url === url),
        shown: shownWebhook,
      })
    },
    publicKeys: () => ({
      status: 200,
      body: {
        public_keys: [
          { key_identifier: 'simulator', is_current: true, key: noticeKeyOf(store).publicKeyPem },
        ],
      },
    }),
    remove: ({ account, params }) =>
      webhooks.remove(account.id, params.id!)
        ? { status: 200, body: { status: 'OK' } }
        : errors.webhookNotFound(),
  }
}

export function shownAccount(account: Account) {
  const { id, balanceCents: available, blockedCents: blocked, holderName, holderDocument } = account
  return {
    accountId: id,
    isDefault: true,
    balance: { total: available + blocked, blocked, available },
    taxId: holderDocument,
    officialName: holderName,
    tradeName: holderName,
    branch: '0001',
    account: '1',
  }
}

function shownWebhook({ accountId: _, isActive, createdAt, ...webhook }: WooviWebhook) {
  return { ...webhook, isActive: isActive === 1, createdAt, updatedAt: createdAt }
}
