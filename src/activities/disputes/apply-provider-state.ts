import type { AttachmentLinker } from '../../contract/disputes/dispute.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Charge } from '../../db/entities/charge.ts'
import { Connection } from '../../db/entities/connection.ts'
import { Dispute } from '../../db/entities/med.ts'
import { Movement } from '../../db/entities/movement.ts'
import { lockConnection, ROW_LOCK } from '../../db/locks.ts'
import {
  type DisputeEvent,
  disputeMachine,
  dueWarningHours,
  eventsToProviderState,
  replyDeadlineMs,
} from '../../domain/disputes/dispute.ts'
import type { ProviderDispute } from '../../domain/disputes/provider-dispute.ts'
import { formatTimestamp } from '../../domain/shared/timestamp.ts'
import type { DisputeInput } from '../../workflows/contracts/messages.ts'
import { recordChargeEvent, recordDisputeEvent } from '../events/record-event.ts'
import { addLateRefunds } from '../refunds/settle.ts'
import { type LockedTransfer, lockCharge, lockTransfer, transitionDispute } from '../shared/transition.ts'
import { recordTransferReturns } from '../transfers/record-returns.ts'
import { holdDisputedFunds, releaseDisputedFunds } from './hold-funds.ts'
import { lockDisputes } from './locks.ts'
import { type DisputeWithPayment, recordDisputeReturns } from './record-returns.ts'

/** What a provider's word does to a dispute, in the transaction that keeps it. */
export type DisputeUpdate = {
  order: DisputeInput
  facts: ProviderDispute
  linkTo: AttachmentLinker
  timeScale: number
}

/** A dispute with all it touches under lock: the PIX or its charge or transfer first, then the account's disputes. */
type LockedDispute = DisputeWithPayment & { out: LockedTransfer | null; disputes: Dispute[] }

/** Opens the dispute, or takes what is new of it; null where the disputed PIX is not known here. */
export async function applyDisputeFacts(em: EntityManager, told: DisputeUpdate): Promise<Dispute | null> {
  const { order, facts } = told
  const connection = await em.findOneOrFail(Connection, order.connectionUuid)
  const pix = await findDisputedMovement(em, told, connection)
  if (!pix) return null
  const at = new Date()
  const { isNew, isSameMovement: isOfThis, ...locked } = await lockDisputeRows(em, told, pix, at)
  const { med } = locked
  applyDisputeDetails(med, facts)
  if (!isOfThis) await holdDisputedFunds(em, locked, locked.disputes, at)
  if (isNew) await recordDisputeEvent(em, med, { at, linkTo: told.linkTo })
  const steps = eventsToProviderState(med.state, facts)
  for (const step of steps.filter(one => one !== 'returned'))
    await applyDisputeEvent(em, locked, step, told, at)
  await recordReturnedMoney(em, locked, facts, at)
  if (steps.includes('returned')) await applyDisputeEvent(em, locked, 'returned', told, at)
  return med
}

/** Finds the disputed movement. FAILED movements do not count; else the movement that was stored when the dispute was opened. */
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
  const opened = await em.findOne(Dispute, order.uuid, { populate: ['movement'] })
  return opened?.movement ?? null
}

/** `isOfThis` where the dispute was about this PIX before: one that had failed may have come after all. */
type FoundDispute = LockedDispute & { isNew: boolean; isSameMovement: boolean }

async function lockDisputeRows(
  em: EntityManager,
  told: DisputeUpdate,
  pix: Movement,
  at: Date,
): Promise<FoundDispute> {
  const named = pix.chargeUuid
  const charge = await lockPaidCharge(em, pix)
  const out = pix.transferUuid ? await lockTransfer(em, pix.transferUuid) : null
  // Before the gate where it is what leads there, as for whoever returns it.
  const movement = await em.findOneOrFail(Movement, pix.uuid, { ...ROW_LOCK, refresh: true })
  // A deposit that has become the payment of a charge meanwhile: its charge is locked first, by the next try.
  if (!charge && named !== movement.chargeUuid) throw new Error('the disputed PIX has become a charge’s')
  if (!charge && !out && pix.connectionUuid) await lockConnection(em, pix.connectionUuid)
  const place = { providerAccountUuid: pix.providerAccountUuid, accountUuids: [pix.accountUuid] }
  const others = await lockDisputes(em, place)
  const found = await em.findOne(Dispute, told.order.uuid, { ...ROW_LOCK, refresh: true })
  if (found) await em.populate(found, ['connection', 'movement'])
  const med = found ?? (await openDispute(em, told, { movement, charge, out, at }))
  const isOfThis = found?.movement.uuid === movement.uuid
  if (!isOfThis) Object.assign(med, { movement, chargeUuid: charge?.uuid ?? null })
  const disputes = found || med.kind === 'REQUESTED_MED' ? others : [...others, med]
  return { med, movement, charge, out, disputes, isNew: !found, isSameMovement: isOfThis }
}

/** The charge that this PIX paid; one it only names has nothing to do with its money. */
async function lockPaidCharge(em: EntityManager, pix: Movement): Promise<Charge | null> {
  if (!pix.chargeUuid) return null
  const paid = await em.count(Charge, { uuid: pix.chargeUuid, movement: pix.uuid })
  return paid > 0 ? lockCharge(em, pix.chargeUuid) : null
}

type DisputeOpeningRows = { movement: Movement; charge: Charge | null; out: LockedTransfer | null; at: Date }

async function openDispute(
  em: EntityManager,
  { order, facts, timeScale }: DisputeUpdate,
  { movement, charge, out, at }: DisputeOpeningRows,
): Promise<Dispute> {
  const openedAt = new Date(facts.openedAt)
  const due = replyDeadlineMs({
    openedAtMs: openedAt.getTime(),
    providerDeadlineMs: facts.dueAt === null ? null : Date.parse(facts.dueAt),
  })
  const med = em.create(Dispute, {
    uuid: order.uuid,
    accountUuid: movement.accountUuid,
    connection: await em.findOneOrFail(Connection, movement.connectionUuid ?? order.connectionUuid),
    providerAccountUuid: movement.providerAccountUuid,
    providerMedId: facts.id,
    kind: facts.kind,
    disputeType: facts.disputeType,
    state: 'open',
    endToEnd: facts.endToEnd,
    movement,
    chargeUuid: charge?.uuid ?? null,
    transferUuid: facts.kind === 'REQUESTED_MED' ? (out?.transfer.uuid ?? null) : null,
    valueCents: Math.min(facts.cents || movement.valueCents, movement.valueCents),
    openedAt,
    dueAt: new Date(due),
    // What its opening tells need not be told again at once.
    warnedHours: dueWarningHours({ dueAtMs: due, nowMs: at.getTime(), timeScale }),
    history: [{ status: disputeMachine.statusOf('open'), created_at: formatTimestamp(at) }],
    requestId: order.requestId,
    createdAt: at,
    updatedAt: at,
  })
  await em.flush()
  return med
}

/** What may become known or change while the state stays: what it is about, why, and that our reply has arrived. */
function applyDisputeDetails(med: Dispute, facts: ProviderDispute): void {
  if (facts.disputeType !== 'UNDEFINED') med.disputeType = facts.disputeType
  med.details = facts.details || med.details
  med.providerAnalysis = facts.analysis || med.providerAnalysis
  if (med.replyState === 'wanted' && facts.status !== 'open') med.replyState = 'sent'
}

/** One step; each decision is told, and once it is over, what the dispute held is free for others. */
async function applyDisputeEvent(
  em: EntityManager,
  locked: LockedDispute,
  event: DisputeEvent,
  { linkTo }: DisputeUpdate,
  at: Date,
) {
  const { med, disputes } = locked
  transitionDispute(med, event, at)
  if (event === 'replied') {
    med.repliedAt ??= at // Somebody has answered at the provider itself.
    return
  }
  if (disputeMachine.isFinal(med.state) && med.kind === 'RECEIVED_MED') {
    await releaseDisputedFunds(em, med, locked, at)
    if (locked.charge && (await addLateRefunds(em, locked.charge, at)))
      await recordChargeEvent(em, locked.charge, { at, ownerUuid: med.uuid })
    const left = disputes.filter(other => other.uuid !== med.uuid)
    await holdDisputedFunds(em, locked, left, at)
  }
  await recordDisputeEvent(em, med, { at, linkTo })
}

async function recordReturnedMoney(
  em: EntityManager,
  locked: LockedDispute,
  facts: ProviderDispute,
  at: Date,
): Promise<void> {
  const { med, out } = locked
  if (med.kind === 'RECEIVED_MED') return recordDisputeReturns(em, locked, facts.returns, at)
  const attempt = out?.attempts.find(
    one => one.providerAccountUuid === med.providerAccountUuid && one.endToEnd === facts.endToEnd,
  )
  if (!out || !attempt) return
  await recordTransferReturns(em, { ...out, attempt }, facts.returns)
  med.returnedCents = facts.returns.reduce((sum, one) => sum + one.cents, 0)
}
