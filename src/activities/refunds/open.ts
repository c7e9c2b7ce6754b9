import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import type { Charge } from '../../db/entities/charge.ts'
import { Refund, type RefundPart } from '../../db/entities/refund.ts'
import type { OperationFailure } from '../../db/entities/transfer.ts'
import { lockAvailableBalance, queryAvailableBalance } from '../../db/ledger/post.ts'
import { batchQueries, constantQuery, runQuery, sendChanges } from '../../db/pipeline/query.ts'
import { queryLockedLimits } from '../../db/repositories/account-limits.ts'
import { queryWithFollowUps } from '../../db/repositories/follow-ups.ts'
import { chargeMachine } from '../../domain/charges/charge.ts'
import {
  feeHeldLegs,
  refundHeldLegs,
  type SplitPart,
  shortfallAdvancedLegs,
} from '../../domain/ledger/legs.ts'
import { computeFeeCents } from '../../domain/ledger/money.ts'
import type { UsageWindow } from '../../domain/limits/usage-window.ts'
import {
  type CreditedSplit,
  computeRefundableCents,
  computeSplitRefunds,
  type RefundState,
  type RefundTerms,
  refundErrorCodeOf,
} from '../../domain/refunds/refund.ts'
import type { Sealer } from '../../security/sealing.ts'
import type { OpenRefundResult, RefundInput, RefundInputDetails } from '../../workflows/contracts/refunds.ts'
import { recordRefundEvent } from '../events/record-event.ts'
import { createMovement, postMovement } from '../ledger/movements.ts'
import { takeRefundRoom } from '../limits/limit-room.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { lockCharge, transition } from '../shared/transition.ts'

/**
 * Plans a refund: fee, paying parts, and its failure or null. Locks the accounts' balances, and takes room of the limits of
 * the charge's owner. `terms`: the charge as the rules of a refund see it; `orderedAt`: when it was ordered and let through,
 * null for now.
 */
export async function planRefund(
  em: EntityManager,
  order: RefundInput,
  charge: Charge,
  terms: RefundTerms = charge,
  orderedAt: Date | null = null,
): Promise<RefundPlan> {
  const feeCents = computeFeeCents(order.valueCents, charge.connection.fees.refund)
  const parts = await allocateRefundParts(em, charge, order.valueCents)
  // The last part is the one of the charge's owner.
  const ownerCents = Math.max(0, parts.at(-1)!.cents) + feeCents
  // The API's checks of the request are repeated on the charge's current state.
  const { accountUuid, providerAccountUuid } = charge
  const [availableCents, limits] = await runQuery(
    em,
    batchQueries(
      queryAvailableBalance(accountUuid, [providerAccountUuid]),
      orderedAt ? constantQuery(null) : queryLockedLimits(accountUuid),
    ),
  )
  const code =
    getRefundRefusal(order, terms, orderedAt ?? new Date()) ??
    (availableCents < ownerCents ? 'insufficient_balance' : null)
  const plan = { charge, orderedAt, feeCents, parts, code, owner: { cents: ownerCents, availableCents } }
  if (code !== null || !limits) return plan
  const { isSimulated } = charge.connection
  const { valueCents } = order
  const room = await takeRefundRoom(em, { accountUuid, isSimulated, valueCents }, limits)
  if ('windows' in room) return { ...plan, limitWindows: room.windows }
  return { ...plan, code: room.failure.code, failure: room.failure }
}

/** Returns why a charge on these terms cannot be refunded by this order, whatever the balances are; null where it can. */
export function getRefundRefusal(order: RefundInput, terms: RefundTerms, orderedAt: Date): string | null {
  return (
    refundErrorCodeOf(terms, orderedAt) ??
    (order.valueCents > computeRefundableCents(terms) ? 'refund_above_remainder' : null)
  )
}

/** Allocates a refund: each split pays its share if its balance covers it, the owner the rest. Locks balances. */
async function allocateRefundParts(
  em: EntityManager,
  charge: Charge,
  valueCents: number,
): Promise<RefundPart[]> {
  const shares = computeSplitShares(charge, valueCents)
  const { providerAccountUuid } = charge
  const accountUuids = new Set([...shares.map(share => share.split.accountUuid), charge.accountUuid])
  const available = new Map<string, number>()
  // Sorted: the lock order of all balances.
  for (const accountUuid of [...accountUuids].sort())
    available.set(accountUuid, await lockAvailableBalance(em, { accountUuid, providerAccountUuid }))
  const parts = shares.map(({ split, cents: requestedCents }) => {
    const cents = Math.min(requestedCents, available.get(split.accountUuid) ?? 0)
    available.set(split.accountUuid, (available.get(split.accountUuid) ?? 0) - cents)
    return { accountUuid: split.accountUuid, splitUuid: split.uuid, cents, requestedCents }
  })
  return addOwnerPart(charge.accountUuid, parts, valueCents)
}

/** Adds the owner's part to those of the splits: the rest of a refund. Negative where they pay more than its value. */
export function addOwnerPart(
  accountUuid: string,
  splitParts: RefundPart[],
  valueCents: number,
): RefundPart[] {
  const rest = valueCents - splitParts.reduce((sum, part) => sum + part.cents, 0)
  return [...splitParts, { accountUuid, splitUuid: null, cents: rest, requestedCents: rest }]
}

export type SplitShare = { split: CreditedSplit; cents: number }

/** Computes what each credited split of a charge owes of a refund of `valueCents`. */
export function computeSplitShares(charge: Charge, valueCents: number): SplitShare[] {
  const credited = charge.splits.getItems().filter(split => split.status === 'CREDITED')
  return computeSplitRefunds(
    credited.map(split => ({
      uuid: split.uuid,
      accountUuid: split.recipient.uuid,
      creditedCents: split.creditedCents,
      returnRequestedCents: split.returnRequestedCents,
    })),
    { receivedCents: charge.receivedCents, refundedCents: charge.refundedCents, valueCents },
  )
}

/** `owner`: what the charge's owner pays, with the fee, and what it has. */
type RefundPlan = {
  charge: Charge
  orderedAt: Date | null
  feeCents: number
  parts: RefundPart[]
  code: string | null
  owner: { cents: number; availableCents: number }
  /** More than its code says about why it is refused. */
  failure?: OperationFailure
  limitWindows?: UsageWindow[]
}

/**
 * Stores a planned refund with its movement and holds its money; the service advances what the owner lacks. A refused plan
 * is stored as FAILED with its event. The caller holds the charge's row lock.
 */
export async function storeRefund(
  em: EntityManager,
  order: RefundInput & { description: string | null },
  { charge, orderedAt, feeCents, parts, code, owner, failure, limitWindows }: RefundPlan,
): Promise<Refund> {
  const at = new Date()
  const { accountUuid, providerAccountUuid, connection } = charge
  const movement = createMovement(em, at, {
    accountUuid,
    providerAccountUuid,
    connectionUuid: connection.uuid,
    type: 'EXTERNAL_REFUND',
    movementType: 'OUT',
    valueCents: order.valueCents,
    status: code === null ? 'PENDING' : 'FAILED',
    sender: charge.movement?.receiver,
    receiver: charge.movement?.sender,
    chargeUuid: charge.uuid,
    originalUuid: charge.movement?.uuid,
    refundUuid: order.uuid,
  })
  const refund = em.create(Refund, {
    uuid: order.uuid,
    chargeUuid: charge.uuid,
    accountUuid,
    connectionUuid: connection.uuid,
    providerAccountUuid,
    state: code === null ? 'sending' : 'failed',
    valueCents: order.valueCents,
    feeCents: code === null ? feeCents : 0,
    description: order.description,
    parts: code === null ? parts : [],
    movement,
    failure:
      failure ??
      (code === null ? null : { code, message: 'the charge can no longer be refunded by this value' }),
    limitWindows: limitWindows ?? null,
    acceptBefore: code === null && order.acceptBefore ? new Date(order.acceptBefore) : null,
    requestId: order.requestId,
    tokenNumber: order.tokenNumber ?? null,
    userUuid: order.userUuid ?? null,
    fingerprint: order.fingerprint,
    // The acceptance shows the history until then, with the entry of this refund.
    createdAt: orderedAt ?? at,
    updatedAt: at,
  })
  if (code === null) {
    charge.refundingCents += order.valueCents
    transition(charge, chargeMachine, 'refund_requested', at)
    await postMovement(em, movement, [
      ...shortfallAdvancedLegs(accountUuid, owner),
      ...refundHeldLegs({
        ownerUuid: accountUuid,
        valueCents: order.valueCents,
        splitParts: getSplitParts(refund),
      }),
      ...feeHeldLegs(accountUuid, feeCents),
    ])
  }
  await sendChanges(em)
  if (code !== null) await recordRefundEvent(em, refund, { charge, at })
  return refund
}

/** Returns what the recipient of each split pays of a refund to the owner of the charge. */
export function getSplitParts({ parts }: Refund): SplitPart[] {
  return parts
    .filter(({ splitUuid }) => splitUuid !== null)
    .map(({ accountUuid, cents }) => ({ accountUuid, cents }))
}

/**
 * Stores a refund and holds its money, or stores it as FAILED where the charge cannot be refunded any more. All rules
 * are checked here, under the charge's row lock, so that concurrent refunds never exceed what was received (SPEC §3).
 * Repeatable.
 */
export function openRefund({ orm, sealer }: ActivityDependencies) {
  return (input: RefundInput): Promise<OpenRefundResult> =>
    runInTransaction(orm, async em => {
      const order = openRefundOrder(sealer, input)
      const charge = await lockCharge(em, order.chargeUuid)
      const storedRefund = await em.findOne(Refund, order.uuid)
      const { uuid, state } =
        storedRefund ?? (await storeRefund(em, order, await planRefund(em, order, charge)))
      return queryWithFollowUps(uuid, { state })
    })
}

/** Opens the sealed details of a refund's order. */
export function openRefundOrder(
  sealer: Sealer,
  order: RefundInput,
): RefundInput & { description: string | null } {
  const description = order.details ? sealer.open<RefundInputDetails>(order.details).description : null
  return { ...order, description }
}

/** Reads the state of a refund and the connection that sends it. */
export function getRefund({ orm }: ActivityDependencies) {
  return async (uuid: string): Promise<{ state: RefundState; connectionUuid: string }> => {
    const { state, connectionUuid } = await orm.em.fork().findOneOrFail(Refund, uuid)
    return { state, connectionUuid }
  }
}
