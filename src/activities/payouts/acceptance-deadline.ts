import type { EntityManager } from '../../db/client/orm.ts'
import { CLOCK_QUERY } from '../../db/repositories/database-clock.ts'
import type { AttemptedRow, PayoutHandler } from './payout-handler.ts'

/**
 * Applies the acceptance deadline to a scheduled order whose row an earlier transaction has committed. Before the
 * deadline the order is accepted and may be sent when it is due. After it the order ends as not accepted, because the
 * API may have answered so (docs/crash-semantics.md). Repeatable.
 */
export async function applyAcceptanceDeadline<Row extends AttemptedRow>(
  em: EntityManager,
  outgoing: PayoutHandler<Row>,
  uuid: string,
): Promise<Row> {
  const [row, nowMs] = await outgoing.lock(em, uuid, CLOCK_QUERY)
  const order = outgoing.getOrder?.(row)
  if (!order?.acceptBefore) return row
  if (nowMs <= order.acceptBefore.getTime()) order.acceptBefore = null
  else await outgoing.endUnaccepted?.(em, row)
  return row
}
