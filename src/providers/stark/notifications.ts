import { z } from 'zod'
import type { NotificationItem } from '../../domain/providers/provider.ts'
import { optionalField } from '../adapter/fields.ts'
import {
  createNotificationReader,
  type ParsedNotification,
  parseJsonOrUndefined,
} from '../adapter/notification-parsing.ts'
import { createPublishedKeys } from '../adapter/published-keys.ts'
import type { Provider } from '../port.ts'
import type { StarkClient } from './client.ts'
import { getReference, isOfCode, toDepositName, toInvoiceName, toTransferName } from './mapping.ts'
import { starkPublicKeysSchema } from './schemas.ts'

/** Kinds of events that a webhook of ours subscribes to. */
export const REGISTERED_STARK_SUBSCRIPTIONS = [
  'deposit',
  'invoice',
  'transfer',
  'invoice-pull-subscription',
  'invoice-pull-request',
] as const

/**
 * Creates the reader of events. Stark Bank signs the body (`Digital-Signature`, ECDSA with SHA-256) with the newest of the keys
 * that it publishes; "the older keys can be used to verify older messages". It signs those of every workspace alike, so an
 * event proves nothing of ours: only ids are read.
 */
export function createStarkNotifications(
  client: Pick<StarkClient, 'lookUpExisting' | 'record'>,
  now?: () => number,
): Pick<Provider, 'readNotification'> {
  const keys = createPublishedKeys(() => findStarkKeys(client), now)
  const verify: Parameters<typeof createNotificationReader>[0] = async ({ body, headers }) => {
    const signature = headers['digital-signature']
    return signature ? keys.verifySignature(body, signature) : { kind: 'forged' }
  }
  return { readNotification: createNotificationReader(verify, parseEvent, client.record) }
}

function findStarkKeys(client: Pick<StarkClient, 'lookUpExisting'>) {
  const call = { call: 'findNotificationKeys', path: '/v2/public-key' } as const
  return client.lookUpExisting(call, starkPublicKeysSchema, ({ publicKeys }) => ({
    keys: publicKeys.map(({ content }) => content),
  }))
}

const notifiedEntitySchema = z.object({
  id: z.union([z.string().regex(/^\d+$/), z.int().positive().transform(String)]),
  tags: optionalField(z.array(z.string())),
  externalId: optionalField(z.string()),
})
const eventSchema = z.object({
  event: z.object({
    subscription: z.string(),
    log: z.object({
      type: optionalField(z.string()),
      deposit: notifiedEntitySchema.optional(),
      invoice: notifiedEntitySchema.optional(),
      transfer: notifiedEntitySchema.optional(),
      subscription: optionalField(notifiedEntitySchema),
      request: optionalField(notifiedEntitySchema),
    }),
  }),
})
type StarkEventLog = z.infer<typeof eventSchema>['event']['log']
type NotificationSubject = Omit<NotificationItem, 'raw'>

/** Types of the log of an invoice that is paid ("Invoice Log"; a published event). */
const PAYMENT_TYPES: readonly unknown[] = ['paid', 'credited']

/** Reads what an event is about: nothing that changes a payment is `null`; undefined where the event does not name its subject. */
const SUBJECT_READERS: Record<string, (log: StarkEventLog) => NotificationSubject | null | undefined> = {
  deposit({ type, deposit }) {
    if (!deposit) return undefined
    const tags = deposit.tags ?? []
    const endToEnd = toDepositName(deposit.id)
    if (type === 'reversed') return { kind: 'refund', reference: null, endToEnd }
    return { kind: 'payment', reference: isOfCode({ tags }) ? getReference({ tags }) : null, endToEnd }
  },
  /** An event has no end-to-end id, by which the refunds of an invoice are found: those are polled. */
  invoice({ type, invoice }) {
    if (!invoice) return undefined
    if (!PAYMENT_TYPES.includes(type)) return null
    const reference = getReference({ tags: invoice.tags ?? [] })
    return { kind: 'payment', reference, endToEnd: toInvoiceName(invoice.id) }
  },
  transfer({ transfer }) {
    if (!transfer) return undefined
    const reference = transfer.externalId ?? getReference({ tags: transfer.tags ?? [] })
    return { kind: 'transfer', reference, endToEnd: toTransferName(transfer.id) }
  },
  'invoice-pull-subscription'({ subscription }) {
    return subscription ? { kind: 'recurrence', reference: subscription.id, endToEnd: null } : undefined
  },
  /** A try is known by the charge that it is of, which has our tag too. */
  'invoice-pull-request'({ request }) {
    if (!request) return undefined
    const reference = getReference({ tags: request.tags ?? [] })
    return reference === null ? null : { kind: 'payment', reference, endToEnd: null }
  },
}

function parseEvent(body: string): ParsedNotification {
  const unreadable = { unexplained: [{ kind: 'unreadable_answer' as const, name: '', body }] }
  const { event } = eventSchema.safeParse(parseJsonOrUndefined(body)).data ?? {}
  if (!event) return unreadable
  const { subscription, log } = event
  if (!Object.hasOwn(SUBJECT_READERS, subscription))
    return { items: [], unexplained: [{ kind: 'unlisted_value', name: subscription, body }] }
  const subject = SUBJECT_READERS[subscription]!(log)
  if (subject === null) return { items: [], unexplained: [] }
  return subject ? { items: [{ ...subject, raw: body }] } : unreadable
}
