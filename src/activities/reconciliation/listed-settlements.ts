import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import { findUnsettledAttempts } from '../../db/repositories/attempts.ts'
import { scheduleDeliveriesForSweep } from '../../db/repositories/events.ts'
import type { SendPayoutOutcome, StatementEntry } from '../../domain/providers/provider.ts'
import type { SendResult } from '../../workflows/contracts/payouts.ts'
import { createContradictionReporter, type OutcomeContext, recordOutcome } from '../payouts/record-outcome.ts'
import { refundPayout } from '../refunds/refund-payout.ts'
import { throwIfCancelled } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { transferPayout } from '../transfers/transfer-payout.ts'
import { returnPayout } from '../unmatched/return-payout.ts'
import { catchDatabaseRefusal } from './account-entries.ts'
import { indexOutgoingEntries } from './listed-payout-ids.ts'

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
