import { randomUUID } from 'node:crypto'
import { postAdjustmentMovement } from '../activities/ledger/adjustments.ts'
import type { EntityManager, Orm } from '../db/client/orm.ts'
import { runInTransaction } from '../db/client/transaction.ts'
import { Connection } from '../db/entities/connection.ts'
import { LedgerAdjustment } from '../db/entities/reconciliation.ts'
import { User } from '../db/entities/user.ts'
import { lockConnection, lockProviderAccount, ROW_LOCK } from '../db/locks.ts'
import { lockOpenAccountEntry } from '../db/repositories/account-entries.ts'
import { runAuditedAction } from '../db/repositories/audited-actions.ts'
import { hasBalances } from '../db/repositories/balance-checks.ts'
import { findStatementCounterpart } from '../db/repositories/ledger-adjustments.ts'
import { mayBeOurPayout } from '../db/repositories/panel-pix.ts'
import { DAY } from '../domain/shared/intervals.ts'

/** Validity of a proposal, in days. */
export const PROPOSAL_DAYS = 7

type AdjustmentRefusalReason =
  | 'no_operator'
  | 'no_connection'
  | 'no_balances'
  | 'no_such_adjustment'
  | 'approved'
  | 'own_proposal'
  | 'expired'
  /** The entry is open no longer, or money with the value of the proposal has been matched, booked or adjusted since. */
  | 'explained'
  /** A payout of ours may be the entry. */
  | 'may_be_payout'
  /** An open entry that the proposal does not name has its value. */
  | 'unnamed_entry'
  /** A PIX of this value is about to be booked from the statement. */
  | 'pix_waiting'
  | 'other_entry'

/** Error of a refused proposal or approval; nothing was changed. The message is written for the operator. */
export class AdjustmentError extends Error {
  override name = 'AdjustmentError'
  readonly reason: AdjustmentRefusalReason

  constructor(reason: AdjustmentRefusalReason, message: string) {
    super(message)
    this.reason = reason
  }
}

function refuse(reason: AdjustmentRefusalReason, message: string): never {
  throw new AdjustmentError(reason, message)
}

export type ProposeAdjustmentInput = Pick<
  LedgerAdjustment,
  'accountUuid' | 'direction' | 'cents' | 'reason'
> & {
  connectionUuid: string
  /** Of the proposal, where its form may be sent twice: a repeat finds it. */
  uuid?: string | undefined
  /** Entry of the statement that the adjustment explains. */
  entryUuid: string | null
  /** The e-mail of an operator. */
  operatorEmail: string
}

/** Stores a proposal; money moves only when another operator approves it. Throws AdjustmentError. */
export function proposeAdjustment(
  source: Orm | EntityManager,
  order: ProposeAdjustmentInput,
): Promise<string> {
  return runInTransaction(source, async em => {
    const proposer = await findOperator(em, order.operatorEmail)
    const { accountUuid, connectionUuid, direction, cents, reason, entryUuid, uuid = randomUUID() } = order
    if ((await em.count(LedgerAdjustment, { uuid, proposer })) > 0) return uuid
    const connection = await em.findOne(Connection, connectionUuid)
    if (!connection) refuse('no_connection', `there is no connection ${connectionUuid}`)
    const { providerAccountUuid } = connection
    if (!(await hasBalances(em, { accountUuid, providerAccountUuid })))
      refuse(
        'no_balances',
        `account ${accountUuid} has no balances at the provider account of that connection`,
      )
    const entry = entryUuid ? await lockOpenAccountEntry(em, entryUuid) : null
    if (entryUuid && !entry) refuse('explained', `there is no entry ${entryUuid} without a matching movement`)
    if (entry && (entry.cents !== cents || entry.providerAccountUuid !== providerAccountUuid))
      refuse('other_entry', `entry ${entryUuid} has another value, or is at another provider account`)
    if (!entry)
      await refuseStatementCounterpart(em, {
        accountUuid,
        providerAccountUuid,
        direction,
        cents,
        since: null,
      })
    return runAuditedAction(em, {
      by: { actor: proposer.email, reason },
      action: 'ledger_adjust',
      subject: `adjustment/${uuid}`,
      async work(tx) {
        tx.create(LedgerAdjustment, {
          uuid,
          accountUuid,
          connection,
          direction,
          cents,
          reason,
          entryUuid,
          proposer,
          expiresAt: new Date(Date.now() + PROPOSAL_DAYS * DAY),
        })
        return uuid
      },
    })
  })
}

export type ApproveAdjustmentInput = {
  uuid: string
  operatorEmail: string
  reason: string
  timeScale: number
}

/**
 * Approves and posts a proposal under its row lock: once, before it expires, by another operator than its proposer, and
 * only while nothing else has booked or may book the same money. Returns the uuid of the movement. A repeat by the same
 * operator returns the same movement. Throws AdjustmentError.
 */
export function approveAdjustment(
  source: Orm | EntityManager,
  { uuid, operatorEmail, reason, timeScale }: ApproveAdjustmentInput,
): Promise<string> {
  return runInTransaction(source, async em => {
    const approver = await findOperator(em, operatorEmail)
    const adjustment = await em.findOne(LedgerAdjustment, uuid, ROW_LOCK)
    if (!adjustment) refuse('no_such_adjustment', `there is no adjustment ${uuid}`)
    if (adjustment.movementUuid && adjustment.approver?.uuid === approver.uuid) return adjustment.movementUuid
    if (adjustment.movementUuid) refuse('approved', `adjustment ${uuid} is already approved`)
    if (adjustment.proposer.uuid === approver.uuid)
      refuse('own_proposal', `${operatorEmail} proposed it; another operator must approve it`)
    if (adjustment.expiresAt.getTime() <= Date.now())
      refuse('expired', `the proposal expired at ${adjustment.expiresAt.toISOString()}`)
    return runAuditedAction(em, {
      by: { actor: approver.email, reason },
      action: 'ledger_approve',
      subject: `adjustment/${uuid}`,
      async work(tx) {
        const movementUuid = await postAdjustment(tx, adjustment, timeScale)
        Object.assign(adjustment, { approver, approvedAt: new Date(), movementUuid })
        return movementUuid
      },
    })
  })
}

async function postAdjustment(
  em: EntityManager,
  adjustment: LedgerAdjustment,
  timeScale: number,
): Promise<string> {
  const { accountUuid, connection, direction, cents, entryUuid, proposedAt: since } = adjustment
  await lockConnection(em, connection.uuid)
  const { providerAccountUuid } = connection // Loaded by the lock.
  const entry = entryUuid ? await lockOpenAccountEntry(em, entryUuid) : null
  if (!entry) await lockProviderAccount(em, providerAccountUuid) // Orders it with approvals through other connections.
  if (entryUuid && !entry)
    refuse('explained', `entry ${entryUuid} is matched, or its statement lists it no longer`)
  if (!entry)
    await refuseStatementCounterpart(em, { accountUuid, providerAccountUuid, direction, cents, since })
  if (direction === 'OUT') {
    const at = entry?.movedAt ?? new Date()
    const payout = { providerAccountUuid, cents, at, timeScale, countsUnidentified: false }
    if (await mayBeOurPayout(em, payout))
      refuse('may_be_payout', 'the money may be that of a payout of this value that has no outcome yet')
  }
  const { uuid } = await postAdjustmentMovement(em, adjustment)
  if (entry) entry.movementUuid = uuid
  return uuid
}

/**
 * Refuses an adjustment that names no entry while there is, or was since the proposal, money of its value and direction
 * that is booked by its own identity.
 */
async function refuseStatementCounterpart(
  em: EntityManager,
  adjustment: Parameters<typeof findStatementCounterpart>[1],
): Promise<void> {
  const counterpart = await findStatementCounterpart(em, adjustment)
  switch (counterpart?.kind) {
    case 'open_entry':
      return refuse(
        'unnamed_entry',
        `entry ${counterpart.name} of the statement has this value: name it by --entry`,
      )
    case 'waiting_pix':
      return refuse('pix_waiting', `PIX ${counterpart.name} of this value may be booked from the statement`)
    case 'matched':
      return refuse(
        'explained',
        `${counterpart.name} has this value and was matched or booked after the proposal`,
      )
  }
}

async function findOperator(em: EntityManager, email: string): Promise<User> {
  const operator = await em.findOne(User, {
    email: email.trim().toLowerCase(),
    role: 'operator',
    removedAt: null,
  })
  if (!operator || operator.disabledAt)
    refuse('no_operator', `${email} is not an operator: give the e-mail of an operator by --by`)
  return operator
}
