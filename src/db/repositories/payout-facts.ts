import type { ProviderName } from '../../domain/providers/provider.ts'
import type { PayoutNoun } from '../../domain/shared/nouns.ts'
import type { EntityManager } from '../client/orm.ts'
import { IS_OPEN_ENTRY_SQL } from './account-entries.ts'

/** What an operator reads before a payout is settled: its order, and what the provider's statement may say about it. */

export type PayoutFacts = {
  uuid: string
  account_uuid: string
  account_name: string
  state: string
  /** Amounts in centavos. */
  cents: number
  fee_cents: number
  /** Key of a transfer; null where it goes to an account. */
  pix_key: string | null
  /** ISPB, branch and number of the account that a transfer goes to. */
  bank_account: string | null
  receiver_name: string | null
  receiver_document: string | null
  /** Of a refund or a return: the PIX that goes back. */
  original_end_to_end: string | null
  charge_uuid: string | null
  external_ref: string | null
  /** Times as PostgreSQL writes them. */
  created_at: string
}

const COLUMNS = 'n.uuid as account_uuid, n.name as account_name'
const SOURCES: Record<PayoutNoun, string> = {
  transfer: `select t.uuid, ${COLUMNS}, t.state, t.value_cents::float8 as cents, t.fee_cents::float8 as fee_cents, t.pix_key,
      case when t.bank_account is not null then t.receiver_id end as bank_account,
      t.receiver ->> 'name' as receiver_name, coalesce(t.document, t.receiver ->> 'document') as receiver_document,
      null as original_end_to_end, null::uuid as charge_uuid, t.external_ref, t.created_at
    from transfer t join account n on n.uuid = t.account_uuid where t.uuid = ?`,
  refund: `select r.uuid, ${COLUMNS}, r.state, r.value_cents::float8 as cents, r.fee_cents::float8 as fee_cents, null as pix_key, null as bank_account,
      m.sender ->> 'name' as receiver_name, m.sender ->> 'document' as receiver_document,
      c.end_to_end as original_end_to_end, c.uuid as charge_uuid, c.external_ref, r.created_at
    from refund r join account n on n.uuid = r.account_uuid join charge c on c.uuid = r.charge_uuid
    left join movement m on m.uuid = c.movement_uuid where r.uuid = ?`,
  return: `select m.uuid, ${COLUMNS}, m.disposition as state, m.value_cents::float8 as cents, 0::float8 as fee_cents,
      null as pix_key, null as bank_account, m.sender ->> 'name' as receiver_name, m.sender ->> 'document' as receiver_document,
      m.end_to_end as original_end_to_end, m.charge_uuid, null as external_ref, m.created_at
    from movement m join account n on n.uuid = m.account_uuid where m.disposition is not null and m.uuid = ?`,
}

/** Finds the order of a payout, in any account. */
export async function findPayoutFacts(
  em: EntityManager,
  { noun, uuid }: { noun: PayoutNoun; uuid: string },
): Promise<PayoutFacts | undefined> {
  const [row] = await em.execute<PayoutFacts[]>(SOURCES[noun], [uuid])
  return row
}

/** A statement entry that no movement accounts for and that may be the payout. */
export type StatementCandidate = {
  provider: ProviderName
  kind: string
  end_to_end: string | null
  reference: string | null
  cents: number
  at: string
  is_by_reference: boolean
}

const MAX_CANDIDATES = 20

type CandidateSearch = { providerAccountUuids: string[]; cents: number; references: string[]; since: string }

/**
 * Lists the outgoing entries of provider accounts that nothing accounts for, with the value or a reference of a payout;
 * those that name it come first.
 */
export function listStatementCandidates(
  em: EntityManager,
  { providerAccountUuids, cents, references, since }: CandidateSearch,
): Promise<StatementCandidate[]> {
  return em.execute(
    `with payout as (select array[?]::uuid[] as accounts, ?::bigint as cents, array[?]::text[] as names, ?::timestamptz as since)
     select p.provider, e.* from (
       select d.provider_account_uuid, 'pix' as kind, nullif(d.detail #>> '{entry,endToEnd}', '') as end_to_end,
         d.detail #>> '{entry,reference}' as reference, (d.detail #>> '{entry,cents}')::float8 as cents,
         (d.detail #>> '{entry,at}')::timestamptz as at,
         coalesce(d.detail #>> '{entry,reference}' = any(o.names) or d.end_to_end = any(o.names), false) as is_by_reference
       from difference d, payout o
       where d.provider_account_uuid = any(o.accounts) and d.movement_type = 'OUT' and d.kind = 'missing_here'
         and d.settled_at is null
       union all
       select a.provider_account_uuid, a.kind, a.end_to_end, a.entry_id, a.value_cents::float8, a.moved_at,
         coalesce(a.entry_id = any(o.names) or a.end_to_end = any(o.names), false)
       from account_entry a, payout o
       where a.provider_account_uuid = any(o.accounts) and ${IS_OPEN_ENTRY_SQL}
         and a.kind in ('withdrawal', 'unlisted')
     ) e join provider_account p on p.uuid = e.provider_account_uuid, payout o
     where e.is_by_reference or (e.cents = o.cents and e.at >= o.since)
     order by e.is_by_reference desc, e.at limit ${MAX_CANDIDATES}`,
    [providerAccountUuids, cents, references, since],
  )
}
