import type { Answer, Call } from '../../calls.ts'
import * as errors from './errors.ts'
import { pageQuery, read } from './schemas.ts'

type Listing<Item> = {
  /** The field the items are listed under. */
  field: string
  /** Every item of [from, to], both ISO 8601 UTC with milliseconds, oldest first. */
  between(range: { from: string; to: string }): Item[]
  fits(item: Item): boolean
  shown(item: Item): object
}

/** A page of a list, with the parameters repeated as the Central Bank's API does; pages count from 0. */
export function listed<Item>(call: Call, { field, between, fits, shown }: Listing<Item>): Answer {
  const query = read(pageQuery, Object.fromEntries(call.query))
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
  if (oddItem) items.push(() => oddItem)
  const paginacao = {
    paginaAtual: page,
    itensPorPagina: size,
    quantidadeDePaginas: Math.max(1, Math.ceil(items.length / size)),
    quantidadeTotalDeItens: items.length,
  }
  const shownItems = items.slice(page * size, (page + 1) * size).map(show => show())
  return { status: 200, body: { parametros: { inicio, fim, paginacao }, [field]: shownItems } }
}
