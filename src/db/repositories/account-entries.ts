import { randomUUID } from 'node:crypto'
import type {
  AccountEntry,
  AccountEntryKind,
  BlockedEntryTotals,
} from '../../domain/reconciliation/account-entry.ts'
import type { EntityManager } from '../client/orm.ts'

/** Statement entries that are not PIX (table `account_entry`); open until a movement or dispute accounts for them. */

export type StoredAccountEntry = {
  uuid: string
  providerAccountUuid: string
  type: string
  entryId: string
  kind: AccountEntryKind
  cents: number
  endToEnd: string | null
  movedAt: Date
}

/** Upserts entries by their identity; an entry that a later release can explain gets its new kind. May be repeated. */
export async function storeAccountEntries(
  em: EntityManager,
  providerAccountUuid: string,
  entries: AccountEntry[],
): Promise<void> {
  for (const { type, id, kind, cents, endToEnd, at } of entries)
    await em.execute(
      `insert into account_entry as e
         (uuid, provider_account_uuid, type, entry_id, kind, value_cents, end_to_end, moved_at)
       values (?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (provider_account_uuid, type, entry_id) do update set kind = excluded.kind
       where e.kind = 'unlisted' and excluded.kind <> 'unlisted' and e.movement_uuid is null`,
      [randomUUID(), providerAccountUuid, type, id, kind, cents, endToEnd ?? null, at],
    )
}

const COLUMNS = `uuid, provider_account_uuid as "providerAccountUuid", type, entry_id as "entryId", kind, value_cents as cents, end_to_end as "endToEnd",
  moved_at as "movedAt"`
const IS_OPEN = 'movement_uuid is null and dispute_uuid is null'

/** Lists open entries of one provider account, or of all, the oldest first. */
export async function listOpenAccountEntries(
  em: EntityManager,
  providerAccountUuid: string | null = null,
): Promise<StoredAccountEntry[]> {
  const rows = await em.execute<StoredAccountEntry[]>(
    `select ${COLUMNS} from account_entry
     where provider_account_uuid = coalesce(?::uuid, provider_account_uuid) and ${IS_OPEN} order by moved_at, kind, uuid`,
    [providerAccountUuid],
  )
  return rows.map(parseAccountEntry)
}

/** Locks the row of an open entry; null if a movement or dispute accounts for it by now. Expects a transaction. */
export async function lockOpenAccountEntry(
  em: EntityManager,
  uuid: string,
): Promise<StoredAccountEntry | null> {
  const [row] = await em.execute<StoredAccountEntry[]>(
    `select ${COLUMNS} from account_entry where uuid = ? and ${IS_OPEN} for update`,
    [uuid],
  )
  return row ? parseAccountEntry(row) : null
}

/** Links an entry to the movement that books it, or to the dispute whose block it is. The caller holds the row lock. */
export function linkAccountEntry(
  em: EntityManager,
  uuid: string,
  { movementUuid = null, disputeUuid = null }: { movementUuid?: string | null; disputeUuid?: string | null },
): Promise<unknown> {
  return em.execute('update account_entry set movement_uuid = ?, dispute_uuid = ? where uuid = ?', [
    movementUuid,
    disputeUuid,
    uuid,
  ])
}

/** Finds the dispute that a block or its release is about, by the PIX. Null if there is none. */
export async function findDisputeOfEntry(
  em: EntityManager,
  { endToEnd, providerAccountUuid }: { endToEnd: string | null; providerAccountUuid: string },
): Promise<string | null> {
  if (endToEnd === null) return null
  const [dispute] = await em.execute<{ uuid: string }[]>(
    'select uuid from dispute where provider_account_uuid = ? and end_to_end = ? order by created_at limit 1',
    [providerAccountUuid, endToEnd],
  )
  return dispute?.uuid ?? null
}

/** Sums the booked block entries of an account. The caller holds the lock of the balance. */
export async function sumBlockedByEntries(
  em: EntityManager,
  { accountUuid, providerAccountUuid }: { accountUuid: string; providerAccountUuid: string },
): Promise<BlockedEntryTotals> {
  const [row] = await em.execute<BlockedEntryTotals[]>(
    `select coalesce(sum(case m.movement_type when 'OUT' then m.value_cents else -m.value_cents end), 0)::float8 as "listedCents",
            coalesce(sum((select sum(p.cents) from posting p where p.movement_uuid = m.uuid and p.bucket = 'blocked')), 0)::float8 as "heldCents"
     from movement m
     where m.provider_account_uuid = ? and m.account_uuid = ? and m.reason in ('provider_block', 'provider_unblock')`,
    [providerAccountUuid, accountUuid],
  )
  return row!
}

function parseAccountEntry(row: StoredAccountEntry): StoredAccountEntry {
  return { ...row, cents: Number(row.cents), movedAt: new Date(row.movedAt) }
}
