import { Charge } from '../db/entities/charge.ts'
import { Movement } from '../db/entities/movement.ts'
import { ALONE, lockGate } from '../db/lock.ts'
import { type EntityManager, inTransaction } from '../db/orm.ts'
import { type ProviderAccountOwner, providerAccountOwner } from '../db/owners.ts'
import { hasOpenDispute, isAttemptInDoubt, keepMissingPix, missingPix } from '../db/panel-pix.ts'
import { lockAvailable } from '../db/post.ts'
import { deposited, goneUncovered, type Leg, returnHeld, returnSettled } from '../domain/ledger.ts'
import type { MovementReason, MovementType } from '../domain/movement.ts'
import { PANEL_PIX_WAIT_MS, type PanelPixWait, panelPixWait } from '../domain/panel-pix.ts'
import type { ReturnName } from '../domain/pix-return.ts'
import type { StatementEntry } from '../domain/provider.ts'
import { scaled } from '../domain/waits.ts'
import { unlessRefused } from './account-entries.ts'
import { announceMovement, leaveDeliveriesToSweep } from './announce.ts'
import type { Dependencies } from './dependencies.ts'
import { throwIfToEnd } from './ending.ts'
import { repayments } from './inflow.ts'
import { lockCharge } from './move.ts'
import { book, newMovement } from './movements.ts'
import { recordProviderRefund } from './provider-refunds.ts'
import { returnColumns, unrecordedReturns } from './recorded-returns.ts'
import { countProviderReturns } from './returns.ts'

/**
 * Books the PIX of one provider account that only its statement knows, once nothing of ours can account for them: sent or
 * returned in the provider's panel, or received for no merchant. Each in a transaction of its own, known by its end-to-end
 * id, so that a repeat, a second reconciliation or a crash in between books none twice. What waits says why.
 */
export async function bookPanelPix(
  { orm, log }: Pick<Dependencies, 'orm' | 'log'>,
  { providerAccountUuid, timeScale }: { providerAccountUuid: string; timeScale: number },
): Promise<{ booked: number }> {
  const waitMs = scaled(PANEL_PIX_WAIT_MS, timeScale)
  let booked = 0
  for (const { uuid, detail } of await missingPix(orm.em.fork(), providerAccountUuid)) {
    throwIfToEnd()
    const { entry } = detail
    if (!entry) continue
    const booking = inTransaction(orm, async em => {
      const wait = await bookPix(em, { entry, providerAccountUuid, waitMs })
      await keepMissingPix(em, uuid, wait)
      return wait === null
    })
    if (await unlessRefused(booking, log, { difference: uuid })) booked += 1
  }
  return { booked }
}

type PixToBook = { entry: StatementEntry; providerAccountUuid: string; waitMs: number }

/** Null where it is booked, by this call or by another. Locks a charge, then the gate, then balances. */
async function bookPix(em: EntityManager, { entry, ...at }: PixToBook): Promise<PanelPixWait | null> {
  const returned = await lockReturned(em, entry, at.providerAccountUuid)
  if (await isRecorded(em, entry, at.providerAccountUuid)) return null
  const wait = panelPixWait(entry, await factsOf(em, { entry, ...at }, returned))
  if (wait) return wait
  const owner = await ownerOf(em, at.providerAccountUuid, returned)
  if (!returned) await lockGate(em, owner.connection.uuid)
  const movement = movementOf(em, entry, { owner, returned, providerAccountUuid: at.providerAccountUuid })
  const about = { lifeUuid: movement.uuid, requestId: movement.uuid, at: movement.createdAt }
  const legs = await legsOf(em, movement, returned)
  if (returned?.charge) await recordProviderRefund(em, { charge: returned.charge, out: movement, ...about })
  await book(em, movement, legs)
  await announceMovement(em, movement, about)
  await leaveDeliveriesToSweep(em, movement.uuid)
  return null
}

/** The PIX that one returns, under its row lock and the gate of its money, and the charge that it paid. */
type ReturnedPix = { original: Movement; charge: Charge | null }

async function lockReturned(
  em: EntityManager,
  { returnOf, direction }: StatementEntry,
  providerAccountUuid: string,
): Promise<ReturnedPix | null> {
  if (returnOf === undefined) return null
  const movementType = direction === 'OUT' ? 'IN' : 'OUT'
  const found = await em.findOne(Movement, { providerAccountUuid, movementType, endToEnd: returnOf })
  if (!found) return null
  const paid = found.chargeUuid
    ? await em.findOne(Charge, { uuid: found.chargeUuid, movement: found.uuid })
    : null
  if (paid) return { original: found, charge: await lockCharge(em, paid.uuid) }
  const original = await em.findOneOrFail(Movement, found.uuid, { ...ALONE, refresh: true })
  if (original.connectionUuid) await lockGate(em, original.connectionUuid)
  return { original, charge: null }
}

async function isRecorded(
  em: EntityManager,
  entry: StatementEntry,
  providerAccountUuid: string,
): Promise<boolean> {
  const { direction: movementType, endToEnd, returnOf } = entry
  if (returnOf !== undefined) {
    const pix = { providerAccountUuid, movementType, names: [returnOf] }
    return (await unrecordedReturns(em, pix, [{ ...entry, ...returnNameOf(entry) }])).length === 0
  }
  if (endToEnd === '') return false
  return (await em.count(Movement, { providerAccountUuid, movementType, endToEnd })) > 0
}

async function factsOf(
  em: EntityManager,
  { entry, providerAccountUuid, waitMs }: PixToBook,
  returned: ReturnedPix | null,
) {
  const { direction, cents, returnOf } = entry
  return {
    returnsOurTransfer: direction === 'IN' && Boolean(returned?.original.transferUuid),
    hasOpenDispute:
      returnOf !== undefined && (await hasOpenDispute(em, { providerAccountUuid, endToEnd: returnOf })),
    isAttemptInDoubt: direction === 'OUT' && (await isAttemptInDoubt(em, { providerAccountUuid, cents })),
    nowMs: Date.now(),
    waitMs,
  }
}

/** A return is borne by whom its PIX was credited to; anything else by the owner of the provider account. */
async function ownerOf(
  em: EntityManager,
  providerAccountUuid: string,
  returned: ReturnedPix | null,
): Promise<ProviderAccountOwner> {
  const owner = await providerAccountOwner(em, providerAccountUuid)
  return returned ? { ...owner, accountUuid: returned.original.accountUuid } : owner
}

function returnNameOf({ returnId, endToEnd }: StatementEntry): ReturnName {
  return { id: returnId ?? null, endToEnd: endToEnd || null }
}

type Booking = { owner: ProviderAccountOwner; returned: ReturnedPix | null; providerAccountUuid: string }

function movementOf(em: EntityManager, entry: StatementEntry, booking: Booking): Movement {
  const { owner, returned, providerAccountUuid } = booking
  const original = returned?.original
  return newMovement(
    em,
    {
      accountUuid: owner.accountUuid,
      providerAccountUuid,
      connectionUuid: original?.connectionUuid ?? owner.connection.uuid,
    },
    {
      ...NAMES[entry.returnOf === undefined ? entry.direction : 'return'],
      movementType: entry.direction,
      valueCents: entry.cents,
      status: 'SETTLED',
      endToEnd: entry.endToEnd || null,
      ...(entry.returnOf !== undefined && returnColumns(entry.returnOf, returnNameOf(entry))),
      settledAt: new Date(entry.at),
      ...(original && {
        sender: original.receiver,
        receiver: original.sender,
        chargeUuid: original.chargeUuid,
        originalUuid: original.uuid,
      }),
    },
    new Date(),
  )
}

const NAMES = {
  IN: { type: 'EXTERNAL_TRANSFER', reason: 'deposit' },
  OUT: { type: 'EXTERNAL_TRANSFER', reason: 'panel_transfer' },
  return: { type: 'EXTERNAL_REFUND', reason: 'panel_return' },
} as const satisfies Record<string, { type: MovementType; reason: MovementReason }>

/**
 * What waits of an unmatched PIX goes back from where it waits, unless a return of ours is under way: then our return is
 * refused and makes it good. Anything else leaves `available`, and the service's shortfall bears what that does not cover.
 */
async function legsOf(em: EntityManager, movement: Movement, returned: ReturnedPix | null): Promise<Leg[]> {
  const { accountUuid, providerAccountUuid, valueCents: cents, movementType } = movement
  if (movementType === 'IN') {
    const inflow = { providerAccountUuid, credits: [{ accountUuid, cents }] }
    return [...deposited(accountUuid, cents), ...(await repayments(em, inflow))]
  }
  const original = returned?.original
  if (original?.disposition === 'held' || original?.disposition === 'not_returned') {
    await countProviderReturns(em, original)
    return [...returnHeld(accountUuid, cents), ...returnSettled(accountUuid, cents)]
  }
  const availableCents = await lockAvailable(em, { accountUuid, providerAccountUuid })
  return goneUncovered(accountUuid, { cents, availableCents })
}
