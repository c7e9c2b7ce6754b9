import { snapshotAcceptedTransfer } from '../../contract/transfers/transfer.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import { Connection } from '../../db/entities/connection.ts'
import { Movement } from '../../db/entities/movement.ts'
import { type OperationFailure, Transfer } from '../../db/entities/transfer.ts'
import { lockAvailableBalance, lockBalances, queryAvailableBalance } from '../../db/ledger/post.ts'
import { batchQueries, runQuery, sendChanges } from '../../db/pipeline/query.ts'
import { queryLockedLimits } from '../../db/repositories/account-limits.ts'
import { decideApprovalRequest, lockApproval } from '../../db/repositories/approvals.ts'
import { loadAttemptProviders } from '../../db/repositories/attempts.ts'
import type { TransferPreconditions } from '../../db/repositories/transfers.ts'
import { WAITS_FOR_APPROVAL } from '../../domain/approvals/approval.ts'
import { failureOf } from '../../domain/errors/error-catalogue.ts'
import { transferHeldLegs, transferReleasedLegs, transferSettledLegs } from '../../domain/ledger/legs.ts'
import { computeFeeCents } from '../../domain/ledger/money.ts'
import type { MovementReason } from '../../domain/ledger/movement.ts'
import { referenceOf } from '../../domain/pix/identifiers.ts'
import type { Party } from '../../domain/pix/party.ts'
import type { ProviderPayout, ProviderTransferRequest } from '../../domain/providers/provider.ts'
import { transferMachine } from '../../domain/transfers/transfer.ts'
import { readDestination } from '../../domain/transfers/transfer-destination.ts'
import { isWithinTransferLimit } from '../../domain/transfers/transfer-limit.ts'
import { recordMovementEvent, recordTransferEvent } from '../events/record-event.ts'
import { creditPostings, uncoveredOutflowPostings } from '../ledger/apply-inflow.ts'
import { lockDisputes } from '../ledger/dispute-locks.ts'
import { createMovement, failMovement, postMovement, settleMovement } from '../ledger/movements.ts'
import { countLateTransfer, releaseLimitRoom, takeTransferRoom } from '../limits/limit-room.ts'
import type { HoldRefusal, PayoutHandler } from '../payouts/payout-handler.ts'
import { getConnectionParty } from '../shared/provider-client.ts'
import {
  type LockedTransfer,
  lockTransferWithQuery,
  transition,
  transitionAttempt,
} from '../shared/transition.ts'
import {
  flagChangedReceiver,
  getDestinationToOrder,
  getLookUpEndToEnd,
  isPreparedByProvider,
  isReceiverLookedUp,
  prepareTransfer,
} from './receiver-check.ts'
import { recordTransferReturns } from './record-returns.ts'

/** Implements the payout rules of a transfer, which may be sent through several providers in turn (SPEC §4, §6). */
export const transferPayout: PayoutHandler<LockedTransfer> = {
  operation: 'transfer',
  lock: lockTransferWithQuery,

  closedReason({ transfer: { state, failure } }) {
    if (state === 'held') return WAITS_FOR_APPROVAL
    return transferMachine.isFinal(state) ? (failure?.code ?? state) : null
  },

  getOrdered: ({ transfer }) => ({ cents: transfer.valueCents, destination: readDestination(transfer) }),

  getOrder: ({ transfer }) => transfer,

  endUnaccepted: endUnacceptedTransfer,

  holdFunds(em, { transfer }, connection, isPossiblySent) {
    return holdTransferFunds(em, transfer, connection, { isPossiblySent })
  },

  needsPreparation: (provider, { transfer }) =>
    isPreparedByProvider(provider, transfer) || isReceiverLookedUp(provider, transfer),

  isBatchItem: ({ transfer }) => transfer.batchUuid !== null && transfer.batchUuid !== undefined,

  prepare(provider, { transfer }, { connection, turn, isFirst }) {
    return prepareTransfer(provider, transfer, {
      connection,
      request: { ...buildTransferRequest(transfer, connection), turn },
      isFirst,
    })
  },

  send(provider, { transfer }, { connection, handle, turn }) {
    const lookUpEndToEnd = handle?.lookUpEndToEnd ?? getLookUpEndToEnd(transfer, connection)
    const request = {
      ...buildTransferRequest(transfer, connection),
      ...(lookUpEndToEnd && { lookUpEndToEnd }),
      turn,
    }
    return provider.sendTransfer(request, handle)
  },

  async find(provider, { subjectUuid, handle, repeatThrough }, em) {
    const id = referenceOf(subjectUuid)
    const sent = { id, ...(handle && { handle }) }
    if (!repeatThrough) return provider.findTransfer(sent)
    const transfer = await em.findOneOrFail(Transfer, subjectUuid)
    return provider.findTransfer({ ...sent, order: buildTransferRequest(transfer, repeatThrough) })
  },

  async applyAcceptance(em, { transfer, attempts }, payout) {
    if (transfer.state !== 'sending') return
    applyProviderDetails(transfer, payout)
    transition(transfer, transferMachine, 'accepted', new Date())
    transfer.accepted ??= snapshotAcceptedTransfer(transfer, await loadAttemptProviders(em, attempts))
  },

  async applySettlement(em, lockedTransfer, attempt, payout) {
    const { transfer } = lockedTransfer
    // The returns are posted after the settlement, and may cover disputes.
    const { providerAccountUuid } = attempt
    if (payout.returns?.length)
      await lockDisputes(em, { providerAccountUuid, accountUuids: [transfer.accountUuid] })
    if (transferMachine.accepts(transfer.state, 'accepted'))
      await transferPayout.applyAcceptance(em, lockedTransfer, payout)
    const isCurrent = transfer.connection.uuid === attempt.connectionUuid
    const inTime = isCurrent && transferMachine.accepts(transfer.state, 'settled')
    const isLate = transferMachine.accepts(transfer.state, 'settled_late')
    if (!inTime && !isLate && !isCurrent) return recordDuplicateSettlement(em, transfer, attempt, payout)
    transitionAttempt(attempt, 'settled')
    await sendChanges(em) // Before the event, which shows the attempt and the time of its update.
    const isHeld = transfer.heldCents > 0 // False where the balance did not cover it when it was looked up.
    if (inTime && isHeld) await settleHeldTransfer(em, lockedTransfer, payout)
    else if (inTime || isLate) await settleUncoveredTransfer(em, lockedTransfer, attempt, payout)
  },

  afterSettlement(em, lockedTransfer, attempt, payout) {
    flagChangedReceiver(lockedTransfer.transfer, attempt, payout)
    return recordTransferReturns(em, { ...lockedTransfer, attempt }, payout.returns ?? [])
  },

  getSnapshot({ transfer: { state, connection } }) {
    return { transfer: { state, connectionUuid: connection.uuid } }
  },

  /**
   * Keeps the hold after a refusal, because the workflow may try the next provider: the hold is released when that one
   * starts or none is left. After an acceptance no other provider is tried, so a refusal ends the transfer.
   */
  async applyRefusal(em, lockedTransfer, attempt) {
    const { transfer } = lockedTransfer
    // A limit of the account binds at every provider.
    if (attempt.code === 'over_limit' && transfer.failure)
      return endUnsentTransfer(em, lockedTransfer, 'refused', transfer.failure)
    const canRetryLater = transfer.scheduledFor && attempt.finality !== 'final'
    if (canRetryLater && transferMachine.accepts(transfer.state, 'postponed'))
      return postponeTransfer(em, transfer)
    if (transfer.state !== 'settling' || transfer.connection.uuid !== attempt.connectionUuid) return
    await endUnsentTransfer(em, lockedTransfer, 'rejected', {
      code: attempt.code ?? 'provider_rejected',
      message: attempt.message ?? 'the provider rejected the transfer',
      provider: transfer.connection.provider,
      ...(attempt.providerCode && { provider_code: attempt.providerCode }),
    })
  },
}

function buildTransferRequest(
  transfer: Transfer,
  { collectionKey, dialect }: Connection,
): ProviderTransferRequest {
  const { uuid, valueCents: cents } = transfer
  return {
    id: referenceOf(uuid),
    cents,
    destination: getDestinationToOrder(transfer, dialect),
    payerKey: collectionKey ?? null,
  }
}

/**
 * Holds a transfer's value and fee at a connection, and releases its hold at the connection before, in one transaction.
 * Returns a refusal where the value is above the connection's limit, the balance is too low, or a limit of the account is
 * exceeded, whose failure the transfer then has. `locked`: given for a transfer without a hold whose balances and limits are
 * locked already. One that waits for its approvals keeps its state, and one that waited with its hold keeps the hold.
 * `isPossiblySent`: see `PayoutHandler.holdFunds`.
 */
export async function holdTransferFunds(
  em: EntityManager,
  transfer: Transfer,
  connection: Connection,
  {
    locked,
    isPossiblySent,
  }: {
    locked?: Pick<TransferPreconditions, 'availableCents' | 'limits'> | undefined
    isPossiblySent?: true | undefined
  } = {},
): Promise<HoldRefusal | null> {
  const { accountUuid, valueCents } = transfer
  const { providerAccountUuid } = connection
  if (transfer.state === 'approved' && isHeldAt(transfer, connection)) {
    transition(transfer, transferMachine, 'sending_started', new Date())
    return null
  }
  const feeCents = computeFeeCents(valueCents, connection.fees.transfer)
  await releaseTransferHold(em, transfer, providerAccountUuid)
  transfer.connection = connection
  transfer.providerAccountUuid = providerAccountUuid
  transfer.sender = getConnectionParty(connection)
  transfer.feeCents = feeCents
  const isStarted = transferMachine.accepts(transfer.state, 'sending_started')
  if (isStarted) transition(transfer, transferMachine, 'sending_started', new Date())
  else if (isPossiblySent && transferMachine.accepts(transfer.state, 'possibly_sent')) {
    await sendChanges(em) // The attempt, by which PostgreSQL tells it from one that is sent without its approvals.
    transition(transfer, transferMachine, 'possibly_sent', new Date())
  }
  if (!isWithinTransferLimit(connection, valueCents)) return ABOVE_LIMIT
  const { availableCents, limits } = locked ?? (await lockBalanceAndLimits(em, transfer))
  const missingCents = valueCents + feeCents - availableCents
  if (missingCents > 0) return { ...failureOf('insufficient_balance'), missingCents }
  const failure = limits && (await takeTransferRoom(em, transfer, connection, limits))
  if (failure && isPossiblySent) await countLateTransfer(em, transfer, connection)
  else if (failure) {
    transfer.failure = failure
    return { code: failure.code, message: failure.message, finality: 'final' }
  }
  transfer.heldCents = valueCents + feeCents
  transfer.movement = createTransferMovement(em, transfer, {
    connectionUuid: connection.uuid,
    providerAccountUuid,
  })
  await postMovement(em, transfer.movement, transferHeldLegs(accountUuid, { valueCents, feeCents }))
  return null
}

/** Tells whether the money of a transfer is held at a connection: it waited for its approvals with it. */
function isHeldAt({ heldCents, connection: { uuid } }: Transfer, connection: Connection): boolean {
  return heldCents > 0 && uuid === connection.uuid
}

/** Locks what a hold takes from, in one round trip: the available balance, then the limits of the account. */
export async function lockBalanceAndLimits(
  em: EntityManager,
  { accountUuid, providerAccountUuid }: Transfer,
): Promise<Pick<TransferPreconditions, 'availableCents' | 'limits'>> {
  const balanceQuery = queryAvailableBalance(accountUuid, [providerAccountUuid])
  const [availableCents, limits] = await runQuery(
    em,
    batchQueries(balanceQuery, queryLockedLimits(accountUuid)),
  )
  return { availableCents, limits }
}

const ABOVE_LIMIT = {
  code: 'transfer_limit',
  message: 'the value is above the limit of a transfer through this provider',
}

/** Ends a transfer that did not become visible before its deadline; a finished one stays as it is. */
export async function endUnacceptedTransfer(
  em: EntityManager,
  lockedTransfer: LockedTransfer,
): Promise<void> {
  const event = lockedTransfer.transfer.state === 'created' ? 'not_started' : 'refused'
  if (transferMachine.accepts(lockedTransfer.transfer.state, event))
    await endUnsentTransfer(em, lockedTransfer, event, failureOf('not_started'))
}

/** Ends a transfer of which no money moved: releases its hold, stores its failure, writes the event. */
export async function endUnsentTransfer(
  em: EntityManager,
  lockedTransfer: LockedTransfer,
  event: 'refused' | 'rejected' | 'not_started' | 'cancelled' | 'never_sent',
  failure: OperationFailure | null,
): Promise<void> {
  const at = new Date()
  const { transfer } = lockedTransfer
  if (transfer.state === 'held') await withdrawApproval(em, transfer.uuid)
  await releaseTransferHold(em, transfer)
  await releaseLimitRoom(em, transfer, transfer.connection)
  transfer.failure = failure
  transition(transfer, transferMachine, event, at)
  await recordTransferEvent(em, lockedTransfer, { at })
}

/** Ends the wait of a transfer that ends undecided: nobody approves it any more. */
async function withdrawApproval(em: EntityManager, transferUuid: string): Promise<void> {
  const approval = await lockApproval(em, transferUuid)
  if (approval?.decision === null) await decideApprovalRequest(em, transferUuid, 'withdrawn')
}

/** Postpones a scheduled transfer that no provider could carry out: releases its hold and its room; the merchant can cancel it. */
export async function postponeTransfer(em: EntityManager, transfer: Transfer): Promise<void> {
  await releaseTransferHold(em, transfer)
  await releaseLimitRoom(em, transfer, transfer.connection)
  transition(transfer, transferMachine, 'postponed', new Date())
}

/**
 * Releases a transfer's hold. The released money repays the account's shortfall and covers its disputes, like any
 * inflow. Disputes are locked before balances. `next`: the provider account of the next hold, whose balances are locked
 * together with those of the released one.
 */
async function releaseTransferHold(em: EntityManager, transfer: Transfer, next?: string): Promise<void> {
  const { movement, accountUuid, heldCents: cents, valueCents } = transfer
  if (cents === 0 || !movement) return
  const { providerAccountUuid } = movement
  const accountUuids = [accountUuid]
  if (next) {
    await lockDisputes(em, { providerAccountUuid, accountUuids })
    await lockBalances(em, { accountUuids, providerAccountUuids: [providerAccountUuid, next] })
  }
  const held = { valueCents, feeCents: cents - valueCents }
  const releasedLegs = (account: string) => transferReleasedLegs(account, held)
  const legs = await creditPostings(em, releasedLegs, movement, cents)
  failMovement(movement, new Date())
  await postMovement(em, movement, legs)
  transfer.heldCents = 0
}

/** Settles a transfer whose money is held: the value leaves the ledger, the fee becomes the service's. */
async function settleHeldTransfer(em: EntityManager, lockedTransfer: LockedTransfer, payout: ProviderPayout) {
  const { transfer } = lockedTransfer
  const { accountUuid, valueCents, feeCents, movement } = transfer
  if (!movement) throw new Error('the settled transfer has no hold')
  const at = new Date()
  applyProviderDetails(transfer, payout)
  settleMovement(movement, { ...payout, receiver: toReceiver(transfer, payout) }, at)
  transfer.heldCents = 0
  transfer.settledAt = movement.settledAt
  transition(transfer, transferMachine, 'settled', at)
  await recordTransferEvent(em, lockedTransfer, { at })
  await recordMovementEvent(em, movement, transfer, at)
  await postMovement(em, movement, transferSettledLegs(accountUuid, { valueCents, feeCents }))
}

/**
 * Settles a transfer without a hold: it had ended as failed, or the balance did not cover it when it was looked up. The ledger records
 * the outflow even where the available balance does not cover it.
 */
async function settleUncoveredTransfer(
  em: EntityManager,
  lockedTransfer: LockedTransfer,
  attempt: Attempt,
  payout: ProviderPayout,
): Promise<void> {
  const at = new Date()
  const { transfer } = lockedTransfer
  transfer.connection = await em.findOneOrFail(Connection, attempt.connectionUuid)
  transfer.providerAccountUuid = attempt.providerAccountUuid
  transfer.failure = null
  transfer.feeCents = 0 // A transfer without a hold pays no fee.
  applyProviderDetails(transfer, payout)
  const isLate = transferMachine.accepts(transfer.state, 'settled_late')
  const reason = isLate ? 'late_settlement' : null
  transfer.movement =
    (await adoptPanelTransfer(em, transfer, { payout, at })) ??
    (await postUncoveredSettlement(em, transfer, { attempt, payout, at, reason }))
  transfer.settledAt = transfer.movement.settledAt
  transition(transfer, transferMachine, isLate ? 'settled_late' : 'settled', at)
  await recordTransferEvent(em, lockedTransfer, { at, late: isLate })
}

/** Records that an ended attempt settled while another is live or settled: a movement of its own, and an alarm. */
async function recordDuplicateSettlement(
  em: EntityManager,
  transfer: Transfer,
  attempt: Attempt,
  payout: ProviderPayout,
): Promise<void> {
  transitionAttempt(attempt, 'settled_twice')
  const at = new Date()
  await postUncoveredSettlement(em, transfer, { attempt, payout, at, reason: 'duplicate_settlement' })
}

/**
 * Makes the PIX that was booked from the provider's statement, while the transfer counted as failed, the movement of the
 * transfer: its money has left the ledger already. Null where none was booked for the transfer's account by this id.
 */
async function adoptPanelTransfer(
  em: EntityManager,
  transfer: Transfer,
  { payout: { endToEnd, receiver }, at }: { payout: ProviderPayout; at: Date },
): Promise<Movement | null> {
  const { accountUuid, providerAccountUuid, valueCents, pixKey, uuid: transferUuid } = transfer
  if (endToEnd === '') return null
  const movement = await em.findOne(Movement, {
    accountUuid,
    providerAccountUuid,
    valueCents,
    endToEnd,
    movementType: 'OUT',
    reason: 'panel_transfer',
  })
  if (!movement) return null
  if (!transfer.limitWindows) {
    await lockAvailableBalance(em, transfer)
    await countLateTransfer(em, transfer, transfer.connection)
  }
  Object.assign(movement, { transferUuid, pixKey, reason: 'late_settlement', updatedAt: at })
  movement.receiver = toReceiver(transfer, { receiver }) ?? movement.receiver
  await recordMovementEvent(em, movement, transfer, at)
  return movement
}

async function postUncoveredSettlement(
  em: EntityManager,
  transfer: Transfer,
  settlement: { attempt: Attempt; payout: ProviderPayout; at: Date; reason: MovementReason | null },
): Promise<Movement> {
  const { attempt, payout, at, reason } = settlement
  const { accountUuid, valueCents } = transfer
  const { providerAccountUuid } = attempt
  const legs = await uncoveredOutflowPostings(em, { accountUuid, providerAccountUuid }, valueCents)
  if (!transfer.limitWindows || reason === 'duplicate_settlement')
    await countLateTransfer(em, transfer, transfer.connection)
  const movement = createTransferMovement(em, transfer, attempt)
  settleMovement(movement, { ...payout, receiver: toReceiver(transfer, payout) }, at)
  movement.reason = reason
  await postMovement(em, movement, legs)
  await recordMovementEvent(em, movement, transfer, at)
  return movement
}

function createTransferMovement(
  em: EntityManager,
  transfer: Transfer,
  { connectionUuid, providerAccountUuid }: { connectionUuid: string; providerAccountUuid: string },
): Movement {
  const { accountUuid, uuid, valueCents, pixKey, paymentCode, sender, receiver } = transfer
  return createMovement(em, new Date(), {
    accountUuid,
    providerAccountUuid,
    connectionUuid,
    type: 'EXTERNAL_TRANSFER',
    movementType: 'OUT',
    valueCents,
    status: 'PENDING',
    pixKey,
    txid: paymentCode?.txid ?? null,
    sender,
    receiver,
    transferUuid: uuid,
  })
}

/** Copies the end-to-end id and the receiver that the provider reports to the transfer. */
function applyProviderDetails(transfer: Transfer, payout: ProviderPayout): void {
  transfer.endToEnd = payout.endToEnd || transfer.endToEnd
  transfer.receiver = toReceiver(transfer, payout)
}

/**
 * Combines what a provider reports of the receiver with what is known. Of an account the order says more than most providers: only
 * the name of its holder is theirs.
 */
function toReceiver(
  { bankAccount: account, receiver: known = null }: Transfer,
  { receiver }: Pick<ProviderPayout, 'receiver'>,
): Party | null {
  if (!receiver) return known
  return account ? { ...account, name: receiver.name || account.name } : receiver
}
