import type { EntityManager } from '../../db/client/orm.ts'
import type { Charge } from '../../db/entities/charge.ts'
import type { Movement } from '../../db/entities/movement.ts'
import { lockAvailableBalance, type MovementLegs, writePostings } from '../../db/ledger/post.ts'
import { sendChanges } from '../../db/pipeline/query.ts'
import { findActiveAccountsAt } from '../../db/repositories/connections.ts'
import { chargeMachine } from '../../domain/charges/charge.ts'
import { computeSplitShareCents, splitMachine } from '../../domain/charges/split.ts'
import { type Leg, paymentConfirmedLegs, shortfallAdvancedLegs } from '../../domain/ledger/legs.ts'
import { computeFeeCents } from '../../domain/ledger/money.ts'
import { movementMachine } from '../../domain/ledger/movement.ts'
import type { IncomingPix } from '../../domain/providers/provider.ts'
import { recordChargeEvent, recordMovementEvent } from '../events/record-event.ts'
import { inflowPostings } from '../ledger/apply-inflow.ts'
import { createMovement } from '../ledger/movements.ts'
import { transition, transitionStatus } from '../shared/transition.ts'

/**
 * Confirms a settled payment of a charge: the charge becomes PAID, its money is posted, its splits are credited, its
 * events are written. The caller holds the charge's row lock. `isCredited`: the money is in the owner's `available`
 * already, and the balances are locked. `startedLegs`: those of the payment's start, where they are not posted yet.
 */
export async function confirmPayment(
  em: EntityManager,
  charge: Charge,
  payment: IncomingPix,
  movement: Movement,
  { isCredited = false, startedLegs = [] }: { isCredited?: boolean; startedLegs?: Leg[] } = {},
): Promise<void> {
  const at = new Date()
  const isLate = charge.history.some(entry => entry.status === 'EXPIRED' || entry.status === 'CANCELLED')
  transitionStatus(movement, movementMachine, 'settled')
  movement.sender = payment.payer ?? movement.sender
  movement.settledAt = new Date(payment.at)
  movement.updatedAt = at
  if (charge.valueCents === 0) {
    // Without a fixed amount the fee is deducted from what was paid (SPEC §2).
    const feeCents = computeFeeCents(movement.valueCents, charge.connection.fees.charge)
    charge.totalCents = movement.valueCents
    charge.feeCents = Math.min(movement.valueCents, feeCents)
  }
  charge.endToEnd = payment.endToEnd
  charge.paidAt = movement.settledAt
  charge.receivedCents = movement.valueCents
  // The movement has them from now on.
  charge.pixKey = null
  charge.receiver = null
  transition(charge, chargeMachine, 'payment_confirmed', at)
  const entries = await buildPaymentEntries(em, charge, { movement, at, isCredited, startedLegs })
  await recordChargeEvent(em, charge, { at, late: isLate })
  await recordMovementEvent(em, movement, charge, at)
  const { providerAccountUuid } = charge
  const repayment = {
    providerAccountUuid,
    movementUuid: movement.uuid,
    legs: await buildRepaymentLegs(em, charge, isCredited),
  }
  await sendChanges(em)
  await writePostings(em, [...entries, repayment])
}

type ReceivedPayment = { movement: Movement; at: Date; isCredited: boolean; startedLegs: Leg[] }

async function buildPaymentEntries(
  em: EntityManager,
  charge: Charge,
  { movement, at, isCredited, startedLegs }: ReceivedPayment,
): Promise<MovementLegs[]> {
  const creditable = await findCreditableRecipients(em, charge)
  const base = charge.receivedCents - charge.feeCents
  const owner = { accountUuid: charge.accountUuid, bucket: 'available' } as const
  const { providerAccountUuid } = charge
  const entries: MovementLegs[] = []
  /** Creates the movement of a fee or share: money of the charge that moves inside one provider account. */
  const addPart = (type: 'FEE' | 'SPLIT', cents: number, to: Leg['to']) => {
    const part = createMovement(em, at, {
      accountUuid: charge.accountUuid,
      providerAccountUuid,
      connectionUuid: charge.connection.uuid,
      type,
      movementType: 'OUT',
      valueCents: cents,
      status: 'SETTLED',
      chargeUuid: charge.uuid,
      originalUuid: movement.uuid,
      settledAt: at,
    })
    entries.push({ providerAccountUuid, movementUuid: part.uuid, legs: [{ cents, from: owner, to }] })
  }
  if (charge.feeCents > 0) addPart('FEE', charge.feeCents, { accountUuid: charge.accountUuid, bucket: 'fee' })
  for (const split of charge.splits) {
    const isCreditable = creditable.has(split.recipient.uuid)
    transitionStatus(split, splitMachine, isCreditable ? 'credited' : 'not_creditable')
    split.creditedCents = isCreditable ? computeSplitShareCents(split, base) : 0
    if (split.creditedCents > 0)
      addPart('SPLIT', split.creditedCents, { accountUuid: split.recipient.uuid, bucket: 'available' })
  }
  const legs = isCredited
    ? await buildAdvanceLegs(em, charge)
    : [...startedLegs, ...paymentConfirmedLegs(charge.accountUuid, charge.receivedCents)]
  return [{ providerAccountUuid, movementUuid: movement.uuid, legs }, ...entries]
}

/** Builds the legs by which the service advances what the owner has spent of a deposit's fee and shares (SPEC §7). */
async function buildAdvanceLegs(em: EntityManager, charge: Charge): Promise<Leg[]> {
  const { accountUuid, providerAccountUuid, feeCents } = charge
  const availableCents = await lockAvailableBalance(em, { accountUuid, providerAccountUuid })
  return shortfallAdvancedLegs(accountUuid, { cents: feeCents + sumSplitCents(charge), availableCents })
}

function sumSplitCents(charge: Charge): number {
  return charge.splits.getItems().reduce((sum, split) => sum + split.creditedCents, 0)
}

/** Builds the repayment of shortfalls by all credited accounts; a deposit's owner repaid when it was credited. */
function buildRepaymentLegs(em: EntityManager, charge: Charge, isCredited: boolean): Promise<Leg[]> {
  const splits = charge.splits.getItems()
  const accountCents = isCredited ? 0 : charge.receivedCents - charge.feeCents - sumSplitCents(charge)
  const credits = [
    { accountUuid: charge.accountUuid, cents: accountCents },
    ...splits.map(split => ({ accountUuid: split.recipient.uuid, cents: split.creditedCents })),
  ]
  return inflowPostings(em, { providerAccountUuid: charge.providerAccountUuid, credits })
}

/** Finds the creditable recipients: active, with an active connection to the receiving provider account (SPEC §2). */
async function findCreditableRecipients(em: EntityManager, charge: Charge): Promise<Set<string>> {
  const recipients = charge.splits.getItems().map(split => split.recipient.uuid)
  if (recipients.length === 0) return new Set()
  return findActiveAccountsAt(em, charge.providerAccountUuid, recipients)
}
