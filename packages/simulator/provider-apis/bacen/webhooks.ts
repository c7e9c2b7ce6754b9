import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { SimulatorState } from '../../state.ts'
import { isAllowedWebhookUrl, type SimulatedWebhook } from '../../webhooks.ts'
import { buildBacenListPage } from './list-page.ts'
import type { BacenProfile } from './profile.ts'
import { bacenWebhookBody, parseBacenRequest } from './schemas.ts'

type BacenWebhookHandlers = Record<
  'put' | 'show' | 'list' | 'remove',
  (call: SimulatedCall) => SimulatedResponse
>

/** Creates the handlers of `/webhook`. Unlike a bank, the simulator does not test a URL, which may not be served yet. */
export function createBacenWebhookHandlers(
  { accounts, webhooks }: SimulatorState,
  { refusals, respondToWebhook, webhookListRange, readWebhookKey = key => key }: BacenProfile,
): BacenWebhookHandlers {
  return {
    put: ({ account, params, body }) => {
      const parsed = parseBacenRequest(bacenWebhookBody, body, { refusals, subject: 'webhook' })
      if ('refusal' in parsed) return parsed.refusal
      const { webhookUrl } = parsed.value
      const key = readWebhookKey(params.chave!)
      if (accounts.findByKey(key)?.id !== account.id) return refusals.keyNotOfAccount('webhook')
      if (!URL.canParse(webhookUrl)) return refusals.webhookUrlInvalid()
      if (!isAllowedWebhookUrl(new URL(webhookUrl))) return refusals.webhookUrlInsecure()
      webhooks.register(account.id, { key, url: webhookUrl })
      return respondToWebhook(webhookUrl)
    },
    show: ({ account, params }) => {
      const webhook = webhooks.find(account.id, readWebhookKey(params.chave!))
      return webhook ? { status: 200, body: presentWebhook(webhook) } : refusals.webhookNotFound()
    },
    list: call =>
      buildBacenListPage(
        call,
        {
          field: 'webhooks',
          between: ({ from, to }) =>
            webhooks.list(call.account.id).filter(({ createdAt }) => from <= createdAt && createdAt <= to),
          matches: () => true,
          present: presentWebhook,
        },
        { refusals, subject: 'webhook', needsRange: webhookListRange === 'required' },
      ),
    remove: ({ account, params }) =>
      webhooks.remove(account.id, readWebhookKey(params.chave!))
        ? { status: 204 }
        : refusals.webhookNotFound(),
  }
}

function presentWebhook({ url, key, createdAt }: SimulatedWebhook) {
  return { webhookUrl: url, chave: key, criacao: createdAt }
}
