import type { EfiConfigurations } from '../../configurations.ts'
import type { NotificationFormat, OutgoingNotification } from '../../notifications.ts'
import type { RailEvent } from '../../rail-events.ts'
import type { SimulatedWebhooks } from '../../webhooks.ts'
import { appendToWebhookUrl, forgeUrlSecret } from '../bacen/notification-url.ts'
import {
  type EfiFields,
  presentEfiReceivedPix,
  presentEfiTransferNotification,
  selectListedFields,
} from './presenters.ts'

type EfiNotificationDependencies = { webhooks: SimulatedWebhooks; configurations: EfiConfigurations }

/**
 * Creates Efí's notifications: one `{pix: [...]}` per event, to the URL registered for the key (docs, "Receiving
 * callbacks"). A PIX without a txid is notified only if the account's configuration enables it
 * (`notificar.pixSemTxid`), and a payer only if it enables that (`notificacao.pagador`).
 */
export function createEfiNotificationFormat({
  webhooks,
  configurations,
}: EfiNotificationDependencies): NotificationFormat {
  return {
    buildNotifications: event => {
      // Efí stores no orders and does not notify disputes; a return of one is notified with its PIX.
      if (event.kind === 'dispute' || event.kind === 'order_removed') return []
      const key = findEventKey(event)
      const isWithoutTxid = event.kind === 'payment' && event.receipt.txid === null
      if (isWithoutTxid && !configurations.notifiesPixWithoutTxid(event.account.id, key)) return []
      const webhook = webhooks.find(event.account.id, key)
      const { unpublished } = selectListedFields(event.account)
      const payer = unpublished || configurations.notifiesPayer(event.account.id, key)
      const fields = { unpublished, payer }
      return webhook ? [buildNotification(webhook.url, presentEvent(event, fields))] : []
    },
    buildForgeries: notification => {
      const { pix } = JSON.parse(notification.body) as { pix: Record<string, unknown>[] }
      const inventedPix = { ...pix[0], endToEndId: `E${'0'.repeat(31)}`, valor: '9999.99' }
      return [
        { ...notification, url: forgeUrlSecret(notification.url), body: JSON.stringify({ pix }) },
        { ...notification, body: JSON.stringify({ pix: [inventedPix] }) },
      ]
    },
  }
}

/**
 * Builds the URL of a notification: `/pix` is appended to the registered path, unless its query contains `ignorar=`.
 */
export function buildEfiNotificationUrl(webhookUrl: string): string {
  const isIgnored = new URL(webhookUrl).searchParams.has('ignorar')
  return isIgnored ? webhookUrl : appendToWebhookUrl(webhookUrl, 'pix')
}

function buildNotification(webhookUrl: string, item: object): OutgoingNotification {
  const headers = { 'content-type': 'application/json', 'user-agent': 'Efi-Webhook/simulator' }
  return { url: buildEfiNotificationUrl(webhookUrl), headers, body: JSON.stringify({ pix: [item] }) }
}

type PixEvent = Exclude<RailEvent, { kind: 'dispute' | 'order_removed' }>

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
