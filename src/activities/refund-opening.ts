import type { Charge } from '../db/entities/charge.ts'
import type { Movement } from '../db/entities/movement.ts'
import { Refund, type RefundPart } from '../db/entities/refund.ts'
import type { EntityManager } from '../db/orm.ts'
import { lockAvailable } from '../db/post.ts'
import { type Part, refundHeld, transferHeld } from '../domain/ledger.ts'
import { feeOf } from '../domain/money.ts'
import { owedBySplits, refundableCents, whyNotRefundable } from '../domain/refund.ts'
import type { RefundOrder } from '../workflows/messages.ts'
import { announceRefund } from './announce.ts'
import { moveCharge } from './move.ts'
import { book, newMovement } from './movements.ts'

/** How a refund's row is first written: who gives back how much, and what is held for it. */

/** Who would pay it, and why it cannot be, where it cannot. */
export async function plan(em: EntityManager, order: RefundOrder, charge: Charge): Promise<Opening> {
  const feeCents = feeOf(order.valueCents, charge.connection.fees.refund)
  const parts = await partsOf(em, charge, order.valueCents)
  const code = whyNot(charge, order) ?? (await lacks(em, charge, ownersPart(charge, parts) + feeCents))
  return { charge, feeCents, parts, code }
}

/** The same questions the request was asked, with the answers of now. */
function whyNot(charge: Charge, { valueCents, ...order }: RefundOrder) {
  const why = whyNotRefundable(charge, orderedAt(order))
  return why ?? (valueCents > refundableCents(charge) ? 'refund_above_remainder' : null)
}

/** Now, or when it was ordered where its database was restored since. */
function orderedAt({ restored }: Pick<RefundOrder, 'restored'>): Date {
  return new Date(restored?.orderedAt ?? Date.now())
}

/** What each split gives back as far as it can, and the owner the rest. */
async function partsOf(em: EntityManager, charge: Charge, valueCents: number): Promise<RefundPart[]> {
  const owed = askedOfSplits(charge, valueCents)
  const available = await availableOf(
    em,
    charge,
    owed.map(each => each.split.accountUuid),
  )
  const parts = owed.map(({ split, cents: asked }) => {
    const cents = Math.min(asked, available.get(split.accountUuid) ?? 0)
    available.set(split.accountUuid, (available.get(split.accountUuid) ?? 0) - cents)
    return { account_uuid: split.accountUuid, split_uuid: split.uuid, cents, asked }
  })
  const rest = valueCents - parts.reduce((sum, part) => sum + part.cents, 0)
  return [...parts, { account_uuid: charge.accountUuid, split_uuid: null, cents: rest, asked: rest }]
}

/** What each split of a charge owes of a refund of so much. */
export function askedOfSplits(charge: Charge, valueCents: number) {
  const credited = charge.splits.getItems().filter(split => split.status === 'CREDITED')
  return owedBySplits(
    credited.map(split => ({
      uuid: split.uuid,
      accountUuid: split.recipient.uuid,
      creditedCents: split.creditedCents,
      askedBackCents: split.askedBackCents,
    })),
    { receivedCents: charge.receivedCents, refundedCents: charge.refundedCents, valueCents },
  )
}

/** Locked in sorted order, like all balances. */
async function availableOf(
  em: EntityManager,
  charge: Charge,
  accountUuids: string[],
): Promise<Map<string, number>> {
  const { providerAccountUuid } = charge
  const available = new Map<string, number>()
  for (const accountUuid of [...new Set([...accountUuids, charge.accountUuid])].sort())
    available.set(accountUuid, await lockAvailable(em, { accountUuid, providerAccountUuid }))
  return available
}

function ownersPart(charge: Charge, parts: RefundPart[]): number {
  const part = parts.find(each => each.split_uuid === null && each.account_uuid === charge.accountUuid)
  return Math.max(0, part?.cents ?? 0)
}

async function lacks(em: EntityManager, charge: Charge, cents: number) {
  return (await lockAvailable(em, charge)) < cents ? 'insufficient_balance' : null
}

type Opening = { charge: Charge; feeCents: number; parts: RefundPart[]; code: string | null }

export async function store(
  em: EntityManager,
  order: RefundOrder,
  { charge, feeCents, parts, code }: Opening,
): Promise<Refund> {
  const at = new Date()
  const movement = refundMovement(em, charge, { order, failed: code !== null, at })
  const refund = em.create(Refund, {
    uuid: order.uuid,
    chargeUuid: charge.uuid,
    accountUuid: charge.accountUuid,
    connectionUuid: charge.connection.uuid,
    providerAccountUuid: charge.providerAccountUuid,
    state: code === null ? 'sending' : 'failed',
    valueCents: order.valueCents,
    feeCents: code === null ? feeCents : 0,
    parts: code === null ? parts : [],
    movement,
    failure: code === null ? null : { code, message: 'the charge cannot be refunded by this value now' },
    takeBefore: code === null && order.takeBefore ? new Date(order.takeBefore) : null,
    requestId: order.requestId,
    fingerprint: order.fingerprint,
    createdAt: orderedAt(order),
    updatedAt: at,
  })
  if (code === null) {
    charge.refundingCents += order.valueCents
    moveCharge(charge, 'refund_requested', at)
    await book(em, movement, [
      ...refundHeld(partiesOf(refund)),
      ...transferHeld(charge.accountUuid, feeCents),
    ])
  }
  await em.flush()
  movement.refundUuid = refund.uuid
  if (code !== null) await announceRefund(em, refund, { charge, at })
  return refund
}

function refundMovement(
  em: EntityManager,
  charge: Charge,
  { order, failed, at }: { order: RefundOrder; failed: boolean; at: Date },
): Movement {
  const { accountUuid, providerAccountUuid, connection } = charge
  return newMovement(
    em,
    { accountUuid, providerAccountUuid, connectionUuid: connection.uuid },
    {
      type: 'EXTERNAL_REFUND',
      movementType: 'OUT',
      valueCents: order.valueCents,
      status: failed ? 'FAILED' : 'PENDING',
      sender: charge.receiver,
      receiver: charge.movement?.sender,
      chargeUuid: charge.uuid,
      originalUuid: charge.movement?.uuid,
    },
    at,
  )
}

/** Who pays how much of a refund. */
export function partiesOf(refund: Refund): Part[] {
  return refund.parts.map(part => ({ accountUuid: part.account_uuid, cents: part.cents }))
}
