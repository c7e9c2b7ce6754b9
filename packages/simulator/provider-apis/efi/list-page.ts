import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import * as errors from './errors.ts'
import { efiPageQuery, parseEfiBody } from './schemas.ts'

type EfiListOptions<Item> = {
  /** Field of the answer that contains the items. */
  field: string
  /** Lists every item of [from, to], both ISO 8601 UTC with milliseconds, oldest first. */
  between(range: { from: string; to: string }): Item[]
  matches(item: Item): boolean
  present(item: Item): object
}

/** Builds a page of a list; as in the Central Bank's API it repeats the parameters and pages count from 0. */
export function buildEfiListPage<Item>(
  call: SimulatedCall,
  { field, between, matches, present }: EfiListOptions<Item>,
): SimulatedResponse {
  const query = parseEfiBody(efiPageQuery, Object.fromEntries(call.query))
  if ('refusal' in query) return query.refusal
  const { inicio, fim } = query.value
  const [from, to] = [new Date(inicio), new Date(fim)]
  if (from > to) return errors.invalidRange()

  const { 'paginacao.paginaAtual': page, 'paginacao.itensPorPagina': requestedSize } = query.value
  const { pageSize, unlistedItem } = call.view
  const size = Math.min(requestedSize, pageSize ?? requestedSize)
  const items = between({ from: from.toISOString(), to: to.toISOString() }).filter(matches)
  const totalCount = items.length + (unlistedItem ? 1 : 0)
  const paginacao = {
    paginaAtual: page,
    itensPorPagina: size,
    quantidadeDePaginas: Math.max(1, Math.ceil(totalCount / size)),
    quantidadeTotalDeItens: totalCount,
  }
  const pageItems = items.slice(page * size, (page + 1) * size).map(present)
  // The item is added to whichever page is requested, so that the caller certainly receives it.
  if (unlistedItem) pageItems.push(unlistedItem)
  return { status: 200, body: { parametros: { inicio, fim, paginacao }, [field]: pageItems } }
}
