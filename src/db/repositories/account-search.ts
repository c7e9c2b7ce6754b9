import { isUuid, uuidFromReference } from '../../domain/pix/identifiers.ts'
import type { SearchedNoun } from '../../domain/shared/nouns.ts'
import { foldSearchText } from '../../domain/shared/search-text.ts'
import type { EntityManager } from '../client/orm.ts'
import { hasAnyUuid, joinConditions } from '../sql-conditions.ts'

/** Search over all accounts, for operators. */

export type FoundAccount = {
  uuid: string
  name: string
  document: string
  status: 'ACTIVE' | 'BLOCKED'
  connections: number
  created_at: Date
}

const MAX_FOUND = 50

/**
 * Finds the accounts with a name that has every word of the text, a document that begins with it, or a user whose e-mail does; the
 * newest without one.
 */
export function findAccounts(em: EntityManager, text: string): Promise<FoundAccount[]> {
  const digits = text.replaceAll(/[.\-/\s]/g, '')
  return em.execute(
    `select uuid, name, document, status, created_at,
       (select count(*) from connection c where c.account_uuid = a.uuid)::int as connections
     from account a
     where not is_service and (? = '' or starts_with(document, nullif(?, '')) or uuid::text = lower(?)
       or ? <> '' and not exists (select from unnest(fold_search_words(?)) word
         where strpos(' ' || array_to_string(fold_search_words(a.name), ' '), ' ' || word) = 0)
       or exists (select from app_user u where u.account_uuid = a.uuid and starts_with(u.email, nullif(lower(?), ''))))
     order by created_at desc, uuid limit ${MAX_FOUND}`,
    [text, digits, text, foldSearchText(text), text, text],
  )
}

/** A row that an identifier names: the noun of its page, its uuid there, and its account. */
export type FoundRow = {
  noun: SearchedNoun | 'webhook' | 'account'
  uuid: string
  account_uuid: string
  account_name: string
}

/**
 * Finds what an identifier names, in any account: the uuid of an account, charge, its payment, transfer, refund, recurrence,
 * dispute, movement, event or webhook, also without hyphens, as a provider knows a charge, transfer or refund.
 */
export async function findByIdentifier(em: EntityManager, text: string): Promise<FoundRow[]> {
  const uuid = isUuid(text) ? text : uuidFromReference(text)
  return em.execute(
    `with given as (select ?::uuid as uuid),
     named as (
       select uuid from given where uuid is not null
       union select coalesce(m.charge_uuid, m.transfer_uuid, m.refund_uuid, m.dispute_uuid)
         from movement m join given g using (uuid)
       union select e.subject_uuid from event e join given g using (uuid)
     ),
     found as (
       select 'charge' as noun, uuid, account_uuid from charge where uuid in (select uuid from named)
       union select 'charge', charge_uuid, account_uuid from refund where uuid in (select uuid from named)
       union select 'transfer', uuid, account_uuid from transfer where uuid in (select uuid from named)
       union select 'recurrence', uuid, account_uuid from recurrence where uuid in (select uuid from named)
       union select 'dispute', uuid, account_uuid from dispute where uuid in (select uuid from named)
       union select 'webhook', uuid, account_uuid from webhook where uuid in (select uuid from named) and deleted_at is null
       union select 'account', uuid, uuid from account where uuid in (select uuid from named)
       union select 'unmatched', uuid, account_uuid from movement join given g using (uuid)
         where disposition is not null or reason = 'deposit'
       union select 'account', account_uuid, account_uuid from movement join given g using (uuid)
         where disposition is null and reason is distinct from 'deposit' and coalesce(charge_uuid, transfer_uuid, refund_uuid, dispute_uuid) is null
     )
     select f.noun, f.uuid, f.account_uuid, a.name as account_name
     from found f join account a on a.uuid = f.account_uuid order by f.noun, f.uuid limit ${MAX_FOUND}`,
    [uuid],
  )
}

/** Reads the names of accounts. */
export async function readAccountNames(em: EntityManager, uuids: string[]): Promise<Map<string, string>> {
  if (uuids.length === 0) return new Map()
  const { sql, values } = joinConditions(hasAnyUuid(uuids))
  const rows = await em.execute<{ uuid: string; name: string }[]>(
    `select uuid, name from account where ${sql}`,
    values,
  )
  return new Map(rows.map(({ uuid, name }) => [uuid, name]))
}
