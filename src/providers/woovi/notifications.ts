import { createHmac } from 'node:crypto'
import { z } from 'zod'
import type { NotificationItem } from '../../domain/providers/provider.ts'
import { isEqualInConstantTime, parseJsonOrUndefined } from '../adapter/notification-parsing.ts'
import { toUnexplainedAnswer, type UnexplainedNotificationPart } from '../adapter/unexplained-answers.ts'
import type { Provider, ProviderNotificationRequest } from '../port.ts'
import type { WooviClient, WooviCredentials } from './client.ts'
import { createWooviPublishedKeys, isSignedBy } from './notification-keys.ts'

/**
 * Notifications of Woovi's webhooks. Woovi signs each body with a key of its own (RSA-SHA256, `x-webhook-signature`), whose
 * public half it publishes, and with the webhook's secret key (HMAC-SHA1, `x-openpix-signature`, deprecated). The secret of
 * a webhook is shown in Woovi's panel only, after it was made, so the published key is what a new connection is known by.
 */
export function createWooviNotifications(
  client: Pick<WooviClient, 'lookUpExisting' | 'record'>,
  credentials: WooviCredentials,
  now: () => number,
): Pick<Provider, 'readNotification'> {
  const keys = createWooviPublishedKeys(client, now)
  return {
    async readNotification(notice) {
      if (!hasConfiguredSignature(notice, credentials)) {
        const signature = notice.headers['x-webhook-signature']
        if (!signature) return { kind: 'forged' }
        const verified = await keys.verifySignature(notice.body, signature)
        if (verified.kind !== 'genuine') return verified
      }
      const { items, unexplained } = parseNotification(notice.body)
      if (unexplained) await client.record(toUnexplainedAnswer(unexplained))
      return items ? { kind: 'items', items } : { kind: 'unreadable' }
    },
  }
}

/** Whether one of the secrets or the key that an operator has configured signed it. */
function hasConfiguredSignature(
  { body, headers }: ProviderNotificationRequest,
  credentials: WooviCredentials,
): boolean {
  const { webhook_secret: secrets = [], webhook_public_key: publicKey } = credentials
  const mac = headers['x-openpix-signature'] ?? ''
  const signature = headers['x-webhook-signature'] ?? ''
  return (
    secrets.some(secret =>
      isEqualInConstantTime(mac, createHmac('sha1', secret).update(body).digest('base64')),
    ) ||
    (publicKey !== undefined && isSignedBy(publicKey, { body, signature }))
  )
}

const idSchema = z.string().nullish()
const transactionSchema = z.object({ endToEndId: idSchema }).nullish()
const correlatedSchema = z.object({ correlationID: idSchema }).nullish()

/** Read loosely: a notice is a hint, and what it says of values or states is asked, not believed. */
const notificationSchema = z
  .object({
    event: z.string().nullish(),
    /** Of the test of a new address, as an older page of Woovi's shows it; it is about nothing. */
    evento: z.string().nullish(),
    charge: correlatedSchema,
    pix: z.object({ endToEndId: idSchema, charge: correlatedSchema }).nullish(),
    payment: correlatedSchema,
    transaction: transactionSchema,
    originalTransaction: transactionSchema,
    dispute: z.object({ id: idSchema, endToEndId: idSchema, type: idSchema }).nullish(),
  })
  .refine(({ event, evento }) => event ?? evento)
type WooviNotification = z.infer<typeof notificationSchema>

type NotificationSubject = Omit<NotificationItem, 'raw'>

/** What each event is about; any other is about nothing of ours. */
const EVENT_READERS: Record<string, (told: WooviNotification) => NotificationSubject> = {
  'OPENPIX:TRANSACTION_RECEIVED': readReceivedPayment,
  'OPENPIX:CHARGE_COMPLETED': readReceivedPayment,
  'OPENPIX:CHARGE_COMPLETED_NOT_SAME_CUSTOMER_PAYER': readReceivedPayment,
  'OPENPIX:MOVEMENT_CONFIRMED': readSentTransfer,
  'OPENPIX:MOVEMENT_FAILED': readSentTransfer,
  'OPENPIX:MOVEMENT_REMOVED': readSentTransfer,
  PIX_TRANSACTION_REFUND_SENT_CONFIRMED: readSentRefund,
  PIX_TRANSACTION_REFUND_SENT_REJECTED: readSentRefund,
  PIX_TRANSACTION_REFUND_RECEIVED_CONFIRMED: readReturnedTransfer,
  'OPENPIX:DISPUTE_CREATED': readDispute,
  'OPENPIX:DISPUTE_ACCEPTED': readDispute,
  'OPENPIX:DISPUTE_REJECTED': readDispute,
  'OPENPIX:DISPUTE_CANCELED': readDispute,
}

/** Documented events that tell nothing which is not asked anyway. */
const IGNORED_EVENTS = ['OPENPIX:CHARGE_CREATED', 'OPENPIX:CHARGE_EXPIRED']

/** "Exemplos" of payloads write the names of events with either prefix. */
const normalizeEventName = (event: string): string => event.replace(/^woovi:/, 'OPENPIX:')

/**
 * The test of a new address has an event and names nothing ("Validando o webhook de teste"). An event that no table names
 * is about nothing of ours, and recorded.
 */
function parseNotification(body: string): {
  items?: NotificationItem[]
  unexplained?: UnexplainedNotificationPart
} {
  const told = notificationSchema.safeParse(parseJsonOrUndefined(body)).data
  if (!told) return body === '' ? {} : { unexplained: { kind: 'unreadable_answer', name: '', body } }
  const name = normalizeEventName(told.event ?? '')
  if (told.evento || IGNORED_EVENTS.includes(name)) return { items: [] }
  if (!Object.hasOwn(EVENT_READERS, name))
    return { items: [], unexplained: { kind: 'unlisted_value', name: told.event!, body } }
  const about = EVENT_READERS[name]!(told)
  return { items: about.reference === null && about.endToEnd === null ? [] : [{ ...about, raw: body }] }
}

function readReceivedPayment({ charge, pix }: WooviNotification): NotificationSubject {
  const reference = charge?.correlationID ?? pix?.charge?.correlationID ?? null
  return { kind: 'payment', reference, endToEnd: pix?.endToEndId ?? null }
}

function readSentTransfer({ payment, transaction }: WooviNotification): NotificationSubject {
  const reference = payment?.correlationID ?? null
  return { kind: 'transfer', reference, endToEnd: transaction?.endToEndId ?? null }
}

/** Our refund of a received PIX: its end-to-end id is that PIX's. Woovi tells no id of ours here. */
function readSentRefund({ originalTransaction }: WooviNotification): NotificationSubject {
  return { kind: 'refund', reference: null, endToEnd: originalTransaction?.endToEndId ?? null }
}

/** Woovi's examples name the dispute in some notices only; its PIX they all name. */
function readDispute({ dispute }: WooviNotification): NotificationSubject {
  return { kind: 'med', reference: dispute?.id ?? null, endToEnd: dispute?.endToEndId ?? null }
}

/** The recipient of a transfer gave money back: a matter of that transfer. */
function readReturnedTransfer({ originalTransaction }: WooviNotification): NotificationSubject {
  return { kind: 'transfer', reference: null, endToEnd: originalTransaction?.endToEndId ?? null }
}
