import type { Answer } from './message.ts'
import { type EntityManager, inTransaction, type Orm } from './orm.ts'
import { TOGETHER } from './pool.ts'
import { keptStatement, type Statement } from './statements.ts'

/** A row as PostgreSQL answers it, by the names of its columns. */
export type Row = Record<string, unknown>

/** What is to be known: its statements, and what the rows of all of them say. */
export type Question<Answer> = {
  statements: readonly Statement[]
  heard: (rows: Row[][]) => Answer
}

/** A question of one statement. */
export function question<Answer>(
  sql: string,
  values: readonly unknown[],
  heard: (rows: Row[]) => Answer,
): Question<Answer> {
  return { statements: [keptStatement(sql, values)], heard: ([rows]) => heard(rows!) }
}

// biome-ignore lint/suspicious/noExplicitAny: each question has an answer of its own, which `Answers` names.
type Questions = readonly Question<any>[]
type Answers<Asked extends Questions> = {
  -readonly [Place in keyof Asked]: Asked[Place] extends Question<infer Answer> ? Answer : never
}

/** Several questions as one. */
export function all<const Asked extends Questions>(...questions: Asked): Question<Answers<Asked>> {
  return {
    statements: questions.flatMap(({ statements }) => statements),
    heard(rows) {
      const left = [...rows]
      const answers = questions.map(one => one.heard(left.splice(0, one.statements.length)))
      return answers as Answers<Asked>
    },
  }
}

/** An empty batch, for callers that need nothing else. */
export const NOTHING = all()

/** A query without a statement: its result is known already. */
export function certain<Answer>(answer: Answer): Question<Answer> {
  return { statements: [], heard: () => answer }
}

/** The first row of those that are found. */
export function first<Answer>(asked: Question<Answer[]>): Question<Answer | undefined> {
  return heardAs(asked, rows => rows[0])
}

/** The same question, whose answer is made something of. */
export function heardAs<Answer, Made>(
  { statements, heard }: Question<Answer>,
  make: (answer: Answer) => Made,
): Question<Made> {
  return { statements, heard: rows => make(heard(rows)) }
}

/**
 * Asks all statements in one message, because a message costs more than most statements. PostgreSQL answers one after the
 * other: each sees what had been committed when its own turn came, so what follows a lock is as of the moment the lock
 * was given.
 */
export async function ask<Heard>(em: EntityManager, { statements, heard }: Question<Heard>): Promise<Heard> {
  if (statements.length === 0) return heard([])
  return heard((await tellAll(em, statements)).map(({ rows }) => rows))
}

/**
 * A transaction of its own, and what is to be known once all of it is written, asked in the message that ends it: whoever
 * hears the answer knows that it has ended well.
 */
export async function inTransactionAsking<Heard>(
  orm: Orm,
  work: (em: EntityManager) => Promise<Question<Heard>>,
): Promise<Heard> {
  const answers: Row[][] = []
  const { heard } = await inTransaction(orm, async em => {
    const asked = await work(em)
    const atTheEnd = asked.statements.map((statement, place) => ({
      ...statement,
      hearAtTheEnd(rows: Row[]) {
        answers[place] = rows
      },
    }))
    if (atTheEnd.length > 0) await tellAll(em, atTheEnd)
    return asked
  })
  return heard(answers)
}

/** The rows of one statement that is asked alone. */
export function rowsOf<R = Row>(em: EntityManager, sql: string, values: readonly unknown[]): Promise<R[]> {
  return ask(
    em,
    question(sql, values, rows => rows as R[]),
  )
}

const WITHOUT_WAITING = keptStatement(`select set_config('synchronous_commit', 'off', true)`, [])

/**
 * Runs in a transaction of its own with `synchronous_commit = off`: a crash of the server may lose it. Never for money, nor for
 * anything that was reported to a caller.
 */
export async function askOfTheMoment<Heard>(
  em: EntityManager,
  { statements, heard }: Question<Heard>,
): Promise<Heard> {
  if (em.isInTransaction()) throw new Error('what else is in its transaction must not be lost with it')
  const [, ...answers] = await tellAll(em, [{ ...WITHOUT_WAITING, isUnheard: true }, ...statements])
  return heard(answers.map(({ rows }) => rows))
}

/** Tells what needs no answer; in a transaction it travels with whatever is said next. */
export async function tell(em: EntityManager, sql: string, values: readonly unknown[]): Promise<void> {
  await tellAll(em, [{ ...keptStatement(sql, values), isUnheard: true }])
}

function tellAll(em: EntityManager, statements: readonly Statement[]): Promise<Answer[]> {
  return em.execute<Answer[]>(TOGETHER, statements as unknown[])
}
