import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../client/orm.ts'
import { OperatorAction } from '../entities/operator-action.ts'

/** An operator's action that must leave a record. `actor` is the operator's e-mail or the user of the command line. */
export type OperatorActionRecord = { actor: string; action: string; subject: string; reason: string }

/** Records an operator's action in the transaction of the action, or else before it. */
export async function recordOperatorAction(
  em: EntityManager,
  { actor, action, subject, reason }: OperatorActionRecord,
): Promise<void> {
  em.create(OperatorAction, { uuid: randomUUID(), actor, action, subject, reason })
  await em.flush()
}
