import { type EntityManager, type Orm, runInTransaction } from '../client/orm.ts'
import type { StatementResult } from './pipelined-message.ts'
import { PIPELINE } from './pool.ts'
import { prepareStatement, type Statement } from './prepared-statements.ts'

/** Row of a result by column name. */
export type ResultRow = Record<string, unknown>

/** Statements with the parser of their rows: one result from all of them. */
export type Query<Answer> = {
  statements: readonly Statement[]
  parse: (rows: ResultRow[][]) => Answer
}

/** Builds a query of one statement. */
export function query<Answer>(
  sql: string,
  values: readonly unknown[],
  parse: (rows: ResultRow[]) => Answer,
): Query<Answer> {
  return { statements: [prepareStatement(sql, values)], parse: ([rows]) => parse(rows!) }
}

// biome-ignore lint/suspicious/noExplicitAny: each query has its own result type, which `QueryResults` lists.
type Queries = readonly Query<any>[]
type QueryResults<Batch extends Queries> = {
  -readonly [Index in keyof Batch]: Batch[Index] extends Query<infer Answer> ? Answer : never
}

/** Combines several queries into one. */
export function batchQueries<const Batch extends Queries>(...queries: Batch): Query<QueryResults<Batch>> {
  return {
    statements: queries.flatMap(({ statements }) => statements),
    parse(rows) {
      const remaining = [...rows]
      const results = queries.map(one => one.parse(remaining.splice(0, one.statements.length)))
      return results as QueryResults<Batch>
    },
  }
}

/** An empty batch, for callers that need nothing else. */
export const noQuery = batchQueries()

/** A query without a statement: its result is known already. */
export function constantQuery<Answer>(answer: Answer): Query<Answer> {
  return { statements: [], parse: () => answer }
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
  return { statements, parse: rows => map(parse(rows)) }
}

/**
 * Runs all statements of a query in one message, because a message costs more than most statements. PostgreSQL
 * executes them in order: each sees what had been committed when it starts, so a statement after a row lock sees the
 * state as of the moment the lock was granted.
 */
export async function runQuery<Result>(
  em: EntityManager,
  { statements, parse }: Query<Result>,
): Promise<Result> {
  if (statements.length === 0) return parse([])
  return parse((await sendStatements(em, statements)).map(({ rows }) => rows))
}

/**
 * Runs a transaction and the query that `work` returns, in the message that commits it: a caller that receives the
 * result knows that the transaction is committed.
 */
export async function transactionReturning<Result>(
  orm: Orm,
  work: (em: EntityManager) => Promise<Query<Result>>,
): Promise<Result> {
  const results: ResultRow[][] = []
  const { parse } = await runInTransaction(orm, async em => {
    const last = await work(em)
    const statements = last.statements.map((statement, index) => ({
      ...statement,
      onCommit(rows: ResultRow[]) {
        results[index] = rows
      },
    }))
    if (statements.length > 0) await sendStatements(em, statements)
    return last
  })
  return parse(results)
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

const ASYNC_COMMIT = prepareStatement(`select set_config('synchronous_commit', 'off', true)`, [])

/**
 * Runs a query in its own transaction with `synchronous_commit = off`: a crash of PostgreSQL may lose it. Never for
 * money, nor for anything that was reported to a caller.
 */
export async function runAsyncCommit<Result>(
  em: EntityManager,
  { statements, parse }: Query<Result>,
): Promise<Result> {
  if (em.isInTransaction()) throw new Error('what else is in its transaction must not be lost with it')
  const [, ...results] = await sendStatements(em, [{ ...ASYNC_COMMIT, discardResult: true }, ...statements])
  return parse(results.map(({ rows }) => rows))
}

/** Sends a statement without a result; within a transaction it travels with the next message. */
export async function enqueueStatement(em: EntityManager, sql: string, values: readonly unknown[]) {
  await sendStatements(em, [{ ...prepareStatement(sql, values), discardResult: true }])
}

function sendStatements(em: EntityManager, statements: readonly Statement[]): Promise<StatementResult[]> {
  return em.execute<StatementResult[]>(PIPELINE, statements as unknown[])
}
