import type { SimulatedAccount } from '../../accounts.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { SimulatorState } from '../../state.ts'
import { isAllowedWebhookUrl } from '../../webhooks.ts'
import * as errors from './errors.ts'
import { buildStarkId, formatStarkTime, parseStarkId } from './ids.ts'
import { buildStarkListPage } from './list-page.ts'
import { parseStarkBody, starkWebhookBody } from './schemas.ts'
import { openStarkSigningKey } from './signing-key.ts'
import { findWorkspaceId, listStarkWebhooks, type StarkWebhook } from './workspace.ts'

type CallHandlers<Names extends string> = Record<Names, (call: SimulatedCall) => SimulatedResponse>

/** Creates the handlers of `/balance`, `/workspace` and `/public-key`. */
export function createStarkAccountHandlers({
  store,
  now,
}: SimulatorState): CallHandlers<'balance' | 'workspaces' | 'workspace' | 'publicKeys'> {
  const presentWorkspace = (account: SimulatedAccount) => ({
    id: findWorkspaceId(store, account),
    username: account.id,
    name: account.holderName,
    allowedTaxIds: [],
    status: 'active',
  })
  return {
    balance: ({ account }) => ({
      status: 200,
      body: {
        cursor: null,
        balances: [
          {
            id: findWorkspaceId(store, account),
            amount: account.balanceCents,
            currency: 'BRL',
            updated: formatStarkTime(now().toISOString()),
          },
        ],
      },
    }),
    workspaces: ({ account }) => ({
      status: 200,
      body: { cursor: null, workspaces: [presentWorkspace(account)] },
    }),
    workspace: ({ account, params }) =>
      params.id === findWorkspaceId(store, account)
        ? { status: 200, body: { workspace: presentWorkspace(account) } }
        : errors.starkNotFound('Workspace'),
    publicKeys: () => {
      const { publicKeyPem, createdAt } = openStarkSigningKey({ store, now })
      return {
        status: 200,
        body: {
          cursor: null,
          publicKeys: [{ content: publicKeyPem, created: formatStarkTime(createdAt) }],
        },
      }
    },
  }
}

/** Creates the handlers of `/webhook`. */
export function createStarkWebhookHandlers({
  store,
}: SimulatorState): CallHandlers<'create' | 'list' | 'show' | 'remove'> {
  const find = ({ account, params }: SimulatedCall) =>
    store.first<StarkWebhook>(
      'SELECT * FROM starkWebhook WHERE accountId = ? AND number = ?',
      account.id,
      parseStarkId('webhook', params.id!),
    )
  const respond = (webhook: StarkWebhook | undefined): SimulatedResponse =>
    webhook ? { status: 200, body: { webhook: presentWebhook(webhook) } } : errors.starkNotFound('Webhook')
  return {
    create: ({ account, body }) => {
      const parsed = parseStarkBody(starkWebhookBody, body)
      if ('refusal' in parsed) return parsed.refusal
      const { url, subscriptions } = parsed.value
      if (!URL.canParse(url) || !isAllowedWebhookUrl(new URL(url))) return errors.webhookUrlInvalid()
      const webhook = {
        number: store.nextCount('starkWebhook'),
        accountId: account.id,
        url,
        subscriptions: JSON.stringify([...new Set(subscriptions)]),
      }
      store.insert('starkWebhook', webhook)
      return respond(webhook)
    },
    list: call =>
      buildStarkListPage(call, {
        field: 'webhooks',
        list: () =>
          listStarkWebhooks(store, call.account.id).map(webhook => ({
            id: buildStarkId('webhook', webhook.number),
            createdAt: '',
            webhook,
          })),
        present: ({ webhook }) => presentWebhook(webhook),
      }),
    show: call => respond(find(call)),
    remove: call => {
      const webhook = find(call)
      if (webhook) store.run('DELETE FROM starkWebhook WHERE number = ?', webhook.number)
      return respond(webhook)
    },
  }
}

function presentWebhook({ number, url, subscriptions }: StarkWebhook) {
  return {
    id: buildStarkId('webhook', number),
    url,
    subscriptions: JSON.parse(subscriptions) as string[],
  }
}
