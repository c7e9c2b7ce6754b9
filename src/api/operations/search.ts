import type { EntityManager } from '../../db/client/orm.ts'
import { Dispute } from '../../db/entities/dispute.ts'
import { readCharges } from '../../db/repositories/charges.ts'
import { findOperations, type SearchTerms } from '../../db/repositories/search.ts'
import { readTransfers } from '../../db/repositories/transfers.ts'
import { joinConditions } from '../../db/sql-conditions.ts'
import { chargeMachine } from '../../domain/charges/charge.ts'
import { disputeMachine } from '../../domain/disputes/dispute.ts'
import { isDocument } from '../../domain/pix/document.ts'
import { interpretTypedKey } from '../../domain/pix-keys/key-format.ts'
import { transferMachine } from '../../domain/transfers/transfer.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { visibilityConditions } from '../authorization/visibility.ts'

/** Search over the operations of an account, by whatever a person may know of one (SPEC §9). */

/** Fewest characters of a search for the beginning of a UUID or a name. */
const MIN_PREFIX_LENGTH = 3
const UUID_LENGTH = 32

/** Reads what a text may mean; `cents` where it is an amount in the language of the user. */
export function readSearchTerms(text: string, cents: number | undefined): SearchTerms {
  const bare = text.replaceAll(/[\s.\-/]/g, '')
  const isLong = text.length >= MIN_PREFIX_LENGTH
  return {
    text,
    cents,
    uuids: isLong && /^[\da-f-]+$/i.test(text) ? rangeOfPrefix(text) : undefined,
    key: interpretTypedKey(text)?.key,
    document: isDocument(bare.toUpperCase()) ? bare.toUpperCase() : undefined,
    name: isLong && /\p{L}/u.test(text) ? text : undefined,
  }
}

/** Returns the first and the last UUID that begin with a text. */
function rangeOfPrefix(text: string): SearchTerms['uuids'] {
  const digits = text.replaceAll('-', '').toLowerCase()
  if (digits.length < MIN_PREFIX_LENGTH || digits.length > UUID_LENGTH) return undefined
  const fill = (digit: string) =>
    digits.padEnd(UUID_LENGTH, digit).replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5')
  return { first: fill('0'), last: fill('f') }
}

/** Finds the operations that a token may see and that the terms may mean, newest first. */
export async function searchOperations(em: EntityManager, token: CallerToken, terms: SearchTerms) {
  const hits = await findOperations(em, visibilityConditions(token), terms)
  const uuidsOf = (kind: string) => hits.filter(hit => hit.kind === kind).map(({ uuid }) => uuid)
  const page = (kind: string) => {
    const uuids = uuidsOf(kind)
    const conditions = joinConditions(
      ['uuid = any(?::uuid[])', `{${uuids.join(',')}}`],
      ...visibilityConditions(token),
    )
    return { ...conditions, isFiltered: true, limit: uuids.length, offset: 0 }
  }
  const [charges, transfers, disputes] = await Promise.all([
    readCharges(em.fork(), page('charge')),
    readTransfers(em.fork(), page('transfer'), token.connectionUuid),
    em.fork().find(Dispute, { uuid: { $in: uuidsOf('dispute') }, accountUuid: token.accountUuid }),
  ])
  const results = [
    ...charges.map(({ uuid, state, totalCents, externalRef, movement, createdAt }) => ({
      kind: 'charge' as const,
      uuid,
      createdAt,
      status: chargeMachine.statusOf(state),
      cents: totalCents,
      reference: externalRef,
      party: movement?.sender?.name,
    })),
    ...transfers.map(({ uuid, state, valueCents, externalRef, receiver, pixKey, createdAt }) => ({
      kind: 'transfer' as const,
      uuid,
      createdAt,
      status: transferMachine.statusOf(state),
      cents: valueCents,
      reference: externalRef,
      party: receiver?.name || pixKey,
    })),
    ...disputes.map(({ uuid, state, valueCents, createdAt }) => ({
      kind: 'dispute' as const,
      uuid,
      createdAt,
      status: disputeMachine.statusOf(state),
      cents: valueCents,
    })),
  ]
  return results.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
}
