import { randomUUID } from 'node:crypto'
import {
  type AccountEntry,
  type BlockedEntryTotals,
  entryIdentityOf,
} from '../../domain/reconciliation/account-entry.ts'
import type { EntityManager } from '../client/orm.ts'
import { Dispute } from '../entities/dispute.ts'
import { StoredAccountEntry } from '../entities/reconciliation.ts'
import { ROW_LOCK } from '../locks.ts'
import { selectValues } from '../select-values.ts'

/**
 * Statement entries that are not PIX (table `account_entry`); open until a movement or dispute accounts for them, or the
 * statement lists them no longer.
 */

/**
 * Upserts entries by their identity; an entry that a later release can explain gets its new kind, and one that is listed
 * again is open again. May be repeated.
 */
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
       on conflict (provider_account_uuid, type, entry_id) do update set absent_since = null,
         kind = case when e.kind = 'unlisted' and e.movement_uuid is null then excluded.kind else e.kind end
       where e.absent_since is not null
         or (e.kind = 'unlisted' and excluded.kind <> 'unlisted' and e.movement_uuid is null)`,
      [randomUUID(), providerAccountUuid, type, id, kind, cents, endToEnd ?? null, at],
    )
}

/**
 * Removes the open entries of a period that its statement lists no longer, such as a withdrawal that it lists as a PIX
 * since it names the end-to-end id. One that an operator has proposed to adjust is kept and open no longer, so that
 * neither the proposal nor a reconciliation books the money of the PIX again. May be repeated.
 */
export async function removeAbsentAccountEntries(
  em: EntityManager,
  period: {
    providerAccountUuid: string
    settledAfter: number
    settledBefore: number
    listed: AccountEntry[]
  },
): Promise<void> {
  const { providerAccountUuid, settledAfter, settledBefore, listed } = period
  const absent = `provider_account_uuid = ? and moved_at >= ? and moved_at <= ? and ${IS_OPEN_ENTRY_SQL}
    and type || '/' || entry_id <> all(array[?]::text[])`
  const isProposed = 'exists (select from ledger_adjustment a where a.entry_uuid = e.uuid)'
  const names = listed.map(entryIdentityOf)
  const values = [providerAccountUuid, new Date(settledAfter), new Date(settledBefore), names]
  await em.execute(
    `update account_entry e set absent_since = now() where ${absent} and ${isProposed}`,
    values,
  )
  await em.execute(`delete from account_entry e where ${absent} and not ${isProposed}`, values)
}

/** SQL condition of an open row of `account_entry`. */
export const IS_OPEN_ENTRY_SQL = 'movement_uuid is null and dispute_uuid is null and absent_since is null'
const OPEN = { movementUuid: null, disputeUuid: null, absentSince: null }

/** Lists open entries of one provider account, or of all, the oldest first. */
export function listOpenAccountEntries(em: EntityManager, providerAccountUuid?: string) {
  const where = { ...OPEN, ...(providerAccountUuid && { providerAccountUuid }) }
  return em.find(StoredAccountEntry, where, { orderBy: { movedAt: 'asc', kind: 'asc', uuid: 'asc' } })
}

/** Locks the row of an open entry; null if it is open no longer. Expects a transaction. */
export function lockOpenAccountEntry(em: EntityManager, uuid: string): Promise<StoredAccountEntry | null> {
  return em.findOne(StoredAccountEntry, { uuid, ...OPEN }, ROW_LOCK)
}

/** Finds the dispute that a block or its release is about, by the PIX. Null if there is none. */
export async function findDisputeOfEntry(
  em: EntityManager,
  { endToEnd, providerAccountUuid }: StoredAccountEntry,
): Promise<string | null> {
  if (!endToEnd) return null
  const dispute = await em.findOne(
    Dispute,
    { providerAccountUuid, endToEnd },
    { orderBy: { createdAt: 'asc' }, fields: ['uuid'], disableIdentityMap: true },
  )
  return dispute?.uuid ?? null
}

/** Finds the movement of ours that is the return of an entry, by its rail id and value; null if there is none. */
export async function findMovementOfReturn(
  em: EntityManager,
  { endToEnd, entryId, cents, providerAccountUuid }: StoredAccountEntry,
): Promise<string | null> {
  if (endToEnd !== entryId) return null
  const [movement] = await selectValues<string>(
    em,
    `select uuid from movement m where provider_account_uuid = ? and end_to_end = ? and value_cents = ?
       and type = 'EXTERNAL_REFUND' and status = 'SETTLED'
       and not exists (select from account_entry e where e.movement_uuid = m.uuid) order by created_at limit 1`,
    [providerAccountUuid, endToEnd, cents],
  )
  return movement ?? null
}

/** Lists which rail ids are those of returns that operators have booked by adjustments. */
export function listAdjustedReturns(
  em: EntityManager,
  { providerAccountUuid, endToEndIds }: { providerAccountUuid: string; endToEndIds: string[] },
): Promise<string[]> {
  return selectValues(
    em,
    `select e.end_to_end from account_entry e join movement m on m.uuid = e.movement_uuid
     where e.provider_account_uuid = ? and e.end_to_end = any(array[?]::text[]) and e.entry_id = e.end_to_end
       and m.reason = 'adjustment'`,
    [providerAccountUuid, endToEndIds],
  )
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
