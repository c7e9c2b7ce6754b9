import { DriverException } from '@mikro-orm/core'
import {
  accountForEntry,
  blockedByEntries,
  disputeOfEntry,
  lockOpenEntry,
  openAccountEntries,
  type StoredEntry,
} from '../db/account-entries.ts'
import type { Movement } from '../db/entities/movement.ts'
import { lockGate } from '../db/lock.ts'
import { loggable } from '../db/loggable.ts'
import { type EntityManager, inTransaction } from '../db/orm.ts'
import { type ProviderAccountOwner, providerAccountOwner } from '../db/owners.ts'
import { lockAvailable } from '../db/post.ts'
import {
  type AccountEntryKind,
  centsToBlock,
  centsToUnblock,
  ENTRY_BOOKINGS,
  entryName,
} from '../domain/account-entry.ts'
import { deposited, disputeHeld, entryUnblocked, goneUncovered, type Leg } from '../domain/ledger.ts'
import { scaled } from '../domain/waits.ts'
import { announceMovement, leaveDeliveriesToSweep } from './announce.ts'
import type { Dependencies } from './dependencies.ts'
import { throwIfToEnd } from './ending.ts'
import { repayments } from './inflow.ts'
import { book, newMovement } from './movements.ts'

/** So long a block is left to the dispute that it may be of, whose notification may come later. */
const DISPUTE_WAIT_MS = 60 * 60_000

type BookableKind = Exclude<AccountEntryKind, 'unlisted'>

/**
 * Books the entries of one provider account that nothing accounts for yet, each in a transaction of its own under its row
 * lock, so that a repeat, a second reconciliation or a crash in between books none twice. How many are left.
 */
export async function bookAccountEntries(
  { orm, log }: Pick<Dependencies, 'orm' | 'log'>,
  { providerAccountUuid, timeScale }: { providerAccountUuid: string; timeScale: number },
): Promise<{ booked: number; left: number }> {
  const open = await openAccountEntries(orm.em.fork(), providerAccountUuid)
  let booked = 0
  for (const { uuid } of open) {
    throwIfToEnd()
    const booking = inTransaction(orm, em => bookEntry(em, { uuid, providerAccountUuid, timeScale }))
    if (await unlessRefused(booking, log, { entry: uuid })) booked += 1
  }
  return { booked, left: open.length - booked }
}

/** False, and a line in the log, where the database refuses one booking: the others are made. */
export async function unlessRefused(
  booking: Promise<boolean>,
  log: Dependencies['log'],
  about: Record<string, string>,
): Promise<boolean> {
  try {
    return await booking
  } catch (error) {
    if (!(error instanceof DriverException)) throw error
    log.error({ error: loggable(error), ...about }, 'money that moved at a provider is not booked')
    return false
  }
}

type EntryToBook = { uuid: string; providerAccountUuid: string; timeScale: number }

/** False where it waits, or needs an operator. True where it is accounted for, by this call or by another. */
async function bookEntry(
  em: EntityManager,
  { uuid, providerAccountUuid, timeScale }: EntryToBook,
): Promise<boolean> {
  const owner = await providerAccountOwner(em, providerAccountUuid)
  await lockGate(em, owner.connection.uuid)
  const entry = await lockOpenEntry(em, uuid)
  if (!entry) return true
  const { kind } = entry
  if (kind === 'unlisted') return false
  if (kind === 'block' || kind === 'unblock') {
    const medUuid = await disputeOfEntry(em, { ...entry, providerAccountUuid })
    if (medUuid) {
      await accountForEntry(em, uuid, { medUuid })
      return true
    }
    const isYoung = Date.now() - entry.movedAt.getTime() < scaled(DISPUTE_WAIT_MS, timeScale)
    if (entry.endToEnd !== null && isYoung) return false
  }
  const at = new Date()
  const movement = movementOf(em, { ...entry, kind }, { owner, providerAccountUuid, at })
  await book(em, movement, await legsOf(em, movement, kind))
  await accountForEntry(em, uuid, { movementUuid: movement.uuid })
  await announceMovement(em, movement, { lifeUuid: movement.uuid, requestId: movement.uuid, at })
  await leaveDeliveriesToSweep(em, movement.uuid)
  return true
}

type Booking = { owner: ProviderAccountOwner; providerAccountUuid: string; at: Date }

function movementOf(
  em: EntityManager,
  entry: StoredEntry & { kind: BookableKind },
  { owner, providerAccountUuid, at }: Booking,
): Movement {
  const { type, direction, reason } = ENTRY_BOOKINGS[entry.kind]
  return newMovement(
    em,
    { accountUuid: owner.accountUuid, providerAccountUuid, connectionUuid: owner.connection.uuid },
    {
      type,
      movementType: direction,
      valueCents: entry.cents,
      status: 'SETTLED',
      entryName: entryName({ type: entry.type, id: entry.entryId }),
      reason,
      settledAt: entry.movedAt,
    },
    at,
  )
}

/**
 * A debit beyond `available` is the service's shortfall. A block holds as much as is available; a statement may list its
 * release before it, and then it holds nothing.
 */
async function legsOf(em: EntityManager, movement: Movement, kind: BookableKind): Promise<Leg[]> {
  const { accountUuid, providerAccountUuid, valueCents: cents } = movement
  if (kind === 'credit') {
    const inflow = { providerAccountUuid, credits: [{ accountUuid, cents }] }
    return [...deposited(accountUuid, cents), ...(await repayments(em, inflow))]
  }
  const availableCents = await lockAvailable(em, { accountUuid, providerAccountUuid })
  if (kind === 'tariff' || kind === 'withdrawal') return goneUncovered(accountUuid, { cents, availableCents })
  const blocked = await blockedByEntries(em, { accountUuid, providerAccountUuid })
  if (kind === 'block') return disputeHeld(accountUuid, centsToBlock(cents, { ...blocked, availableCents }))
  const freeCents = centsToUnblock(cents, blocked)
  const inflow = { providerAccountUuid, credits: [{ accountUuid, cents: freeCents }] }
  return [...entryUnblocked(accountUuid, freeCents), ...(await repayments(em, inflow))]
}
