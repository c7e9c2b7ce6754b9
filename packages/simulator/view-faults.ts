import type { ViewFault } from './faults.ts'

/** A status and a type of movement that no provider documents. */
const UNLISTED_STATUS = 'SOB_REVISAO_INTERNA'
const UNLISTED_TYPE = 'INTERNAL_DEBIT'

/** Changes to a list by a fault. */
export type ListView = {
  /** Limit of items per page; null: none. */
  pageSize: number | null
  /** Item that is added after all others; null: none. */
  unlistedItem: object | null
}

export const UNCHANGED_VIEW: ListView = { pageSize: null, unlistedItem: null }

/** Builds an item of an undocumented shape. `id` has the form of an end-to-end id that no PIX has. */
export function buildUnlistedItem(id: string): object {
  return {
    id,
    endToEndId: id,
    rtrId: id.replace('E', 'D'),
    correlationID: id,
    status: UNLISTED_STATUS,
    type: UNLISTED_TYPE,
    valor: { moeda: 'BRL', centavos: 100 },
    value: { currency: 'BRL', cents: 100 },
    horario: 1_767_225_600,
  }
}

export function buildUnlistedItemId(index: number): string {
  return `E99999999202601010000odd${String(index).padStart(8, '0')}`
}

/** Lists of amounts inside a look-up. */
const MONEY_LISTS = new Set(['pix', 'devolucoes', 'refunds', 'transacoes'])
const MOVEMENT_TYPES = new Set(['PAYMENT', 'WITHDRAW', 'REFUND', 'pix'])
/** Names of a status at the providers. */
const STATUS_FIELDS = ['status', 'estado']
/** Names and values of the type of a movement in Portuguese. */
const MOVEMENT_TYPE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  tipo: ['CREDITO', 'DEBITO'],
  tipoTransacao: ['PIX'],
}

/**
 * Changes a copy of a look-up's body by a fault, at one of the possible places by `index`; null if there is no such
 * place.
 */
export function distortBody(
  fault: Exclude<ViewFault, 'page_cap'>,
  body: unknown,
  { index, unlistedItem }: { index: number; unlistedItem: object },
): unknown | null {
  const copy = structuredClone(body)
  const changes = listObjects(copy).flatMap(object => listChanges(fault, object, unlistedItem))
  if (changes.length === 0) return null
  changes[index % changes.length]!()
  return copy
}

/** Other documented statuses of a Woovi dispute: several of an open one, and one of a decided one, without the decision. */
const OTHER_DISPUTE_STATUSES: Readonly<Record<string, readonly string[]>> = {
  CREATED: ['IN_REVIEW', 'PENDING', 'PENDING_DOCUMENTATION', 'ACKNOWLEDGED'],
  ACCEPTED: ['CLOSED'],
  REJECTED: ['CLOSED'],
}

type JsonObject = Record<string, unknown>

function listChanges(
  fault: Exclude<ViewFault, 'page_cap'>,
  object: JsonObject,
  unlistedItem: object,
): (() => unknown)[] {
  switch (fault) {
    case 'unlisted_status':
      // The envelope of Woovi's lists has the status OK, which stays.
      return STATUS_FIELDS.flatMap(name =>
        typeof object[name] === 'string' && object[name] !== 'OK'
          ? [() => Object.assign(object, { [name]: UNLISTED_STATUS })]
          : [],
      )
    case 'other_status': {
      const others = OTHER_DISPUTE_STATUSES[String(object.status)] ?? []
      return others.map(status => () => Object.assign(object, { status }))
    }
    case 'unlisted_type':
      return [
        ...(MOVEMENT_TYPES.has(String(object.type))
          ? [() => Object.assign(object, { type: UNLISTED_TYPE })]
          : []),
        // Stark's ledger names the origin of a movement in `source`.
        ...(typeof object.source === 'string'
          ? [() => Object.assign(object, { source: `${UNLISTED_TYPE}/1` })]
          : []),
        ...Object.entries(MOVEMENT_TYPE_FIELDS).flatMap(([name, types]) =>
          types.includes(String(object[name]))
            ? [() => Object.assign(object, { [name]: UNLISTED_TYPE })]
            : [],
        ),
      ]
    case 'odd_item':
      return Object.entries(object).flatMap(([name, value]) =>
        MONEY_LISTS.has(name) && Array.isArray(value) ? [() => value.push(unlistedItem)] : [],
      )
    default:
      return fault satisfies never
  }
}

/** Lists every object in a JSON value, outer ones first. */
function listObjects(value: unknown): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(listObjects)
  if (typeof value !== 'object' || value === null) return []
  return [value as JsonObject, ...Object.values(value).flatMap(listObjects)]
}
