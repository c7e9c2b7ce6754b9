import { DriverException, IsolationLevel, type TransactionOptions } from '@mikro-orm/core'
import { Query, runQuery, sendChanges, sendQuery } from '../pipeline/query.ts'
import type { EntityManager, Orm } from './orm.ts'

/** Most runs of a transaction that PostgreSQL rolls back because of concurrent ones. */
const MAX_RUNS = 4

/** SQLSTATEs of a serialization failure and of a deadlock: PostgreSQL has rolled everything back. */
const CONFLICT_CODES: unknown[] = ['40001', '40P01']

/**
 * Runs work in a transaction and commits it: the only way to open one (docs/database.md). Its unit of work is empty, so that
 * rows are read afresh after a lock, and what `work` has created or changed in it is written before the commit. Where `work`
 * returns a query, it is sent with the commit, and its result is returned: the caller then knows that the transaction is
 * committed. `source` is the ORM, or the entity manager of a request; of one that is in a transaction, `work` is part of it, and `options` are a bug.
 * A transaction that PostgreSQL has rolled back because of a concurrent one is run again, `work` included; any other error is
 * thrown, because the transaction may have been committed.
 */
export function runInTransaction<Result>(
  source: Orm | EntityManager,
  work: (em: EntityManager) => Promise<Query<Result>>,
): Promise<Result>
export function runInTransaction<Result>(
  source: Orm | EntityManager,
  work: (em: EntityManager) => Promise<Result>,
  options?: TransactionOptions,
): Promise<Result>
export async function runInTransaction(
  source: Orm | EntityManager,
  work: (em: EntityManager) => Promise<unknown>,
  options?: TransactionOptions,
): Promise<unknown> {
  const em = 'em' in source ? source.em : source
  if (em === source && em.isInTransaction()) {
    if (options) throw new Error('a transaction with options of its own was opened within another one')
    return joinTransaction(em, work)
  }
  for (let runs = 1; ; runs += 1)
    try {
      return await runOnce(em, work, options)
    } catch (error) {
      if (runs === MAX_RUNS || !isConflict(error)) throw error
    }
}

/** Runs reads in one read-only REPEATABLE READ transaction, so that their results are consistent. */
export function readInSnapshot<T>(em: EntityManager, read: (em: EntityManager) => Promise<T>): Promise<T> {
  return runInTransaction(em, read, { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true })
}

async function runOnce(
  source: EntityManager,
  work: (em: EntityManager) => Promise<unknown>,
  options?: TransactionOptions,
): Promise<unknown> {
  const { result } = await source.fork().transactional(async em => {
    const outcome = await work(em)
    await sendChanges(em)
    if (!(outcome instanceof Query)) return { result: outcome }
    em.clear() // MikroORM would compare every row once more before the commit.
    return sendQuery(em, outcome)
  }, options)
  return result
}

async function joinTransaction(
  em: EntityManager,
  work: (em: EntityManager) => Promise<unknown>,
): Promise<unknown> {
  const outcome = await work(em)
  if (!(outcome instanceof Query)) return outcome
  await sendChanges(em)
  return runQuery(em, outcome)
}

function isConflict(error: unknown): boolean {
  return error instanceof DriverException && CONFLICT_CODES.includes(error.code)
}

/** Tells whether PostgreSQL has refused a second row of one key, which a parallel request may have stored. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof DriverException && error.code === '23505'
}

/**
 * Tells whether PostgreSQL has refused the data of a transaction, so that a repeat with the same data fails again: a value that
 * is malformed or breaks a constraint (SQLSTATE classes 22 and 23), or one too long for its index (54).
 */
export function isDataRefusal(error: unknown): boolean {
  return error instanceof DriverException && /^(2[23]|54)/.test(String(error.code))
}
