import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import { Movement } from '../../db/entities/movement.ts'
import { noQuery } from '../../db/pipeline/query.ts'
import { findAttemptsWithoutId, findUnsettledAttempts } from '../../db/repositories/attempts.ts'
import { scheduleDeliveriesForSweep } from '../../db/repositories/events.ts'
import { uuidFromReference } from '../../domain/pix/identifiers.ts'
import type { SendPayoutOutcome, StatementEntry } from '../../domain/providers/provider.ts'
import type { SendResult } from '../../workflows/contracts/payouts.ts'
import { recordLateEndToEndId } from '../payouts/late-end-to-end-id.ts'
import type { AttemptedRow, PayoutHandler } from '../payouts/payout-handler.ts'
import { createContradictionReporter, type OutcomeContext, recordOutcome } from '../payouts/record-outcome.ts'
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
function indexOutgoingEntries(entries: StatementEntry[]): Map<string, StatementEntry | null> {
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

/**
 * Settles late the payouts that ended without a settlement and of which the provider's statement lists the money as gone: an
 * entry names our id, which no other of the entries names, and one attempt of the provider account, sent at least once, was
 * refused or unreachable. The statement is what the provider's books show, so no look-up has to confirm it. An entry of
 * another value is a contradiction. Each is recorded in its own transaction; returns how many settled. Repeatable.
 */
export async function settleListedPayouts(
  dependencies: Pick<ActivityDependencies, 'orm' | 'log' | 'timeScale'>,
  { providerAccountUuid, entries }: { providerAccountUuid: string; entries: StatementEntry[] },
): Promise<number> {
  const { orm, log } = dependencies
  const entryByUuid = indexOutgoingEntries(entries)
  if (entryByUuid.size === 0) return 0
  const attempts = await findUnsettledAttempts(orm.em.fork(), {
    providerAccountUuid,
    uuids: [...entryByUuid.keys()],
  })
  let settledCount = 0
  for (const [uuid, entry] of entryByUuid) {
    throwIfCancelled()
    const [attempt, second] = attempts.filter(({ subjectUuid }) => subjectUuid === uuid)
    if (!attempt || second || !entry) continue
    const settlement = recordListedSettlement(dependencies, attempt, entry).then(isSettled)
    if (await catchDatabaseRefusal(settlement, log, { attempt: attempt.uuid })) settledCount += 1
  }
  return settledCount
}

function isSettled({ kind }: SendResult): boolean {
  return kind === 'settled'
}

function recordListedSettlement(
  { orm, log, timeScale }: Pick<ActivityDependencies, 'orm' | 'log' | 'timeScale'>,
  { operation, subjectUuid: uuid, connectionUuid }: Attempt,
  { cents, endToEnd, at }: StatementEntry,
): Promise<SendResult> {
  const onContradiction = createContradictionReporter({ log })
  const context: OutcomeContext = { uuid, connectionUuid, timeScale, onContradiction }
  const answer: SendPayoutOutcome = {
    kind: 'accepted',
    payout: { status: 'settled', cents, endToEnd, at, returns: [] },
  }
  const record = (em: EntityManager) => {
    switch (operation) {
      case 'transfer':
        return recordOutcome(em, transferPayout, context, answer)
      case 'refund':
        return recordOutcome(em, refundPayout, context, answer)
      default:
        return recordOutcome(em, returnPayout, context, answer)
    }
  }
  return runInTransaction(orm, async em => {
    const outcome = await record(em)
    // Its workflow has ended, so that none starts them.
    await scheduleDeliveriesForSweep(em, uuid)
    return outcome
  })
}
