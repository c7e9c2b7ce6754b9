import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { SimulatorState } from '../../state.ts'
import { isAllowedWebhookUrl } from '../../webhooks.ts'
import type { RecurrenceWebhookKind } from './recurrence-notifications.ts'
import type { BacenRecurrenceProfile } from './recurrence-profile.ts'
import { bacenWebhookBody, parseBacenRequest } from './schemas.ts'

/** Creates the handlers of `/webhookrec` or `/webhookcobr`. */
export function createRecurrenceWebhookHandlers(
  { paymentWebhooks }: SimulatorState,
  { refusals }: BacenRecurrenceProfile,
  kind: RecurrenceWebhookKind,
): Record<'put' | 'show' | 'remove', (call: SimulatedCall) => SimulatedResponse> {
  const subject = `webhook${kind}` as const
  return {
    put: ({ account, body }) => {
      const parsed = parseBacenRequest(bacenWebhookBody, body, { refusals, subject })
      if ('refusal' in parsed) return parsed.refusal
      const { webhookUrl } = parsed.value
      if (!URL.canParse(webhookUrl) || !isAllowedWebhookUrl(new URL(webhookUrl)))
        return refusals.invalid(subject, 'O campo webhookUrl não respeita o schema.', 'webhookUrl')
      paymentWebhooks.register(account.id, { key: kind, url: webhookUrl })
      return { status: 200 }
    },
    show: ({ account }) => {
      const webhook = paymentWebhooks.find(account.id, kind)
      return webhook
        ? { status: 200, body: { webhookUrl: webhook.url, criacao: webhook.createdAt } }
        : refusals.notFound(subject)
    },
    remove: ({ account }) =>
      paymentWebhooks.remove(account.id, kind) ? { status: 204 } : refusals.notFound(subject),
  }
}
