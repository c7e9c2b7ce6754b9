import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../db/client/orm.ts'
import { Account } from '../db/entities/account.ts'
import { Connection } from '../db/entities/connection.ts'
import { ROW_LOCK } from '../db/locks.ts'
import { sendChanges } from '../db/pipeline/query.ts'
import { type ActionAuthor, runAuditedAction } from '../db/repositories/audited-actions.ts'
import { replaceDefaultConnections } from '../db/repositories/connections.ts'
import { revokeUserSessions, setOpenedAccount } from '../db/repositories/dashboard-sessions.ts'

/** What operators do to accounts, and what the owner of one changes of it. */

/** A new account. `uuid`: where the request may be repeated; PostgreSQL rejects the second one. */
export type AccountHolder = { uuid?: string; name: string; document: string }

/** Inserts the row of an account. An operator opens one by `openAccount`. */
export async function createAccount(em: EntityManager, holder: AccountHolder) {
  const account = em.create(Account, { uuid: randomUUID(), ...holder })
  await sendChanges(em)
  return account
}

/** Opens an account. */
export function openAccount(
  em: EntityManager,
  order: ActionAuthor & { holder: AccountHolder },
): Promise<Account> {
  return runAuditedAction(em, {
    by: order,
    action: 'account_open',
    subject: ({ uuid }) => `account/${uuid}`,
    work: tx => createAccount(tx, order.holder),
  })
}

/** What may be changed of an account: its status, its policies, or its time zone. */
export type AccountChange =
  | Pick<Account, 'status'>
  | Partial<
      Pick<Account, 'unmatchedPolicy' | 'wrongPayerPolicy' | 'disputedSplitPolicy' | 'uniqueExternalRef'>
    >
  | Pick<Account, 'timeZone'>

function actionOfAccountChange(change: AccountChange): string {
  if ('status' in change) return change.status === 'BLOCKED' ? 'account_block' : 'account_unblock'
  return 'timeZone' in change ? 'account_time_zone' : 'account_policy'
}

/** Changes an account under its row lock. A block ends the sessions of its users. */
export function changeAccount(
  em: EntityManager,
  order: ActionAuthor & { uuid: string; change: AccountChange },
): Promise<void> {
  const { uuid, change } = order
  return runAuditedAction(em, {
    by: order,
    action: actionOfAccountChange(change),
    subject: `account/${uuid}`,
    async work(tx) {
      const account = await tx.findOne(Account, uuid, ROW_LOCK)
      if (!account) throw new Error(`there is no account ${uuid}`)
      Object.assign(account, change)
      if ('status' in change && change.status === 'BLOCKED')
        await revokeUserSessions(tx, { accountUuid: uuid })
    },
  })
}

/** Replaces the default providers of an account by connections of it, preferred first. */
export function changeDefaultConnections(
  em: EntityManager,
  order: ActionAuthor & { accountUuid: string; connectionUuids: string[] },
): Promise<void> {
  const { accountUuid, connectionUuids } = order
  return runAuditedAction(em, {
    by: order,
    action: 'account_defaults',
    subject: `account/${accountUuid}`,
    async work(tx) {
      const filter = { uuid: { $in: connectionUuids }, accountUuid }
      const connections = await tx.find(Connection, filter, { fields: ['uuid'], disableIdentityMap: true })
      const missing = connectionUuids.find(uuid => !connections.some(connection => connection.uuid === uuid))
      if (missing !== undefined) throw new Error(`there is no connection ${missing} of the account`)
      await replaceDefaultConnections(tx, { accountUuid }, connectionUuids)
    },
  })
}

/**
 * Opens the pages of an account in the session of an operator, who can then read them and send none of their forms. Returns
 * false where there is no such account.
 */
export function openAccountPages(
  em: EntityManager,
  order: ActionAuthor & { sessionHash: string; accountUuid: string },
): Promise<boolean> {
  const { sessionHash, accountUuid } = order
  return runAuditedAction(em, {
    by: order,
    action: 'open_account',
    subject: `account/${accountUuid}`,
    async work(tx) {
      if ((await tx.count(Account, accountUuid)) === 0) return false
      await setOpenedAccount(tx, { sessionHash, accountUuid })
      return true
    },
  })
}
