import { z } from 'zod'
import type { NoticeItem } from '../../domain/provider.ts'
import { isSame, jsonIn } from '../notice.ts'
import type { Provider } from '../port.ts'
import { ofNotice, type RecordUnexplained, type UnexplainedPart } from '../unexplained.ts'
import type { EfiCredentials } from './client.ts'
import { isOfMed } from './shapes.ts'

/** Efí's notices carry no signature; the secret in their URL is what tells them from anyone else's. */
export function notices(
  { notice_secret }: EfiCredentials,
  record: RecordUnexplained = async () => {},
): Pick<Provider, 'readNotice'> {
  return {
    async readNotice({ body, secret }) {
      if (secret === null || !isSame(secret, notice_secret)) return { kind: 'forged' }
      const { items, unexplained } = partsOf(body)
      for (const part of unexplained) await record(ofNotice(part))
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
const notice = z.union([
  z.object({ pix: z.array(z.unknown()) }),
  z.object({ evento: z.string(), pix: z.undefined().optional() }),
])
/** Registering a URL makes Efí try it, with `{ evento: "teste_webhook" }`, an empty POST or a GET: all about nothing. */
const TEST_EVENT = 'teste_webhook'

/** Items are kept as they came, and one that cannot be read hides no other; without `items` none of it can be. */
function partsOf(body: string): { items?: NoticeItem[]; unexplained: UnexplainedPart[] } {
  if (body.trim() === '') return { items: [], unexplained: [] }
  const told = notice.safeParse(jsonIn(body)).data
  if (!told) return { unexplained: [{ kind: 'unreadable_answer', name: '', body }] }
  if ('evento' in told) {
    const isKnown = told.evento === TEST_EVENT
    return { items: [], unexplained: isKnown ? [] : [{ kind: 'unlisted_value', name: told.evento, body }] }
  }
  const odd = told.pix.filter(item => !pix.safeParse(item).success)
  const unexplained = odd.map(item => ({
    ...{ kind: 'unreadable_item' as const, name: '', body: JSON.stringify(item) },
  }))
  const items = told.pix.filter(item => !odd.includes(item)).flatMap(item => itemsOf(item as Pix))
  return odd.length > 0 && items.length === 0 ? { unexplained } : { items, unexplained }
}
type Pix = z.infer<typeof pix>

/**
 * A received PIX, with each devolução on it as an item of its own (its end-to-end id stays the PIX's), or a sent one. A
 * devolução of the special mechanism is its dispute's matter, which Efí does not name.
 */
function itemsOf(item: Pix): NoticeItem[] {
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
