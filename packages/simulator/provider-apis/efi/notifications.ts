import type { EfiConfigurations } from '../../configurations.ts'
import type { NotificationFormat, OutgoingNotification } from '../../notifications.ts'
import type { RailEvent } from '../../rail-events.ts'
import type { SimulatedWebhooks } from '../../webhooks.ts'
import { appendToWebhookUrl, forgeUrlSecret } from '../bacen/notification-url.ts'
import {
  buildRecurrenceBody,
  inventRecurrence,
  isRecurrenceEvent,
} from '../bacen/recurrence-notifications.ts'
import {
  type EfiFields,
  presentEfiReceivedPix,
  presentEfiTransferNotification,
  presentEfiTry,
  selectListedFields,
} from './presenters.ts'

type EfiNotificationDependencies = {
  webhooks: SimulatedWebhooks
  /** Webhooks of recurrences and automatic charges, by kind. */
  paymentWebhooks: SimulatedWebhooks
  configurations: EfiConfigurations
}

/**
 * Creates Efí's notifications: one `{pix: [...]}` per event, to the URL registered for the key (docs, "Receiving
 * callbacks"). A PIX without a txid is notified only if the account's configuration enables it
 * (`notificar.pixSemTxid`), and a payer only if it enables that (`notificacao.pagador`).
 */
export function createEfiNotificationFormat({
  webhooks,
  paymentWebhooks,
  configurations,
}: EfiNotificationDependencies): NotificationFormat {
  return {
    buildNotifications: event => {
      // Efí stores no orders and does not notify disputes; a return of one is notified with its PIX.
      if (event.kind === 'dispute' || event.kind === 'order_removed') return []
      if (isRecurrenceEvent(event)) {
        const { kind, body } = buildRecurrenceBody(event, presentEfiTry)
        const webhook = paymentWebhooks.find(event.account.id, kind)
        return webhook ? [buildNotification(webhook.url, kind, body)] : []
      }
      const key = findEventKey(event)
      const isWithoutTxid = event.kind === 'payment' && event.receipt.txid === null
      if (isWithoutTxid && !configurations.notifiesPixWithoutTxid(event.account.id, key)) return []
      const webhook = webhooks.find(event.account.id, key)
      const { unpublished } = selectListedFields(event.account)
      const payer = unpublished || configurations.notifiesPayer(event.account.id, key)
      const fields = { unpublished, payer }
      return webhook ? [buildNotification(webhook.url, 'pix', { pix: [presentEvent(event, fields)] })] : []
    },
    buildForgeries: notification => {
      const url = forgeUrlSecret(notification.url)
      const { pix } = JSON.parse(notification.body) as { pix?: Record<string, unknown>[] }
      if (!pix)
        return [
          { ...notification, url },
          { ...notification, body: inventRecurrence(notification.body) },
        ]
      const inventedPix = { ...pix[0], endToEndId: `E${'0'.repeat(31)}`, valor: '9999.99' }
      return [
        { ...notification, url, body: JSON.stringify({ pix }) },
        { ...notification, body: JSON.stringify({ pix: [inventedPix] }) },
      ]
    },
  }
}

/**
 * Builds the URL of a notification: its name, as `/pix`, is appended to the registered path, unless its query contains `ignorar=`.
 */
export function buildEfiNotificationUrl(webhookUrl: string, name: string): string {
  const isIgnored = new URL(webhookUrl).searchParams.has('ignorar')
  return isIgnored ? webhookUrl : appendToWebhookUrl(webhookUrl, name)
}

function buildNotification(webhookUrl: string, name: string, body: object): OutgoingNotification {
  const headers = { 'content-type': 'application/json', 'user-agent': 'Efi-Webhook/simulator' }
  return { url: buildEfiNotificationUrl(webhookUrl, name), headers, body: JSON.stringify(body) }
}

type PixEvent = Exclude<RailEvent, { kind: 'dispute' | 'order_removed' | 'recurrence' | 'automatic_charge' }>

function findEventKey(event: PixEvent): string {
  switch (event.kind) {
    case 'payment':
    case 'refund':
      return event.receipt.key
    case 'transfer':
    case 'return':
      return event.transfer.payerKey
    default:
      return event satisfies never
  }
}

function presentEvent(event: PixEvent, fields: EfiFields): object {
  switch (event.kind) {
    case 'payment':
      return presentEfiReceivedPix(event.receipt, [], fields)
    case 'refund':
      return presentEfiReceivedPix(event.receipt, event.refunds, fields)
    case 'transfer':
      return presentEfiTransferNotification(event.transfer, [], fields)
    case 'return':
      return presentEfiTransferNotification(event.transfer, event.returns, fields)
    default:
      return event satisfies never
  }
}
