import type { EntityManager } from '@mikro-orm/postgresql'
import { CompiledQuery } from 'kysely'
import { takeRowChanges } from './row-changes.ts'

/** Row of a result by column name. */
export type ResultRow = Record<string, unknown>

/** Statements with the parser of their rows: one result from all of them. */
export class Query<Answer> {
  readonly statements: readonly CompiledQuery<ResultRow>[]
  readonly parse: (rows: ResultRow[][]) => Answer

  constructor(statements: readonly CompiledQuery<ResultRow>[], parse: (rows: ResultRow[][]) => Answer) {
    this.statements = statements
    this.parse = parse
  }
}

/**
 * Builds a query of one statement with `?` for each value. Its text is a constant of the code, never built from a
 * request, because every connection keeps it prepared (src/db/pipeline/pool.ts). PostgreSQL infers the type of each
 * value from its position.
 */
export function query<Answer>(
  sql: string,
  values: readonly unknown[],
  parse: (rows: ResultRow[]) => Answer,
): Query<Answer> {
  let position = 0
  const text = sql.replaceAll('?', () => `$${++position}`)
  return new Query([CompiledQuery.raw(text, [...values])], ([rows]) => parse(rows!))
}

// biome-ignore lint/suspicious/noExplicitAny: each query has its own result type, which `QueryResults` lists.
type Queries = readonly Query<any>[]
type QueryResults<Batch extends Queries> = {
  -readonly [Index in keyof Batch]: Batch[Index] extends Query<infer Answer> ? Answer : never
}

/** Combines several queries into one. */
export function batchQueries<const Batch extends Queries>(...queries: Batch): Query<QueryResults<Batch>> {
  const statements = queries.flatMap(one => one.statements)
  return new Query(statements, rows => {
    const remaining = [...rows]
    const results = queries.map(one => one.parse(remaining.splice(0, one.statements.length)))
    return results as QueryResults<Batch>
  })
}

/** An empty batch, for callers that need nothing else. */
export const noQuery = batchQueries()

/** A query without a statement: its result is known already. */
export function constantQuery<Answer>(answer: Answer): Query<Answer> {
  return new Query([], () => answer)
}

/** Reduces a query to its first row. */
export function firstRow<Answer>(rows: Query<Answer[]>): Query<Answer | undefined> {
  return mapQuery(rows, all => all[0])
}

/** Maps the result of a query. */
export function mapQuery<Answer, Mapped>(
  { statements, parse }: Query<Answer>,
  map: (answer: Answer) => Mapped,
): Query<Mapped> {
  return new Query(statements, rows => map(parse(rows)))
}

/**
 * Runs all statements of a query in one round trip, which costs more than most statements. PostgreSQL executes them in
 * order: each sees what had been committed when it starts, so a statement after a row lock sees the state as of the
 * moment the lock was granted. Outside a transaction each is a transaction of its own.
 */
export async function runQuery<Result>(em: EntityManager, query: Query<Result>): Promise<Result> {
  const { result } = await sendQuery(em, query)
  return result
}

/** Selects the rows of one statement. */
export function selectRows<R = ResultRow>(
  em: EntityManager,
  sql: string,
  values: readonly unknown[],
): Promise<R[]> {
  return runQuery(
    em,
    query(sql, values, rows => rows as R[]),
  )
}

/**
 * Entry of a FROM list that commits the statement's transaction with `synchronous_commit = off`: a crash of PostgreSQL
 * may lose it. Never for money, nor for anything that was reported to a caller; run by `runAsyncCommit`.
 */
export const ASYNC_COMMIT = `(select set_config('synchronous_commit', 'off', true)) as async_commit`

/** Runs a query with `ASYNC_COMMIT`, outside a transaction. */
export async function runAsyncCommit<Result>(em: EntityManager, query: Query<Result>): Promise<Result> {
  if (em.isInTransaction()) throw new Error('what else is in its transaction must not be lost with it')
  return runQuery(em, query)
}

/**
 * Sends a statement without a result. A transaction does not wait for it: its next statement or commit does, and fails
 * with its error.
 */
export async function sendStatement(em: EntityManager, sql: string, values: readonly unknown[]) {
  await sendQuery(
    em,
    query(sql, values, () => undefined),
  )
}

/**
 * Writes the changes of the unit of work like `sendStatement`, a prepared statement for each row. `em.flush()` waits for
 * each of its statements, which PostgreSQL parses and plans again every time.
 */
export async function sendChanges(em: EntityManager): Promise<void> {
  const changes = takeRowChanges(em)
  if (!changes) return em.flush()
  for (const { sql, values } of changes) await sendStatement(em, sql, values)
}

/** Sends all statements of a query at once. Returns when they are sent, outside a transaction when they are answered. */
export async function sendQuery<Result>(
  em: EntityManager,
  { statements, parse }: Query<Result>,
): Promise<{ result: Promise<Result> }> {
  if (statements.length === 0) return { result: Promise.resolve(parse([])) }
  const executor = em.getKysely().getExecutor()
  return executor.provideConnection(async connection => {
    const answers = statements.map(statement => connection.executeQuery<ResultRow>(statement))
    const result = Promise.allSettled(answers)
      .then(() => Promise.all(answers))
      .catch(error => Promise.reject(em.getDriver().convertException(error)))
      .then(results => parse(results.map(({ rows }) => rows)))
    if (em.isInTransaction())
      result.catch(() => {}) // The caller may leave the error to the commit.
    else await result
    return { result }
  })
}
