import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import * as errors from './errors.ts'
import { efiPageQuery, parseEfiBody } from './schemas.ts'

type EfiListOptions<Item> = {
  /** The field the items are listed under. */
  field: string
  /** Every item of [from, to], both ISO 8601 UTC with milliseconds, oldest first. */
  between(range: { from: string; to: string }): Item[]
  matches(item: Item): boolean
  present(item: Item): object
}

/** A page of a list, with the parameters repeated as the Central Bank's API does; pages count from 0. */
export function buildEfiListPage<Item>(
  call: SimulatedCall,
  { field, between, matches: fits, present: shown }: EfiListOptions<Item>,
): SimulatedResponse {
  const query = parseEfiBody(efiPageQuery, Object.fromEntries(call.query))
  if ('refusal' in query) return query.refusal
  const { inicio, fim } = query.value
  const [from, to] = [new Date(inicio), new Date(fim)]
  if (from > to) return errors.invalidRange()

  const { 'paginacao.paginaAtual': page, 'paginacao.itensPorPagina': wanted } = query.value
  const { pageSize, oddItem } = call.view
  const size = Math.min(wanted, pageSize ?? wanted)
  const items: (() => object)[] = between({ from: from.toISOString(), to: to.toISOString() })
    .filter(fits)
    .map(item => () => shown(item))
  const totalCount = items.length + (oddItem ? 1 : 0)
  const paginacao = {
    paginaAtual: page,
    itensPorPagina: size,
    quantidadeDePaginas: Math.max(1, Math.ceil(totalCount / size)),
    quantidadeTotalDeItens: totalCount,
  }
  const shownItems = items.slice(page * size, (page + 1) * size).map(show => show())
  // On the page that is asked for: only its reader can be held to have seen it.
  if (oddItem) shownItems.push(oddItem)
  return { status: 200, body: { parametros: { inicio, fim, paginacao }, [field]: shownItems } }
}
