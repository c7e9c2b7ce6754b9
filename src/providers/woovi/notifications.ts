import { createHmac } from 'node:crypto'
import { z } from 'zod'
import type { NotificationItem } from '../../domain/providers/provider.ts'
import {
  createNotificationReader,
  isEqualInConstantTime,
  type NotificationVerification,
  type ParsedNotification,
  parseJsonOrUndefined,
} from '../adapter/notification-parsing.ts'
import { createPublishedKeys, isSignedBy } from '../adapter/published-keys.ts'
import type { Provider, ProviderNotificationRequest } from '../port.ts'
import type { WooviClient, WooviCredentials } from './client.ts'

/**
 * Creates the reader of notifications of Woovi's webhooks. Woovi signs each body with a private key whose public key it
 * publishes (RSA-SHA256, `x-webhook-signature`), and with the webhook's secret key (HMAC-SHA1, `x-openpix-signature`,
 * deprecated). The secret of a webhook appears only in Woovi's panel after its creation, so a new connection uses the
 * published keys.
 */
export function createWooviNotifications(
  client: Pick<WooviClient, 'lookUpExisting' | 'record'>,
  credentials: WooviCredentials,
  now?: () => number,
): Pick<Provider, 'readNotification'> {
  const keys = createPublishedKeys(() => findWooviKeys(client), now)
  async function verify(notification: ProviderNotificationRequest): Promise<NotificationVerification> {
    if (hasConfiguredSignature(notification, credentials)) return { kind: 'genuine' }
    const signature = notification.headers['x-webhook-signature']
    return signature ? keys.verifySignature(notification.body, signature) : { kind: 'forged' }
  }
  return { readNotification: createNotificationReader(verify, parseNotification, client.record) }
}

/** Tells whether a secret or the key in the connection's credentials verifies the notification. */
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

/**
 * A notification; only ids are read, because values and statuses are polled and never taken from here. The callbacks of Woovi's OpenAPI
 * document, all of a received PIX, have no event.
 */
const notificationSchema = z
  .object({
    event: z.string().nullish(),
    /** Event of the test of a new URL on an older page of Woovi's. */
    evento: z.string().nullish(),
    charge: correlatedSchema,
    /** For a PIX of a static code, Woovi documents the end-to-end id in `raw` only (OpenAPI, receivedPixQrCode). */
    pix: z
      .object({
        endToEndId: idSchema,
        raw: z.object({ endToEndId: idSchema }).nullish(),
        charge: correlatedSchema,
      })
      .nullish(),
    payment: correlatedSchema,
    transaction: transactionSchema,
    originalTransaction: transactionSchema,
    dispute: z.object({ id: idSchema, endToEndId: idSchema, type: idSchema }).nullish(),
    /** Of a subscription, and of an installment, whose own id is beside its debit. */
    pixRecurring: z.object({ recurrencyId: idSchema }).nullish(),
    globalID: idSchema,
    cobr: z.object({ endToEndId: idSchema }).nullish(),
  })
  .refine(({ event, evento, pix }) => event ?? evento ?? pix)
type WooviNotification = z.infer<typeof notificationSchema>

type NotificationSubject = Omit<NotificationItem, 'raw'>

type SubjectReaders = Record<string, (notification: WooviNotification) => NotificationSubject>

const REGISTERED_EVENT_READERS: SubjectReaders = {
  'OPENPIX:TRANSACTION_RECEIVED': readReceivedPayment,
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

/** Events of Pix Automático ("Listagem dos Webhooks"), whose webhooks an account may be refused. */
const AUTOMATIC_PIX_EVENT_READERS: SubjectReaders = {
  PIX_AUTOMATIC_APPROVED: readRecurrence,
  PIX_AUTOMATIC_REJECTED: readRecurrence,
  PIX_AUTOMATIC_COBR_COMPLETED: readDebit,
  PIX_AUTOMATIC_COBR_REJECTED: readDebit,
  PIX_AUTOMATIC_COBR_TRY_REQUESTED: readDebit,
  PIX_AUTOMATIC_COBR_TRY_REJECTED: readDebit,
}
export const AUTOMATIC_PIX_EVENTS = Object.keys(AUTOMATIC_PIX_EVENT_READERS)

/** Events that need a webhook. A received PIX needs its transaction's event only: the charge's event repeats it. */
export const REGISTERED_EVENTS = Object.keys(REGISTERED_EVENT_READERS)

const EVENT_READERS: SubjectReaders = {
  ...REGISTERED_EVENT_READERS,
  ...AUTOMATIC_PIX_EVENT_READERS,
  'OPENPIX:CHARGE_COMPLETED': readReceivedPayment,
  'OPENPIX:CHARGE_COMPLETED_NOT_SAME_CUSTOMER_PAYER': readReceivedPayment,
}

/** "If omitted, the webhook will be registered to listen the OPENPIX:TRANSACTION_RECEIVED" (OpenAPI, WebhookPayload). */
const DEFAULT_EVENT = 'OPENPIX:TRANSACTION_RECEIVED'

/** Documented events that need no poll: a debit is adopted, and its first day polled, by the calendar. */
const IGNORED_EVENTS = [
  'OPENPIX:CHARGE_CREATED',
  'OPENPIX:CHARGE_EXPIRED',
  'PIX_AUTOMATIC_COBR_CREATED',
  'PIX_AUTOMATIC_COBR_APPROVED',
]

/** Normalizes an event's prefix: Woovi's examples of payloads have either. */
const normalizeEventName = (event: string): string => event.replace(/^woovi:/, 'OPENPIX:')

/**
 * Parses a notification to its items. The test of a new URL has an event without ids, and so no items ("Validando o
 * webhook de teste"). An event in no table has no items and is unexplained.
 */
function parseNotification(body: string): ParsedNotification {
  const notification = notificationSchema.safeParse(parseJsonOrUndefined(body)).data
  if (!notification)
    return body === '' ? {} : { unexplained: [{ kind: 'unreadable_answer', name: '', body }] }
  const name = normalizeEventName(notification.event ?? DEFAULT_EVENT)
  if (notification.evento || IGNORED_EVENTS.includes(name)) return { items: [] }
  if (!Object.hasOwn(EVENT_READERS, name))
    return { items: [], unexplained: [{ kind: 'unlisted_value', name: notification.event!, body }] }
  const subject = EVENT_READERS[name]!(notification)
  return { items: subject.reference === null && subject.endToEnd === null ? [] : [{ ...subject, raw: body }] }
}

function readReceivedPayment({ charge, pix }: WooviNotification): NotificationSubject {
  const reference = charge?.correlationID ?? pix?.charge?.correlationID ?? null
  return { kind: 'payment', reference, endToEnd: pix?.endToEndId ?? pix?.raw?.endToEndId ?? null }
}

/** Reads the event of a payment, which proves no outcome; of one removed in the panel it has only our id. */
function readSentTransfer({ payment, transaction }: WooviNotification): NotificationSubject {
  const reference = payment?.correlationID ?? null
  return { kind: 'transfer', reference, endToEnd: transaction?.endToEndId ?? null }
}

/** Reads the event of a refund of ours by the end-to-end id of the refunded PIX: it has no id of ours. */
function readSentRefund({ originalTransaction }: WooviNotification): NotificationSubject {
  return { kind: 'refund', reference: null, endToEnd: originalTransaction?.endToEndId ?? null }
}

/** Reads the event of a dispute: Woovi's examples all have the PIX, but only some have the dispute's id. */
function readDispute({ dispute }: WooviNotification): NotificationSubject {
  return { kind: 'dispute', reference: dispute?.id ?? null, endToEnd: dispute?.endToEndId ?? null }
}

/** Reads the event of a subscription by the rail's id of its recurrence. */
function readRecurrence({ pixRecurring }: WooviNotification): NotificationSubject {
  return { kind: 'recurrence', reference: pixRecurring?.recurrencyId ?? null, endToEnd: null }
}

/** Reads the event of a debit by the id of its installment, by which the charge that has adopted it is found. */
function readDebit({ globalID, cobr }: WooviNotification): NotificationSubject {
  return { kind: 'payment', reference: globalID ?? null, endToEnd: cobr?.endToEndId ?? null }
}

/** Reads the event of a return by a transfer's recipient, which is about that transfer. */
function readReturnedTransfer({ originalTransaction }: WooviNotification): NotificationSubject {
  return { kind: 'transfer', reference: null, endToEnd: originalTransaction?.endToEndId ?? null }
}

const keysResponseSchema = z.object({ public_keys: z.array(z.object({ key: z.string() })).min(1) })

/**
 * Finds the public keys that Woovi publishes for its webhooks, at the connection's address ("Buscando a chave pública da Woovi
 * via API"; "A resposta traz Cache-Control de 1 hora.").
 */
function findWooviKeys(client: Pick<WooviClient, 'lookUpExisting'>) {
  const call = { call: 'findNotificationKeys', path: '/api/v1/webhook/public-keys' } as const
  return client.lookUpExisting(call, keysResponseSchema, answer => ({
    keys: answer.public_keys.map(({ key }) => key),
  }))
}
