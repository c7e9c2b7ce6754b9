import type { Charge } from '../db/entities/charge.ts'
import { Movement } from '../db/entities/movement.ts'
import type { EntityManager } from '../db/orm.ts'
import { charge as life } from '../domain/charge.ts'
import { paymentFailed, paymentStarted } from '../domain/ledger.ts'
import type { MovementReason } from '../domain/movement.ts'
import type { IncomingPix } from '../domain/provider.ts'
import { announceCharge } from './announce.ts'
import { confirmPayment } from './crediting.ts'
import { coverDisputes } from './med-cover.ts'
import { lockDisputes } from './med-locks.ts'
import { moveCharge } from './move.ts'
import { book, failMovement, newMovement } from './movements.ts'
import { setAside } from './unmatched.ts'

/**
 * Takes what a provider says was paid into a charge, under its row lock. A PIX is known by its end-to-end id, so a
 * repeated one changes nothing; one that the charge cannot take is set aside, never dropped (SPEC §2).
 */
export async function takePayments(
  em: EntityManager,
  charge: Charge,
  payments: IncomingPix[],
): Promise<void> {
  if (payments.length === 0) return
  const known = await em.find(Movement, {
    providerAccountUuid: charge.providerAccountUuid,
    movementType: 'IN',
    endToEnd: { $in: payments.map(payment => payment.endToEnd) },
  })
  for (const payment of payments) {
    const movement = known.find(one => one.endToEnd === payment.endToEnd)
    const cameAfterAll = movement?.status === 'FAILED' && payment.status === 'settled'
    if (cameAfterAll) await leaveIdOf(em, movement)
    await takePayment(em, charge, payment, cameAfterAll ? undefined : movement)
  }
}

/** Money that arrived is never dropped: what failed leaves its end-to-end id to the movement of what has come. */
async function leaveIdOf(em: EntityManager, failed: Movement): Promise<void> {
  failed.endToEnd = null
  await em.flush()
}

async function takePayment(
  em: EntityManager,
  charge: Charge,
  payment: IncomingPix,
  known: Movement | undefined,
): Promise<void> {
  if (known) {
    const running = known.uuid === charge.movement?.uuid && known.status === 'PENDING'
    if (running && payment.status === 'settled') await confirmKnown(em, charge, payment, known)
    if (running && payment.status === 'failed') await fail(em, charge, known)
    return
  }
  if (payment.status === 'failed') return
  const reason = whyNotThisCharge(charge, payment)
  if (!reason) {
    const started = await start(em, charge, payment)
    if (payment.status === 'settled') await confirmPayment(em, charge, payment, started)
    return
  }
  if (payment.status === 'settled')
    await setAside(em, {
      connection: charge.connection,
      charge,
      payment,
      reason,
      lifeUuid: charge.uuid,
      requestId: charge.requestId,
    })
}

/** Somebody may have disputed it while it was on its way: then it is the first that the dispute finds. */
async function confirmKnown(em: EntityManager, charge: Charge, payment: IncomingPix, movement: Movement) {
  const { accountUuid, providerAccountUuid } = charge
  const disputes = await lockDisputes(em, { providerAccountUuid, accountUuids: [accountUuid] })
  await confirmPayment(em, charge, payment, movement)
  await coverDisputes(em, { movement, charge }, disputes, new Date())
}

function whyNotThisCharge(charge: Charge, payment: IncomingPix): MovementReason | null {
  if (charge.state === 'failed') return 'charge_over'
  if (!life.accepts(charge.state, 'payment_started')) return 'second_payment'
  if (charge.valueCents > 0 && payment.cents !== charge.totalCents) return 'wrong_amount'
  return null
}

async function start(em: EntityManager, charge: Charge, payment: IncomingPix): Promise<Movement> {
  const at = new Date()
  const { accountUuid, providerAccountUuid, connection } = charge
  const movement = newMovement(
    em,
    { accountUuid, providerAccountUuid, connectionUuid: connection.uuid },
    {
      type: 'EXTERNAL_TRANSFER',
      movementType: 'IN',
      valueCents: payment.cents,
      status: 'PENDING',
      endToEnd: payment.endToEnd,
      txid: charge.txid,
      pixKey: charge.pixKey,
      sender: payment.payer,
      receiver: charge.receiver,
      chargeUuid: charge.uuid,
    },
    at,
  )
  charge.movement = movement
  moveCharge(charge, 'payment_started', at)
  await book(em, movement, paymentStarted(accountUuid, payment.cents))
  return movement
}

/** The payment failed after it had begun: the money never came, and the charge is what it would be without it. */
async function fail(em: EntityManager, charge: Charge, movement: Movement): Promise<void> {
  const at = new Date()
  failMovement(movement, at)
  charge.movement = null
  const expiresNow = !charge.history.some(entry => entry.status === 'EXPIRED')
  moveCharge(charge, whatFailureMeans(charge, at), at)
  await book(em, movement, paymentFailed(charge.accountUuid, movement.valueCents))
  if (charge.state === 'expired' && expiresNow) await announceCharge(em, charge, { at })
}

function whatFailureMeans(charge: Charge, at: Date) {
  const shown = charge.history.map(entry => entry.status)
  if (shown.includes('CANCELLED')) return 'payment_failed_after_cancellation'
  if (shown.includes('EXPIRED')) return 'payment_failed_after_expiry'
  return charge.expiresAt && charge.expiresAt < at ? 'payment_failed_after_expiry' : 'payment_failed'
}
