import { DriverException } from '@mikro-orm/core'

/** Most runs of a transaction that PostgreSQL rolls back because of concurrent ones. */
const MAX_RUNS = 4

/** SQLSTATEs of a serialization failure and of a deadlock: PostgreSQL has rolled everything back. */
const CONFLICT_CODES: unknown[] = ['40001', '40P01']

/**
 * Runs a transaction, and again where PostgreSQL has rolled it back because of a concurrent one; for the record of an
 * outcome that is known only now, in an activity that is not retried. Any other error is thrown, because the transaction
 * may have been committed.
 */
export async function repeatOnConflict<Result>(
  runTransaction: () => Promise<Result>,
  remainingRuns = MAX_RUNS - 1,
): Promise<Result> {
  try {
    return await runTransaction()
  } catch (error) {
    const isConflict = error instanceof DriverException && CONFLICT_CODES.includes(error.code)
    if (!isConflict || remainingRuns === 0) throw error
    return repeatOnConflict(runTransaction, remainingRuns - 1)
  }
}

/**
 * Tells whether PostgreSQL has refused the data of a transaction, so that a repeat with the same data fails again: a value that
 * is malformed or breaks a constraint (SQLSTATE classes 22 and 23), or one too long for its index (54).
 */
export function isDataRefusal(error: unknown): boolean {
  return error instanceof DriverException && /^(2[23]|54)/.test(String(error.code))
}
