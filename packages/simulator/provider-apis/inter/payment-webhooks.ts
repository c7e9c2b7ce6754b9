import { z } from 'zod'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { SimulatorState } from '../../state.ts'
import { isAllowedWebhookUrl } from '../../webhooks.ts'
import * as errors from './errors.ts'
import { findInterWebhook, removeInterWebhook } from './payment-webhook-store.ts'

type InterWebhookHandlers = Record<'put' | 'show' | 'remove', (call: SimulatedCall) => SimulatedResponse>

/** Kinds of webhooks of the banking API ("TipoWebhookEnum"). */
const WEBHOOK_KINDS = ['pix-pagamento', 'boleto-pagamento']
const webhookBody = z.object({ webhookUrl: z.url() })

/** Creates the handlers of `/banking/v2/webhooks/{tipoWebhook}`. */
export function createInterWebhookHandlers({ store, now }: SimulatorState): InterWebhookHandlers {
  return {
    put: ({ account, params, body }) => {
      const kind = params.tipoWebhook!
      const parsed = webhookBody.safeParse(body)
      if (!WEBHOOK_KINDS.includes(kind))
        return errors.invalidData({ razao: 'Valor não suportado', propriedade: 'tipoWebhook' })
      if (!parsed.success || !isAllowedWebhookUrl(new URL(parsed.data.webhookUrl)))
        return errors.invalidData({
          razao: 'O valor deve seguir o padrão ^https://.*$',
          propriedade: 'webhookUrl',
        })
      const webhook = { accountId: account.id, kind, url: parsed.data.webhookUrl }
      store.inTransaction(() => {
        removeInterWebhook(store, webhook)
        store.insert('interWebhook', { ...webhook, createdAt: now().toISOString() })
      })
      return { status: 204 }
    },
    show: ({ account, params }) => {
      const webhook = findInterWebhook(store, { accountId: account.id, kind: params.tipoWebhook! })
      return webhook
        ? { status: 200, body: { webhookUrl: webhook.url, criacao: webhook.createdAt } }
        : errors.bankingNotFound()
    },
    remove: ({ account, params }) =>
      removeInterWebhook(store, { accountId: account.id, kind: params.tipoWebhook! }) === 1
        ? { status: 204 }
        : errors.bankingNotFound(),
  }
}
