import { z } from 'zod'
import type { StatementEntry } from '../../domain/provider.ts'
import { daysBefore, isWithin, LONGEST_ORDER_DAYS, RETURNABLE_DAYS } from '../period.ts'
import type { Provider } from '../port.ts'
import type { EfiClient } from './client.ts'
import { type List, PAGE_SIZE, pagesOf } from './pages.ts'
import { isOfMed, type Returned, received, sent } from './shapes.ts'

/**
 * Efí has no statement by settlement: it lists received PIX by their own time and sent ones by when they were asked for,
 * each with the returns on it. What settles later than that is listed from further back: a sent PIX by days, a return,
 * which may settle long after its PIX, by months.
 */
export function statement(client: EfiClient): Pick<Provider, 'statement'> {
  const { everyPage } = pagesOf(client)
  return {
    async statement(from, to) {
      const entries: StatementEntry[] = []
      const lists = [
        { list: receivedList, since: from },
        { list: sentList, since: daysBefore(from, LONGEST_ORDER_DAYS) },
      ]
      for (const { list, since } of lists) {
        const own = await everyPage(list, { inicio: since, fim: to })
        if (own.kind === 'no_answer') return own
        const earlier = { inicio: daysBefore(from, RETURNABLE_DAYS), fim: to, devolucaoPresente: 'true' }
        const returning = await everyPage(list, earlier)
        if (returning.kind === 'no_answer') return returning

        entries.push(...own.items.flatMap(item => item.own))
        entries.push(...returning.items.flatMap(item => item.returns))
      }
      const isInPeriod = isWithin(from, to)
      return { kind: 'found', entries: entries.filter(({ at }) => isInPeriod(at)) }
    },
  }
}

/** One PIX of a list: what it moved itself, and what settled returns moved the other way. */
type Movement = { own: StatementEntry[]; returns: StatementEntry[] }

const receivedList = listOf(
  '/v2/pix',
  received.transform(pix => ({
    own: [
      {
        endToEnd: pix.endToEndId,
        reference: pix.txid ?? null,
        direction: 'IN',
        cents: pix.valor,
        at: pix.horario,
      },
    ],
    returns: returnsOf(pix, 'OUT'),
  })),
)

const sentList = listOf(
  '/v2/gn/pix/enviados',
  sent.transform(pix => {
    const at = pix.horario.liquidacao ?? pix.horario.solicitacao
    const reference = pix.idEnvio ?? null
    const own = { endToEnd: pix.endToEndId, reference, cents: pix.valor }
    return {
      own: pix.status === 'REALIZADO' && at ? [{ ...own, direction: 'OUT', at }] : [],
      // A recipient's return carries no id of ours: it is told by the sending that it returns.
      returns: returnsOf(pix, 'IN').map(entry => ({ ...entry, reference })),
    }
  }),
)

type Returning = { endToEndId: string; devolucoes?: Returned[] | null }

/** One of a dispute is no order of ours: its id is the provider's. */
function returnsOf(
  { endToEndId: returnOf, devolucoes }: Returning,
  direction: 'IN' | 'OUT',
): StatementEntry[] {
  return (devolucoes ?? []).flatMap(devolucao => {
    const { status, rtrId, id, valor: cents, horario } = devolucao
    const at = horario.liquidacao ?? horario.solicitacao
    if (status !== 'DEVOLVIDO' || !at) return []
    const reference = isOfMed(devolucao) ? null : (id ?? null)
    return [{ endToEnd: rtrId ?? '', reference, direction, cents, at, returnOf, ...(id && { returnId: id }) }]
  })
}

/** A page with the number of all pages. Efí also documents sent PIX as a bare list: one of just a page's length may go on. */
function listOf(path: string, item: z.ZodType<Movement>): List<Movement> {
  const paged = z.object({
    parametros: z.object({ paginacao: z.object({ quantidadeDePaginas: z.coerce.number().int().min(0) }) }),
    pix: z.array(item),
  })
  const bare = z.array(item)
  const page = z.union([
    paged.transform(({ parametros, pix }) => ({
      items: pix,
      pages: parametros.paginacao.quantidadeDePaginas,
    })),
    bare.transform(items => ({ items, pages: items.length === PAGE_SIZE ? Number.POSITIVE_INFINITY : 1 })),
  ])
  return { path, pageIn: json => page.safeParse(json).data }
}
