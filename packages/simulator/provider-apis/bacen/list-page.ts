import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { BacenFieldRefusals, BacenSubject } from './refusals.ts'
import { bacenOpenPageQuery, bacenPageQuery, parseBacenRequest } from './schemas.ts'

export type BacenListOptions<Item> = {
  /** Field of the answer that contains the items. */
  field: string
  /** Lists every item of [from, to], both ISO 8601 UTC with milliseconds, oldest first. */
  between(range: { from: string; to: string }): Item[]
  matches(item: Item): boolean
  present(item: Item): object
}

/** The range of a list without one. */
const ALL_TIME = { inicio: '1970-01-01T00:00:00Z', fim: '9999-12-31T23:59:59Z' }

/** Builds a page of a list: it repeats the parameters, and pages count from 0. `needsRange` false: a range may be absent. */
export function buildBacenListPage<Item>(
  call: SimulatedCall,
  { field, between, matches, present }: BacenListOptions<Item>,
  {
    refusals,
    subject,
    needsRange = true,
  }: { refusals: BacenFieldRefusals; subject: BacenSubject; needsRange?: boolean },
): SimulatedResponse {
  const schema = needsRange ? bacenPageQuery : bacenOpenPageQuery
  const query = parseBacenRequest(schema, Object.fromEntries(call.query), {
    refusals,
    subject,
    place: 'query',
  })
  if ('refusal' in query) return query.refusal
  const { inicio = ALL_TIME.inicio, fim = ALL_TIME.fim } = query.value
  const [from, to] = [new Date(inicio), new Date(fim)]
  if (from > to) return refusals.invalidRange(subject)

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
