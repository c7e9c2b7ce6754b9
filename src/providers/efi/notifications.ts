import { z } from 'zod'
import type { NotificationItem } from '../../domain/providers/provider.ts'
import { isEqualInConstantTime, parseJsonOrUndefined } from '../adapter/notification-parsing.ts'
import {
  type RecordUnexplainedAnswer,
  toUnexplainedAnswer,
  type UnexplainedNotificationPart,
} from '../adapter/unexplained-answers.ts'
import type { Provider } from '../port.ts'
import type { EfiCredentials } from './client.ts'
import { isDisputeDevolucao } from './schemas.ts'

/** Efí's notices carry no signature; the secret in their URL is what tells them from anyone else's. */
export function createEfiNotifications(
  { notice_secret }: EfiCredentials,
  record: RecordUnexplainedAnswer = async () => {},
): Pick<Provider, 'readNotification'> {
  return {
    async readNotification({ body, secret }) {
      if (secret === null || !isEqualInConstantTime(secret, notice_secret)) return { kind: 'forged' }
      const { items, unexplained } = parseNotification(body)
      for (const part of unexplained) await record(toUnexplainedAnswer(part))
      return items ? { kind: 'items', items } : { kind: 'unreadable' }
    },
  }
}

/** Read loosely: a notice is a hint, and what it says of values or states is asked, not believed. */
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
/** Registering a URL makes Efí try it, with `{ evento: "teste_webhook" }`, an empty POST or a GET: all about nothing. */
const TEST_EVENT = 'teste_webhook'

/** Items are kept as they came, and one that cannot be read hides no other; without `items` none of it can be. */
function parseNotification(body: string): {
  items?: NotificationItem[]
  unexplained: UnexplainedNotificationPart[]
} {
  if (body.trim() === '') return { items: [], unexplained: [] }
  const told = notificationSchema.safeParse(parseJsonOrUndefined(body)).data
  if (!told) return { unexplained: [{ kind: 'unreadable_answer', name: '', body }] }
  if ('evento' in told) {
    const isKnown = told.evento === TEST_EVENT
    return { items: [], unexplained: isKnown ? [] : [{ kind: 'unlisted_value', name: told.evento, body }] }
  }
  const odd = told.pix.filter(item => !notifiedPixSchema.safeParse(item).success)
  const unexplained = odd.map(item => ({
    ...{ kind: 'unreadable_item' as const, name: '', body: JSON.stringify(item) },
  }))
  const items = told.pix
    .filter(item => !odd.includes(item))
    .flatMap(item => toNotificationItems(item as NotifiedPix))
  return odd.length > 0 && items.length === 0 ? { unexplained } : { items, unexplained }
}
type NotifiedPix = z.infer<typeof notifiedPixSchema>

/**
 * A received PIX, with each devolução on it as an item of its own (its end-to-end id stays the PIX's), or a sent one. A
 * devolução of the special mechanism is its dispute's matter, which Efí does not name.
 */
function toNotificationItems(item: NotifiedPix): NotificationItem[] {
  const endToEnd = item.endToEndId ?? null
  const itemOf = (
    kind: NotificationItem['kind'],
    reference: string | null,
    raw: unknown,
  ): NotificationItem => ({
    kind,
    reference,
    endToEnd,
    raw: JSON.stringify(raw),
  })

  const idEnvio = item.gnExtras?.idEnvio ?? null
  if (idEnvio !== null || item.tipo === 'SOLICITACAO') return [itemOf('transfer', idEnvio, item)]
  const refunds = (item.devolucoes ?? []).map(devolucao =>
    isDisputeDevolucao(devolucao)
      ? itemOf('med', null, devolucao)
      : itemOf('refund', devolucao.id ?? null, devolucao),
  )
  return [itemOf('payment', item.txid ?? null, item), ...refunds]
}
