import type { z } from 'zod'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { SimulatorState } from '../../state.ts'
import { isAllowedWebhookUrl } from '../../webhooks.ts'

/** A bank's webhooks of sent PIX, of which an account has one of each kind. */
export type PaymentWebhookProfile = {
  /** Kinds, by the name that is appended to the URL; a path without a kind is about the first one. */
  kinds: readonly [string, ...string[]]
  body: z.ZodType<{ webhookUrl: string }>
  /** Status of a registration. */
  registered: 200 | 204
  refusals: {
    kindUnknown(): SimulatedResponse
    urlInvalid(): SimulatedResponse
    urlInsecure(): SimulatedResponse
    webhookNotFound(): SimulatedResponse
  }
}

/** Creates the handlers of the webhooks of sent PIX, whose kind is in the path as `tipoWebhook` where a bank has several. */
export function createPaymentWebhookHandlers(
  { paymentWebhooks }: SimulatorState,
  { kinds, body: bodySchema, registered, refusals }: PaymentWebhookProfile,
): Record<'put' | 'show' | 'remove', (call: SimulatedCall) => SimulatedResponse> {
  const readKind = ({ params }: SimulatedCall) => params.tipoWebhook ?? kinds[0]
  return {
    put: call => {
      const kind = readKind(call)
      if (!kinds.includes(kind)) return refusals.kindUnknown()
      const { data } = bodySchema.safeParse(call.body)
      if (!data) return refusals.urlInvalid()
      if (!isAllowedWebhookUrl(new URL(data.webhookUrl))) return refusals.urlInsecure()
      paymentWebhooks.register(call.account.id, { key: kind, url: data.webhookUrl })
      return { status: registered }
    },
    show: call => {
      const webhook = paymentWebhooks.find(call.account.id, readKind(call))
      return webhook
        ? { status: 200, body: { webhookUrl: webhook.url, criacao: webhook.createdAt } }
        : refusals.webhookNotFound()
    },
    remove: call =>
      paymentWebhooks.remove(call.account.id, readKind(call)) ? { status: 204 } : refusals.webhookNotFound(),
  }
}
