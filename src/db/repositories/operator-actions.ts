import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../client/orm.ts'
import { OperatorAction } from '../entities/operator-action.ts'

/** An action that must leave a record. `actor` is the e-mail of a user or the user of the command line. */
export type OperatorActionRecord = {
  actor: string
  action: string
  subject: string
  reason: string
  /** The account whose own user acted. */
  accountUuid?: string | null
}

/** Records an action in the transaction of the action, or else before it. */
export async function recordOperatorAction(
  em: EntityManager,
  { accountUuid = null, ...action }: OperatorActionRecord,
): Promise<void> {
  em.create(OperatorAction, { uuid: randomUUID(), accountUuid, ...action })
  await em.flush()
}
