import { buildPauseCondition } from '../entities/pause.ts'
import { type Query, query } from '../pipeline/query.ts'

/** Conditions that decide whether a payout may leave through a connection now. */
export type PayoutConditions = {
  /** An operator's pause covers payouts of the connection. */
  isPaused: boolean
  isAccountBlocked: boolean
  /** When the transaction began, in milliseconds since 1970 by PostgreSQL's clock. */
  transactionStartedAtMs: number
}

/** Queries the conditions for a batch with the row lock, as of the moment after it. Never cache them. */
export function queryPayoutConditions(connectionUuid: string): Query<PayoutConditions> {
  const paused = buildPauseCondition('out', { uuid: 'c.uuid', accountUuid: 'c.account_uuid' })
  const sql = `select ${paused} as paused, a.status <> 'ACTIVE' as blocked, extract(epoch from now()) * 1000 as began_ms
    from connection c join account a on a.uuid = c.account_uuid where c.uuid = ?`
  return query(sql, [connectionUuid], ([row]) => ({
    isPaused: row?.paused === true,
    isAccountBlocked: row?.blocked === true,
    transactionStartedAtMs: Number(row?.began_ms),
  }))
}
