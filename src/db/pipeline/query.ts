import { type EntityManager, type Orm, runInTransaction } from '../client/orm.ts'
import type { StatementResult } from './pipelined-message.ts'
import { PIPELINE } from './pool.ts'
import { prepareStatement, type Statement } from './prepared-statements.ts'

/** A row as PostgreSQL answers it, by the names of its columns. */
export type ResultRow = Record<string, unknown>

/** What is to be known: its statements, and what the rows of all of them say. */
export type Query<Answer> = {
  statements: readonly Statement[]
  parse: (rows: ResultRow[][]) => Answer
}

/** A question of one statement. */
export function query<Answer>(
  sql: string,
  values: readonly unknown[],
  heard: (rows: ResultRow[]) => Answer,
): Query<Answer> {
  return { statements: [prepareStatement(sql, values)], parse: ([rows]) => heard(rows!) }
}

// biome-ignore lint/suspicious/noExplicitAny: each question has an answer of its own, which `Answers` names.
type Queries = readonly Query<any>[]
type QueryResults<Asked extends Queries> = {
  -readonly [Place in keyof Asked]: Asked[Place] extends Query<infer Answer> ? Answer : never
}

/** Several questions as one. */
export function batchQueries<const Asked extends Queries>(...questions: Asked): Query<QueryResults<Asked>> {
  return {
    statements: questions.flatMap(({ statements }) => statements),
    parse(rows) {
      const left = [...rows]
      const answers = questions.map(one => one.parse(left.splice(0, one.statements.length)))
      return answers as QueryResults<Asked>
    },
  }
}

/** An empty batch, for callers that need nothing else. */
export const noQuery = batchQueries()

/** A query without a statement: its result is known already. */
export function constantQuery<Answer>(answer: Answer): Query<Answer> {
  return { statements: [], parse: () => answer }
}

/** The first row of those that are found. */
export function firstRow<Answer>(asked: Query<Answer[]>): Query<Answer | undefined> {
  return mapQuery(asked, rows => rows[0])
}

/** The same question, whose answer is made something of. */
export function mapQuery<Answer, Made>(
  { statements, parse: heard }: Query<Answer>,
  make: (answer: Answer) => Made,
): Query<Made> {
  return { statements, parse: rows => make(heard(rows)) }
}

/**
 * Asks all statements in one message, because a message costs more than most statements. PostgreSQL answers one after the
 * other: each sees what had been committed when its own turn came, so what follows a lock is as of the moment the lock
 * was given.
 */
export async function runQuery<Heard>(
  em: EntityManager,
  { statements, parse: heard }: Query<Heard>,
): Promise<Heard> {
  if (statements.length === 0) return heard([])
  return heard((await sendStatements(em, statements)).map(({ rows }) => rows))
}

/**
 * A transaction of its own, and what is to be known once all of it is written, asked in the message that ends it: whoever
 * hears the answer knows that it has ended well.
 */
export async function transactionReturning<Heard>(
  orm: Orm,
  work: (em: EntityManager) => Promise<Query<Heard>>,
): Promise<Heard> {
  const answers: ResultRow[][] = []
  const { parse: heard } = await runInTransaction(orm, async em => {
    const asked = await work(em)
    const atTheEnd = asked.statements.map((statement, place) => ({
      ...statement,
      onCommit(rows: ResultRow[]) {
        answers[place] = rows
      },
    }))
    if (atTheEnd.length > 0) await sendStatements(em, atTheEnd)
    return asked
  })
  return heard(answers)
}

/** The rows of one statement that is asked alone. */
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
 * Runs in a transaction of its own with `synchronous_commit = off`: a crash of the server may lose it. Never for money, nor for
 * anything that was reported to a caller.
 */
export async function runAsyncCommit<Heard>(
  em: EntityManager,
  { statements, parse: heard }: Query<Heard>,
): Promise<Heard> {
  if (em.isInTransaction()) throw new Error('what else is in its transaction must not be lost with it')
  const [, ...answers] = await sendStatements(em, [{ ...ASYNC_COMMIT, discardResult: true }, ...statements])
  return heard(answers.map(({ rows }) => rows))
}

/** Tells what needs no answer; in a transaction it travels with whatever is said next. */
export async function enqueueStatement(
  em: EntityManager,
  sql: string,
  values: readonly unknown[],
): Promise<void> {
  await sendStatements(em, [{ ...prepareStatement(sql, values), discardResult: true }])
}

function sendStatements(em: EntityManager, statements: readonly Statement[]): Promise<StatementResult[]> {
  return em.execute<StatementResult[]>(PIPELINE, statements as unknown[])
}
