import type { AttachmentLinker } from '../../contract/disputes/dispute.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Attempt } from '../../db/entities/attempt.ts'
import { Connection } from '../../db/entities/connection.ts'
import { Dispute } from '../../db/entities/dispute.ts'
import { Movement } from '../../db/entities/movement.ts'
import { lockAvailableBalance } from '../../db/ledger/post.ts'
import { lockMovement, ROW_LOCK } from '../../db/locks.ts'
import { sendChanges } from '../../db/pipeline/query.ts'
import { requestedDisputeOf } from '../../db/repositories/disputes.ts'
import { scheduleDeliveriesForSweep } from '../../db/repositories/events.ts'
import {
  coverAfterReturn,
  type DisputeEvent,
  disputeMachine,
  dueWarningHours,
  mayReturnMore,
  replyDeadlineMs,
} from '../../domain/disputes/dispute.ts'
import {
  type DisputeReturn,
  endOfAcceptedDispute,
  eventsToDecision,
  type ProviderDispute,
} from '../../domain/disputes/provider-dispute.ts'
import { disputeReturnedLegs, type Leg } from '../../domain/ledger/legs.ts'
import type { UnmatchedDisposition } from '../../domain/ledger/movement.ts'
import { referenceOf, uuidFromReference } from '../../domain/pix/identifiers.ts'
import { formatTimestamp } from '../../domain/shared/timestamp.ts'
import type { DisputeInput } from '../../workflows/contracts/disputes.ts'
import { recordChargeEvent, recordDisputeEvent, recordMovementEvent } from '../events/record-event.ts'
import {
  giveSplitsBack,
  holdDisputedFunds,
  paySplitParts,
  releaseDisputedFunds,
} from '../ledger/dispute-claims.ts'
import { lockDisputesOfPix } from '../ledger/dispute-locks.ts'
import { createDisputeMovement, type DisputeRows, postMovement } from '../ledger/movements.ts'
import { buildReturnColumns, findUnrecordedReturns } from '../ledger/return-matching.ts'
import { addLateRefunds, computeReturnShares, recordProviderRefund } from '../refunds/settle.ts'
import { type LockedTransfer, lockPaidCharge, lockTransfer, transition } from '../shared/transition.ts'
import { recordTransferReturns, tieRecoveredMoney } from '../transfers/record-returns.ts'
import { buildPendingReturnLegs } from '../unmatched/return-payout.ts'

/** Input of applying a provider's report to a dispute, in the transaction that records it. */
export type DisputeUpdate = {
  order: DisputeInput
  facts: ProviderDispute
  linkTo: AttachmentLinker
  timeScale: number
}

/** A dispute and the rows that it changes, locked in this order: charge, PIX, the account's disputes. */
type LockedDispute = DisputeRows & { disputes: Dispute[] }
/** Of a dispute that we requested also the transfer, locked as a charge is. */
type LockedDisputeRows = LockedDispute & { lockedTransfer: LockedTransfer | null }

/**
 * Opens a dispute, or applies what is new at the provider. Returns null where its PIX has no movement. Of a PIX whose dispute the account
 * has requested it returns that, and applies nothing where another workflow has it.
 */
export async function applyDisputeFacts(em: EntityManager, update: DisputeUpdate): Promise<Dispute | null> {
  const { order } = update
  const connection = await em.findOneOrFail(Connection, order.connectionUuid)
  const facts = await leaveOutOwnReturns(em, connection, update.facts)
  const pix = await findDisputedMovement(em, update, connection)
  if (!pix) return null
  const at = new Date()
  const { isNew, isSameMovement, ...locked } = await lockDisputeRows(em, update, pix, at)
  const { dispute } = locked
  if (dispute.uuid !== order.uuid) return dispute
  const isNewStage = applyDisputeDetails(dispute, facts)
  if (!isSameMovement) await holdDisputedFunds(em, locked, locked.disputes, at)
  if (isNew) await recordDisputeEvent(em, dispute, { at, linkTo: update.linkTo })
  const steps = eventsToDecision(dispute.state, facts)
  for (const step of steps) await applyDisputeEvent(em, locked, step, update, at)
  if (isNewStage && !isNew && steps.every(step => step === 'replied'))
    await recordDisputeEvent(em, dispute, { at, linkTo: update.linkTo })
  await recordReturnedMoney(em, locked, facts, at)
  const end = endOfAcceptedDispute(
    dispute.state,
    facts,
    dispute.kind === 'RECEIVED_MED' ? isMoreReturnable(locked) : isMoreExpected(locked, facts),
  )
  if (end) await applyDisputeEvent(em, locked, end, update, at)
  return dispute
}

/** Tells whether the provider of a received PIX may return more of it by this dispute (`mayReturnMore`). */
function isMoreReturnable({ dispute, movement, charge }: LockedDispute): boolean {
  const isPending = movement.disposition != null && PENDING_DISPOSITIONS.includes(movement.disposition)
  return mayReturnMore(dispute, charge ? charge.refundingCents > 0 : isPending)
}
/** While an unmatched PIX waits for a return, a dispute claims nothing of it: it claims what an operator keeps of it later. */
const PENDING_DISPOSITIONS: UnmatchedDisposition[] = ['held', 'returning', 'not_returned']

/** Tells whether more of a transfer may come back by the dispute that we requested; each time all its returns are listed. */
function isMoreExpected(
  { dispute, lockedTransfer }: LockedDisputeRows,
  { returns }: ProviderDispute,
): boolean {
  const returnedCents = returns.reduce((sum, one) => sum + one.cents, 0)
  return mayReturnMore(
    { valueCents: dispute.valueCents, claimedCents: 0, returnedCents },
    lockedTransfer?.transfer.state !== 'refunded',
  )
}

/** Finds the disputed movement, except FAILED ones; else the one that was stored when the dispute was opened. */
async function findDisputedMovement(
  em: EntityManager,
  { order, facts }: DisputeUpdate,
  { providerAccountUuid }: Connection,
): Promise<Movement | null> {
  const pix = await em.findOne(Movement, {
    providerAccountUuid,
    movementType: facts.kind === 'RECEIVED_MED' ? 'IN' : 'OUT',
    endToEnd: facts.endToEnd,
    status: { $ne: 'FAILED' },
  })
  if (pix) return pix
  const openedDispute = await em.findOne(Dispute, order.uuid, { populate: ['movement'] })
  return openedDispute?.movement ?? null
}

/** `isSameMovement`: the dispute named it before. False where that one failed and the PIX has settled since. */
type FoundDispute = LockedDisputeRows & { isNew: boolean; isSameMovement: boolean }

async function lockDisputeRows(
  em: EntityManager,
  update: DisputeUpdate,
  pix: Movement,
  at: Date,
): Promise<FoundDispute> {
  const { chargeUuid } = pix
  const charge = await lockPaidCharge(em, pix)
  const lockedTransfer = pix.transferUuid ? await lockTransfer(em, pix.transferUuid) : null
  const movement =
    charge || lockedTransfer
      ? await em.findOneOrFail(Movement, pix.uuid, { ...ROW_LOCK, refresh: true })
      : await lockMovement(em, pix.uuid)
  // The deposit has become the payment of a charge meanwhile: the activity's next attempt locks that charge first.
  if (!charge && chargeUuid !== movement.chargeUuid)
    throw new Error('the disputed PIX now belongs to a charge')
  const others = await lockDisputesOfPix(em, pix, charge)
  const storedDispute = await findStoredDispute(em, update, pix)
  if (storedDispute) await em.populate(storedDispute, ['connection', 'movement'])
  const dispute = storedDispute ?? (await openDispute(em, update, { movement, charge, lockedTransfer, at }))
  const isSameMovement = storedDispute?.movement.uuid === movement.uuid
  if (!isSameMovement) Object.assign(dispute, { movement, chargeUuid: charge?.uuid ?? null })
  const disputes = storedDispute || dispute.kind === 'REQUESTED_MED' ? others : [...others, dispute]
  return { dispute, movement, charge, lockedTransfer, disputes, isNew: !storedDispute, isSameMovement }
}

/** Locks the row of a dispute: the order's, else the one that the account has requested about this PIX. */
async function findStoredDispute(
  em: EntityManager,
  { order, facts }: DisputeUpdate,
  { providerAccountUuid }: Movement,
): Promise<Dispute | null> {
  const lock = { ...ROW_LOCK, refresh: true }
  const dispute = await em.findOne(Dispute, order.uuid, lock)
  if (dispute || facts.kind === 'RECEIVED_MED') return dispute
  return em.findOne(Dispute, requestedDisputeOf({ providerAccountUuid, endToEnd: facts.endToEnd }), lock)
}

type DisputeOpeningRows = Pick<LockedDisputeRows, 'movement' | 'charge' | 'lockedTransfer'> & { at: Date }

async function openDispute(
  em: EntityManager,
  { order, facts, timeScale }: DisputeUpdate,
  { movement, charge, lockedTransfer, at }: DisputeOpeningRows,
): Promise<Dispute> {
  const openedAt = new Date(facts.openedAt)
  const deadlineMs = computeDeadlineMs(openedAt, facts)
  const dispute = em.create(Dispute, {
    uuid: order.uuid,
    accountUuid: movement.accountUuid,
    connection: await em.findOneOrFail(Connection, movement.connectionUuid ?? order.connectionUuid),
    providerAccountUuid: movement.providerAccountUuid,
    providerDisputeId: facts.id,
    kind: facts.kind,
    disputeType: facts.disputeType,
    state: 'open',
    endToEnd: facts.endToEnd,
    movement,
    chargeUuid: charge?.uuid ?? null,
    transferUuid: facts.kind === 'REQUESTED_MED' ? (lockedTransfer?.transfer.uuid ?? null) : null,
    valueCents: Math.min(facts.cents || movement.valueCents, movement.valueCents),
    splitParts: [],
    openedAt,
    dueAt: new Date(deadlineMs),
    // The opening event replaces the warnings that are already due.
    warnedHours: dueWarningHours({ dueAtMs: deadlineMs, nowMs: at.getTime(), timeScale }),
    history: [{ status: disputeMachine.statusOf('open'), created_at: formatTimestamp(at) }],
    requestId: order.requestId,
    createdAt: at,
    updatedAt: at,
  })
  await sendChanges(em)
  return dispute
}

function computeDeadlineMs(openedAt: Date, { dueAt }: ProviderDispute): number {
  const providerDeadlineMs = dueAt === null ? null : Date.parse(dueAt)
  return replyDeadlineMs({ openedAtMs: openedAt.getTime(), providerDeadlineMs })
}

/**
 * Updates what may change without a change of state: type, reason, analysis, the arrival of our reply, and the deadline
 * while it counts. That becomes only earlier: a provider may name it late, and an adapter without an opening time computes
 * a later one at each poll. Of a request its text stays. Returns whether the recovery of a request has reached another stage.
 */
function applyDisputeDetails(dispute: Dispute, facts: ProviderDispute): boolean {
  if (facts.disputeType !== 'UNDEFINED') dispute.disputeType = facts.disputeType
  const deadlineMs = computeDeadlineMs(dispute.openedAt, facts)
  if (dispute.state === 'open' && deadlineMs < dispute.dueAt.getTime()) dispute.dueAt = new Date(deadlineMs)
  if (dispute.fingerprint == null) dispute.details = facts.details || dispute.details
  dispute.providerDisputeId ??= facts.id
  dispute.providerAnalysis = facts.analysis || dispute.providerAnalysis
  if (dispute.replyState === 'pending' && facts.status !== 'open') dispute.replyState = 'sent'
  const stage = dispute.recovery?.stage
  dispute.recovery = facts.recovery ?? dispute.recovery ?? null
  return dispute.recovery?.stage !== stage
}

/** Applies one event to a dispute and records it. Once it has ended, its money is released to other disputes. */
async function applyDisputeEvent(
  em: EntityManager,
  locked: LockedDispute,
  event: DisputeEvent,
  { linkTo }: Pick<DisputeUpdate, 'linkTo'>,
  at: Date,
) {
  const { dispute, disputes } = locked
  transition(dispute, disputeMachine, event, at)
  if (event === 'replied') {
    dispute.repliedAt ??= at // The merchant may have replied in the provider's panel.
    return
  }
  if (disputeMachine.isFinal(dispute.state) && dispute.kind === 'RECEIVED_MED') {
    await releaseDisputedFunds(em, dispute, locked, at)
    if (locked.charge && (await addLateRefunds(em, locked.charge, at)))
      await recordChargeEvent(em, locked.charge, { at, ownerUuid: dispute.uuid })
    const others = disputes.filter(other => other.uuid !== dispute.uuid)
    await holdDisputedFunds(em, locked, others, at)
  }
  await recordDisputeEvent(em, dispute, { at, linkTo })
}

async function recordReturnedMoney(
  em: EntityManager,
  locked: LockedDisputeRows,
  facts: ProviderDispute,
  at: Date,
): Promise<void> {
  const { dispute, lockedTransfer } = locked
  if (dispute.kind === 'RECEIVED_MED') return recordDisputeReturns(em, locked, facts.returns, at)
  const attempt = lockedTransfer?.attempts.find(
    one => one.providerAccountUuid === dispute.providerAccountUuid && one.endToEnd === facts.endToEnd,
  )
  if (!lockedTransfer || !attempt) return
  const returned = { ...lockedTransfer, attempt }
  await recordTransferReturns(em, returned, facts.returns)
  dispute.returnedCents = await tieRecoveredMoney(em, returned, facts.returns, dispute.uuid)
}

/**
 * Leaves out of a dispute's returns, settled and failed ones, those that we ordered: a provider that does not say who
 * ordered a devolução lists our refunds among them. An order of ours has its attempt before the provider can list it. A
 * failed return that we did not order closes the dispute.
 */
export async function leaveOutOwnReturns(
  em: EntityManager,
  { providerAccountUuid }: Pick<Connection, 'providerAccountUuid'>,
  facts: ProviderDispute,
): Promise<ProviderDispute> {
  const { returns, failedReturnIds = [] } = facts
  const ids = [...returns.map(({ id }) => id ?? ''), ...failedReturnIds]
  if (ids.length === 0) return facts
  const uuids = ids.flatMap(id => uuidFromReference(id) ?? [])
  const attempts = await em.find(Attempt, {
    subjectUuid: { $in: uuids },
    providerAccountUuid,
    operation: { $in: ['refund', 'return'] },
  })
  const ownIds = new Set(attempts.map(({ subjectUuid }) => referenceOf(subjectUuid)))
  const isOther = (id: string | null) => !ownIds.has(id ?? '')
  const isClosed = facts.isClosed || failedReturnIds.some(isOther)
  return { ...facts, returns: returns.filter(({ id }) => isOther(id)), isClosed }
}

/**
 * Records the returns that a provider made by a dispute, each once, identified by the disputed PIX and the provider's
 * id of the return. Nothing is sent: each is recorded as a settled refund of the charge (SPEC §5). A return is recorded
 * whatever the dispute's state.
 */
async function recordDisputeReturns(
  em: EntityManager,
  disputed: DisputeRows,
  returns: DisputeReturn[],
  at: Date,
): Promise<void> {
  if (returns.length === 0) return
  const { providerAccountUuid, endToEnd } = disputed.dispute
  const pix = { providerAccountUuid, movementType: 'OUT' as const, names: [endToEnd] }
  for (const one of await findUnrecordedReturns(em, pix, returns))
    await recordDisputeReturn(em, disputed, one, at)
}

/** Records one return that is not recorded yet: a settled refund of the charge, which reduces the dispute's claim. */
async function recordDisputeReturn(
  em: EntityManager,
  disputed: DisputeRows,
  returned: DisputeReturn,
  at: Date,
): Promise<void> {
  const { dispute, charge } = disputed
  const movement = createDisputeMovement(em, at, disputed, {
    type: 'EXTERNAL_REFUND',
    movementType: 'OUT',
    valueCents: returned.cents,
    ...buildReturnColumns(dispute.endToEnd, returned),
    sender: disputed.movement.receiver,
    receiver: disputed.movement.sender,
    settledAt: new Date(returned.at),
  })
  const legs = await buildDisputeReturnLegs(em, disputed, returned.cents)
  const after = coverAfterReturn(dispute, returned.cents)
  if (charge) charge.disputedCents -= dispute.claimedCents - after.claimedCents
  const shares = charge ? computeReturnShares(charge, returned.cents) : []
  const { paid: paidParts, excess } = paySplitParts(dispute, shares, after.claimedCents)
  Object.assign(dispute, after)
  dispute.returnedCents += returned.cents
  // A provider may list an earlier return later.
  const returnedAt = new Date(returned.at)
  if (!dispute.returnedAt || returnedAt > dispute.returnedAt) dispute.returnedAt = returnedAt
  const { uuid: ownerUuid, requestId } = dispute
  if (charge) await recordProviderRefund(em, { charge, movement, paidParts, ownerUuid, requestId, at })
  await postMovement(em, movement, legs)
  if (charge) await giveSplitsBack(em, { dispute, charge, at }, excess)
  await recordMovementEvent(em, movement, dispute, at)
}

/** Builds the legs of a return: from `pending`, else from what the dispute holds, then from what is available. */
async function buildDisputeReturnLegs(
  em: EntityManager,
  { dispute, movement }: DisputeRows,
  cents: number,
): Promise<Leg[]> {
  const { accountUuid, providerAccountUuid, heldCents, retainedCents } = dispute
  const pendingLegs = await buildPendingReturnLegs(em, movement, cents)
  if (pendingLegs) return pendingLegs
  const availableCents = await lockAvailableBalance(em, { accountUuid, providerAccountUuid })
  return disputeReturnedLegs(accountUuid, { cents, heldCents, retainedCents, availableCents })
}

/**
 * Records a return of an accepted dispute that only the provider's statement has: some providers list no returns with
 * a dispute. The dispute ends where no more may be returned; the rest of its claim stays held until then. The caller has
 * found that the return is not recorded. The next sweep starts the deliveries.
 */
export async function recordStatementReturn(
  em: EntityManager,
  locked: LockedDispute,
  returned: DisputeReturn,
  linkTo: AttachmentLinker,
): Promise<void> {
  const { dispute } = locked
  const at = new Date()
  await em.populate(dispute, ['connection', 'movement'])
  await recordDisputeReturn(em, locked, returned, at)
  if (!isMoreReturnable(locked)) await applyDisputeEvent(em, locked, 'returned', { linkTo }, at)
  await scheduleDeliveriesForSweep(em, dispute.uuid)
}
