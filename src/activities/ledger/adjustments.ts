import { randomUUID } from 'node:crypto'
import { type EntityManager, type Orm, runInTransaction } from '../../db/client/orm.ts'
import { Connection } from '../../db/entities/connection.ts'
import type { Movement } from '../../db/entities/movement.ts'
import { LedgerAdjustment } from '../../db/entities/reconciliation.ts'
import { User } from '../../db/entities/user.ts'
import { lockConnection, ROW_LOCK } from '../../db/locks.ts'
import { lockOpenAccountEntry } from '../../db/repositories/account-entries.ts'
import { hasBalances } from '../../db/repositories/balance-checks.ts'
import { recordOperatorAction } from '../../db/repositories/operator-actions.ts'
import { DAY } from '../../domain/shared/intervals.ts'
import { recordUnownedMovementEvent } from '../events/record-event.ts'
import { unheldMovementPostings } from './apply-inflow.ts'
import { createMovement, postMovement } from './movements.ts'

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
  /** The account entry has been linked to a movement or dispute meanwhile. */
  | 'explained'
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
export function proposeAdjustment(orm: Orm, order: ProposeAdjustmentInput): Promise<string> {
  return runInTransaction(orm, async em => {
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
    em.create(LedgerAdjustment, {
      ...{ uuid, accountUuid, connection, direction, cents, reason, entryUuid, proposer },
      expiresAt: new Date(Date.now() + PROPOSAL_DAYS * DAY),
    })
    await recordOperatorAction(em, {
      ...{ actor: proposer.email, action: 'ledger_adjust', reason },
      subject: `adjustment/${uuid}`,
    })
    return uuid
  })
}

/**
 * Approves and posts a proposal under its row lock: once, before it expires, by another operator than its proposer.
 * Returns the uuid of the movement. A repeat by the same operator returns the same movement. Throws AdjustmentError.
 */
export function approveAdjustment(
  orm: Orm,
  { uuid, operatorEmail, reason }: { uuid: string; operatorEmail: string; reason: string },
): Promise<string> {
  return runInTransaction(orm, async em => {
    const approver = await findOperator(em, operatorEmail)
    const adjustment = await em.findOne(LedgerAdjustment, uuid, ROW_LOCK)
    if (!adjustment) refuse('no_such_adjustment', `there is no adjustment ${uuid}`)
    if (adjustment.movementUuid && adjustment.approver?.uuid === approver.uuid) return adjustment.movementUuid
    if (adjustment.movementUuid) refuse('approved', `adjustment ${uuid} is already approved`)
    if (adjustment.proposer.uuid === approver.uuid)
      refuse('own_proposal', `${operatorEmail} proposed it; another operator must approve it`)
    if (adjustment.expiresAt.getTime() <= Date.now())
      refuse('expired', `the proposal expired at ${adjustment.expiresAt.toISOString()}`)
    const movement = await postAdjustment(em, adjustment)
    Object.assign(adjustment, { approver, approvedAt: new Date(), movementUuid: movement.uuid })
    await recordOperatorAction(em, {
      actor: approver.email,
      action: 'ledger_approve',
      reason,
      subject: `adjustment/${uuid}`,
    })
    return movement.uuid
  })
}

async function postAdjustment(em: EntityManager, adjustment: LedgerAdjustment): Promise<Movement> {
  const { accountUuid, connection, direction, cents, entryUuid } = adjustment
  await lockConnection(em, connection.uuid)
  const entry = entryUuid ? await lockOpenAccountEntry(em, entryUuid) : null
  if (entryUuid && !entry) refuse('explained', `entry ${entryUuid} is already matched`)
  const at = new Date()
  const movement = createMovement(em, at, {
    ...{ accountUuid, providerAccountUuid: connection.providerAccountUuid, connectionUuid: connection.uuid },
    ...{ type: 'ADJUSTMENT', movementType: direction, valueCents: cents, status: 'SETTLED' },
    ...{ entryName: `adjustment/${adjustment.uuid}`, reason: 'adjustment', settledAt: at },
  })
  await postMovement(em, movement, await unheldMovementPostings(em, movement))
  if (entry) entry.movementUuid = movement.uuid
  await recordUnownedMovementEvent(em, movement, at)
  return movement
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
