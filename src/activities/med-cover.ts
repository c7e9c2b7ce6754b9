import type { Charge } from '../db/entities/charge.ts'
import type { Med } from '../db/entities/med.ts'
import { Movement } from '../db/entities/movement.ts'
import type { EntityManager } from '../db/orm.ts'
import { lockAvailable } from '../db/post.ts'
import { disputeHeld, disputeReleased, type Leg } from '../domain/ledger.ts'
import { claimCents, lackingCents } from '../domain/med.ts'
import { refundableCents } from '../domain/refund.ts'
import { repayments } from './inflow.ts'
import { book, newMovement } from './movements.ts'

/** What a dispute is about: the PIX, and the charge that it paid where it paid one; both under their row locks. */
export type Disputed = { movement: Movement; charge: Charge | null }

/**
 * Lets the disputes of one PIX claim what is left beside refunds and each other, and blocks what the account has of it
 * (SPEC §5). Called when one opens, and again whenever more is left: its PIX has settled, a refund has failed, another
 * dispute is over.
 * `disputes` are locked (`lockDisputes`); those of other PIX are left alone. The legs by which it blocked, which are booked.
 */
export async function coverDisputes(
  em: EntityManager,
  disputed: Disputed,
  disputes: Med[],
  at: Date,
): Promise<Leg[]> {
  const own = disputes.filter(one => one.movement.uuid === disputed.movement.uuid)
  const blocked: Leg[] = []
  for (const med of own) {
    await claim(em, med, { ...disputed, own })
    blocked.push(...(await hold(em, med, disputed, at)))
  }
  return blocked
}

async function claim(em: EntityManager, med: Med, { charge, movement, own }: Disputed & { own: Med[] }) {
  const remainderCents = charge ? refundableCents(charge) : await unclaimed(em, movement, own)
  const askedCents = med.valueCents - med.returnedCents - med.claimedCents
  const more = claimCents({ askedCents, remainderCents })
  if (more === 0) return
  med.claimedCents += more
  if (charge) charge.disputedCents += more
}

/** Of a PIX that is no charge's: what neither went back to its payer, nor is about to, nor another dispute claims. */
async function unclaimed(em: EntityManager, movement: Movement, own: Med[]): Promise<number> {
  if (movement.status !== 'SETTLED') return 0
  if (movement.disposition && movement.disposition !== 'kept') return 0
  const back = await em.find(Movement, {
    originalUuid: movement.uuid,
    movementType: 'OUT',
    type: 'EXTERNAL_REFUND',
    status: { $ne: 'FAILED' },
  })
  const gone = back.reduce((sum, one) => sum + one.valueCents, 0)
  return movement.valueCents - gone - own.reduce((sum, med) => sum + med.claimedCents, 0)
}

async function hold(em: EntityManager, med: Med, { charge, movement }: Disputed, at: Date): Promise<Leg[]> {
  await em.flush()
  const { accountUuid, providerAccountUuid } = med
  const available = await lockAvailable(em, { accountUuid, providerAccountUuid })
  const cents = Math.min(lackingCents(med), available)
  if (cents <= 0) return []
  med.heldCents += cents
  med.updatedAt = at
  const held = holdMovement(em, med, { charge, movement, movementType: 'OUT', cents, at })
  const legs = disputeHeld(accountUuid, cents)
  await book(em, held, legs)
  return legs
}

/** The dispute is over: what it had is the account's again, where nothing else waits for it. */
export async function releaseDispute(
  em: EntityManager,
  med: Med,
  { charge, movement }: Disputed,
  at: Date,
): Promise<void> {
  const { accountUuid, providerAccountUuid, heldCents, retainedCents } = med
  if (charge) charge.disputedCents -= med.claimedCents
  Object.assign(med, { claimedCents: 0, heldCents: 0, retainedCents: 0 })
  await em.flush()
  const cents = heldCents + retainedCents
  if (cents === 0) return
  const freed = holdMovement(em, med, { charge, movement, movementType: 'IN', cents, at })
  const inflow = { providerAccountUuid, credits: [{ accountUuid, cents }] }
  const legs = [
    ...disputeReleased(accountUuid, { heldCents, retainedCents }),
    ...(await repayments(em, inflow)),
  ]
  await book(em, freed, legs)
}

type Held = Disputed & { movementType: 'IN' | 'OUT'; cents: number; at: Date }

function holdMovement(em: EntityManager, med: Med, { charge, movement, movementType, cents, at }: Held) {
  const { accountUuid, providerAccountUuid } = med
  return newMovement(
    em,
    { accountUuid, providerAccountUuid, connectionUuid: med.connection.uuid },
    {
      type: 'HOLD',
      movementType,
      valueCents: cents,
      status: 'SETTLED',
      chargeUuid: charge?.uuid,
      originalUuid: movement.uuid,
      medUuid: med.uuid,
      settledAt: at,
    },
    at,
  )
}
