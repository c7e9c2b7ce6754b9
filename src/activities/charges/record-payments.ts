import type { EntityManager } from '../../db/client/orm.ts'
import type { Charge } from '../../db/entities/charge.ts'
import type { ChargeRevision } from '../../db/entities/charge-revision.ts'
import { Movement } from '../../db/entities/movement.ts'
import { lockAvailableBalance, type MovementLegs, writePostings } from '../../db/ledger/post.ts'
import { ROW_LOCK } from '../../db/locks.ts'
import { sendChanges } from '../../db/pipeline/query.ts'
import { findActiveAccountsAt } from '../../db/repositories/connections.ts'
import { chargeMachine } from '../../domain/charges/charge.ts'
import { judgePayer } from '../../domain/charges/payer-restriction.ts'
import { computeSplitCredits, splitMachine } from '../../domain/charges/split.ts'
import {
  type Leg,
  paymentConfirmedLegs,
  paymentFailedLegs,
  paymentStartedLegs,
  shortfallAdvancedLegs,
} from '../../domain/ledger/legs.ts'
import { computeFeeCents } from '../../domain/ledger/money.ts'
import { type MovementReason, movementMachine } from '../../domain/ledger/movement.ts'
import { referenceOf } from '../../domain/pix/identifiers.ts'
import type { IncomingPix } from '../../domain/providers/provider.ts'
import { DepositNotAssigned } from '../../domain/unmatched/deposit-assignment.ts'
import { isPayerReason, type PayerReason } from '../../domain/unmatched/deposit-return.ts'
import { recordChargeEvent, recordMovementEvent } from '../events/record-event.ts'
import { inflowPostings } from '../ledger/apply-inflow.ts'
import { holdDisputedFunds } from '../ledger/dispute-claims.ts'
import { getCreditedAccounts, lockDisputes, lockDisputesAndBalances } from '../ledger/dispute-locks.ts'
import { createMovement, failMovement, postMovement } from '../ledger/movements.ts'
import { transition, transitionStatus } from '../shared/transition.ts'
import { recordUnmatchedPayment } from '../unmatched/record.ts'
import { applyPaidVersion, hasDueDate, isOfDueValue } from './due-payments.ts'
import { restrictionOf } from './payer-restriction.ts'
import { findOpenRevision } from './revisions.ts'

/**
 * Selects the payments of a charge: a PIX that names another charge, or that moved nothing, is ignored, in whatever list it
 * appears.
 */
export function selectPaymentsOf(chargeUuid: string, listed: IncomingPix[]): IncomingPix[] {
  const reference = referenceOf(chargeUuid)
  return listed.filter(one => one.cents > 0 && (one.reference ?? reference) === reference)
}

/**
 * Records the payments of a charge that its provider lists; `recordedMovements`: the movements that have their end-to-end ids,
 * as of the charge's row lock, which the caller holds. A PIX is identified by its end-to-end id, so that a repeated one
 * changes nothing. A PIX that the charge cannot accept is recorded as an unmatched payment, never dropped (SPEC §2).
 */
export async function recordPayments(
  em: EntityManager,
  charge: Charge,
  { payments, recordedMovements }: { payments: IncomingPix[]; recordedMovements: Movement[] },
): Promise<void> {
  const movementOf = (payment: IncomingPix) =>
    recordedMovements.find(one => one.endToEnd === payment.endToEnd)
  const pendingMovement = recordedMovements.find(one => one.uuid === charge.movement?.uuid)
  const mayPay = (one: IncomingPix, movement = movementOf(one)) =>
    isNewPayment(one, movement) || (movement !== undefined && isDepositOfCharge(charge, one, movement))
  const openRevision = await findOpenRevision(em, charge)
  const canAnotherPay = payments.some(
    one => mayPay(one) && !getUnmatchedReason(charge, one, { openRevision }),
  )
  // Each payment may post: what the later ones lock is locked before the first posting.
  if (payments.length > 1) await lockDisputesAndBalances(em, getCreditedAccounts(charge))
  for (const payment of sortPayments(payments, pendingMovement)) {
    const movement = movementOf(payment)
    if (movement && isDepositOfCharge(charge, payment, movement)) {
      if (
        !getUnmatchedReason(charge, payment, { movement, openRevision }) &&
        chargeMachine.accepts(charge.state, 'payment_started')
      )
        await payChargeByDeposit(em, charge, payment, movement)
    } else if (isNewPayment(payment, movement)) {
      await recordNewPayment(em, charge, payment, { failedMovement: movement, openRevision })
    } else if (movement) await updateKnownPayment(em, charge, { payment, movement, canAnotherPay })
  }
}

/** Tells whether a payment is not recorded yet, or was recorded as failed and has settled since. */
function isNewPayment({ status }: IncomingPix, movement: Movement | undefined): boolean {
  if (!movement) return status === 'in_process' || status === 'settled'
  return movement.status === 'FAILED' && status === 'settled'
}

/**
 * Sorts payments independently of the provider's order: first failed ones and the charge's pending payment, because
 * another payment may pay the charge where it has failed; then settled ones; then those in process. Equal ranks by
 * time.
 */
function sortPayments(payments: IncomingPix[], pendingMovement: Movement | undefined): IncomingPix[] {
  const rank = ({ endToEnd, status }: IncomingPix) => {
    if (status === 'in_process') return 2
    return status === 'failed' || endToEnd === pendingMovement?.endToEnd ? 0 : 1
  }
  return payments.toSorted((a, b) => rank(a) - rank(b) || a.at.localeCompare(b.at))
}

type KnownPayment = { payment: IncomingPix; movement: Movement; canAnotherPay: boolean }

async function updateKnownPayment(em: EntityManager, charge: Charge, knownPayment: KnownPayment) {
  const { payment, movement } = knownPayment
  const isPending = movement.uuid === charge.movement?.uuid && movement.status === 'PENDING'
  if (isPending && payment.status === 'failed') await failPayment(em, charge, knownPayment)
  if (!isPending || payment.status !== 'settled') return
  const isSame = payment.cents === movement.valueCents && !getPayerReason(charge, payment, movement)
  if (isSame) return confirmPendingPayment(em, charge, payment, movement)
  // Its provider has reported another amount, or an allowed payer, while it was in process. Failure and payment are both posted, and
  // disputes are locked before balances.
  await lockDisputesAndBalances(em, getCreditedAccounts(charge))
  await failPayment(em, charge, knownPayment)
  await recordNewPayment(em, charge, payment, { failedMovement: movement })
}

/**
 * Records a payment; `failedMovement`: that of the same PIX, which was recorded as failed and has settled since. `openRevision`: as it was
 * before the first payment of the charge.
 */
async function recordNewPayment(
  em: EntityManager,
  charge: Charge,
  payment: IncomingPix,
  {
    failedMovement,
    openRevision = null,
  }: { failedMovement?: Movement | undefined; openRevision?: ChargeRevision | null },
): Promise<void> {
  if (failedMovement) {
    failedMovement.endToEnd = null // The settled movement of the same PIX can have it then.
    await sendChanges(em)
  }
  const reason = getUnmatchedReason(charge, payment, { openRevision })
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

/**
 * Starts a payment and confirms it if settled, then with one update of each row and without postings in `pending`.
 * Ignored while another is pending: a later poll records it.
 */
async function payCharge(em: EntityManager, charge: Charge, payment: IncomingPix): Promise<void> {
  if (!chargeMachine.accepts(charge.state, 'payment_started')) return
  const startedLegs = paymentStartedLegs(charge.accountUuid, payment.cents)
  if (payment.status !== 'settled') return postMovement(em, startPayment(em, charge, payment), startedLegs)
  await confirmPayment(em, charge, payment, startPayment(em, charge, payment), { startedLegs })
}

/** Confirms a pending payment. A dispute opened meanwhile claims it now, so disputes are locked first. */
async function confirmPendingPayment(
  em: EntityManager,
  charge: Charge,
  payment: IncomingPix,
  movement: Movement,
) {
  const disputes = await lockDisputes(em, getCreditedAccounts(charge))
  await confirmPayment(em, charge, payment, movement)
  await holdDisputedFunds(em, { movement, charge }, disputes, new Date())
}

/**
 * Tells whether a PIX is not to be recorded yet: it is for a charge that only some may pay, and its provider may still report its
 * payer in a notification. `waitMs`: how long it may take from the settlement.
 */
export function isPayerReportPending(
  charge: Charge,
  payment: IncomingPix,
  { recordedMovements, waitMs }: { recordedMovements: Movement[]; waitMs: number },
): boolean {
  const movement = recordedMovements.find(one => one.endToEnd === payment.endToEnd)
  return (
    payment.status === 'settled' &&
    Date.now() - Date.parse(payment.at) < waitMs &&
    (!movement || isNewPayment(payment, movement) || isDepositOfCharge(charge, payment, movement)) &&
    getUnmatchedReason(charge, payment, { movement }) === 'unknown_payer'
  )
}

/** Tells whether a charge does not accept a listed PIX because of its payer, and has not been paid by another one. */
export function isRefusedForItsPayer(charge: Charge, payment: IncomingPix): boolean {
  return payment.status === 'settled' && isPayerReason(getUnmatchedReason(charge, payment))
}

/** Returns why the payer of a PIX may not pay a charge; `movement`: what was recorded of it before. Null where it may. */
function getPayerReason(charge: Charge, { payer }: IncomingPix, movement?: Movement): PayerReason | null {
  const restriction = restrictionOf(charge)
  if (!restriction) return null
  const judgement = judgePayer(restriction, (payer ?? movement?.sender)?.document)
  return judgement === 'allowed' ? null : `${judgement}_payer`
}

/** Returns why a PIX cannot pay a charge; `movement`: what was recorded of it before. Null where it can. */
function getUnmatchedReason(
  charge: Charge,
  payment: IncomingPix,
  {
    movement,
    openRevision = null,
  }: { movement?: Movement | undefined; openRevision?: ChargeRevision | null } = {},
): MovementReason | null {
  if (charge.state === 'failed') return 'charge_over'
  const isUnpaid =
    chargeMachine.accepts(charge.state, 'payment_started') ||
    chargeMachine.accepts(charge.state, 'payment_confirmed')
  if (!isUnpaid) return 'second_payment'
  const payerReason = getPayerReason(charge, payment, movement)
  if (payerReason) return payerReason
  if (hasDueDate(charge)) return isOfDueValue(charge, payment, openRevision) ? null : 'wrong_amount'
  return charge.valueCents > 0 && payment.cents !== charge.totalCents ? 'wrong_amount' : null
}

function startPayment(em: EntityManager, charge: Charge, payment: IncomingPix): Movement {
  const at = new Date()
  const { accountUuid, providerAccountUuid, connection } = charge
  const movement = createMovement(em, at, {
    accountUuid,
    providerAccountUuid,
    connectionUuid: connection.uuid,
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
  })
  charge.movement = movement
  transition(charge, chargeMachine, 'payment_started', at)
  return movement
}

/** Fails a pending payment: the money never arrived, and the charge gets the state that it would have without it. */
async function failPayment(em: EntityManager, charge: Charge, { movement, canAnotherPay }: KnownPayment) {
  const at = new Date()
  failMovement(movement, at)
  charge.movement = null
  const expiresNow = !charge.history.some(entry => entry.status === 'EXPIRED')
  transition(charge, chargeMachine, getPaymentFailureEvent(charge, { at, canAnotherPay }), at)
  await postMovement(em, movement, paymentFailedLegs(charge.accountUuid, movement.valueCents))
  if (charge.state === 'expired' && expiresNow) await recordChargeEvent(em, charge, { at })
}

/** Chooses the event of a failed payment. A charge past its expiry expires if no other listed payment may pay it. */
function getPaymentFailureEvent(charge: Charge, { at, canAnotherPay }: { at: Date; canAnotherPay: boolean }) {
  const statuses = charge.history.map(entry => entry.status)
  if (statuses.includes('CANCELLED')) return 'payment_failed_after_cancellation'
  if (statuses.includes('EXPIRED')) return 'payment_failed_after_expiry'
  // The end of a debit is for its provider to report.
  if (charge.debitOn != null) return 'payment_failed'
  const hasExpired = charge.expiresAt && charge.expiresAt < at && !canAnotherPay
  return hasExpired ? 'payment_failed_after_expiry' : 'payment_failed'
}

/**
 * Tells whether a PIX that the provider lists as the charge's payment was credited before to the charge's account as a
 * deposit, because the look-up of the PIX itself named no charge. One that was credited with another amount stays a deposit.
 */
function isDepositOfCharge(charge: Charge, payment: IncomingPix, movement: Movement): boolean {
  return (
    payment.status === 'settled' &&
    movement.reason === 'deposit' &&
    movement.status === 'SETTLED' &&
    movement.accountUuid === charge.accountUuid &&
    movement.valueCents === payment.cents
  )
}

/**
 * Makes a deposit the payment of its charge, in the caller's transaction and under the charge's row lock. The movement
 * stays: its end-to-end id is posted once, and its money is in `available` already, so that only the fee and the splits
 * are posted. Disputes of the deposit become disputes of the charge. A deposit that was returned, in whole or in part,
 * stays a deposit: its money is not the charge's any more (SPEC §2). So does one whose return its account has ordered, because a
 * return that has failed may settle late. Repeatable: a movement that pays a charge is no longer a deposit.
 */
async function payChargeByDeposit(
  em: EntityManager,
  charge: Charge,
  payment: IncomingPix,
  { uuid }: Movement,
): Promise<void> {
  const deposit = await em.findOneOrFail(Movement, uuid, { ...ROW_LOCK, refresh: true })
  if (deposit.reason !== 'deposit' || deposit.disposition != null) return
  if (await hasReturns(em, deposit)) return
  await makeDepositPayment(em, charge, payment, deposit)
}

/**
 * Makes a deposit the payment of a charge because its account has assigned it to the charge's code, in the caller's transaction and
 * under the row locks of both; the caller has found it assignable. Throws `DepositNotAssigned` where the charge cannot take it, and where
 * the account has spent so much of it that fee and shares are not covered: nothing is advanced for an order.
 */
export async function payChargeByAssignedDeposit(
  em: EntityManager,
  charge: Charge,
  deposit: Movement,
): Promise<void> {
  const { endToEnd, settledAt, txid, sender, pixKey } = deposit
  if (!endToEnd || !settledAt) throw new DepositNotAssigned('deposit_not_assignable')
  const payment: IncomingPix = {
    endToEnd,
    txid: txid ?? null,
    reference: null,
    cents: deposit.valueCents,
    status: 'settled',
    at: settledAt.toISOString(),
    payer: sender ?? null,
    pixKey: pixKey ?? '',
  }
  const reason = getUnmatchedReason(charge, payment, { movement: deposit })
  if (!chargeMachine.accepts(charge.state, 'payment_started') || reason)
    throw new DepositNotAssigned('qr_code_does_not_fit')
  await makeDepositPayment(em, charge, payment, deposit, 'covered')
}

/** Posts fee and shares of a charge out of its deposit; `cover` says what becomes of what the account has spent of them. */
async function makeDepositPayment(
  em: EntityManager,
  charge: Charge,
  payment: IncomingPix,
  deposit: Movement,
  cover: DepositCover = 'advanced',
): Promise<void> {
  const disputes = await lockDisputesAndBalances(em, getCreditedAccounts(charge))
  for (const dispute of disputes.filter(one => one.movement.uuid === deposit.uuid)) {
    dispute.chargeUuid = charge.uuid
    charge.disputedCents += dispute.claimedCents
  }
  Object.assign(deposit, {
    reason: null,
    chargeUuid: charge.uuid,
    txid: charge.txid,
    pixKey: charge.pixKey || deposit.pixKey,
    receiver: charge.receiver,
  })
  charge.movement = deposit
  transition(charge, chargeMachine, 'payment_started', new Date())
  await confirmPayment(em, charge, payment, deposit, { creditedCover: cover })
}

/** Of fee and shares of a deposit, what its account has spent: advanced by the service, or not to be paid at all. */
type DepositCover = 'advanced' | 'covered'

/** Tells whether anything of a PIX was or is being returned: by a dispute, in the provider's panel, by an order of ours. */
async function hasReturns(em: EntityManager, { uuid: originalUuid }: Movement): Promise<boolean> {
  const returns = {
    originalUuid,
    type: 'EXTERNAL_REFUND',
    movementType: 'OUT',
    status: { $ne: 'FAILED' },
  } as const
  return (await em.count(Movement, returns)) > 0
}

/**
 * Confirms a settled payment of a charge: the charge becomes PAID, its money is posted, its splits are credited, its
 * events are written. The caller holds the charge's row lock. `creditedCover`: the money is in the owner's `available`
 * already, and the balances are locked. `startedLegs`: those of the payment's start, where they are not posted yet.
 */
async function confirmPayment(
  em: EntityManager,
  charge: Charge,
  payment: IncomingPix,
  movement: Movement,
  { creditedCover, startedLegs = [] }: { creditedCover?: DepositCover; startedLegs?: Leg[] } = {},
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
  if (hasDueDate(charge)) await applyPaidVersion(em, charge, payment)
  charge.endToEnd = payment.endToEnd
  charge.paidAt = movement.settledAt
  charge.receivedCents = movement.valueCents
  // The movement has them from now on.
  charge.pixKey = null
  charge.receiver = null
  transition(charge, chargeMachine, 'payment_confirmed', at)
  const entries = await buildPaymentEntries(em, charge, { movement, at, creditedCover, startedLegs })
  await recordChargeEvent(em, charge, { at, late: isLate })
  await recordMovementEvent(em, movement, charge, at)
  const { providerAccountUuid } = charge
  const repayment = {
    providerAccountUuid,
    movementUuid: movement.uuid,
    legs: await buildRepaymentLegs(em, charge, creditedCover !== undefined),
  }
  await sendChanges(em)
  await writePostings(em, [...entries, repayment])
}

type ReceivedPayment = {
  movement: Movement
  at: Date
  creditedCover: DepositCover | undefined
  startedLegs: Leg[]
}

async function buildPaymentEntries(
  em: EntityManager,
  charge: Charge,
  { movement, at, creditedCover, startedLegs }: ReceivedPayment,
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
  const credits = computeSplitCredits(charge.splits.getItems(), base)
  for (const [index, split] of charge.splits.getItems().entries()) {
    const isCreditable = creditable.has(split.recipient.uuid)
    transitionStatus(split, splitMachine, isCreditable ? 'credited' : 'not_creditable')
    split.creditedCents = isCreditable ? credits[index]! : 0
    if (split.creditedCents > 0)
      addPart('SPLIT', split.creditedCents, { accountUuid: split.recipient.uuid, bucket: 'available' })
  }
  const legs = creditedCover
    ? await buildAdvanceLegs(em, charge, creditedCover)
    : [...startedLegs, ...paymentConfirmedLegs(charge.accountUuid, charge.receivedCents)]
  return [{ providerAccountUuid, movementUuid: movement.uuid, legs }, ...entries]
}

/**
 * Builds the legs by which the service advances what the owner has spent of a deposit's fee and shares (SPEC §7); throws
 * `DepositNotAssigned` where these are to be covered.
 */
async function buildAdvanceLegs(em: EntityManager, charge: Charge, cover: DepositCover): Promise<Leg[]> {
  const { accountUuid, providerAccountUuid, feeCents } = charge
  const availableCents = await lockAvailableBalance(em, { accountUuid, providerAccountUuid })
  const cents = feeCents + sumSplitCents(charge)
  if (cover === 'covered' && cents > availableCents) throw new DepositNotAssigned('deposit_spent')
  return shortfallAdvancedLegs(accountUuid, { cents, availableCents })
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
