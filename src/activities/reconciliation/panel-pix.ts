import type { AttachmentLinker } from '../../contract/disputes/dispute.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import type { Charge } from '../../db/entities/charge.ts'
import { Movement } from '../../db/entities/movement.ts'
import { lockConnection, lockMovement } from '../../db/locks.ts'
import { listAdjustedReturns } from '../../db/repositories/account-entries.ts'
import { mayBeAdjusted } from '../../db/repositories/ledger-adjustments.ts'
import {
  findMissingPix,
  lockMissingPix,
  mayBeOurPayout,
  updateMissingPix,
} from '../../db/repositories/panel-pix.ts'
import {
  findProviderAccountOwner,
  isBeforeCrediting,
  type ProviderAccountOwner,
} from '../../db/repositories/provider-accounts.ts'
import type { MovementReason, MovementType } from '../../domain/ledger/movement.ts'
import type { PixReturnIds } from '../../domain/pix/pix-return.ts'
import type { StatementEntry } from '../../domain/providers/provider.ts'
import { panelPixPendingReasonOf } from '../../domain/reconciliation/panel-pix.ts'
import { recordStatementReturn } from '../disputes/apply-provider-state.ts'
import { createAttachmentLinker, recordUnownedMovementEvent } from '../events/record-event.ts'
import { lockDisputesOfPix } from '../ledger/dispute-locks.ts'
import { createMovement, postMovement } from '../ledger/movements.ts'
import { buildReturnColumns, findUnrecordedReturns } from '../ledger/return-matching.ts'
import { recordProviderRefund } from '../refunds/settle.ts'
import { throwIfCancelled } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { lockPaidCharge } from '../shared/transition.ts'
import { buildUnmatchedLegs } from '../unmatched/record.ts'
import { buildPendingReturnLegs } from '../unmatched/return-payout.ts'
import { catchDatabaseRefusal } from './account-entries.ts'
import { recordListedPayoutIds } from './listed-payouts.ts'

/**
 * Posts the PIX of one provider account that only its statement has, once no operation of ours can explain them: sent
 * or returned in the provider's panel, or received for no merchant. Each is posted in its own transaction and
 * identified by its end-to-end id, so that a repeat, a concurrent reconciliation or a crash posts none twice. One that
 * waits stores the reason.
 */
export async function postPanelPix(
  dependencies: ActivityDependencies,
  providerAccountUuid: string,
): Promise<{ booked: number }> {
  const { orm, log, timeScale } = dependencies
  const linkTo = createAttachmentLinker(dependencies)
  let booked = 0
  const missing = await findMissingPix(orm.em.fork(), providerAccountUuid)
  // A payout may have settled without its end-to-end id since the statement was compared.
  const entries = missing.flatMap(({ detail }) => detail.entry ?? [])
  await recordListedPayoutIds(dependencies, { providerAccountUuid, entries })
  for (const { uuid, detail } of missing) {
    throwIfCancelled()
    const { entry } = detail
    if (!entry) continue
    const posting = runInTransaction(orm, async em => {
      if (!(await lockMissingPix(em, uuid))) return false
      const wait = await postPanelEntry(em, { entry, providerAccountUuid, timeScale, linkTo })
      await updateMissingPix(em, uuid, wait)
      return wait === null
    })
    if (await catchDatabaseRefusal(posting, log, { difference: uuid })) booked += 1
  }
  return { booked }
}

type PanelEntryToPost = {
  entry: StatementEntry
  providerAccountUuid: string
  timeScale: number
  linkTo: AttachmentLinker
}

/**
 * Posts one statement entry. Returns null where it is posted, by this call or another, else why it waits. Locks a
 * charge, then the connection, then disputes, then balances.
 */
async function postPanelEntry(
  em: EntityManager,
  { entry, providerAccountUuid, timeScale, linkTo }: PanelEntryToPost,
) {
  const { direction, cents } = entry
  const returned = await lockReturnedPix(em, entry, providerAccountUuid)
  if (await isPanelEntryRecorded(em, entry, providerAccountUuid)) return null
  const disputes =
    returned && direction === 'OUT' ? await lockDisputesOfPix(em, returned.original, returned.charge) : []
  const disputesOfPix = disputes.filter(({ endToEnd }) => endToEnd === entry.returnOf)
  const accepted = disputesOfPix.find(({ state }) => state === 'accepted')
  const payout = { providerAccountUuid, cents, at: new Date(entry.at), timeScale, countsUnidentified: true }
  const movedMoney = { providerAccountUuid, direction, cents, at: new Date(entry.at) }
  const owner = await findProviderAccountOwner(em, providerAccountUuid)
  if (!returned) await lockConnection(em, owner.connection.uuid)
  const wait = panelPixPendingReasonOf(entry, {
    isNearOpening: await isBeforeCrediting(em, movedMoney),
    mayBeAdjusted: await mayBeAdjusted(em, movedMoney),
    isRecordedInOtherDirection: await isRecordedInOtherDirection(em, entry, providerAccountUuid),
    returnsOurTransfer: direction === 'IN' && Boolean(returned?.original.transferUuid),
    hasUndecidedDispute: disputesOfPix.length > 0 && !accepted,
    mayBeOurPayout: direction === 'OUT' && (await mayBeOurPayout(em, payout)),
    nowMs: Date.now(),
    timeScale,
  })
  if (wait) return wait
  if (returned && accepted) {
    const locked = { dispute: accepted, disputes, movement: returned.original, charge: returned.charge }
    const returnFacts = { ...getReturnName(entry), cents, at: entry.at }
    await recordStatementReturn(em, locked, returnFacts, linkTo)
    return null
  }
  const movement = createPanelMovement(em, entry, { owner, returned, providerAccountUuid })
  // Money from `pending`, or a debit from `available`, where the service's shortfall covers the rest.
  const pendingLegs =
    direction === 'OUT' && returned && (await buildPendingReturnLegs(em, returned.original, cents))
  const legs = pendingLegs || (await buildUnmatchedLegs(em, movement))
  if (returned?.charge) {
    const { uuid, createdAt: at } = movement
    const event = { ownerUuid: uuid, requestId: uuid, at }
    await recordProviderRefund(em, { charge: returned.charge, movement, ...event })
  }
  await postMovement(em, movement, legs)
  await recordUnownedMovementEvent(em, movement, movement.createdAt)
  return null
}

/** The PIX that an entry returns, under its row lock and its connection lock, and the charge that it paid. */
type LockedReturnedPix = { original: Movement; charge: Charge | null }

async function lockReturnedPix(
  em: EntityManager,
  { returnOf, direction }: StatementEntry,
  providerAccountUuid: string,
): Promise<LockedReturnedPix | null> {
  if (returnOf === undefined) return null
  const movementType = direction === 'OUT' ? 'IN' : 'OUT'
  const pix = await em.findOne(Movement, { providerAccountUuid, movementType, endToEnd: returnOf })
  if (!pix) return null
  const { uuid, chargeUuid } = pix
  const charge = await lockPaidCharge(em, pix)
  if (charge) return { original: pix, charge }
  const original = await lockMovement(em, uuid)
  // The deposit has become the payment of a charge meanwhile: the next reconciliation locks that charge first.
  if (original.chargeUuid !== chargeUuid) throw new Error('the returned PIX now belongs to a charge')
  return { original, charge: null }
}

async function isPanelEntryRecorded(em: EntityManager, entry: StatementEntry, providerAccountUuid: string) {
  const { direction: movementType, endToEnd, returnOf } = entry
  const ids = { providerAccountUuid, endToEndIds: [endToEnd] }
  if (endToEnd !== '' && (await listAdjustedReturns(em, ids)).length > 0) return true
  if (returnOf !== undefined) {
    const pix = { providerAccountUuid, movementType, names: [returnOf] }
    return (await findUnrecordedReturns(em, pix, [{ ...entry, ...getReturnName(entry) }])).length === 0
  }
  if (endToEnd === '') return false
  return (await em.count(Movement, { providerAccountUuid, movementType, endToEnd })) > 0
}

async function isRecordedInOtherDirection(
  em: EntityManager,
  { direction, endToEnd }: StatementEntry,
  providerAccountUuid: string,
) {
  if (endToEnd === '') return false
  const movementType = direction === 'IN' ? 'OUT' : 'IN'
  return (await em.count(Movement, { providerAccountUuid, movementType, endToEnd })) > 0
}

function getReturnName({ returnId, endToEnd }: StatementEntry): PixReturnIds {
  return { id: returnId ?? null, endToEnd: endToEnd || null }
}

type PanelEntryPosting = {
  owner: ProviderAccountOwner
  returned: LockedReturnedPix | null
  providerAccountUuid: string
}

function createPanelMovement(em: EntityManager, entry: StatementEntry, posting: PanelEntryPosting): Movement {
  const { owner, returned, providerAccountUuid } = posting
  const original = returned?.original
  const isUnownedPix = owner.isService && entry.direction === 'IN' && entry.returnOf === undefined
  return createMovement(em, new Date(), {
    accountUuid: original?.accountUuid ?? owner.accountUuid,
    providerAccountUuid,
    connectionUuid: original?.connectionUuid ?? owner.connection.uuid,
    ...MOVEMENT_TYPES[entry.returnOf === undefined ? entry.direction : 'return'],
    movementType: entry.direction,
    valueCents: entry.cents,
    status: 'SETTLED',
    endToEnd: entry.endToEnd || null,
    ...(entry.returnOf !== undefined && buildReturnColumns(entry.returnOf, getReturnName(entry))),
    settledAt: new Date(entry.at),
    ...(isUnownedPix && { disposition: 'not_returned' as const }),
    ...(original && {
      sender: original.receiver,
      receiver: original.sender,
      chargeUuid: original.chargeUuid,
      originalUuid: original.uuid,
    }),
  })
}

const MOVEMENT_TYPES = {
  IN: { type: 'EXTERNAL_TRANSFER', reason: 'deposit' },
  OUT: { type: 'EXTERNAL_TRANSFER', reason: 'panel_transfer' },
  return: { type: 'EXTERNAL_REFUND', reason: 'panel_return' },
} as const satisfies Record<string, { type: MovementType; reason: MovementReason }>
