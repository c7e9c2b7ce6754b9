import { z } from 'zod'
import type { NoticeItem } from '../../domain/provider.ts'
import { isSame, jsonIn } from '../notice.ts'
import type { Provider } from '../port.ts'
import type { EfiCredentials } from './client.ts'
import { isOfMed } from './shapes.ts'

/** Efí's notices carry no signature; the secret in their URL is what tells them from anyone else's. */
export function notices({ notice_secret }: EfiCredentials): Pick<Provider, 'readNotice'> {
  return {
    readNotice({ body, secret }) {
      if (secret === null || !isSame(secret, notice_secret)) return { kind: 'forged' }
      const items = itemsIn(body)
      return items ? { kind: 'items', items } : { kind: 'unreadable' }
    },
  }
}

/** Read loosely: a notice is a hint, and what it says of values or states is asked, not believed. */
const pix = z.object({
  endToEndId: z.string().nullish(),
  txid: z.string().nullish(),
  tipo: z.string().nullish(),
  gnExtras: z.object({ idEnvio: z.string().nullish() }).nullish(),
  devolucoes: z.array(z.object({ id: z.string().nullish(), natureza: z.string().nullish() })).nullish(),
})
/** Registering a URL makes Efí send `{ evento: "teste_webhook" }` to it, which is about nothing. */
const notice = z.union([
  z.object({ pix: z.array(pix) }),
  z.object({ evento: z.string(), pix: z.undefined().optional() }),
])

/** The schema only vouches for the shape: items are kept as they came. */
function itemsIn(body: string): NoticeItem[] | undefined {
  const json = jsonIn(body)
  if (!notice.safeParse(json).success) return undefined
  return ((json as z.infer<typeof notice>).pix ?? []).flatMap(itemsOf)
}

/**
 * A received PIX, with each devolução on it as an item of its own (its end-to-end id stays the PIX's), or a sent one. A
 * devolução of the special mechanism is its dispute's matter, which Efí does not name.
 */
function itemsOf(item: z.infer<typeof pix>): NoticeItem[] {
  const endToEnd = item.endToEndId ?? null
  const itemOf = (kind: NoticeItem['kind'], reference: string | null, raw: unknown): NoticeItem => ({
    kind,
    reference,
    endToEnd,
    raw: JSON.stringify(raw),
  })

  const idEnvio = item.gnExtras?.idEnvio ?? null
  if (idEnvio !== null || item.tipo === 'SOLICITACAO') return [itemOf('transfer', idEnvio, item)]
  const refunds = (item.devolucoes ?? []).map(devolucao =>
    isOfMed(devolucao) ? itemOf('med', null, devolucao) : itemOf('refund', devolucao.id ?? null, devolucao),
  )
  return [itemOf('payment', item.txid ?? null, item), ...refunds]
}
