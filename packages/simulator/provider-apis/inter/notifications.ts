import { readAccountOptions } from '../../account-options.ts'
import type { SimulatedAccount } from '../../accounts.ts'
import type { NotificationFormat, OutgoingNotification } from '../../notifications.ts'
import type { SimulatorStore } from '../../store.ts'
import type { SimulatedTransfer } from '../../transfers.ts'
import type { SimulatedWebhooks } from '../../webhooks.ts'
import { appendToWebhookUrl } from '../bacen/notification-url.ts'
import { buildBankForgeries, buildBankNotification } from '../bacen/notifications.ts'
import { presentInterPaymentNotification } from './payment-presenters.ts'
import { findPaymentOfTransfer, type InterPayment } from './payment-store.ts'
import { findInterWebhook } from './payment-webhooks.ts'
import { presentInterReceivedPix } from './profile.ts'

type InterNotificationDependencies = { webhooks: SimulatedWebhooks; store: SimulatorStore }
type PixList = { pix: Record<string, unknown>[] }
type PaymentList = Record<string, unknown>[]

/**
 * Creates Inter's notifications: of charges that were paid and of their devoluções to `…/pix` of the webhook of the key, and of
 * payments that ended to `…/pix-pagamento` of the account's webhook, each with the header `x-conta-corrente`.
 */
export function createInterNotificationFormat({
  webhooks,
  store,
}: InterNotificationDependencies): NotificationFormat {
  const buildPaymentNotifications = (
    account: SimulatedAccount,
    payment: InterPayment | undefined,
    transfer?: SimulatedTransfer,
  ) => {
    const webhook = findInterWebhook(store, { accountId: account.id, kind: 'pix-pagamento' })
    if (!webhook || !payment) return []
    const url = appendToWebhookUrl(webhook.url, 'pix-pagamento')
    return [
      addAccount(account, buildBankNotification(url, [presentInterPaymentNotification(payment, transfer)])),
    ]
  }

  return {
    buildNotifications: event => {
      const { account } = event
      switch (event.kind) {
        case 'payment':
        case 'refund': {
          const { receipt } = event
          const webhook = webhooks.find(account.id, receipt.key)
          // The webhook is about charges.
          if (!webhook || receipt.txid === null) return []
          const pix = presentInterReceivedPix(receipt, event.kind === 'refund' ? event.refunds : [])
          const url = appendToWebhookUrl(webhook.url, 'pix')
          return [addAccount(account, buildBankNotification(url, { pix: [pix] }))]
        }
        case 'transfer': {
          const payment = findPaymentOfTransfer(store, event.transfer)
          return buildPaymentNotifications(account, payment, event.transfer)
        }
        case 'order_removed':
          return buildPaymentNotifications(
            account,
            findPaymentOfTransfer(store, { accountId: account.id, id: event.id }),
          )
        case 'return':
        case 'dispute':
          return []
        default:
          return event satisfies never
      }
    },
    buildForgeries: notification =>
      buildBankForgeries(notification, (body, endToEnd) =>
        Array.isArray(body)
          ? (body as PaymentList).map(one => ({ ...one, endToEnd, valor: '9999.99' }))
          : { pix: (body as PixList).pix.map(one => ({ ...one, endToEndId: endToEnd, valor: '9999.99' })) },
      ),
  }
}

function addAccount(account: SimulatedAccount, notification: OutgoingNotification): OutgoingNotification {
  const number = readAccountOptions(account).account_number
  return { ...notification, headers: { ...notification.headers, 'x-conta-corrente': number } }
}
