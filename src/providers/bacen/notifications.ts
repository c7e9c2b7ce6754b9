import { z } from 'zod'
import type { NotificationItem } from '../../domain/providers/provider.ts'
import {
  createNotificationReader,
  isEqualInConstantTime,
  type ParsedNotification,
  parseJsonOrUndefined,
} from '../adapter/notification-parsing.ts'
import type { RecordUnexplainedAnswer } from '../adapter/unexplained-answers.ts'
import type { Provider } from '../port.ts'
import { isDisputeDevolucao } from './schemas.ts'

/** Reads what else than received PIX a provider notifies; undefined for a body of the Central Bank's shape. */
export type ParseOtherNotification = (json: unknown, body: string) => ParsedNotification | undefined
/** Converts one PIX of a notification to its items; undefined where it is a received one of the Central Bank's shape. */
export type ToOtherItems = (pix: NotifiedPix) => NotificationItem[] | undefined

/** How a profile's notifications differ from the Central Bank's. */
export type NotificationParts = {
  /** Rewrites a body in the Central Bank's shape; absent: as it is. */
  normalize?: (json: unknown) => unknown
  parseOther?: ParseOtherNotification
  toOtherItems?: ToOtherItems
}

type NotificationOptions = NotificationParts & {
  /** The last part of the URL that receives the notifications. */
  secret: string
  record?: RecordUnexplainedAnswer | undefined
}

/**
 * Creates the reader of notifications of the Central Bank's shape (`{ pix: […] }`), which have no signature: the secret in
 * their URL authenticates them.
 */
export function createBacenNotifications({
  secret: ownSecret,
  record,
  ...parts
}: NotificationOptions): Pick<Provider, 'readNotification'> {
  return {
    readNotification: createNotificationReader(
      async ({ secret }) => {
        const isGenuine = secret !== null && isEqualInConstantTime(secret, ownSecret)
        return { kind: isGenuine ? 'genuine' : 'forged' }
      },
      body => parseNotification(body, parts),
      record,
    ),
  }
}

/** One PIX of a notification; only ids are routed by, because values and statuses are polled and never taken from here. */
const notifiedPixSchema = z.object({
  endToEndId: z.string().nullish(),
  txid: z.string().nullish(),
  tipo: z.string().nullish(),
  gnExtras: z.object({ idEnvio: z.string().nullish() }).nullish(),
  devolucoes: z.array(z.object({ id: z.string().nullish(), natureza: z.string().nullish() })).nullish(),
})
type NotifiedPix = z.infer<typeof notifiedPixSchema>
const notificationSchema = z.object({ pix: z.array(z.unknown()) })

/** Notifications of recurrences (`{ recs: […] }`) and of their debits (`{ cobsr: […] }`): pix-api 2.9.0, WebhookRecBody and WebhookCobRBody. */
const recurrencesSchema = z.object({ recs: z.array(z.unknown()) })
const notifiedRecurrenceSchema = z.object({ idRec: z.string().min(1).max(100) })
const debitsSchema = z.object({ cobsr: z.array(z.unknown()) })
const notifiedDebitSchema = z.object({
  txid: z.string().min(1),
  pix: z.array(notifiedPixSchema).nullish().catch(null),
})

/** Parses a notification's readable items; the others are unexplained. An empty body tests the URL. */
function parseNotification(
  body: string,
  { normalize, parseOther, toOtherItems }: NotificationParts,
): ParsedNotification {
  if (body.trim() === '') return { items: [] }
  const received = parseJsonOrUndefined(body)
  const json = normalize ? normalize(received) : received
  const other = parseOther?.(json, body)
  if (other) return other
  const { recs } = recurrencesSchema.safeParse(json).data ?? {}
  if (recs) return parseNotifiedList(recs, toRecurrenceItem)
  const { cobsr } = debitsSchema.safeParse(json).data ?? {}
  if (cobsr) return parseNotifiedList(cobsr, toDebitItems)
  const notification = notificationSchema.safeParse(json).data
  if (!notification) return { unexplained: [{ kind: 'unreadable_answer', name: '', body }] }
  return parseNotifiedList(notification.pix, item =>
    isNotifiedPix(item) ? (toOtherItems?.(item) ?? toReceivedItems(item)) : undefined,
  )
}

/** Converts the readable parts of a list to their items; the others, `undefined`, are unexplained. */
function parseNotifiedList(
  list: unknown[],
  toItems: (part: unknown) => NotificationItem[] | undefined,
): ParsedNotification {
  const items: NotificationItem[] = []
  const unexplained: ParsedNotification['unexplained'] = []
  for (const part of list) {
    const partItems = toItems(part)
    if (partItems) items.push(...partItems)
    else unexplained.push({ kind: 'unreadable_item', name: '', body: JSON.stringify(part) })
  }
  return unexplained.length > 0 && items.length === 0 ? { unexplained } : { items, unexplained }
}

/** Checks an item without parsing it: a notification item keeps the received text (`raw`). */
function isNotifiedPix(item: unknown): item is NotifiedPix {
  return notifiedPixSchema.safeParse(item).success
}

function toRecurrenceItem(recurrence: unknown): NotificationItem[] | undefined {
  const { data } = notifiedRecurrenceSchema.safeParse(recurrence)
  return data && [buildItem('recurrence', data.idRec, null, recurrence)]
}

/** Converts a debit to an item of its charge, with the PIX that has paid it if one has, and to one item per devolução on that. */
function toDebitItems(debit: unknown): NotificationItem[] | undefined {
  const { data } = notifiedDebitSchema.safeParse(debit)
  if (!data) return undefined
  const [payment] = data.pix ?? []
  const charge = buildItem('payment', data.txid, payment?.endToEndId ?? null, debit)
  return [charge, ...(payment ? toReturnItems(payment) : [])]
}

/**
 * Converts a received PIX of a notification to a `payment` item and one item per devolução on it, with the end-to-end id of
 * the PIX. A devolução of a dispute is a `dispute` item without a reference, because the dispute is not named.
 */
function toReceivedItems(pix: NotifiedPix): NotificationItem[] {
  return [buildItem('payment', pix.txid ?? null, pix.endToEndId ?? null, pix), ...toReturnItems(pix)]
}

function toReturnItems({ endToEndId, devolucoes }: NotifiedPix): NotificationItem[] {
  const endToEnd = endToEndId ?? null
  return (devolucoes ?? []).map(devolucao =>
    isDisputeDevolucao(devolucao)
      ? buildItem('dispute', null, endToEnd, devolucao)
      : buildItem('refund', devolucao.id ?? null, endToEnd, devolucao),
  )
}

function buildItem(
  kind: NotificationItem['kind'],
  reference: string | null,
  endToEnd: string | null,
  raw: unknown,
): NotificationItem {
  return { kind, reference, endToEnd, raw: JSON.stringify(raw) }
}
