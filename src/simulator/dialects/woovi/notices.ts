import { createHmac } from 'node:crypto'
import type { Account } from '../../accounts.ts'
import type { Charge } from '../../charges.ts'
import type { RailEvent } from '../../events.ts'
import type { Med } from '../../meds.ts'
import type { Notice, NoticeWords } from '../../notices.ts'
import type { Receipt } from '../../receipts.ts'
import type { Store } from '../../store.ts'
import { toldDisputeOf } from './dispute-words.ts'
import { type NoticeKey, noticeKeyOf } from './notice-key.ts'
import { paymentOf } from './payment-words.ts'
import type { WebhookEvent } from './schemas.ts'
import { type WooviWebhook, wooviWebhooksOf } from './webhooks.ts'
import { chargeOf, movedOf, receivedOf, refundTransactionOf, returnedOf } from './words.ts'

/**
 * Woovi's notifications: one of a change to each webhook of its event. Each body is signed with Woovi's own key, and, where the
 * account has one, also with the secret key of its webhooks.
 */
export function wooviNoticesOf(store: Store): NoticeWords {
  const webhooks = wooviWebhooksOf(store)
  let key: NoticeKey | undefined
  const sign = (body: string) => {
    key ??= noticeKeyOf(store)
    return key.sign(body)
  }
  return {
    noticesOf: event =>
      toldOf(store, event).flatMap(told =>
        webhooks
          .ofEvent(event.account.id, told.event)
          .map(webhook => noticeTo(webhook, { account: event.account, told, sign })),
      ),
    forgeriesOf: notice => [
      {
        ...notice,
        headers: {
          ...notice.headers,
          [MAC]: macOf(notice.body, 'forged'),
          [SIGNATURE]: Buffer.alloc(256, 7).toString('base64'),
        },
      },
      { ...notice, body: notice.body.replace(/"endToEndId":"[^"]+"/g, `"endToEndId":"E${'0'.repeat(31)}"`) },
    ],
  }
}

const MAC = 'x-openpix-signature'
const SIGNATURE = 'x-webhook-signature'

type Told = { event: WebhookEvent } & Record<string, unknown>

type Sending = { account: Account; told: Told; sign: (body: string) => string }

function noticeTo({ url, authorization }: WooviWebhook, { account, told, sign }: Sending): Notice {
  const body = JSON.stringify({ ...told, account: { accountId: account.id } })
  const headers: Notice['headers'] = {
    'content-type': 'application/json',
    'user-agent': 'Woovi-Webhook/simulator',
    [SIGNATURE]: sign(body),
    ...(account.noticeSecret && { [MAC]: macOf(body, account.noticeSecret) }),
    ...(authorization ? { authorization } : {}),
  }
  return { url, headers, body }
}

function macOf(body: string, secret: string): string {
  return createHmac('sha1', secret).update(body).digest('base64')
}

function toldOf(store: Store, event: RailEvent): Told[] {
  switch (event.kind) {
    case 'payment':
      return receivedAs(store, event.receipt)
    case 'refund': {
      const { changed, receipt } = event
      const outcome = changed.status === 'settled' ? 'CONFIRMED' : 'REJECTED'
      return [
        {
          event: `PIX_TRANSACTION_REFUND_SENT_${outcome}`,
          refundTransaction: refundTransactionOf(changed, receipt),
          originalTransaction: receivedOf(receipt, { charge: null, refunds: [] }),
        },
      ]
    }
    case 'transfer': {
      const { sending, returned } = event
      const last = returned.at(-1)
      if (last)
        return [
          {
            event: 'PIX_TRANSACTION_REFUND_RECEIVED_CONFIRMED',
            refundTransaction: returnedOf(last),
            originalTransaction: movedOf(sending, []),
          },
        ]
      const outcome = sending.status === 'settled' ? 'CONFIRMED' : 'FAILED'
      return [{ event: `OPENPIX:MOVEMENT_${outcome}`, ...paymentOf(sending) }]
    }
    case 'med': {
      const { med } = event
      const name = DISPUTE_EVENTS[med.status]
      return name ? [{ event: name, dispute: toldDisputeOf(med) }] : []
    }
    default:
      return event satisfies never
  }
}

/** A reply is told to nobody. */
const DISPUTE_EVENTS: Partial<Record<Med['status'], WebhookEvent>> = {
  open: 'OPENPIX:DISPUTE_CREATED',
  agreed: 'OPENPIX:DISPUTE_ACCEPTED',
  disagreed: 'OPENPIX:DISPUTE_REJECTED',
  cancelled: 'OPENPIX:DISPUTE_CANCELED',
}

/** The PIX, and where it pays its charge, that the charge is paid. It is announced before the charge is marked so. */
function receivedAs(store: Store, receipt: Receipt): Told[] {
  const { accountId, txid, cents, at } = receipt
  const found = store.one<Charge>('SELECT * FROM charge WHERE accountId = ? AND txid = ?', accountId, txid)
  const pays = found?.cents === cents
  const charge = found ? chargeOf(pays ? { ...found, status: 'completed' } : found, new Date(at)) : null
  const pix = receivedOf(receipt, { charge, refunds: [] })
  const told = { charge, pix, refunds: [] }
  return [
    { event: 'OPENPIX:TRANSACTION_RECEIVED', ...told },
    ...(pays ? [{ event: 'OPENPIX:CHARGE_COMPLETED' as const, ...told }] : []),
  ]
}
