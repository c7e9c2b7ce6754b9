import type { EntityManager } from '../../db/client/orm.ts'
import { query } from '../../db/pipeline/query.ts'
import type { AttemptedRow, PayoutHandler } from './payout-handler.ts'

/** What PostgreSQL's clock says, in milliseconds since 1970; not as of the beginning of the transaction. */
const CLOCK_QUERY = query('select extract(epoch from clock_timestamp()) * 1000 as now_ms', [], ([row]) =>
  Number(row!.now_ms),
)

/**
 * Decides whether an order that waits for its time was taken: its row, which another transaction has written, is visible
 * now. In time, it may be sent whenever it is due; too late, it ends as not taken, because its caller may have been told
 * so (docs/crash-semantics.md). May be repeated.
 */
export async function applyAcceptanceDeadline<Row extends AttemptedRow>(
  em: EntityManager,
  outgoing: PayoutHandler<Row>,
  uuid: string,
): Promise<Row> {
  const [row, nowMs] = await outgoing.lock(em, uuid, CLOCK_QUERY)
  const order = outgoing.getOrder?.(row)
  if (!order?.takeBefore) return row
  if (nowMs <= order.takeBefore.getTime()) order.takeBefore = null
  else await outgoing.endUnaccepted?.(em, row)
  return row
}
