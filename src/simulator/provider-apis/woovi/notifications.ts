import { createHmac } from 'node:crypto'
import type { SimulatedAccount } from '../../accounts.ts'
import type { SimulatedCharge } from '../../charges.ts'
import type { SimulatedDispute } from '../../disputes.ts'
import type { NotificationFormat, OutgoingNotification } from '../../notifications.ts'
import type { RailEvent } from '../../rail-events.ts'
import type { Receipt } from '../../receipts.ts'
import type { SimulatorStore } from '../../store.ts'
import { presentNotifiedDispute } from './dispute-presenters.ts'
import { openWooviNotificationKey, type WooviNotificationKey } from './notification-key.ts'
import {
  presentReceivedTransaction,
  presentRefundTransaction,
  presentReturnTransaction,
  presentSentTransaction,
  presentWooviCharge,
} from './presenters.ts'
import type { WooviWebhookEvent } from './schemas.ts'
import { findPaidStaticCode, presentWooviStaticCode } from './static-codes.ts'
import { presentWooviPayment } from './transfer-presenters.ts'
import { createWooviWebhooks, type WooviWebhookRegistration } from './webhooks.ts'

/**
 * Woovi's notifications: one of a change to each webhook of its event. Each body is signed with Woovi's own key, and, where the
 * account has one, also with the secret key of its webhooks.
 */
export function createWooviNotificationFormat(store: SimulatorStore): NotificationFormat {
  const webhooks = createWooviWebhooks(store)
  let key: WooviNotificationKey | undefined
  const sign = (body: string) => {
    key ??= openWooviNotificationKey(store)
    return key.sign(body)
  }
  return {
    buildNotifications: event =>
      buildEventBodies(store, event).flatMap(told =>
        webhooks
          .listByEvent(event.account.id, told.event)
          .map(webhook => buildNotification(webhook, { account: event.account, told, sign })),
      ),
    buildForgeries: notice => [
      {
        ...notice,
        headers: {
          ...notice.headers,
          [MAC_HEADER]: computeMac(notice.body, 'forged'),
          [SIGNATURE_HEADER]: Buffer.alloc(256, 7).toString('base64'),
        },
      },
      { ...notice, body: notice.body.replace(/"endToEndId":"[^"]+"/g, `"endToEndId":"E${'0'.repeat(31)}"`) },
    ],
  }
}

const MAC_HEADER = 'x-openpix-signature'
const SIGNATURE_HEADER = 'x-webhook-signature'

type WooviEventBody = { event: WooviWebhookEvent } & Record<string, unknown>

type WooviNotificationInput = {
  account: SimulatedAccount
  told: WooviEventBody
  sign: (body: string) => string
}

function buildNotification(
  { url, authorization }: WooviWebhookRegistration,
  { account, told, sign }: WooviNotificationInput,
): OutgoingNotification {
  const body = JSON.stringify({ ...told, account: { accountId: account.id } })
  const headers: OutgoingNotification['headers'] = {
    'content-type': 'application/json',
    'user-agent': 'Woovi-Webhook/simulator',
    [SIGNATURE_HEADER]: sign(body),
    ...(account.noticeSecret && { [MAC_HEADER]: computeMac(body, account.noticeSecret) }),
    ...(authorization ? { authorization } : {}),
  }
  return { url, headers, body }
}

function computeMac(body: string, secret: string): string {
  return createHmac('sha1', secret).update(body).digest('base64')
}

function buildEventBodies(store: SimulatorStore, event: RailEvent): WooviEventBody[] {
  switch (event.kind) {
    case 'payment':
      return buildReceivedBodies(store, event.receipt)
    case 'refund': {
      const { changed, receipt } = event
      const outcome = changed.status === 'settled' ? 'CONFIRMED' : 'REJECTED'
      return [
        {
          event: `PIX_TRANSACTION_REFUND_SENT_${outcome}`,
          refundTransaction: presentRefundTransaction(changed, receipt),
          originalTransaction: presentReceivedTransaction(receipt, { charge: null, refunds: [] }),
        },
      ]
    }
    case 'transfer': {
      const { transfer: sending, returns: returned } = event
      const last = returned.at(-1)
      if (last)
        return [
          {
            event: 'PIX_TRANSACTION_REFUND_RECEIVED_CONFIRMED',
            refundTransaction: presentReturnTransaction(last),
            originalTransaction: presentSentTransaction(sending, []),
          },
        ]
      const outcome = sending.status === 'settled' ? 'CONFIRMED' : 'FAILED'
      return [{ event: `OPENPIX:MOVEMENT_${outcome}`, ...presentWooviPayment(sending) }]
    }
    // "Payload de Pagamentos: Pagamento removido" shows the correlationID and nothing else.
    case 'order_removed':
      return [{ event: 'OPENPIX:MOVEMENT_REMOVED', payment: { correlationID: event.id } }]
    case 'med': {
      const { dispute: med } = event
      const name = DISPUTE_EVENTS[med.status]
      return name ? [{ event: name, dispute: presentNotifiedDispute(med) }] : []
    }
    default:
      return event satisfies never
  }
}

/** A reply is told to nobody. */
const DISPUTE_EVENTS: Partial<Record<SimulatedDispute['status'], WooviWebhookEvent>> = {
  open: 'OPENPIX:DISPUTE_CREATED',
  agreed: 'OPENPIX:DISPUTE_ACCEPTED',
  disagreed: 'OPENPIX:DISPUTE_REJECTED',
  cancelled: 'OPENPIX:DISPUTE_CANCELED',
}

/** The PIX, and where it pays its charge, that the charge is paid. It is announced before the charge is marked so. */
function buildReceivedBodies(store: SimulatorStore, receipt: Receipt): WooviEventBody[] {
  const { accountId, txid, cents, at } = receipt
  const found = store.first<SimulatedCharge>(
    'SELECT * FROM charge WHERE accountId = ? AND txid = ?',
    accountId,
    txid,
  )
  const pays = found?.cents === cents
  const charge = found
    ? presentWooviCharge(pays ? { ...found, status: 'completed' } : found, new Date(at))
    : null
  const code = found ? undefined : findPaidStaticCode(store, accountId, txid)
  const pixQrCode = code && presentWooviStaticCode(code)
  const pix = presentReceivedTransaction(receipt, { charge, refunds: [], pixQrCode })
  const told = { charge, pix, refunds: [], ...(pixQrCode ? { pixQrCode } : {}) }
  return [
    { event: 'OPENPIX:TRANSACTION_RECEIVED', ...told },
    ...(pays ? [{ event: 'OPENPIX:CHARGE_COMPLETED' as const, ...told }] : []),
  ]
}
