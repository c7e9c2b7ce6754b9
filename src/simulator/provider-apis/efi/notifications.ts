import type { EfiConfigurations } from '../../configurations.ts'
import type { NotificationFormat, OutgoingNotification } from '../../notifications.ts'
import type { RailEvent } from '../../rail-events.ts'
import type { SimulatedWebhooks } from '../../webhooks.ts'
import { presentEfiReceivedPix, presentEfiTransferNotification } from './presenters.ts'

type EfiNotificationDependencies = { webhooks: SimulatedWebhooks; configurations: EfiConfigurations }

/**
 * Efí's notices: one `{pix: [...]}` a change, to the address registered for the key (docs, "Receiving callbacks").
 * A PIX without a txid is notified only where the account's configuration says so (`notificar.pixSemTxid`).
 */
export function createEfiNotificationFormat({
  webhooks,
  configurations,
}: EfiNotificationDependencies): NotificationFormat {
  return {
    buildNotifications: event => {
      // Efí tells of no dispute: they are listed. What one returns is told with its PIX. It keeps no orders.
      if (event.kind === 'med' || event.kind === 'order_removed') return []
      const key = findEventKey(event)
      const isWithoutTxid = event.kind === 'payment' && event.receipt.txid === null
      if (isWithoutTxid && !configurations.notifiesPixWithoutTxid(event.account.id, key)) return []
      const webhook = webhooks.find(event.account.id, key)
      return webhook ? [buildNotification(webhook.url, presentEvent(event))] : []
    },
    buildForgeries: notice => {
      const { pix } = JSON.parse(notice.body) as { pix: Record<string, unknown>[] }
      const invented = { ...pix[0], endToEndId: `E${'0'.repeat(31)}`, valor: '9999.99' }
      return [
        { ...notice, url: forgeUrlSecret(notice.url), body: JSON.stringify({ pix }) },
        { ...notice, body: JSON.stringify({ pix: [invented] }) },
      ]
    },
  }
}

/**
 * Where a notice goes: `/pix` is added to the path of the registered address, unless its query asks by `ignorar=`
 * that it be left alone.
 */
export function buildEfiNotificationUrl(webhookUrl: string): string {
  const url = new URL(webhookUrl)
  if (url.searchParams.has('ignorar')) return webhookUrl
  url.pathname = `${url.pathname.replace(/\/$/, '')}/pix`
  return url.href
}

function buildNotification(webhookUrl: string, item: object): OutgoingNotification {
  const headers = { 'content-type': 'application/json', 'user-agent': 'Efi-Webhook/simulator' }
  return { url: buildEfiNotificationUrl(webhookUrl), headers, body: JSON.stringify({ pix: [item] }) }
}

type PixEvent = Exclude<RailEvent, { kind: 'med' | 'order_removed' }>

function findEventKey(event: PixEvent): string {
  switch (event.kind) {
    case 'payment':
    case 'refund':
      return event.receipt.key
    case 'transfer':
      return event.transfer.payerKey
    default:
      return event satisfies never
  }
}

function presentEvent(event: PixEvent): object {
  switch (event.kind) {
    case 'payment':
    case 'refund':
      return presentEfiReceivedPix(event.receipt, event.refunds)
    case 'transfer':
      return presentEfiTransferNotification(event.transfer, event.returns)
    default:
      return event satisfies never
  }
}

/** The same address with its last secret part changed: the query's, or the last of the path before `/pix`. */
function forgeUrlSecret(address: string): string {
  const url = new URL(address)
  for (const name of url.searchParams.keys()) {
    if (name !== 'ignorar') url.searchParams.set(name, 'forged')
  }
  if (![...url.searchParams.keys()].some(name => name !== 'ignorar'))
    url.pathname = url.pathname.replace(/[^/]+(?=(?:\/pix)?$)/, 'forged')
  return url.href
}
