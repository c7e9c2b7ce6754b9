import type { EntityManager } from '../client/orm.ts'
import { LedgerAdjustment } from '../entities/reconciliation.ts'
import { MAX_LISTED_ROWS } from './operator-lists.ts'

/** Lists adjustments with their operators, the newest first; `isOpen`: only those that can still be approved. */
export function listAdjustments(em: EntityManager, { isOpen }: { isOpen: boolean }) {
  return em.find(LedgerAdjustment, isOpen ? { movementUuid: null, expiresAt: { $gt: new Date() } } : {}, {
    populate: ['proposer', 'approver'],
    orderBy: { proposedAt: 'desc' },
    limit: MAX_LISTED_ROWS,
  })
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
