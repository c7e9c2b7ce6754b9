import type { EntityManager } from './orm.ts'

/** A row as PostgreSQL answers it, by the names of its columns. */
export type Row = Record<string, unknown>

/** What is to be known: its statements, and what the rows of all of them say. */
export type Question<Answer> = {
  statements: readonly { sql: string; values: readonly unknown[] }[]
  heard: (rows: Row[][]) => Answer
}

/** A question of one statement. */
export function question<Answer>(
  sql: string,
  values: readonly unknown[],
  heard: (rows: Row[]) => Answer,
): Question<Answer> {
  return { statements: [{ sql, values }], heard: ([rows]) => heard(rows!) }
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

/** The question that is none: what else is to be known where nothing is. */
export const NOTHING = all()

/** The first row of those that are found. */
export function first<Answer>({ statements, heard }: Question<Answer[]>): Question<Answer | undefined> {
  return { statements, heard: rows => heard(rows)[0] }
}

/**
 * Asks all statements in one message, because a message costs more than most statements. PostgreSQL answers one after the
 * other: each sees what had been committed when its own turn came, so what follows a lock is as of the moment the lock
 * was given.
 */
export async function ask<Answer>(
  em: EntityManager,
  { statements, heard }: Question<Answer>,
): Promise<Answer> {
  if (statements.length === 0) return heard([])
  const sql = statements.map(one => one.sql).join('; ')
  const values = statements.flatMap(one => one.values)
  const found = await em.execute<Row[] | Row[][]>(sql, values)
  return heard((statements.length === 1 ? [found] : found) as Row[][])
}
