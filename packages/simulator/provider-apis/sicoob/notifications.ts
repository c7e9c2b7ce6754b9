import type { NotificationFormat } from '../../notifications.ts'
import type { SimulatorStore } from '../../store.ts'
import type { SimulatedWebhooks } from '../../webhooks.ts'
import { appendToWebhookUrl } from '../bacen/notification-url.ts'
import { buildBankForgeries, buildBankNotification } from '../bacen/notifications.ts'
import { presentPaymentNotification } from './payment-presenters.ts'
import { findPaymentWebhook } from './payment-webhook-store.ts'
import { presentSicoobReceivedPix } from './profile.ts'

type SicoobNotificationDependencies = { webhooks: SimulatedWebhooks; store: SimulatorStore }
type PixList = { pix: Record<string, unknown>[] }
type PaymentPayload = { payload: Record<string, unknown> }

/**
 * Creates Sicoob's notifications: of a received PIX with a txid and of its devoluções to `…/pix` of the webhook of its key, and
 * of a sent PIX that ended to `…/lancamento` of the account's webhook of payments. Returns of sent PIX and disputes have none.
 */
export function createSicoobNotificationFormat({
  webhooks,
  store,
}: SicoobNotificationDependencies): NotificationFormat {
  return {
    buildNotifications: event => {
      switch (event.kind) {
        case 'payment':
        case 'refund': {
          const { receipt } = event
          const webhook = webhooks.find(event.account.id, receipt.key)
          // "Somente Pix associados a um txid serão notificados."
          if (!webhook || receipt.txid === null) return []
          const pix = presentSicoobReceivedPix(receipt, event.kind === 'refund' ? event.refunds : [])
          return [buildBankNotification(appendToWebhookUrl(webhook.url, 'pix'), { pix: [pix] })]
        }
        case 'transfer': {
          const webhook = findPaymentWebhook(store, event.account.id)
          const payload = presentPaymentNotification(event.transfer)
          return webhook
            ? [buildBankNotification(appendToWebhookUrl(webhook.url, 'lancamento'), { payload })]
            : []
        }
        case 'return':
        case 'order_removed':
        case 'dispute':
          return []
        default:
          return event satisfies never
      }
    },
    buildForgeries: notification =>
      buildBankForgeries(notification, (body, endToEnd) => {
        if ('pix' in (body as object))
          return {
            pix: (body as PixList).pix.map(pix => ({ ...pix, endToEndId: endToEnd, valor: '9999.99' })),
          }
        return { payload: { ...(body as PaymentPayload).payload, id: endToEnd, valor: '9999.99' } }
      }),
  }
}
