import type { EntityManager } from '../client/orm.ts'

/** Ledger adjustments that one operator proposes and another approves (table `ledger_adjustment`). */

export type AdjustmentProposal = {
  uuid: string
  accountUuid: string
  connectionUuid: string
  /** IN credits the account at the provider account. */
  direction: 'IN' | 'OUT'
  cents: number
  reason: string
  /** Statement entry that the adjustment explains, of the same value and provider account. */
  entryUuid: string | null
  proposedBy: string
  expiresAt: Date
}

export type Adjustment = AdjustmentProposal & {
  providerAccountUuid: string
  proposedAt: Date
  approvedBy: string | null
  approvedAt: Date | null
  movementUuid: string | null
}

const COLUMNS = `a.uuid, a.account_uuid as "accountUuid", a.connection_uuid as "connectionUuid",
  a.movement_type as direction, a.value_cents as cents, a.reason, a.entry_uuid as "entryUuid",
  a.proposed_by as "proposedBy", a.proposed_at as "proposedAt", a.expires_at as "expiresAt",
  a.approved_by as "approvedBy", a.approved_at as "approvedAt", a.movement_uuid as "movementUuid",
  c.provider_account_uuid as "providerAccountUuid"`
const FROM = 'ledger_adjustment a join connection c on c.uuid = a.connection_uuid'

export function insertAdjustment(em: EntityManager, proposal: AdjustmentProposal): Promise<unknown> {
  const { uuid, accountUuid, connectionUuid, direction, cents, reason, entryUuid, proposedBy, expiresAt } =
    proposal
  return em.execute(
    `insert into ledger_adjustment
       (uuid, account_uuid, connection_uuid, movement_type, value_cents, reason, entry_uuid, proposed_by, expires_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [uuid, accountUuid, connectionUuid, direction, cents, reason, entryUuid, proposedBy, expiresAt],
  )
}

/** Locks one adjustment's row; null if there is none. Expects a transaction. */
export async function lockAdjustment(em: EntityManager, uuid: string): Promise<Adjustment | null> {
  const [row] = await em.execute<Adjustment[]>(
    `select ${COLUMNS} from ${FROM} where a.uuid = ? for update of a`,
    [uuid],
  )
  return row ? parseAdjustment(row) : null
}

export function approveAdjustmentRow(
  em: EntityManager,
  { uuid, approvedBy, movementUuid }: { uuid: string; approvedBy: string; movementUuid: string },
): Promise<unknown> {
  return em.execute(
    'update ledger_adjustment set approved_by = ?, approved_at = now(), movement_uuid = ? where uuid = ?',
    [approvedBy, movementUuid, uuid],
  )
}

export type ListedAdjustment = Adjustment & { proposer: string; approver: string | null }

/** Lists adjustments, the newest first; `isOpen`: only those that can still be approved. */
export async function listAdjustments(
  em: EntityManager,
  { isOpen }: { isOpen: boolean },
): Promise<ListedAdjustment[]> {
  const rows = await em.execute<ListedAdjustment[]>(
    `select ${COLUMNS}, p.email as proposer, q.email as approver
     from ${FROM} join app_user p on p.uuid = a.proposed_by left join app_user q on q.uuid = a.approved_by
     ${isOpen ? 'where a.movement_uuid is null and a.expires_at > now()' : ''} order by a.proposed_at desc limit 200`,
  )
  return rows.map(row => ({ ...row, ...parseAdjustment(row) }))
}

/** Lists connections, by account, through whose provider accounts an adjustment can be proposed. */
export function listAdjustableConnections(em: EntityManager) {
  return em.execute(
    `select c.uuid, c.provider_account_uuid as "providerAccountUuid", c.provider, n.name as "accountName"
     from connection c join account n on n.uuid = c.account_uuid
     where exists (select from balance b
       where b.account_uuid = c.account_uuid and b.provider_account_uuid = c.provider_account_uuid)
     order by n.name, c.created_at, c.uuid`,
  )
}

function parseAdjustment(row: Adjustment): Adjustment {
  return {
    ...row,
    cents: Number(row.cents),
    proposedAt: new Date(row.proposedAt),
    expiresAt: new Date(row.expiresAt),
    approvedAt: row.approvedAt && new Date(row.approvedAt),
  }
}
