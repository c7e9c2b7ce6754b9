import { z } from 'zod'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { SimulatorState } from '../../state.ts'
import { isAllowedWebhookUrl } from '../../webhooks.ts'
import * as errors from './errors.ts'
import { findPaymentWebhook, removePaymentWebhook } from './payment-webhook-store.ts'

type PaymentWebhookHandlers = Record<'put' | 'show' | 'remove', (call: SimulatedCall) => SimulatedResponse>

const webhookBody = z.object({ webhookUrl: z.url().max(200) })

/** Creates the handlers of the webhook of sent PIX, `/pagamentos/webhook`: one for an account. */
export function createSicoobPaymentWebhookHandlers({ store, now }: SimulatorState): PaymentWebhookHandlers {
  return {
    put: ({ account, body }) => {
      const parsed = webhookBody.safeParse(body)
      if (!parsed.success)
        return errors.paymentWebhookInvalid('Campo webhook.webhookUrl não respeita o schema.')
      const { webhookUrl: url } = parsed.data
      if (!isAllowedWebhookUrl(new URL(url)))
        return errors.paymentWebhookInvalid('Campo webhook.webhookUrl deve usar o protocolo HTTPS.')
      store.inTransaction(() => {
        removePaymentWebhook(store, account.id)
        store.insert('sicoobPaymentWebhook', {
          accountId: account.id,
          url,
          createdAt: now().toISOString(),
        })
      })
      return { status: 200 }
    },
    show: ({ account }) => {
      const webhook = findPaymentWebhook(store, account.id)
      return webhook
        ? { status: 200, body: { webhookUrl: webhook.url, criacao: webhook.createdAt } }
        : errors.sicoobPaymentNotFound()
    },
    remove: ({ account }) =>
      removePaymentWebhook(store, account.id) === 1 ? { status: 204 } : errors.sicoobPaymentNotFound(),
  }
}
