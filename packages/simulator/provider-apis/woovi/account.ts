import type { SimulatedAccount, SimulatedAccounts } from '../../accounts.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { SimulatorState } from '../../state.ts'
import { isAllowedWebhookUrl } from '../../webhooks.ts'
import { listCompanyAccounts } from './company.ts'
import * as errors from './errors.ts'
import { buildWooviListPage } from './list-page.ts'
import { openWooviNotificationKey } from './notification-key.ts'
import { parseWooviBody, wooviWebhookBody } from './schemas.ts'
import { createWooviWebhooks, type WooviWebhookRegistration } from './webhooks.ts'

type CallHandlers<Names extends string> = Record<Names, (call: SimulatedCall) => SimulatedResponse>

/** Creates the handlers of the accounts of the AppID's company, `/account`. */
export function createWooviAccountHandlers({
  accounts,
}: Pick<SimulatorState, 'accounts'>): CallHandlers<'list' | 'show'> {
  return {
    list: call =>
      buildWooviListPage(call, {
        field: 'accounts',
        between: () => listCompanyAccounts(accounts, call.account).reverse(),
        present: account => presentWooviAccount(accounts, account),
      }),
    show: ({ account }) => ({ status: 200, body: { account: presentWooviAccount(accounts, account) } }),
  }
}

/** Creates the handlers of `/webhook`, one webhook per event. Unlike Woovi, the simulator does not test a URL. */
export function createWooviWebhookHandlers({
  store,
  now,
}: SimulatorState): CallHandlers<'create' | 'list' | 'remove' | 'publicKeys'> {
  const webhooks = createWooviWebhooks(store)
  return {
    create: ({ account, body }) => {
      const parsed = parseWooviBody(wooviWebhookBody, body)
      if ('refusal' in parsed) return parsed.refusal
      const { name, event, url, authorization = null, isActive } = parsed.value.webhook
      if (!URL.canParse(url) || !isAllowedWebhookUrl(new URL(url))) return errors.invalidUrl()
      const webhook = webhooks.add({
        accountId: account.id,
        name,
        event,
        url,
        authorization,
        isActive: isActive ? 1 : 0,
        createdAt: now().toISOString(),
      })
      return { status: 200, body: { webhook: presentWebhook(webhook) } }
    },
    list: call => {
      const url = call.query.get('url')
      return buildWooviListPage(call, {
        field: 'webhooks',
        between: () => webhooks.list(call.account.id).filter(webhook => url === null || webhook.url === url),
        present: presentWebhook,
      })
    },
    publicKeys: () => ({
      status: 200,
      body: {
        public_keys: [
          {
            key_identifier: 'simulator',
            is_current: true,
            key: openWooviNotificationKey(store).publicKeyPem,
          },
        ],
      },
    }),
    remove: ({ account, params }) =>
      webhooks.remove(account.id, params.id!)
        ? { status: 200, body: { status: 'OK' } }
        : errors.wooviWebhookNotFound(),
  }
}

export function presentWooviAccount(accounts: SimulatedAccounts, account: SimulatedAccount) {
  const { id, balanceCents: available, blockedCents: blocked, holderName, holderDocument } = account
  return {
    accountId: id,
    isDefault: listCompanyAccounts(accounts, account)[0]?.id === id,
    balance: { total: available + blocked, blocked, available },
    taxId: holderDocument,
    officialName: holderName,
    tradeName: holderName,
    branch: '0001',
    account: '1',
  }
}

function presentWebhook({ accountId: _, isActive, createdAt, ...webhook }: WooviWebhookRegistration) {
  return { ...webhook, isActive: isActive === 1, createdAt, updatedAt: createdAt }
}
