import type { EntityManager } from '../../db/client/orm.ts'
import type { Charge } from '../../db/entities/charge.ts'
import { Movement } from '../../db/entities/movement.ts'
import { lockBalances } from '../../db/ledger/post.ts'
import { chargeMachine } from '../../domain/charges/charge.ts'
import { paymentFailedLegs, paymentStartedLegs } from '../../domain/ledger/legs.ts'
import type { MovementReason } from '../../domain/ledger/movement.ts'
import { referenceOf } from '../../domain/pix/identifiers.ts'
import type { IncomingPix } from '../../domain/providers/provider.ts'
import { holdDisputedFunds } from '../disputes/hold-funds.ts'
import { lockDisputes } from '../disputes/locks.ts'
import { recordChargeEvent } from '../events/record-event.ts'
import { createMovement, failMovement, postMovement } from '../ledger/movements.ts'
import { transitionCharge } from '../shared/transition.ts'
import { recordUnmatchedPayment } from '../unmatched/record.ts'
import { isDepositOfCharge, payChargeByDeposit } from './pay-by-deposit.ts'
import { confirmPayment } from './settle-payment.ts'

/**
 * Takes what a provider says was paid into a charge, under its row lock. A PIX is known by its end-to-end id, so a
 * repeated one changes nothing; one that the charge cannot take is set aside, never dropped (SPEC §2). One that names
 * another charge is not this one's, whatever list it stands in.
 */
export async function recordPayments(
  em: EntityManager,
  charge: Charge,
  listed: IncomingPix[],
): Promise<void> {
  const reference = referenceOf(charge.uuid)
  const payments = listed.filter(one => (one.reference ?? reference) === reference)
  if (payments.length === 0) return
  const known = await em.find(Movement, {
    providerAccountUuid: charge.providerAccountUuid,
    movementType: 'IN',
    endToEnd: { $in: payments.map(payment => payment.endToEnd) },
  })
  const movementOf = (payment: IncomingPix) => known.find(one => one.endToEnd === payment.endToEnd)
  const running = known.find(one => one.uuid === charge.movement?.uuid)
  const mayPay = (one: IncomingPix, movement = movementOf(one)) =>
    isNewPayment(one, movement) || (movement !== undefined && isDepositOfCharge(charge, one, movement))
  const anotherMayPay = payments.some(one => mayPay(one) && !getUnmatchedReason(charge, one))
  for (const payment of sortPayments(payments, running)) {
    const movement = movementOf(payment)
    if (movement && isDepositOfCharge(charge, payment, movement)) {
      if (!getUnmatchedReason(charge, payment) && chargeMachine.accepts(charge.state, 'payment_started'))
        await payChargeByDeposit(em, charge, payment, movement)
    } else if (isNewPayment(payment, movement)) {
      if (movement) await clearEndToEndId(em, movement)
      await recordNewPayment(em, charge, payment)
    } else if (movement)
      await updateKnownPayment(em, charge, { payment, movement, canAnotherPay: anotherMayPay })
  }
}

/** One that is not recorded, or only as one that failed, and has come after all. */
function isNewPayment({ status }: IncomingPix, movement: Movement | undefined): boolean {
  if (!movement) return status === 'in_process' || status === 'settled'
  return movement.status === 'FAILED' && status === 'settled'
}

/**
 * However a provider lists them: what the payment that is on its way has come to, because where it failed another pays the
 * charge; then what has settled, the first of it first; then what is on its way.
 */
function sortPayments(payments: IncomingPix[], running: Movement | undefined): IncomingPix[] {
  const rank = ({ endToEnd, status }: IncomingPix) => {
    if (status === 'in_process') return 2
    return status === 'failed' || endToEnd === running?.endToEnd ? 0 : 1
  }
  return payments.toSorted((a, b) => rank(a) - rank(b) || a.at.localeCompare(b.at))
}

/** Money that arrived is never dropped: what failed leaves its end-to-end id to the movement of what has come. */
async function clearEndToEndId(em: EntityManager, failed: Movement): Promise<void> {
  failed.endToEnd = null
  await em.flush()
}

type KnownPayment = { payment: IncomingPix; movement: Movement; canAnotherPay: boolean }

async function updateKnownPayment(em: EntityManager, charge: Charge, known: KnownPayment): Promise<void> {
  const { payment, movement } = known
  const running = movement.uuid === charge.movement?.uuid && movement.status === 'PENDING'
  if (running && payment.status === 'settled') await confirmPendingPayment(em, charge, payment, movement)
  if (running && payment.status === 'failed') await failPayment(em, charge, known)
}

async function recordNewPayment(em: EntityManager, charge: Charge, payment: IncomingPix): Promise<void> {
  const reason = getUnmatchedReason(charge, payment)
  if (!reason) return payCharge(em, charge, payment)
  if (payment.status === 'settled')
    await recordUnmatchedPayment(em, {
      connection: charge.connection,
      charge,
      payment,
      reason,
      ownerUuid: charge.uuid,
      requestId: charge.requestId,
    })
}

/** While another one is on its way, nobody knows whose this is: it is taken when that one has settled or failed. */
async function payCharge(em: EntityManager, charge: Charge, payment: IncomingPix): Promise<void> {
  if (!chargeMachine.accepts(charge.state, 'payment_started')) return
  if (payment.status === 'settled') await lockSplitBalances(em, charge)
  const started = await startPayment(em, charge, payment)
  if (payment.status === 'settled') await confirmPayment(em, charge, payment, started)
}

/** Its owner's balances are moved before those of its splits: two owners that share with each other must not wait in a circle. */
async function lockSplitBalances(em: EntityManager, { accountUuid, providerAccountUuid, splits }: Charge) {
  const recipients = splits.getItems().map(split => split.recipient.uuid)
  if (recipients.length === 0) return
  await lockBalances(em, {
    accountUuids: [accountUuid, ...recipients],
    providerAccountUuids: [providerAccountUuid],
  })
}

/** Confirms a payment that was on its way. A dispute opened meanwhile now claims it: disputes are locked first. */
async function confirmPendingPayment(
  em: EntityManager,
  charge: Charge,
  payment: IncomingPix,
  movement: Movement,
) {
  const { accountUuid, providerAccountUuid } = charge
  const disputes = await lockDisputes(em, { providerAccountUuid, accountUuids: [accountUuid] })
  await confirmPayment(em, charge, payment, movement)
  await holdDisputedFunds(em, { movement, charge }, disputes, new Date())
}

function getUnmatchedReason(charge: Charge, payment: IncomingPix): MovementReason | null {
  if (charge.state === 'failed') return 'charge_over'
  const isUnpaid =
    chargeMachine.accepts(charge.state, 'payment_started') ||
    chargeMachine.accepts(charge.state, 'payment_confirmed')
  if (!isUnpaid) return 'second_payment'
  if (charge.valueCents > 0 && payment.cents !== charge.totalCents) return 'wrong_amount'
  return null
}

async function startPayment(em: EntityManager, charge: Charge, payment: IncomingPix): Promise<Movement> {
  const at = new Date()
  const { accountUuid, providerAccountUuid, connection } = charge
  const movement = createMovement(
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
  transitionCharge(charge, 'payment_started', at)
  await postMovement(em, movement, paymentStartedLegs(accountUuid, payment.cents))
  return movement
}

/** The payment failed after it had begun: the money never came, and the charge is what it would be without it. */
async function failPayment(
  em: EntityManager,
  charge: Charge,
  { movement, canAnotherPay: anotherMayPay }: KnownPayment,
): Promise<void> {
  const at = new Date()
  failMovement(movement, at)
  charge.movement = null
  const expiresNow = !charge.history.some(entry => entry.status === 'EXPIRED')
  transitionCharge(charge, getPaymentFailureEvent(charge, { at, anotherMayPay }), at)
  await postMovement(em, movement, paymentFailedLegs(charge.accountUuid, movement.valueCents))
  if (charge.state === 'expired' && expiresNow) await recordChargeEvent(em, charge, { at })
}

/** Past its time it has expired only where no other payment may be its own. */
function getPaymentFailureEvent(charge: Charge, { at, anotherMayPay }: { at: Date; anotherMayPay: boolean }) {
  const shown = charge.history.map(entry => entry.status)
  if (shown.includes('CANCELLED')) return 'payment_failed_after_cancellation'
  if (shown.includes('EXPIRED')) return 'payment_failed_after_expiry'
  const isOver = charge.expiresAt && charge.expiresAt < at && !anotherMayPay
  return isOver ? 'payment_failed_after_expiry' : 'payment_failed'
}
