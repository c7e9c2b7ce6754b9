import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import { Movement } from '../../db/entities/movement.ts'
import { noQuery } from '../../db/pipeline/query.ts'
import { findAttemptsWithoutId, findUnsettledAttempts } from '../../db/repositories/attempts.ts'
import { scheduleDeliveriesForSweep } from '../../db/repositories/events.ts'
import { uuidFromReference } from '../../domain/pix/identifiers.ts'
import type { ProviderPayout, StatementEntry } from '../../domain/providers/provider.ts'
import { recordLateEndToEndId } from '../payouts/late-end-to-end-id.ts'
import type { AttemptedRow, PayoutHandler } from '../payouts/payout-handler.ts'
import { recordOutcome } from '../payouts/record-outcome.ts'
import { refundPayout } from '../refunds/refund-payout.ts'
import { throwIfCancelled } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { transferPayout } from '../transfers/transfer-payout.ts'
import { returnPayout } from '../unmatched/return-payout.ts'
import { catchDatabaseRefusal } from './account-entries.ts'

type ListedEntries = { providerAccountUuid: string; entries: StatementEntry[] }

/**
 * Records the end-to-end ids of statement entries on the payouts of ours that settled without one. An entry is that of
 * a payout where it names our id, which no other of the entries names, where exactly one settled payout of the provider
 * account with that id lacks its end-to-end id, and where value and returned PIX agree: a value alone proves nothing.
 * Returns how many were recorded. Repeatable.
 */
export function recordListedPayoutIds(
  dependencies: Pick<ActivityDependencies, 'orm' | 'log'>,
  listed: ListedEntries,
): Promise<number> {
  const record = async (attempt: Attempt, entry: StatementEntry) =>
    entry.endToEnd !== '' &&
    runInTransaction(dependencies.orm, em => recordListedPayoutId(em, attempt, entry))
  return recordListedPayouts(dependencies, listed, findAttemptsWithoutId, record)
}

async function recordListedPayoutId(
  em: EntityManager,
  { subjectUuid, uuid, operation }: Attempt,
  entry: StatementEntry,
): Promise<boolean> {
  const attempts = await withPayoutHandler(
    operation,
    async ({ lock }) => (await lock(em, subjectUuid, noQuery))[0].attempts,
  )
  const attempt = attempts.find(one => one.uuid === uuid)
  return (
    attempt !== undefined &&
    recordLateEndToEndId(em, attempt, entry.endToEnd, movement => isMovementOfEntry(em, movement, entry))
  )
}

/**
 * Settles late the payouts that ended without a settlement and of which the provider's statement lists the money as gone: an
 * entry names our id, which no other of the entries names, and one attempt of the provider account, sent at least once, was
 * refused or unreachable. The statement is what the provider's books show, so no look-up has to confirm it. An entry of
 * another value is a contradiction. Returns how many settled. Repeatable.
 */
export function settleListedPayouts(
  dependencies: Pick<ActivityDependencies, 'orm' | 'log' | 'timeScale' | 'sealer'>,
  listed: ListedEntries,
): Promise<number> {
  const { orm, log, timeScale, sealer } = dependencies
  const settle = async (attempt: Attempt, { cents, endToEnd, at }: StatementEntry) => {
    const { operation, subjectUuid: uuid, connectionUuid } = attempt
    const context = { uuid, connectionUuid, timeScale, sealer, log }
    const payout: ProviderPayout = { status: 'settled', cents, endToEnd, at, returns: [] }
    const { kind } = await runInTransaction(orm, async em => {
      const outcome = await withPayoutHandler(operation, handler =>
        recordOutcome(em, handler, context, { kind: 'accepted', payout }),
      )
      // Its workflow has ended, so that none starts them.
      await scheduleDeliveriesForSweep(em, uuid)
      return outcome
    })
    return kind === 'settled'
  }
  return recordListedPayouts(dependencies, listed, findUnsettledAttempts, settle)
}

/**
 * Calls `record`, which opens a transaction of its own, for each entry of money that left by an id of ours which no other entry
 * names, and which one of the attempts that `find` finds has. Counts those for which it returns true.
 */
async function recordListedPayouts(
  { orm, log }: Pick<ActivityDependencies, 'orm' | 'log'>,
  { providerAccountUuid, entries }: ListedEntries,
  find: typeof findUnsettledAttempts,
  record: (attempt: Attempt, entry: StatementEntry) => Promise<boolean>,
): Promise<number> {
  const entryByUuid = indexOutgoingEntries(entries)
  if (entryByUuid.size === 0) return 0
  const attempts = await find(orm.em.fork(), { providerAccountUuid, uuids: [...entryByUuid.keys()] })
  let recordedCount = 0
  for (const [uuid, entry] of entryByUuid) {
    throwIfCancelled()
    const [attempt, second] = attempts.filter(({ subjectUuid }) => subjectUuid === uuid)
    if (!attempt || second || !entry) continue
    if (await catchDatabaseRefusal(record(attempt, entry), log, { attempt: attempt.uuid })) recordedCount += 1
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

function withPayoutHandler<Result>(
  operation: Attempt['operation'],
  use: <Row extends AttemptedRow>(handler: PayoutHandler<Row>) => Result,
): Result {
  switch (operation) {
    case 'transfer':
      return use(transferPayout)
    case 'refund':
      return use(refundPayout)
    case 'return':
      return use(returnPayout)
    default:
      throw new Error(`${operation} is no payout`)
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
