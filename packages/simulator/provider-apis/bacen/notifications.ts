import type { SimulatedAccount } from '../../accounts.ts'
import type { NotificationFormat, OutgoingNotification } from '../../notifications.ts'
import type { RailEvent } from '../../rail-events.ts'
import type { Receipt } from '../../receipts.ts'
import type { ChargeTry } from '../../recurrences/automatic-charges.ts'
import type { SimulatedRefund } from '../../refunds.ts'
import type { SimulatedWebhooks } from '../../webhooks.ts'
import { appendToWebhookUrl, forgeUrlSecret } from './notification-url.ts'
import { buildRecurrenceBody, inventRecurrence } from './recurrence-notifications.ts'

/** An event of a sent PIX, or of an order that was removed before it was sent. */
type SentEvent = Extract<RailEvent, { kind: 'transfer' | 'order_removed' }>

/** What a bank notifies, as data of the banks over the Central Bank's API. */
type BankNotifications = {
  /** Kind of the webhook of sent PIX, which is appended to its URL. */
  sentKind: string
  presentReceivedPix(receipt: Receipt, refunds: SimulatedRefund[]): object
  /** Builds the body about a received PIX; absent: the Central Bank's, `{ pix: […] }`. */
  wrapReceivedPix?(account: SimulatedAccount, pix: object): object
  /** Builds the body about a sent PIX; null: it is not notified. */
  presentSent(event: SentEvent): object | null
  /** Presents a try of an automatic charge; absent: the bank has no recurrences. */
  presentTry?(account: SimulatedAccount, chargeTry: ChargeTry): object
  /** Builds the headers that identify the account; absent: none. */
  buildHeaders?(account: SimulatedAccount): Record<string, string>
}

/**
 * Creates the notifications of a bank: of a received PIX with a txid and of its devoluções to `…/pix` of the webhook of its key, and of
 * sent PIX, recurrences and automatic charges to the account's webhook of them. Returns of sent PIX and disputes have none.
 */
export function createBankNotificationFormat(
  { webhooks, paymentWebhooks }: { webhooks: SimulatedWebhooks; paymentWebhooks: SimulatedWebhooks },
  {
    sentKind,
    presentReceivedPix,
    wrapReceivedPix = (_, pix) => ({ pix: [pix] }),
    presentSent,
    presentTry,
    buildHeaders = () => ({}),
  }: BankNotifications,
): NotificationFormat {
  const build = (account: SimulatedAccount, url: string, body: object): OutgoingNotification => ({
    url,
    headers: { 'content-type': 'application/json', ...buildHeaders(account) },
    body: JSON.stringify(body),
  })
  return {
    buildNotifications: event => {
      const { account } = event
      switch (event.kind) {
        case 'payment':
        case 'refund': {
          const { receipt } = event
          const webhook = webhooks.find(account.id, receipt.key)
          // Banks notify charges only: "Somente Pix associados a um txid serão notificados."
          if (!webhook || receipt.txid === null) return []
          const pix = presentReceivedPix(receipt, event.kind === 'refund' ? event.refunds : [])
          return [build(account, appendToWebhookUrl(webhook.url, 'pix'), wrapReceivedPix(account, pix))]
        }
        case 'transfer':
        case 'order_removed': {
          const webhook = paymentWebhooks.find(account.id, sentKind)
          const body = presentSent(event)
          return webhook && body ? [build(account, appendToWebhookUrl(webhook.url, sentKind), body)] : []
        }
        case 'recurrence':
        case 'automatic_charge': {
          if (!presentTry) return []
          const { kind, body } = buildRecurrenceBody(event, presentTry)
          const webhook = paymentWebhooks.find(account.id, kind)
          return webhook ? [build(account, appendToWebhookUrl(webhook.url, kind), body)] : []
        }
        case 'return':
        case 'dispute':
          return []
        default:
          return event satisfies never
      }
    },
    buildForgeries: notification => [
      { ...notification, url: forgeUrlSecret(notification.url) },
      { ...notification, body: inventRecurrence(inventPix(notification.body)) },
    ],
  }
}

/** An end-to-end id that no PIX has. */
const INVENTED_END_TO_END = `E${'0'.repeat(31)}`

/** Changes the body of a notification into one about a PIX that does not exist. */
function inventPix(body: string): string {
  const invented: unknown = JSON.parse(body, (name, value: unknown) => {
    if (name === 'valor') return '9999.99'
    return typeof value === 'string' && /^E\w{31}$/.test(value) ? INVENTED_END_TO_END : value
  })
  return JSON.stringify(invented)
}
