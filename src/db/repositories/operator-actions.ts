import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../client/orm.ts'
import { OperatorAction } from '../entities/operator-act.ts'

/** An act that must not be without a trace. `who` is an operator's e-mail or the user of the command line. */
export type OperatorActionRecord = { who: string; act: string; subject: string; reason: string }

/** Writes down what an operator does, in the transaction that does it where there is one, else before it is done. */
export async function recordOperatorAction(
  em: EntityManager,
  { who, act, subject, reason }: OperatorActionRecord,
): Promise<void> {
  em.create(OperatorAction, { uuid: randomUUID(), who, act, subject, reason })
  await em.flush()
}
