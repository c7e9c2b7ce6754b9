import { DriverException } from '@mikro-orm/core'
import { type EntityManager, runInTransaction } from '../../db/client/orm.ts'
import type { Movement } from '../../db/entities/movement.ts'
import { lockAvailableBalance } from '../../db/ledger/post.ts'
import { lockConnection } from '../../db/locks.ts'
import { redactError } from '../../db/redact-error.ts'
import {
  findDisputeOfEntry,
  linkAccountEntry,
  listOpenAccountEntries,
  lockOpenAccountEntry,
  type StoredAccountEntry,
  sumBlockedByEntries,
} from '../../db/repositories/account-entries.ts'
import {
  findProviderAccountOwner,
  type ProviderAccountOwner,
} from '../../db/repositories/provider-account-owners.ts'
import {
  depositLegs,
  disputeHeldLegs,
  entryUnblockedLegs,
  type Leg,
  uncoveredOutflowLegs,
} from '../../domain/ledger/legs.ts'
import {
  type AccountEntryKind,
  computeBlockCents,
  computeUnblockCents,
  ENTRY_MOVEMENTS,
  entryIdentityOf,
} from '../../domain/reconciliation/account-entry.ts'
import { scaleWait } from '../../domain/shared/intervals.ts'
import { recordMovementEvent, scheduleDeliveriesForSweep } from '../events/record-event.ts'
import { inflowPostings } from '../ledger/apply-inflow.ts'
import { createMovement, postMovement } from '../ledger/movements.ts'
import { throwIfCancelled } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'

/** So long a block is left to the dispute that it may be of, whose notification may come later. */
const DISPUTE_WAIT_MS = 60 * 60_000

type BookableKind = Exclude<AccountEntryKind, 'unlisted'>

/**
 * Books the entries of one provider account that nothing accounts for yet, each in a transaction of its own under its row
 * lock, so that a repeat, a second reconciliation or a crash in between books none twice. How many are left.
 */
export async function postAccountEntries(
  { orm, log }: Pick<ActivityDependencies, 'orm' | 'log'>,
  { providerAccountUuid, timeScale }: { providerAccountUuid: string; timeScale: number },
): Promise<{ booked: number; left: number }> {
  const open = await listOpenAccountEntries(orm.em.fork(), providerAccountUuid)
  let booked = 0
  for (const { uuid } of open) {
    throwIfCancelled()
    const booking = runInTransaction(orm, em =>
      postAccountEntry(em, { uuid, providerAccountUuid, timeScale }),
    )
    if (await catchDatabaseRefusal(booking, log, { entry: uuid })) booked += 1
  }
  return { booked, left: open.length - booked }
}

/** False, and a line in the log, where the database refuses one booking: the others are made. */
export async function catchDatabaseRefusal(
  booking: Promise<boolean>,
  log: ActivityDependencies['log'],
  about: Record<string, string>,
): Promise<boolean> {
  try {
    return await booking
  } catch (error) {
    if (!(error instanceof DriverException)) throw error
    log.error({ error: redactError(error), ...about }, 'money that moved at a provider is not booked')
    return false
  }
}

type EntryToPost = { uuid: string; providerAccountUuid: string; timeScale: number }

/** False where it waits, or needs an operator. True where it is accounted for, by this call or by another. */
async function postAccountEntry(
  em: EntityManager,
  { uuid, providerAccountUuid, timeScale }: EntryToPost,
): Promise<boolean> {
  const owner = await findProviderAccountOwner(em, providerAccountUuid)
  await lockConnection(em, owner.connection.uuid)
  const entry = await lockOpenAccountEntry(em, uuid)
  if (!entry) return true
  const { kind } = entry
  if (kind === 'unlisted') return false
  if (kind === 'block' || kind === 'unblock') {
    const medUuid = await findDisputeOfEntry(em, { ...entry, providerAccountUuid })
    if (medUuid) {
      await linkAccountEntry(em, uuid, { disputeUuid: medUuid })
      return true
    }
    const isYoung = Date.now() - entry.movedAt.getTime() < scaleWait(DISPUTE_WAIT_MS, timeScale)
    if (entry.endToEnd !== null && isYoung) return false
  }
  const at = new Date()
  const movement = createEntryMovement(em, { ...entry, kind }, { owner, providerAccountUuid, at })
  await postMovement(em, movement, await buildEntryLegs(em, movement, kind))
  await linkAccountEntry(em, uuid, { movementUuid: movement.uuid })
  await recordMovementEvent(em, movement, { ownerUuid: movement.uuid, requestId: movement.uuid, at })
  await scheduleDeliveriesForSweep(em, movement.uuid)
  return true
}

type EntryPosting = { owner: ProviderAccountOwner; providerAccountUuid: string; at: Date }

function createEntryMovement(
  em: EntityManager,
  entry: StoredAccountEntry & { kind: BookableKind },
  { owner, providerAccountUuid, at }: EntryPosting,
): Movement {
  const { type, direction, reason } = ENTRY_MOVEMENTS[entry.kind]
  return createMovement(
    em,
    { accountUuid: owner.accountUuid, providerAccountUuid, connectionUuid: owner.connection.uuid },
    {
      type,
      movementType: direction,
      valueCents: entry.cents,
      status: 'SETTLED',
      entryName: entryIdentityOf({ type: entry.type, id: entry.entryId }),
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
async function buildEntryLegs(em: EntityManager, movement: Movement, kind: BookableKind): Promise<Leg[]> {
  const { accountUuid, providerAccountUuid, valueCents: cents } = movement
  if (kind === 'credit') {
    const inflow = { providerAccountUuid, credits: [{ accountUuid, cents }] }
    return [...depositLegs(accountUuid, cents), ...(await inflowPostings(em, inflow))]
  }
  const availableCents = await lockAvailableBalance(em, { accountUuid, providerAccountUuid })
  if (kind === 'tariff' || kind === 'withdrawal')
    return uncoveredOutflowLegs(accountUuid, { cents, availableCents })
  const blocked = await sumBlockedByEntries(em, { accountUuid, providerAccountUuid })
  if (kind === 'block')
    return disputeHeldLegs(accountUuid, computeBlockCents(cents, { ...blocked, availableCents }))
  const freeCents = computeUnblockCents(cents, blocked)
  const inflow = { providerAccountUuid, credits: [{ accountUuid, cents: freeCents }] }
  return [...entryUnblockedLegs(accountUuid, freeCents), ...(await inflowPostings(em, inflow))]
}
