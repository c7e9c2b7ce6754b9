import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../client/orm.ts'
import { OperatorAction } from '../entities/operator-action.ts'

/** An operator's action that must leave a record. `who` is the operator's e-mail or the user of the command line. */
export type OperatorActionRecord = { who: string; act: string; subject: string; reason: string }

/** Records an operator's action in the transaction of the action, or else before it. */
export async function recordOperatorAction(
  em: EntityManager,
  { who, act, subject, reason }: OperatorActionRecord,
): Promise<void> {
  em.create(OperatorAction, { uuid: randomUUID(), who, act, subject, reason })
  await em.flush()
}
