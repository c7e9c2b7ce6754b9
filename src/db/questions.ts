import type { EntityManager } from './orm.ts'

/** A row as PostgreSQL answers it, by the names of its columns. */
export type Row = Record<string, unknown>

/** One statement, and what its rows say. */
export type Question<Answer> = { sql: string; values: readonly unknown[]; heard: (rows: Row[]) => Answer }

// biome-ignore lint/suspicious/noExplicitAny: each question has an answer of its own, which `Answers` names.
export type Questions = readonly Question<any>[]
export type Answers<Asked extends Questions> = {
  -readonly [Place in keyof Asked]: Asked[Place] extends Question<infer Answer> ? Answer : never
}

/**
 * Asks all of them in one message, because a message costs more than most statements. PostgreSQL answers one after the
 * other: each sees what had been committed when its own turn came, so what follows a lock is as of the moment the lock
 * was given.
 */
export async function ask<const Asked extends Questions>(
  em: EntityManager,
  ...questions: Asked
): Promise<Answers<Asked>> {
  if (questions.length === 0) return [] as unknown as Answers<Asked>
  const sql = questions.map(one => one.sql).join('; ')
  const values = questions.flatMap(one => one.values)
  const found = await em.execute<Row[] | Row[][]>(sql, values)
  const answers = (questions.length === 1 ? [found] : found) as Row[][]
  return questions.map((one, place) => one.heard(answers[place]!)) as unknown as Answers<Asked>
}

/** The same of one question and of others that its asker knows nothing of. */
export async function askBeside<Answer, const More extends Questions>(
  em: EntityManager,
  question: Question<Answer>,
  more: More,
): Promise<[Answer, Answers<More>]> {
  const [answer, ...others] = await ask(em, question, ...more)
  return [answer as Answer, others as unknown as Answers<More>]
}

/** The first row of those that are found. */
export function first<Answer>({ heard, ...asked }: Question<Answer[]>): Question<Answer | undefined> {
  return { ...asked, heard: rows => heard(rows)[0] }
}
