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
import type { EfiCredentials } from './client.ts'
import { toEfiRejection } from './errors.ts'
import { mapEfiPayer } from './mapping.ts'
import { efiNotifiedDetailsSchema, isDisputeDevolucao } from './schemas.ts'

/** Creates the reader of Efí's notifications, which have no signature: the secret in their URL authenticates them. */
export function createEfiNotifications(
  { notification_secret }: EfiCredentials,
  record?: RecordUnexplainedAnswer,
): Pick<Provider, 'readNotification' | 'readNotifiedDetails'> {
  return {
    readNotification: createNotificationReader(
      async ({ secret }) => {
        const isGenuine = secret !== null && isEqualInConstantTime(secret, notification_secret)
        return { kind: isGenuine ? 'genuine' : 'forged' }
      },
      parseNotification,
      record,
    ),

    readNotifiedDetails(raw) {
      const { data } = efiNotifiedDetailsSchema.safeParse(parseJsonOrUndefined(raw))
      if (!data) return {}
      const payer = mapEfiPayer(data)
      const { erro } = data.gnExtras ?? {}
      const rejection = erro || data.motivo ? toEfiRejection(erro, data.motivo) : undefined
      return { ...(payer && { payer }), ...(rejection && { rejection }) }
    },
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
const notificationSchema = z.union([
  z.object({ pix: z.array(z.unknown()) }),
  z.object({ evento: z.string(), pix: z.undefined().optional() }),
])
/** Event of the request that tests a URL when it is registered; Efí also tests it by an empty POST or a GET. */
const TEST_EVENT = 'teste_webhook'

/** Parses a notification's readable items; the others are unexplained. */
function parseNotification(body: string): ParsedNotification {
  if (body.trim() === '') return { items: [] }
  const notification = notificationSchema.safeParse(parseJsonOrUndefined(body)).data
  if (!notification) return { unexplained: [{ kind: 'unreadable_answer', name: '', body }] }
  if ('evento' in notification) {
    const name = notification.evento
    const isTest = name === TEST_EVENT
    return { items: [], unexplained: isTest ? [] : [{ kind: 'unlisted_value', name, body }] }
  }
  const items: NotificationItem[] = []
  const unexplained: ParsedNotification['unexplained'] = []
  for (const item of notification.pix) {
    if (isNotifiedPix(item)) items.push(...toNotificationItems(item))
    else unexplained.push({ kind: 'unreadable_item', name: '', body: JSON.stringify(item) })
  }
  return unexplained.length > 0 && items.length === 0 ? { unexplained } : { items, unexplained }
}

type NotifiedPix = z.infer<typeof notifiedPixSchema>

/** Checks an item without parsing it: a notification item keeps the received text (`raw`). */
function isNotifiedPix(item: unknown): item is NotifiedPix {
  return notifiedPixSchema.safeParse(item).success
}

/**
 * Converts one PIX of a notification: a sent PIX to a `transfer` item; a received one to a `payment` item and one item
 * per devolução on it, with the end-to-end id of the PIX. A devolução of a dispute is a `dispute` item without a reference,
 * because Efí does not name the dispute.
 */
function toNotificationItems(pix: NotifiedPix): NotificationItem[] {
  const endToEnd = pix.endToEndId ?? null
  const buildItem = (
    kind: NotificationItem['kind'],
    reference: string | null,
    raw: unknown,
  ): NotificationItem => ({ kind, reference, endToEnd, raw: JSON.stringify(raw) })

  const idEnvio = pix.gnExtras?.idEnvio ?? null
  if (idEnvio !== null || pix.tipo === 'SOLICITACAO') return [buildItem('transfer', idEnvio, pix)]
  const returns = (pix.devolucoes ?? []).map(devolucao =>
    isDisputeDevolucao(devolucao)
      ? buildItem('dispute', null, devolucao)
      : buildItem('refund', devolucao.id ?? null, devolucao),
  )
  return [buildItem('payment', pix.txid ?? null, pix), ...returns]
}
