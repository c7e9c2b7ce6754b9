import { isDeepStrictEqual } from 'node:util'
import { toDueTerms } from '../../contract/charges/due.ts'
import type { Connection } from '../../db/entities/connection.ts'
import { type DueFieldError, findDueErrors, selectDueCandidates } from '../../domain/charges/due-errors.ts'
import { DUE_MEMBERS, type DueTerms } from '../../domain/charges/due-terms.ts'
import { PROVIDER_CAPABILITIES } from '../../domain/providers/capabilities.ts'
import { computeBrasiliaDay } from '../../domain/shared/brasilia-day.ts'
import type { FieldErrors } from '../../http/validate.ts'

/** Validation of charges with a due date beyond their schema (SPEC §2). */

/** As much of a request as could be read. */
type DueRequest = {
  due?: Parameters<typeof toDueTerms>[0] | undefined
  value: number | undefined
  expires_in?: number | undefined
  /** Undefined where absent; without a document where that could not be read. */
  debtor?: { address?: object | undefined } | undefined
}

/** Collects the errors of a request whose fields contradict its due date. */
export function collectDueErrors({ due, value, expires_in: expiresIn, debtor }: DueRequest): FieldErrors {
  if (!due) return {}
  const errors = findDueErrors({
    terms: toDueTerms(due),
    valueCents: value,
    today: computeBrasiliaDay(new Date()),
  })
  if (expiresIn !== undefined) errors.push({ field: 'expires_in', message: 'must not be sent with due' })
  if (!debtor) errors.push({ field: 'debtor', message: 'is needed by a charge with a due date' })
  return toFieldErrors(errors)
}

/** Selects the connections whose providers issue a charge with the due date of a request, and adds the errors where none does. */
export function selectDueConnections(
  connections: Connection[],
  { due, debtor }: Pick<DueRequest, 'due' | 'debtor'>,
  errors: FieldErrors,
): Connection[] {
  if (!due || connections.length === 0) return connections
  const selection = selectConnections(connections, toDueTerms(due), debtor?.address !== undefined)
  Object.assign(errors, toFieldErrors(selection.errors))
  return selection.capable
}

/** What a revision asks of a charge; `current` is what the charge asks now. */
type Revision = {
  connection: Connection
  valueCents: number
  due: DueTerms
  message: string | null
  hasAddress: boolean
  current: { valueCents: number; due: DueTerms; message: string | null }
}

/**
 * Collects the errors of new terms of a charge: those that no provider allows, and what the provider of the charge does not compute, or
 * does not change.
 */
export function collectRevisionErrors(revision: Revision, changed: { due: boolean }): FieldErrors {
  const { connection, valueCents, due, hasAddress } = revision
  const today = computeBrasiliaDay(new Date())
  const found = findDueErrors({ terms: due, valueCents, today })
  const unchangeable = findUnchangeable(revision)
  const unsupported =
    changed.due && unchangeable.length === 0 ? selectConnections([connection], due, hasAddress).errors : []
  // Terms that stay are wrong for the new value, not by themselves.
  const named = changed.due
    ? found
    : found.flatMap(({ field, message }) =>
        field === 'due.on'
          ? []
          : { field: 'value', message: field === 'value' ? message : `${field} ${message}` },
      )
  return toFieldErrors([...unchangeable, ...named, ...unsupported])
}

/** Finds what of a revision the provider of the charge cannot change (`revisable`). */
function findUnchangeable({ connection, valueCents, due, message, current }: Revision): DueFieldError[] {
  if (PROVIDER_CAPABILITIES[connection.dialect].dueCharges?.revisable !== 'schedule') return []
  const members = DUE_MEMBERS.filter(member => !isDeepStrictEqual(due[member], current.due[member]))
  const fields = [
    ...(valueCents === current.valueCents ? [] : ['value']),
    ...(message === current.message ? [] : ['message']),
    ...members.map(member => `due.${member}`),
  ]
  return fields.map(field => ({ field, message: 'cannot be changed at the provider of this charge' }))
}

function selectConnections(connections: Connection[], terms: DueTerms, hasAddress: boolean) {
  return selectDueCandidates(connections, terms, {
    modalitiesOf: ({ dialect }) => PROVIDER_CAPABILITIES[dialect].dueCharges,
    hasAddress,
  })
}

/** Collects messages by field, as a refusal names them. */
export function toFieldErrors(errors: DueFieldError[]): FieldErrors {
  const byField = Map.groupBy(errors, ({ field }) => field)
  return Object.fromEntries(
    Array.from(byField, ([field, ofField]) => [field, ofField.map(({ message }) => message)]),
  )
}
