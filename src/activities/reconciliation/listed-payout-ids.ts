import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import { Movement } from '../../db/entities/movement.ts'
import { noQuery } from '../../db/pipeline/query.ts'
import { findAttemptsWithoutId } from '../../db/repositories/attempts.ts'
import { uuidFromReference } from '../../domain/pix/identifiers.ts'
import type { StatementEntry } from '../../domain/providers/provider.ts'
import { recordLateEndToEndId } from '../payouts/late-end-to-end-id.ts'
import type { AttemptedRow, PayoutHandler } from '../payouts/payout-handler.ts'
import { refundPayout } from '../refunds/refund-payout.ts'
import { throwIfCancelled } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { transferPayout } from '../transfers/transfer-payout.ts'
import { returnPayout } from '../unmatched/return-payout.ts'
import { catchDatabaseRefusal } from './account-entries.ts'

/** Entries of one provider account's statement whose end-to-end ids no movement has. */
type UnrecordedEntries = { providerAccountUuid: string; entries: StatementEntry[] }

/**
 * Records the end-to-end ids of statement entries on the payouts of ours that settled without one. An entry is that of
 * a payout where it names our id, which no other of the entries names, where exactly one settled payout of the provider
 * account with that id lacks its end-to-end id, and where value and returned PIX agree: a value alone proves nothing.
 * Each id is recorded in its own transaction. Returns how many were recorded. Repeatable.
 */
export async function recordListedPayoutIds(
  { orm, log }: Pick<ActivityDependencies, 'orm' | 'log'>,
  { providerAccountUuid, entries }: UnrecordedEntries,
): Promise<number> {
  const entryByUuid = indexOutgoingEntries(entries)
  if (entryByUuid.size === 0) return 0
  const uuids = [...entryByUuid.keys()]
  const attempts = await findAttemptsWithoutId(orm.em.fork(), { providerAccountUuid, uuids })
  let recordedCount = 0
  for (const [uuid, entry] of entryByUuid) {
    throwIfCancelled()
    const [attempt, second] = attempts.filter(({ subjectUuid }) => subjectUuid === uuid)
    if (!attempt || second || !entry?.endToEnd) continue
    const recording = runInTransaction(orm, em => recordListedPayoutId(em, attempt, entry))
    if (await catchDatabaseRefusal(recording, log, { attempt: attempt.uuid })) recordedCount += 1
  }
  return recordedCount
}

/** Indexes the entries of money that left by our ids; null where several entries name the id. */
export function indexOutgoingEntries(entries: StatementEntry[]): Map<string, StatementEntry | null> {
  const entryByUuid = new Map<string, StatementEntry | null>()
  for (const entry of entries) {
    const uuid = uuidFromReference(entry.reference ?? '')
    if (uuid === null || entry.direction !== 'OUT') continue
    entryByUuid.set(uuid, entryByUuid.has(uuid) ? null : entry)
  }
  return entryByUuid
}

async function recordListedPayoutId(
  em: EntityManager,
  { subjectUuid, uuid, operation }: Attempt,
  entry: StatementEntry,
): Promise<boolean> {
  const locked = await lockAttempts(em, operation, subjectUuid)
  const attempt = locked.find(one => one.uuid === uuid)
  return (
    attempt !== undefined &&
    recordLateEndToEndId(em, attempt, entry.endToEnd, movement => isMovementOfEntry(em, movement, entry))
  )
}

/** Locks the row of a payout and returns its attempts; none for another operation. */
async function lockAttempts(em: EntityManager, operation: Attempt['operation'], uuid: string) {
  const attemptsOf = async <Row extends AttemptedRow>({ lock }: PayoutHandler<Row>) =>
    (await lock(em, uuid, noQuery))[0].attempts
  switch (operation) {
    case 'transfer':
      return attemptsOf(transferPayout)
    case 'refund':
      return attemptsOf(refundPayout)
    case 'return':
      return attemptsOf(returnPayout)
    default:
      return []
  }
}

/** Tells whether value and, where the entry names it, the returned PIX are those of a movement. */
async function isMovementOfEntry(
  em: EntityManager,
  { valueCents, originalUuid }: Movement,
  { cents, returnOf }: StatementEntry,
): Promise<boolean> {
  if (valueCents !== cents) return false
  if (returnOf === undefined) return true
  const original = originalUuid ? await em.findOne(Movement, originalUuid) : null
  return original?.endToEnd === returnOf
}
