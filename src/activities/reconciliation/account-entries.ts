import { DriverException } from '@mikro-orm/core'
import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import type { Movement } from '../../db/entities/movement.ts'
import type { StoredAccountEntry } from '../../db/entities/reconciliation.ts'
import { lockAvailableBalance } from '../../db/ledger/post.ts'
import { lockConnection } from '../../db/locks.ts'
import { redactError } from '../../db/redact-error.ts'
import {
  findDisputeOfEntry,
  findMovementOfReturn,
  listOpenAccountEntries,
  lockOpenAccountEntry,
  sumBlockedByEntries,
} from '../../db/repositories/account-entries.ts'
import { mayBeAdjusted } from '../../db/repositories/ledger-adjustments.ts'
import { mayBeOurPayout } from '../../db/repositories/panel-pix.ts'
import { findProviderAccountOwner, isBeforeCrediting } from '../../db/repositories/provider-accounts.ts'
import { disputeHeldLegs, entryUnblockedLegs, type Leg } from '../../domain/ledger/legs.ts'
import {
  type AccountEntryKind,
  computeBlockCents,
  computeUnblockCents,
  ENTRY_MOVEMENTS,
  entryIdentityOf,
} from '../../domain/reconciliation/account-entry.ts'
import { HOUR, scaleWait } from '../../domain/shared/intervals.ts'
import { recordUnownedMovementEvent } from '../events/record-event.ts'
import { creditPostings, unheldMovementPostings } from '../ledger/apply-inflow.ts'
import { lockDisputes } from '../ledger/dispute-locks.ts'
import { createMovement, postMovement } from '../ledger/movements.ts'
import { throwIfCancelled } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'

/** Time that a block waits for the dispute that may explain it, whose notification may come later. */
const DISPUTE_WAIT_MS = HOUR
/** Time in which the provider may still name the PIX of a withdrawal. */
const WITHDRAWAL_WAIT_MS = HOUR

type BookableKind = Exclude<AccountEntryKind, 'unlisted'>

/**
 * Posts the open account entries of one provider account, each in its own transaction under its row lock, so that a
 * repeat, a concurrent reconciliation or a crash posts none twice. Returns how many were posted and how many are left.
 */
export async function postAccountEntries(
  { orm, log, timeScale }: ActivityDependencies,
  providerAccountUuid: string,
): Promise<{ booked: number; remaining: number }> {
  const openEntries = await listOpenAccountEntries(orm.em.fork(), providerAccountUuid)
  let booked = 0
  for (const { uuid } of openEntries) {
    throwIfCancelled()
    const posting = runInTransaction(orm, em =>
      postAccountEntry(em, { uuid, providerAccountUuid, timeScale }),
    )
    if (await catchDatabaseRefusal(posting, log, { entry: uuid })) booked += 1
  }
  return { booked, remaining: openEntries.length - booked }
}

/** Returns false and logs an error where PostgreSQL refuses one posting, so that the others are made. */
export async function catchDatabaseRefusal(
  posting: Promise<boolean>,
  log: ActivityDependencies['log'],
  logFields: Record<string, string>,
): Promise<boolean> {
  try {
    return await posting
  } catch (error) {
    if (!(error instanceof DriverException)) throw error
    log.error(
      { error: redactError(error), ...logFields },
      'a movement at the provider could not be posted to the ledger',
    )
    return false
  }
}

type EntryToPost = { uuid: string; providerAccountUuid: string; timeScale: number }

/** Posts one entry. Returns whether it is explained, by this call or another; else it waits or needs an operator. */
async function postAccountEntry(em: EntityManager, { uuid, providerAccountUuid, timeScale }: EntryToPost) {
  const owner = await findProviderAccountOwner(em, providerAccountUuid)
  await lockConnection(em, owner.connection.uuid)
  const entry = await lockOpenAccountEntry(em, uuid)
  if (!entry) return true
  const { kind } = entry
  if (kind === 'unlisted') {
    entry.movementUuid = await findMovementOfReturn(em, entry)
    return entry.movementUuid !== null
  }
  const { direction } = ENTRY_MOVEMENTS[kind]
  const movedMoney = { providerAccountUuid, direction, cents: entry.cents, at: entry.movedAt }
  if ((await isBeforeCrediting(em, movedMoney)) || (await mayBeAdjusted(em, movedMoney))) return false
  if (kind === 'withdrawal' && (await mayBeTransfer(em, entry, timeScale))) return false
  if (kind === 'block' || kind === 'unblock') {
    const disputeUuid = await findDisputeOfEntry(em, entry)
    if (disputeUuid) {
      entry.disputeUuid = disputeUuid
      return true
    }
    const isYoung = Date.now() - entry.movedAt.getTime() < scaleWait(DISPUTE_WAIT_MS, timeScale)
    if (entry.endToEnd && isYoung) return false
  }
  const at = new Date()
  const { type, reason } = ENTRY_MOVEMENTS[kind]
  const movement = createMovement(em, at, {
    accountUuid: owner.accountUuid,
    providerAccountUuid,
    connectionUuid: owner.connection.uuid,
    type,
    movementType: direction,
    valueCents: entry.cents,
    status: 'SETTLED',
    entryName: entryIdentityOf({ type: entry.type, id: entry.entryId }),
    reason,
    settledAt: entry.movedAt,
  })
  await postMovement(em, movement, await buildEntryLegs(em, movement, kind))
  entry.movementUuid = movement.uuid
  await recordUnownedMovementEvent(em, movement, at)
  return true
}

/**
 * Tells whether a withdrawal may still be a transfer of ours that the provider lists without its end-to-end id: it is
 * young, so that a later list may name the id, or it has the value of a payout that nothing else in the statement shows.
 */
async function mayBeTransfer(em: EntityManager, entry: StoredAccountEntry, timeScale: number) {
  const { providerAccountUuid, cents, movedAt: at } = entry
  const isYoung = Date.now() - at.getTime() < scaleWait(WITHDRAWAL_WAIT_MS, timeScale)
  const payout = { providerAccountUuid, cents, at, timeScale, countsUnidentified: true }
  return isYoung || mayBeOurPayout(em, payout)
}

/**
 * Builds the legs of an account entry. A debit beyond `available` becomes a shortfall, which the service advances. A
 * block holds at most what is available; where the statement lists its release before the block, it holds nothing.
 */
async function buildEntryLegs(em: EntityManager, movement: Movement, kind: BookableKind): Promise<Leg[]> {
  if (kind !== 'block' && kind !== 'unblock') return unheldMovementPostings(em, movement)
  const { accountUuid, providerAccountUuid, valueCents: cents } = movement
  if (kind === 'unblock') await lockDisputes(em, { providerAccountUuid, accountUuids: [accountUuid] })
  const availableCents = await lockAvailableBalance(em, { accountUuid, providerAccountUuid })
  const blocked = await sumBlockedByEntries(em, { accountUuid, providerAccountUuid })
  if (kind === 'block')
    return disputeHeldLegs(accountUuid, computeBlockCents(cents, { ...blocked, availableCents }))
  return creditPostings(em, entryUnblockedLegs, movement, computeUnblockCents(cents, blocked))
}
