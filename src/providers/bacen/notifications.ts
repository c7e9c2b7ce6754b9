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
  const notification = notificationSchema.safeParse(json).data
  if (!notification) return { unexplained: [{ kind: 'unreadable_answer', name: '', body }] }
  const items: NotificationItem[] = []
  const unexplained: ParsedNotification['unexplained'] = []
  for (const item of notification.pix) {
    if (isNotifiedPix(item)) items.push(...(toOtherItems?.(item) ?? toReceivedItems(item)))
    else unexplained.push({ kind: 'unreadable_item', name: '', body: JSON.stringify(item) })
  }
  return unexplained.length > 0 && items.length === 0 ? { unexplained } : { items, unexplained }
}

/** Checks an item without parsing it: a notification item keeps the received text (`raw`). */
function isNotifiedPix(item: unknown): item is NotifiedPix {
  return notifiedPixSchema.safeParse(item).success
}

/**
 * Converts a received PIX of a notification to a `payment` item and one item per devolução on it, with the end-to-end id of
 * the PIX. A devolução of a dispute is a `dispute` item without a reference, because the dispute is not named.
 */
function toReceivedItems(pix: NotifiedPix): NotificationItem[] {
  const endToEnd = pix.endToEndId ?? null
  const buildItem = (
    kind: NotificationItem['kind'],
    reference: string | null,
    raw: unknown,
  ): NotificationItem => ({ kind, reference, endToEnd, raw: JSON.stringify(raw) })
  const returns = (pix.devolucoes ?? []).map(devolucao =>
    isDisputeDevolucao(devolucao)
      ? buildItem('dispute', null, devolucao)
      : buildItem('refund', devolucao.id ?? null, devolucao),
  )
  return [buildItem('payment', pix.txid ?? null, pix), ...returns]
}
