import { randomUUID } from 'node:crypto'
import { accountForEntry, lockOpenEntry } from '../db/account-entries.ts'
import { recordAct } from '../db/acts.ts'
import {
  type Adjustment,
  type AdjustmentProposal,
  approveAdjustmentRow,
  insertAdjustment,
  lockAdjustment,
} from '../db/adjustments.ts'
import { Connection } from '../db/entities/connection.ts'
import type { Movement } from '../db/entities/movement.ts'
import { User } from '../db/entities/user.ts'
import { lockGate } from '../db/lock.ts'
import { type EntityManager, inTransaction, type Orm } from '../db/orm.ts'
import { lockAvailable } from '../db/post.ts'
import { deposited, goneUncovered, type Leg } from '../domain/ledger.ts'
import { announceMovement, leaveDeliveriesToSweep } from './announce.ts'
import { repayments } from './inflow.ts'
import { book, newMovement } from './movements.ts'

/** So long a proposal can be approved. */
export const PROPOSAL_DAYS = 7
const DAY_MS = 24 * 60 * 60_000

export type WhyNotAdjusted =
  | 'no_operator'
  | 'no_connection'
  | 'no_balances'
  | 'no_such_adjustment'
  | 'approved'
  | 'own_proposal'
  | 'expired'
  /** Something accounts for the entry by now. */
  | 'explained'
  | 'other_entry'

/** A proposal or approval that cannot be; nothing was done. The message is a sentence for the operator. */
export class AdjustmentRefused extends Error {
  override name = 'AdjustmentRefused'
  readonly why: WhyNotAdjusted

  constructor(why: WhyNotAdjusted, message: string) {
    super(message)
    this.why = why
  }
}

export type AdjustmentOrder = Omit<AdjustmentProposal, 'uuid' | 'proposedBy' | 'expiresAt'> & {
  /** The e-mail of an operator. */
  who: string
}

/** Stores a proposal; money moves only when another operator approves it. Throws AdjustmentRefused. */
export function proposeAdjustment(orm: Orm, order: AdjustmentOrder): Promise<string> {
  return inTransaction(orm, async em => {
    const proposer = await operatorNamed(em, order.who)
    const { accountUuid, connectionUuid, direction, cents, reason, entryUuid } = order
    const connection = await em.findOne(Connection, connectionUuid)
    if (!connection) throw new AdjustmentRefused('no_connection', `there is no connection ${connectionUuid}`)
    const { providerAccountUuid } = connection
    if (!(await hasBalances(em, { accountUuid, providerAccountUuid })))
      throw new AdjustmentRefused(
        'no_balances',
        `account ${accountUuid} has no balances at the provider account of that connection`,
      )
    if (entryUuid) await checkEntry(em, { entryUuid, cents, providerAccountUuid })
    const uuid = randomUUID()
    await insertAdjustment(em, {
      ...{ uuid, accountUuid, connectionUuid, direction, cents, reason, entryUuid },
      proposedBy: proposer.uuid,
      expiresAt: new Date(Date.now() + PROPOSAL_DAYS * DAY_MS),
    })
    await recordAct(em, {
      ...{ who: proposer.email, act: 'ledger_adjust', reason },
      subject: `adjustment/${uuid}`,
    })
    return uuid
  })
}

/**
 * Books a proposal under its row lock: by another operator than its proposer, in time, once. Answers the movement; that
 * of a proposal that is booked already, by the same operator, is answered again.
 */
export function approveAdjustment(
  orm: Orm,
  { uuid, who, reason }: { uuid: string; who: string; reason: string },
): Promise<string> {
  return inTransaction(orm, async em => {
    const approver = await operatorNamed(em, who)
    const adjustment = await lockAdjustment(em, uuid)
    if (!adjustment) throw new AdjustmentRefused('no_such_adjustment', `there is no adjustment ${uuid}`)
    if (adjustment.movementUuid && adjustment.approvedBy === approver.uuid) return adjustment.movementUuid
    if (adjustment.movementUuid)
      throw new AdjustmentRefused('approved', `adjustment ${uuid} was approved already`)
    if (adjustment.proposedBy === approver.uuid)
      throw new AdjustmentRefused('own_proposal', `${who} proposed it: another operator has to approve it`)
    if (adjustment.expiresAt.getTime() <= Date.now())
      throw new AdjustmentRefused('expired', `the proposal expired at ${adjustment.expiresAt.toISOString()}`)
    const movement = await bookAdjustment(em, adjustment)
    await approveAdjustmentRow(em, { uuid, approvedBy: approver.uuid, movementUuid: movement.uuid })
    await recordAct(em, { who: approver.email, act: 'ledger_approve', reason, subject: `adjustment/${uuid}` })
    return movement.uuid
  })
}

async function bookAdjustment(em: EntityManager, adjustment: Adjustment): Promise<Movement> {
  const { accountUuid, connectionUuid, providerAccountUuid, direction, cents, entryUuid } = adjustment
  await lockGate(em, connectionUuid)
  if (entryUuid && !(await lockOpenEntry(em, entryUuid)))
    throw new AdjustmentRefused('explained', `entry ${entryUuid} is accounted for by now`)
  const at = new Date()
  const movement = newMovement(
    em,
    { accountUuid, providerAccountUuid, connectionUuid },
    {
      ...{ type: 'ADJUSTMENT', movementType: direction, valueCents: cents, status: 'SETTLED' },
      ...{ entryName: `adjustment/${adjustment.uuid}`, reason: 'adjustment', settledAt: at },
    },
    at,
  )
  await book(em, movement, await legsOf(em, movement))
  if (entryUuid) await accountForEntry(em, entryUuid, { movementUuid: movement.uuid })
  await announceMovement(em, movement, { lifeUuid: movement.uuid, requestId: movement.uuid, at })
  await leaveDeliveriesToSweep(em, movement.uuid)
  return movement
}

async function legsOf(em: EntityManager, movement: Movement): Promise<Leg[]> {
  const { accountUuid, providerAccountUuid, valueCents: cents, movementType } = movement
  if (movementType === 'IN') {
    const inflow = { providerAccountUuid, credits: [{ accountUuid, cents }] }
    return [...deposited(accountUuid, cents), ...(await repayments(em, inflow))]
  }
  const availableCents = await lockAvailable(em, { accountUuid, providerAccountUuid })
  return goneUncovered(accountUuid, { cents, availableCents })
}

async function operatorNamed(em: EntityManager, who: string): Promise<User> {
  const operator = await em.findOne(User, { email: who.trim().toLowerCase(), role: 'operator' })
  if (!operator || operator.disabledAt)
    throw new AdjustmentRefused('no_operator', `${who} is no operator: name one by --by`)
  return operator
}

async function hasBalances(
  em: EntityManager,
  { accountUuid, providerAccountUuid }: { accountUuid: string; providerAccountUuid: string },
): Promise<boolean> {
  const rows = await em.execute<object[]>(
    'select from balance where account_uuid = ? and provider_account_uuid = ? limit 1',
    [accountUuid, providerAccountUuid],
  )
  return rows.length > 0
}

type NamedEntry = { entryUuid: string; cents: number; providerAccountUuid: string }

async function checkEntry(em: EntityManager, { entryUuid, cents, providerAccountUuid }: NamedEntry) {
  const entry = await lockOpenEntry(em, entryUuid)
  if (!entry)
    throw new AdjustmentRefused('explained', `there is no entry ${entryUuid} that nothing accounts for`)
  if (entry.cents !== cents || entry.providerAccountUuid !== providerAccountUuid)
    throw new AdjustmentRefused(
      'other_entry',
      `entry ${entryUuid} has another value, or is at another provider account`,
    )
}
