import type { EntityManager } from '../db/client/orm.ts'
import { type ActionAuthor, runAuditedAction } from '../db/repositories/audited-actions.ts'
import { resetCircuit } from '../db/repositories/circuit-breaker.ts'

/** Closes the open circuit breaker of a connection; false where it is closed already. The next failures open it again. */
export function closeCircuit(
  em: EntityManager,
  order: ActionAuthor & { connectionUuid: string },
): Promise<boolean> {
  const { connectionUuid } = order
  return runAuditedAction<boolean>(em, {
    by: order,
    action: 'breaker_reset',
    subject: `connection/${connectionUuid}`,
    hasChanged: isClosed => isClosed,
    work: tx => resetCircuit(tx, connectionUuid),
  })
}
