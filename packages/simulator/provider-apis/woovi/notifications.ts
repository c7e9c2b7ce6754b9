import { createHmac } from 'node:crypto'
import type { SimulatedAccount } from '../../accounts.ts'
import { textFromCents } from '../../amount.ts'
import type { SimulatedCharge } from '../../charges.ts'
import type { SimulatedDispute } from '../../disputes.ts'
import type { NotificationFormat, OutgoingNotification } from '../../notifications.ts'
import type { RailEvent } from '../../rail-events.ts'
import type { Receipt } from '../../receipts.ts'
import type { AutomaticChargeRailEvent, ChargeTry } from '../../recurrences/automatic-charges.ts'
import type { RecurrenceRailEvent, SimulatedRecurrence } from '../../recurrences/recurrences.ts'
import type { SimulatorStore } from '../../store.ts'
import { presentNotifiedDispute } from './dispute-presenters.ts'
import { openWooviNotificationKey, type WooviNotificationKey } from './notification-key.ts'
import {
  presentReceivedTransaction,
  presentRefundTransaction,
  presentReturnTransaction,
  presentSentTransaction,
  presentWooviCharge,
  readCustomerTaxId,
} from './presenters.ts'
import type { WooviWebhookEvent } from './schemas.ts'
import { findPaidStaticCode, presentWooviStaticCode } from './static-codes.ts'
import { isFailedTry, presentInstallment, presentWooviSubscription } from './subscription-presenters.ts'
import { findByRecurrence, findInstallmentOfDebit } from './subscriptions.ts'
import { presentWooviPayment } from './transfer-presenters.ts'
import { createWooviWebhooks, type WooviWebhookRegistration } from './webhooks.ts'

/**
 * Creates Woovi's notifications: one per webhook of an event. Each body is signed with Woovi's key and, if the
 * account has a secret key of its webhooks, with that too.
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
      buildEventBodies(store, event).flatMap(eventBody =>
        webhooks
          .listByEvent(event.account.id, eventBody.event)
          .map(webhook => buildNotification(webhook, { account: event.account, eventBody, sign })),
      ),
    buildForgeries: ({ url, headers, body }) => [
      {
        url,
        headers: {
          ...headers,
          [MAC_HEADER]: computeMac(body, 'forged'),
          [SIGNATURE_HEADER]: Buffer.alloc(256, 7).toString('base64'),
        },
        body,
      },
      { url, headers, body: body.replace(/"endToEndId":"[^"]+"/g, `"endToEndId":"E${'0'.repeat(31)}"`) },
    ],
  }
}

const MAC_HEADER = 'x-openpix-signature'
const SIGNATURE_HEADER = 'x-webhook-signature'

type WooviEventBody = { event: WooviWebhookEvent } & Record<string, unknown>

type WooviNotificationInput = {
  account: SimulatedAccount
  eventBody: WooviEventBody
  sign: (body: string) => string
}

function buildNotification(
  { url, authorization }: WooviWebhookRegistration,
  { account, eventBody, sign }: WooviNotificationInput,
): OutgoingNotification {
  const body = JSON.stringify({ ...eventBody, account: { accountId: account.id } })
  const headers: OutgoingNotification['headers'] = {
    'content-type': 'application/json',
    'user-agent': 'Woovi-Webhook/simulator',
    [SIGNATURE_HEADER]: sign(body),
    ...(account.notificationSecret && { [MAC_HEADER]: computeMac(body, account.notificationSecret) }),
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
      const { transfer } = event
      const outcome = transfer.status === 'settled' ? 'CONFIRMED' : 'FAILED'
      return [{ event: `OPENPIX:MOVEMENT_${outcome}`, ...presentWooviPayment(transfer) }]
    }
    case 'return':
      return [
        {
          event: 'PIX_TRANSACTION_REFUND_RECEIVED_CONFIRMED',
          refundTransaction: presentReturnTransaction(event.returns.at(-1)!),
          originalTransaction: presentSentTransaction(event.transfer, []),
        },
      ]
    // The event has the correlationID only ("Payload de Pagamentos: Pagamento removido").
    case 'order_removed':
      return [{ event: 'OPENPIX:MOVEMENT_REMOVED', payment: { correlationID: event.id } }]
    case 'dispute': {
      const { dispute } = event
      const name = DISPUTE_EVENTS[dispute.status]
      return name ? [{ event: name, dispute: presentNotifiedDispute(dispute) }] : []
    }
    case 'recurrence':
      return buildSubscriptionBodies(store, event)
    case 'automatic_charge':
      return buildDebitBodies(store, event)
    default:
      return event satisfies never
  }
}

/** Builds the event of a subscription: authorised by its payer, or rejected, also later. Of a cancellation by its receiver Woovi has none. */
function buildSubscriptionBodies(
  store: SimulatorStore,
  { recurrence }: RecurrenceRailEvent,
): WooviEventBody[] {
  const subscription = findByRecurrence(store, recurrence.id)
  if (!subscription) return []
  const shown = presentWooviSubscription(subscription, { recurrence, emv: 'qrcode' })
  const event = SUBSCRIPTION_EVENTS[shown.pixRecurring.status]
  return event ? [{ event, ...shown }] : []
}

const SUBSCRIPTION_EVENTS: Record<string, WooviWebhookEvent> = {
  APPROVED: 'PIX_AUTOMATIC_APPROVED',
  REJECTED: 'PIX_AUTOMATIC_REJECTED',
}

/** Builds the events of a debit: of its last try, and of its end. */
function buildDebitBodies(
  store: SimulatorStore,
  { charge, tries }: AutomaticChargeRailEvent,
): WooviEventBody[] {
  const subscription = findByRecurrence(store, charge.recurrenceId)
  const installment = findInstallmentOfDebit(store, charge)
  const recurrence = store.first<SimulatedRecurrence>(
    'SELECT * FROM recurrence WHERE id = ?',
    charge.recurrenceId,
  )
  if (!subscription || !installment || !recurrence) return []
  const shown = presentInstallment(installment, { subscription, recurrence, charge, tries })
  return listDebitEvents(charge, tries.at(-1)).map(event => ({ event, ...shown }))
}

function listDebitEvents(
  { status }: AutomaticChargeRailEvent['charge'],
  last: ChargeTry | undefined,
): WooviWebhookEvent[] {
  const failed: WooviWebhookEvent[] = isFailedTry(last) ? ['PIX_AUTOMATIC_COBR_TRY_REJECTED'] : []
  switch (status) {
    case 'completed':
      return ['PIX_AUTOMATIC_COBR_COMPLETED']
    case 'rejected':
      return [...failed, 'PIX_AUTOMATIC_COBR_REJECTED']
    case 'expired':
      return ['PIX_AUTOMATIC_COBR_REJECTED']
    case 'cancelled':
      return []
    default:
      if (last?.status === 'scheduled') return ['PIX_AUTOMATIC_COBR_APPROVED']
      if (last?.status !== 'requested') return failed
      return [last.kind === 'first' ? 'PIX_AUTOMATIC_COBR_CREATED' : 'PIX_AUTOMATIC_COBR_TRY_REQUESTED']
  }
}

/** Events by the status of a dispute; a reply has none. */
const DISPUTE_EVENTS: Partial<Record<SimulatedDispute['status'], WooviWebhookEvent>> = {
  open: 'OPENPIX:DISPUTE_CREATED',
  agreed: 'OPENPIX:DISPUTE_ACCEPTED',
  disagreed: 'OPENPIX:DISPUTE_REJECTED',
  cancelled: 'OPENPIX:DISPUTE_CANCELED',
}

/**
 * Builds the event of a received PIX and, if it completes its charge, the charge's event. The handler runs before the
 * charge is stored as completed.
 */
function buildReceivedBodies(store: SimulatorStore, receipt: Receipt): WooviEventBody[] {
  const { accountId, txid, cents, at, payerDocument } = receipt
  const storedCharge = store.first<SimulatedCharge>(
    'SELECT * FROM charge WHERE accountId = ? AND txid = ?',
    accountId,
    txid,
  )
  const isCompleted = storedCharge?.cents === cents
  const customerTaxId = storedCharge && readCustomerTaxId(storedCharge)
  const isOtherPayer = isCompleted && customerTaxId !== undefined && customerTaxId !== payerDocument
  const charge = storedCharge
    ? presentWooviCharge(isCompleted ? { ...storedCharge, status: 'completed' } : storedCharge, new Date(at))
    : null
  const code = storedCharge ? undefined : findPaidStaticCode(store, accountId, txid)
  const pixQrCode = code && presentWooviStaticCode(code)
  const pix = presentReceivedTransaction(receipt, { charge, refunds: [], pixQrCode })
  // Only the callbacks of Woovi's OpenAPI document have it, beside what the pages of examples have.
  const raw = {
    endToEndId: receipt.endToEnd,
    txid: txid ?? receipt.endToEnd,
    valor: textFromCents(cents),
    horario: at,
    infoPagador: pix.infoPagador,
  }
  const body = { charge, pix: { ...pix, raw }, refunds: [], ...(pixQrCode ? { pixQrCode } : {}) }
  return [
    { event: 'OPENPIX:TRANSACTION_RECEIVED', ...body },
    ...(isCompleted ? [{ event: 'OPENPIX:CHARGE_COMPLETED' as const, ...body }] : []),
    ...(isOtherPayer
      ? [{ event: 'OPENPIX:CHARGE_COMPLETED_NOT_SAME_CUSTOMER_PAYER' as const, ...body }]
      : []),
  ]
}
