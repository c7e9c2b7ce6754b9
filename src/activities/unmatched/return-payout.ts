import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import { DepositReturn } from '../../db/entities/deposit-return.ts'
import { Movement } from '../../db/entities/movement.ts'
import { lockAvailableBalance } from '../../db/ledger/post.ts'
import { lockMovement, ROW_LOCK } from '../../db/locks.ts'
import { constantQuery, noQuery, type Query, sendChanges } from '../../db/pipeline/query.ts'
import { findAttemptsWith } from '../../db/repositories/attempts.ts'
import { readDepositReturnTerms } from '../../db/repositories/deposit-returns.ts'
import { failureOf } from '../../domain/errors/error-catalogue.ts'
import {
  depositReturnHeldLegs,
  type Leg,
  returnFailedLegs,
  returnHeldLegs,
  returnReleasedLegs,
  returnSettledLateLegs,
  returnSettledLegs,
  shortfallAdvancedLegs,
  uncoveredLateLegs,
  unmatchedKeptLegs,
} from '../../domain/ledger/legs.ts'
import type { UnmatchedDisposition } from '../../domain/ledger/movement.ts'
import { referenceOf } from '../../domain/pix/identifiers.ts'
import type { ProviderRefundRequest } from '../../domain/providers/provider.ts'
import { type DepositReturnRefusal, depositReturnErrorCodeOf } from '../../domain/unmatched/deposit-return.ts'
import type { DepositReturnInput } from '../../workflows/contracts/orders.ts'
import type { KeepUnmatchedInput, OrderReturnResult } from '../../workflows/contracts/unmatched.ts'
import { recordMovementEvent } from '../events/record-event.ts'
import { creditPostings } from '../ledger/apply-inflow.ts'
import { holdDisputedFunds } from '../ledger/dispute-claims.ts'
import { lockDisputes } from '../ledger/dispute-locks.ts'
import { createMovement, failMovement, postMovement, settleMovement } from '../ledger/movements.ts'
import type { AttemptedRow, PayoutHandler } from '../payouts/payout-handler.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { describeRefusal } from '../shared/attempts.ts'
import { transitionAttempt } from '../shared/transition.ts'

/**
 * An unmatched PIX, the movement of its return to the payer (null before the first attempt), the centavos that its
 * provider has returned without an order of ours, by a dispute or in its panel, and the order of its account that holds or
 * held its money (null where the account's policy or an operator returns it).
 */
type UnmatchedReturn = {
  original: Movement
  returnMovement: Movement | null
  disputedCents: number
  order: DepositReturn | null
}

/** Implements the rules of the return of an unmatched PIX, sent through the provider that received it (SPEC §2). */
export const returnPayout: PayoutHandler<UnmatchedReturn & AttemptedRow> = {
  operation: 'return',

  async lock(em, uuid, more) {
    const original = await lockMovement(em, uuid)
    const returns = await em.find(
      Movement,
      { originalUuid: uuid, type: 'EXTERNAL_REFUND' },
      { orderBy: { createdAt: 'desc' } },
    )
    const returnMovement = returns.find(one => !isProviderReturn(one)) ?? null
    const disputedCents = sumProviderReturns(returns)
    const order = await lockReturnOrder(em, uuid)
    const [attempts, result] = await findAttemptsWith(em, { operation: 'return', subjectUuid: uuid }, more)
    return [{ original, returnMovement, disputedCents, order, attempts }, result]
  },

  closedReason({ original, disputedCents }) {
    if (original.disposition === 'kept') return 'kept_for_the_account'
    if (original.disposition == null) return 'not_ordered'
    return disputedCents > 0 ? 'returned_by_dispute' : null
  },

  getOrdered: ({ original }) => ({ cents: original.valueCents }),

  getOrder: ({ order }) => order ?? undefined,

  async endUnaccepted(em, { original, order }) {
    if (!order || order.failure || original.disposition !== 'held') return
    order.failure = failureOf('not_started')
    await keepForAccount(em, original, { movement: original, legsOf: unmatchedKeptLegs })
  },

  async holdFunds(em, { original }) {
    await holdReturn(em, original)
    return null
  },

  needsPreparation: provider => provider.prepareRefund !== undefined,

  prepare(provider, { original }, { turn }) {
    return provider.prepareRefund!({ ...buildReturnRequest(original), turn })
  },

  send(provider, { original }, { handle, turn }) {
    return provider.refund({ ...buildReturnRequest(original), turn }, handle)
  },

  async find(provider, { subjectUuid, handle }, em) {
    const { endToEnd } = await em.findOneOrFail(Movement, subjectUuid)
    return provider.findRefund({
      id: referenceOf(subjectUuid),
      endToEnd: endToEnd!,
      ...(handle && { handle }),
    })
  },

  async applyAcceptance() {},

  async applySettlement(em, { original, returnMovement: recorded, order }, attempt, payout) {
    // A return whose sending was not stored has no movement.
    const returnMovement = recorded ?? (await holdReturn(em, original))
    const at = new Date()
    const isLate = returnMovement.status === 'FAILED'
    const legs = isLate
      ? await buildLateReturnLegs(em, original)
      : returnSettledLegs(original.accountUuid, original.valueCents)
    if (isLate) returnMovement.reason = 'late_settlement'
    transitionAttempt(attempt, 'settled')
    setDisposition(original, 'returned', at)
    if (order) order.failure = null
    settleMovement(returnMovement, payout, at)
    await postMovement(em, returnMovement, legs)
    await recordReturnEvent(em, returnMovement, { original, order }, at)
  },

  /**
   * Applies a refusal: an unreachable provider is tried again. A definite refusal leaves the money in `pending`, for the
   * operator; that of a return which the account has ordered gives it back to the account.
   */
  async applyRefusal(em, { original, returnMovement, disputedCents, order }, attempt) {
    if (attempt.code === 'paused') return // Nothing is held for it yet.
    if (!returnMovement) throw new Error('the refused return has no attempt')
    const at = new Date()
    const isRetried = attempt.state === 'unreachable' && disputedCents === 0
    if (order && !isRetried) {
      failMovement(returnMovement, at)
      // The account has paid what the provider returned without us.
      const isReturned = disputedCents === original.valueCents
      if (!isReturned) order.failure = describeRefusal(attempt)
      const disposition = isReturned ? 'returned' : 'kept'
      await keepForAccount(em, original, {
        movement: returnMovement,
        legsOf: returnReleasedLegs,
        disposition,
      })
      if (!isReturned) await recordReturnEvent(em, returnMovement, { original, order }, at)
      return
    }
    setDisposition(original, isRetried ? 'held' : getDispositionAfterReturns(original, disputedCents), at)
    failMovement(returnMovement, at)
    const pendingLegs = returnFailedLegs(original.accountUuid, original.valueCents)
    // While this return held the money, the account paid the dispute's return itself: it is repaid from what is pending
    // again.
    const repaymentLegs =
      disputedCents > 0 ? await creditPostings(em, unmatchedKeptLegs, original, disputedCents) : []
    await postMovement(em, returnMovement, [...pendingLegs, ...repaymentLegs])
  },
}

function buildReturnRequest({ uuid, endToEnd, valueCents: cents }: Movement): ProviderRefundRequest {
  return { id: referenceOf(uuid), endToEnd: endToEnd!, cents }
}

/**
 * Builds the legs of a return that settled after it had ended as failed: its money is taken from `pending`. Where
 * the account has the PIX meanwhile, or has paid another return of it, it is taken from `available`, and the service advances what
 * that does not cover.
 */
async function buildLateReturnLegs(em: EntityManager, original: Movement): Promise<Leg[]> {
  const { accountUuid, providerAccountUuid, valueCents: cents } = original
  const isPending = original.disposition === 'held' || original.disposition === 'not_returned'
  if (isPending) return returnSettledLateLegs(accountUuid, cents)
  const availableCents = await lockAvailableBalance(em, { accountUuid, providerAccountUuid })
  return uncoveredLateLegs(accountUuid, { cents, availableCents })
}

/** Locks the order that holds or held the money of a deposit, the last one. The caller holds the deposit's row lock. */
async function lockReturnOrder(em: EntityManager, movementUuid: string): Promise<DepositReturn | null> {
  const [order = null] = await em.find(
    DepositReturn,
    { movementUuid, heldAt: { $ne: null } },
    { ...ROW_LOCK, refresh: true, orderBy: { createdAt: 'desc' }, limit: 1 },
  )
  return order
}

/** Records the PIX_TRANSACTION event of a return: settled, or failed where its account has ordered it. */
function recordReturnEvent(
  em: EntityManager,
  returnMovement: Movement,
  { original: { uuid }, order }: Pick<UnmatchedReturn, 'original' | 'order'>,
  at: Date,
): Promise<void> {
  return recordMovementEvent(em, returnMovement, { uuid, requestId: order?.requestId ?? uuid }, at)
}

/** Tells whether the provider made a return without an order of ours: by a dispute or in its panel. */
function isProviderReturn({ disputeUuid, reason }: Movement): boolean {
  return Boolean(disputeUuid) || reason === 'panel_return'
}

function sumProviderReturns(returns: Movement[]): number {
  return returns.filter(isProviderReturn).reduce((sum, { valueCents }) => sum + valueCents, 0)
}

/**
 * Builds the legs of a return that the provider made of an unmatched PIX without an order of ours, and updates the
 * disposition of the PIX from all such returns, this transaction's movements included. The money is taken from
 * `pending`, and no return of ours is sent any more. Null where it is not in `pending`: while a return of ours is under
 * way the account pays, and the refusal of our return repays it. The caller holds the PIX's row lock.
 */
export async function buildPendingReturnLegs(
  em: EntityManager,
  original: Movement,
  cents: number,
): Promise<Leg[] | null> {
  const { accountUuid, disposition } = original
  if (disposition !== 'held' && disposition !== 'not_returned') return null
  await sendChanges(em)
  const returns = await em.find(Movement, {
    originalUuid: original.uuid,
    type: 'EXTERNAL_REFUND',
    movementType: 'OUT',
  })
  original.disposition = getDispositionAfterReturns(original, sumProviderReturns(returns))
  const order = await lockReturnOrder(em, original.uuid)
  // The rest is not returned any more: it waits for an operator, as that of every unmatched PIX.
  if (order && original.disposition === 'not_returned') order.failure ??= failureOf('deposit_not_returnable')
  return [...returnHeldLegs(accountUuid, cents), ...returnSettledLegs(accountUuid, cents)]
}

/** Returns the disposition of a PIX after a return of `disputedCents`: a rest is left to the operator. */
function getDispositionAfterReturns({ valueCents }: Movement, disputedCents: number): UnmatchedDisposition {
  return disputedCents === valueCents ? 'returned' : 'not_returned'
}

async function holdReturn(em: EntityManager, original: Movement): Promise<Movement> {
  const at = new Date()
  setDisposition(original, 'returning', at)
  const returnMovement = createMovement(em, at, {
    accountUuid: original.accountUuid,
    providerAccountUuid: original.providerAccountUuid,
    connectionUuid: original.connectionUuid,
    type: 'EXTERNAL_REFUND',
    movementType: 'OUT',
    valueCents: original.valueCents,
    status: 'PENDING',
    sender: original.receiver,
    receiver: original.sender,
    chargeUuid: original.chargeUuid,
    originalUuid: original.uuid,
  })
  await postMovement(em, returnMovement, returnHeldLegs(original.accountUuid, original.valueCents))
  return returnMovement
}

type KeptMoney = {
  movement: Movement
  legsOf: (accountUuid: string, cents: number) => Leg[]
  cents?: number
  disposition?: UnmatchedDisposition
}

/** Credits what is left of a PIX to its account, like any inflow. The caller holds the row lock of the PIX, and no balance yet. */
async function keepForAccount(
  em: EntityManager,
  original: Movement,
  { movement, legsOf, cents = original.valueCents, disposition = 'kept' }: KeptMoney,
): Promise<void> {
  const { accountUuid, providerAccountUuid } = original
  const disputes = await lockDisputes(em, { providerAccountUuid, accountUuids: [accountUuid] })
  const at = new Date()
  setDisposition(original, disposition, at)
  await postMovement(em, movement, await creditPostings(em, legsOf, original, cents))
  // A dispute that was opened while the account did not have the money could not claim it until now.
  await holdDisputedFunds(em, { movement: original, charge: null }, disputes, at)
}

function setDisposition(original: Movement, disposition: UnmatchedDisposition, at: Date): void {
  original.disposition = disposition
  original.updatedAt = at
}

/**
 * Keeps an unmatched PIX for its account where its provider has refused the return, or the rest of it after a dispute:
 * its money is in `pending` and has no other way out (SPEC §7). Returns whether it is kept: it is not where nothing is
 * pending any more, or where the return was sent again or a part returned after the operator read it. Repeatable.
 */
export function keepUnmatchedPayment({ orm, log }: ActivityDependencies) {
  return ({ uuid, sending, cents }: KeepUnmatchedInput): Promise<boolean> =>
    runInTransaction(orm, async em => {
      const [{ original, disputedCents, attempts }] = await returnPayout.lock(em, uuid, noQuery)
      const sendings = attempts[0]?.sendings ?? 0
      if (sending !== sendings) return false
      if (original.disposition !== 'not_returned') return original.disposition === 'kept'
      if (cents !== original.valueCents - disputedCents) return false
      await keepForAccount(em, original, { movement: original, legsOf: unmatchedKeptLegs, cents })
      log.warn({ movement: uuid, cents }, 'an operator kept an unmatched payment for its account')
      return true
    })
}

/**
 * Stores the order of an account to return a deposit, and holds its money for the return workflow; or stores it with its
 * failure where the deposit cannot be returned any more (SPEC §2). All rules are checked here, under the row lock of the
 * deposit, so that of concurrent orders one holds money. Repeatable.
 */
export function orderDepositReturn({ orm }: ActivityDependencies) {
  return (order: DepositReturnInput): Promise<OrderReturnResult> =>
    runInTransaction(orm, async (em): Promise<Query<OrderReturnResult>> => {
      const deposit = await lockMovement(em, order.depositUuid)
      const storedOrder = await em.findOne(DepositReturn, order.uuid)
      const { failure } = storedOrder ?? (await storeReturnOrder(em, order, deposit))
      if (failure) return constantQuery({ failure: failure.code, returns: [] })
      // Afterwards its workflow runs, or has run.
      const { depositUuid: uuid, connectionUuid } = order
      const returns = deposit.disposition === 'held' ? [{ uuid, connectionUuid, order }] : []
      return constantQuery({ failure: null, returns })
    })
}

/**
 * Stores an order. The caller holds the row lock of the deposit, and with it the lock of its connection. `passedRules`: refusals
 * that do not apply, because the order had passed these rules before; the service advances what the balance lacks.
 */
export async function storeReturnOrder(
  em: EntityManager,
  order: DepositReturnInput,
  deposit: Movement,
  passedRules: readonly DepositReturnRefusal[] = [],
): Promise<DepositReturn> {
  const { accountUuid, providerAccountUuid, valueCents } = deposit
  await lockDisputes(em, { providerAccountUuid, accountUuids: [accountUuid] })
  const availableCents = await lockAvailableBalance(em, deposit)
  const terms = deposit.accountUuid === order.accountUuid && (await readDepositReturnTerms(em, deposit.uuid))
  const at = new Date()
  const refusal = terms ? depositReturnErrorCodeOf(terms, at) : 'deposit_not_returnable'
  const code = refusal && passedRules.includes(refusal) ? null : refusal
  if (!code) {
    deposit.disposition = 'held'
    deposit.updatedAt = at
    // PostgreSQL accepts the order once its deposit is held.
    await postMovement(em, deposit, [
      ...shortfallAdvancedLegs(accountUuid, { cents: valueCents, availableCents }),
      ...depositReturnHeldLegs(accountUuid, valueCents),
    ])
  }
  return em.create(DepositReturn, {
    uuid: order.uuid,
    accountUuid: order.accountUuid,
    connectionUuid: order.connectionUuid,
    providerAccountUuid,
    movementUuid: deposit.uuid,
    heldAt: code ? null : at,
    failure: code ? failureOf(code) : null,
    acceptBefore: order.acceptBefore && !code ? new Date(order.acceptBefore) : null,
    tokenNumber: order.tokenNumber ?? null,
    userUuid: order.userUuid ?? null,
    requestId: order.requestId,
    fingerprint: order.fingerprint,
    createdAt: at,
    updatedAt: at,
  })
}
