import type { Configurations } from '../../configurations.ts'
import type { RailEvent } from '../../events.ts'
import type { Notice, NoticeWords } from '../../notices.ts'
import type { Webhooks } from '../../webhooks.ts'
import { pixOf, sentNoticeOf } from './words.ts'

type Notifying = { webhooks: Webhooks; configurations: Configurations }

/**
 * Efí's notices: one `{pix: [...]}` a change, to the address registered for the key (docs, "Receiving callbacks").
 * A PIX without a txid is notified only where the account's configuration says so (`notificar.pixSemTxid`).
 */
export function efiNoticesOf({ webhooks, configurations }: Notifying): NoticeWords {
  return {
    noticesOf: event => {
      // Efí tells of no dispute: they are listed. What one returns is told with its PIX.
      if (event.kind === 'med') return []
      const key = keyOf(event)
      const isWithoutTxid = event.kind === 'payment' && event.receipt.txid === null
      if (isWithoutTxid && !configurations.notifiesPixWithoutTxid(event.account.id, key)) return []
      const webhook = webhooks.find(event.account.id, key)
      return webhook ? [noticeTo(webhook.url, itemOf(event))] : []
    },
    forgeriesOf: notice => {
      const { pix } = JSON.parse(notice.body) as { pix: Record<string, unknown>[] }
      const invented = { ...pix[0], endToEndId: `E${'0'.repeat(31)}`, valor: '9999.99' }
      return [
        { ...notice, url: wrongSecret(notice.url), body: JSON.stringify({ pix }) },
        { ...notice, body: JSON.stringify({ pix: [invented] }) },
      ]
    },
  }
}

/**
 * Where a notice goes: `/pix` is added to the path of the registered address, unless its query asks by `ignorar=`
 * that it be left alone.
 */
export function addressOf(webhookUrl: string): string {
  const url = new URL(webhookUrl)
  if (url.searchParams.has('ignorar')) return webhookUrl
  url.pathname = `${url.pathname.replace(/\/$/, '')}/pix`
  return url.href
}

function noticeTo(webhookUrl: string, item: object): Notice {
  const headers = { 'content-type': 'application/json', 'user-agent': 'Efi-Webhook/simulator' }
  return { url: addressOf(webhookUrl), headers, body: JSON.stringify({ pix: [item] }) }
}

type PixEvent = Exclude<RailEvent, { kind: 'med' }>

function keyOf(event: PixEvent): string {
  switch (event.kind) {
    case 'payment':
    case 'refund':
      return event.receipt.key
    case 'transfer':
      return event.sending.payerKey
    default:
      return event satisfies never
  }
}

function itemOf(event: PixEvent): object {
  switch (event.kind) {
    case 'payment':
    case 'refund':
      return pixOf(event.receipt, event.refunds)
    case 'transfer':
      return sentNoticeOf(event.sending, event.returned)
    default:
      return event satisfies never
  }
}

/** The same address with its last secret part changed: the query's, or the last of the path before `/pix`. */
function wrongSecret(address: string): string {
  const url = new URL(address)
  for (const name of url.searchParams.keys()) {
    if (name !== 'ignorar') url.searchParams.set(name, 'forged')
  }
  if (![...url.searchParams.keys()].some(name => name !== 'ignorar'))
    url.pathname = url.pathname.replace(/[^/]+(?=(?:\/pix)?$)/, 'forged')
  return url.href
}
