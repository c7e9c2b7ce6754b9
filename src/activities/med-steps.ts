import { Charge } from '../db/entities/charge.ts'
import { Connection } from '../db/entities/connection.ts'
import { Med } from '../db/entities/med.ts'
import { Movement } from '../db/entities/movement.ts'
import { ALONE, lockGate } from '../db/lock.ts'
import type { EntityManager } from '../db/orm.ts'
import { dueAt, med as life, type MedEvent, stepsTo, warningDue } from '../domain/med.ts'
import type { MedFacts } from '../domain/med-facts.ts'
import { shownInstant } from '../domain/time.ts'
import type { LinkTo } from '../wire/med.ts'
import type { MedOrder } from '../workflows/messages.ts'
import { announceCharge, announceMed } from './announce.ts'
import { coverDisputes, releaseDispute } from './med-cover.ts'
import { lockDisputes } from './med-locks.ts'
import { type Dispute, takeMedReturns } from './med-returns.ts'
import { lockCharge, lockTransfer, moveMed, type PixOut } from './move.ts'
import { countLate } from './refund-settlements.ts'
import { takeReturns } from './transfer-returns.ts'

/** What a provider's word does to a dispute, in the transaction that keeps it. */
export type Told = { order: MedOrder; facts: MedFacts; linkTo: LinkTo; timeScale: number }

/** A dispute with all it touches under lock: the PIX or its charge or transfer first, then the account's disputes. */
type Locked = Dispute & { out: PixOut | null; disputes: Med[] }

/** Opens the dispute, or takes what is new of it; null where the disputed PIX is not known here. */
export async function takeFacts(em: EntityManager, told: Told): Promise<Med | null> {
  const { order, facts } = told
  const connection = await em.findOneOrFail(Connection, order.connectionUuid)
  const pix = await disputedPix(em, told, connection)
  if (!pix) return null
  const at = new Date()
  const { isNew, isOfThis, ...locked } = await lock(em, told, pix, at)
  const { med } = locked
  hear(med, facts)
  if (!isOfThis) await coverDisputes(em, locked, locked.disputes, at)
  if (isNew) await announceMed(em, med, { at, linkTo: told.linkTo })
  const steps = stepsTo(med.state, facts)
  for (const step of steps.filter(one => one !== 'returned')) await take(em, locked, step, told, at)
  await takeWhatCameBack(em, locked, facts, at)
  if (steps.includes('returned')) await take(em, locked, 'returned', told, at)
  return med
}

/** Finds the disputed movement. FAILED movements do not count; else the movement that was stored when the dispute was opened. */
async function disputedPix(
  em: EntityManager,
  { order, facts }: Told,
  { providerAccountUuid }: Connection,
): Promise<Movement | null> {
  const pix = await em.findOne(Movement, {
    providerAccountUuid,
    movementType: facts.kind === 'RECEIVED_MED' ? 'IN' : 'OUT',
    endToEnd: facts.endToEnd,
    status: { $ne: 'FAILED' },
  })
  if (pix) return pix
  const opened = await em.findOne(Med, order.uuid, { populate: ['movement'] })
  return opened?.movement ?? null
}

/** `isOfThis` where the dispute was about this PIX before: one that had failed may have come after all. */
type Found = Locked & { isNew: boolean; isOfThis: boolean }

async function lock(em: EntityManager, told: Told, pix: Movement, at: Date): Promise<Found> {
  const named = pix.chargeUuid
  const charge = await chargeOf(em, pix)
  const out = pix.transferUuid ? await lockTransfer(em, pix.transferUuid) : null
  // Before the gate where it is what leads there, as for whoever returns it.
  const movement = await em.findOneOrFail(Movement, pix.uuid, { ...ALONE, refresh: true })
  // A deposit that has become the payment of a charge meanwhile: its charge is locked first, by the next try.
  if (!charge && named !== movement.chargeUuid) throw new Error('the disputed PIX has become a charge’s')
  if (!charge && !out && pix.connectionUuid) await lockGate(em, pix.connectionUuid)
  const place = { providerAccountUuid: pix.providerAccountUuid, accountUuids: [pix.accountUuid] }
  const others = await lockDisputes(em, place)
  const found = await em.findOne(Med, told.order.uuid, { ...ALONE, refresh: true })
  if (found) await em.populate(found, ['connection', 'movement'])
  const med = found ?? (await open(em, told, { movement, charge, out, at }))
  const isOfThis = found?.movement.uuid === movement.uuid
  if (!isOfThis) Object.assign(med, { movement, chargeUuid: charge?.uuid ?? null })
  const disputes = found || med.kind === 'REQUESTED_MED' ? others : [...others, med]
  return { med, movement, charge, out, disputes, isNew: !found, isOfThis }
}

/** The charge that this PIX paid; one it only names has nothing to do with its money. */
async function chargeOf(em: EntityManager, pix: Movement): Promise<Charge | null> {
  if (!pix.chargeUuid) return null
  const paid = await em.count(Charge, { uuid: pix.chargeUuid, movement: pix.uuid })
  return paid > 0 ? lockCharge(em, pix.chargeUuid) : null
}

type Opening = { movement: Movement; charge: Charge | null; out: PixOut | null; at: Date }

async function open(
  em: EntityManager,
  { order, facts, timeScale }: Told,
  { movement, charge, out, at }: Opening,
): Promise<Med> {
  const openedAt = new Date(facts.openedAt)
  const due = dueAt({
    openedAtMs: openedAt.getTime(),
    providersMs: facts.dueAt === null ? null : Date.parse(facts.dueAt),
  })
  const med = em.create(Med, {
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
    warnedHours: warningDue({ dueAtMs: due, nowMs: at.getTime(), timeScale }),
    history: [{ status: life.shows('open'), created_at: shownInstant(at) }],
    requestId: order.requestId,
    createdAt: at,
    updatedAt: at,
  })
  await em.flush()
  return med
}

/** What may become known or change while the state stays: what it is about, why, and that our reply has arrived. */
function hear(med: Med, facts: MedFacts): void {
  if (facts.disputeType !== 'UNDEFINED') med.disputeType = facts.disputeType
  med.details = facts.details || med.details
  med.providerAnalysis = facts.analysis || med.providerAnalysis
  if (med.replyState === 'wanted' && facts.status !== 'open') med.replyState = 'sent'
}

/** One step; each decision is told, and once it is over, what the dispute held is free for others. */
async function take(em: EntityManager, locked: Locked, event: MedEvent, { linkTo }: Told, at: Date) {
  const { med, disputes } = locked
  moveMed(med, event, at)
  if (event === 'replied') {
    med.repliedAt ??= at // Somebody has answered at the provider itself.
    return
  }
  if (life.isOver(med.state) && med.kind === 'RECEIVED_MED') {
    await releaseDispute(em, med, locked, at)
    if (locked.charge && (await countLate(em, locked.charge, at)))
      await announceCharge(em, locked.charge, { at, lifeUuid: med.uuid })
    const left = disputes.filter(other => other.uuid !== med.uuid)
    await coverDisputes(em, locked, left, at)
  }
  await announceMed(em, med, { at, linkTo })
}

async function takeWhatCameBack(em: EntityManager, locked: Locked, facts: MedFacts, at: Date): Promise<void> {
  const { med, out } = locked
  if (med.kind === 'RECEIVED_MED') return takeMedReturns(em, locked, facts.returns, at)
  const attempt = out?.attempts.find(
    one => one.providerAccountUuid === med.providerAccountUuid && one.endToEnd === facts.endToEnd,
  )
  if (!out || !attempt) return
  await takeReturns(em, { ...out, attempt }, facts.returns)
  med.returnedCents = facts.returns.reduce((sum, one) => sum + one.cents, 0)
}
