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
import { findInterWebhook } from './payment-webhook-store.ts'
import { presentInterReceivedPix } from './profile.ts'

type InterNotificationDependencies = { webhooks: SimulatedWebhooks; store: SimulatorStore }
type NotifiedItem = Record<string, unknown>
type PixList = { pix: NotifiedItem[] }

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
          const body = readAccountOptions(account).bare_notifications ? [pix] : { pix: [pix] }
          return [addAccount(account, buildBankNotification(url, body))]
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
          ? (body as NotifiedItem[]).map(one => inventItem(one, endToEnd))
          : { pix: (body as PixList).pix.map(one => inventItem(one, endToEnd)) },
      ),
  }
}

/** Changes a notified PIX or payment into one that does not exist. */
function inventItem(item: NotifiedItem, endToEnd: string): NotifiedItem {
  const name = 'endToEndId' in item ? 'endToEndId' : 'endToEnd'
  return { ...item, [name]: endToEnd, valor: '9999.99' }
}

function addAccount(account: SimulatedAccount, notification: OutgoingNotification): OutgoingNotification {
  const number = readAccountOptions(account).account_number
  return { ...notification, headers: { ...notification.headers, 'x-conta-corrente': number } }
}
