import { randomUUID } from 'node:crypto'
import type { Charge, Split } from '../db/entities/charge.ts'
import { Movement } from '../db/entities/movement.ts'
import type { EntityManager } from '../db/orm.ts'
import { type Entry, lockAvailable, post } from '../db/post.ts'
import { type Leg, paymentConfirmed, shortfallAdvanced } from '../domain/ledger.ts'
import { feeOf } from '../domain/money.ts'
import type { IncomingPix } from '../domain/provider.ts'
import { splitShare } from '../domain/split.ts'
import { announceCharge, announceMovement } from './announce.ts'
import { repayments } from './inflow.ts'
import { moveCharge } from './move.ts'

/**
 * A charge's payment has settled: PAID, its money booked, its splits credited, its events written. `isCredited`: the money
 * stands in the owner's `available` already and its balances are locked.
 */
export async function confirmPayment(
  em: EntityManager,
  charge: Charge,
  payment: IncomingPix,
  movement: Movement,
  { isCredited = false } = {},
): Promise<void> {
  const at = new Date()
  const late = charge.history.some(entry => entry.status === 'EXPIRED' || entry.status === 'CANCELLED')
  movement.status = 'SETTLED'
  movement.sender = payment.payer ?? movement.sender
  movement.settledAt = new Date(payment.at)
  movement.updatedAt = at
  if (charge.valueCents === 0) openAmountIsKnown(charge, movement.valueCents)
  charge.endToEnd = payment.endToEnd
  charge.paidAt = movement.settledAt
  charge.receivedCents = movement.valueCents
  moveCharge(charge, 'payment_confirmed', at)
  const entries = await credit(em, charge, { movement, at, isCredited })
  await announceCharge(em, charge, { at, late })
  await announceMovement(em, movement, { lifeUuid: charge.uuid, requestId: charge.requestId, at })
  const { providerAccountUuid } = charge
  const repaying = {
    providerAccountUuid,
    movementUuid: movement.uuid,
    legs: await repaid(em, charge, isCredited),
  }
  await em.flush()
  await post(em, [...entries, repaying])
}

/** Of an open amount the fee comes out of what was paid (SPEC §2). */
function openAmountIsKnown(charge: Charge, receivedCents: number): void {
  charge.totalCents = receivedCents
  charge.feeCents = Math.min(receivedCents, feeOf(receivedCents, charge.connection.fees.charge))
}

type Received = { movement: Movement; at: Date; isCredited: boolean }

/** What is to be booked: the money to the owner, the fee to the service, the shares to those who can take them. */
async function credit(em: EntityManager, charge: Charge, received: Received): Promise<Entry[]> {
  const { movement, at, isCredited } = received
  const able = await recipientsThatCanTake(em, charge)
  const base = charge.receivedCents - charge.feeCents
  const owner = { accountUuid: charge.accountUuid, bucket: 'available' } as const
  const { providerAccountUuid } = charge
  const entries: Entry[] = []
  const legOf = (type: 'FEE' | 'SPLIT', cents: number, to: Leg['to']) => {
    const part = partOf(charge, movement, { type, cents, at })
    em.create(Movement, part)
    entries.push({ providerAccountUuid, movementUuid: part.uuid, legs: [{ cents, from: owner, to }] })
  }
  if (charge.feeCents > 0) legOf('FEE', charge.feeCents, { accountUuid: charge.accountUuid, bucket: 'fee' })
  for (const split of charge.splits) {
    creditSplit(split, { able, base })
    if (split.creditedCents > 0)
      legOf('SPLIT', split.creditedCents, { accountUuid: split.recipient.uuid, bucket: 'available' })
  }
  const legs = isCredited
    ? await advanced(em, charge)
    : paymentConfirmed(charge.accountUuid, charge.receivedCents)
  return [{ providerAccountUuid, movementUuid: movement.uuid, legs }, ...entries]
}

/** What of fee and shares the owner has no more, because a deposit may be spent: the service advances it (SPEC §7). */
async function advanced(em: EntityManager, charge: Charge): Promise<Leg[]> {
  const { accountUuid, providerAccountUuid, feeCents } = charge
  const availableCents = await lockAvailable(em, { accountUuid, providerAccountUuid })
  return shortfallAdvanced(accountUuid, { cents: feeCents + sharedCents(charge), availableCents })
}

function sharedCents(charge: Charge): number {
  return charge.splits.getItems().reduce((sum, split) => sum + split.creditedCents, 0)
}

/** Every account that was credited repays what the service lent, before anything else; a deposit's owner has done so. */
function repaid(em: EntityManager, charge: Charge, isCredited: boolean): Promise<Leg[]> {
  const splits = charge.splits.getItems()
  const own = isCredited ? 0 : charge.receivedCents - charge.feeCents - sharedCents(charge)
  const credits = [
    { accountUuid: charge.accountUuid, cents: own },
    ...splits.map(split => ({ accountUuid: split.recipient.uuid, cents: split.creditedCents })),
  ]
  return repayments(em, { providerAccountUuid: charge.providerAccountUuid, credits })
}

function creditSplit(split: Split, { able, base }: { able: Set<string>; base: number }): void {
  const credited = able.has(split.recipient.uuid)
  split.status = credited ? 'CREDITED' : 'FAILED'
  split.creditedCents = credited ? splitShare(split, base) : 0
}

/** SPEC §2: an active account with an active connection to the provider account that received the money. */
async function recipientsThatCanTake(em: EntityManager, charge: Charge): Promise<Set<string>> {
  const recipients = charge.splits.getItems().map(split => split.recipient.uuid)
  if (recipients.length === 0) return new Set()
  const rows: { uuid: string }[] = await em.execute(
    `select a.uuid from account a where a.uuid = any(array[?]::uuid[]) and a.status = 'ACTIVE' and exists (
       select from connection c where c.account_uuid = a.uuid and c.status = 'ACTIVE' and c.provider_account_uuid = ?)`,
    [recipients, charge.providerAccountUuid],
  )
  return new Set(rows.map(row => row.uuid))
}

/** A fee or a share: money that moves inside one provider account, out of what the charge received. */
function partOf(
  charge: Charge,
  movement: Movement,
  part: { type: 'FEE' | 'SPLIT'; cents: number; at: Date },
) {
  return {
    uuid: randomUUID(),
    accountUuid: charge.accountUuid,
    providerAccountUuid: charge.providerAccountUuid,
    connectionUuid: charge.connection.uuid,
    type: part.type,
    movementType: 'OUT' as const,
    valueCents: part.cents,
    status: 'SETTLED' as const,
    chargeUuid: charge.uuid,
    originalUuid: movement.uuid,
    settledAt: part.at,
    createdAt: part.at,
    updatedAt: part.at,
  }
}
