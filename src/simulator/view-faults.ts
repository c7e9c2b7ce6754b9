import type { ViewFault } from './faults.ts'

/** Words that no provider documents, for a status and for a type of movement. */
const UNLISTED_STATUS = 'SOB_REVISAO_INTERNA'
const UNLISTED_TYPE = 'INTERNAL_DEBIT'

/** How a fault changes what a list shows. */
export type ListView = {
  /** The most items of a page. */
  pageSize: number | null
  /** Comes after all items. */
  oddItem: object | null
}

export const PLAIN_VIEW: ListView = { pageSize: null, oddItem: null }

/** An item that no documentation describes. Its `id` has the form of an end-to-end id, and no PIX has it. */
export function buildOddItem(id: string): object {
  return {
    ...{ id, endToEndId: id, rtrId: id.replace('E', 'D'), correlationID: id },
    ...{ status: UNLISTED_STATUS, type: UNLISTED_TYPE },
    valor: { moeda: 'BRL', centavos: 100 },
    value: { currency: 'BRL', cents: 100 },
    horario: 1_767_225_600,
  }
}

export function buildOddItemId(turn: number): string {
  return `E99999999202601010000odd${String(turn).padStart(8, '0')}`
}

/** Lists inside a look-up that a caller reads money from. */
const MONEY_LISTS = new Set(['pix', 'devolucoes', 'refunds'])
const MOVEMENT_TYPES = new Set(['PAYMENT', 'WITHDRAW', 'REFUND'])

/**
 * The body of a look-up under such a fault; null where there is nothing that the fault could change. `turn` says which of
 * several places is changed.
 */
export function distortBody(
  fault: Exclude<ViewFault, 'page_cap'>,
  body: unknown,
  { turn, oddItem }: { turn: number; oddItem: object },
): unknown | null {
  const copy = structuredClone(body)
  const places = listObjects(copy).flatMap(one => listChanges(fault, one, oddItem))
  if (places.length === 0) return null
  places[turn % places.length]!()
  return copy
}

type JsonObject = Record<string, unknown>

function listChanges(
  fault: Exclude<ViewFault, 'page_cap'>,
  one: JsonObject,
  oddItem: object,
): (() => unknown)[] {
  switch (fault) {
    case 'unlisted_status':
      // The envelope of Woovi's lists says OK.
      return typeof one.status === 'string' && one.status !== 'OK'
        ? [() => Object.assign(one, { status: UNLISTED_STATUS })]
        : []
    case 'unlisted_type':
      return MOVEMENT_TYPES.has(String(one.type)) ? [() => Object.assign(one, { type: UNLISTED_TYPE })] : []
    case 'odd_item':
      return Object.entries(one).flatMap(([name, value]) =>
        MONEY_LISTS.has(name) && Array.isArray(value) ? [() => value.push(oddItem)] : [],
      )
    default:
      return fault satisfies never
  }
}

/** Every object of a JSON value, outer ones first. */
function listObjects(value: unknown): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(listObjects)
  if (typeof value !== 'object' || value === null) return []
  return [value as JsonObject, ...Object.values(value).flatMap(listObjects)]
}
