import { setTimeout as sleep } from 'node:timers/promises'
import { leaveDeliveriesOpen } from '../../domain/webhooks/webhook.ts'
import type { FollowUps } from '../../workflows/contracts/follow-ups.ts'
import type { FirstAttemptsResult } from '../../workflows/contracts/webhooks.ts'

/** Time for the poll itself within a workflow task: a regular activity polls a provider that takes longer. */
const LOCAL_POLL_MS = 2_000

type Poll<Order, Result> = (order: Order) => Promise<Result>
type MakeFirstAttempts = (deliveries: string[]) => Promise<FirstAttemptsResult>

/**
 * Extends a poll: with `makesFirstAttempts` it also makes the first attempts of the deliveries of its transaction, which saves a
 * local activity of its own. It then fails where the poll takes longer than `limitMs`; the poll itself goes on, and is repeatable.
 */
export function announcingPoll<Order, Result extends Partial<FollowUps>>(
  poll: Poll<Order, Result>,
  makeFirstAttempts: MakeFirstAttempts,
  { limitMs } = { limitMs: LOCAL_POLL_MS },
): Poll<Order & { makesFirstAttempts?: true }, Result> {
  return async ({ makesFirstAttempts, ...order }) => {
    if (!makesFirstAttempts) return poll(order as Order)
    const result = await failWhenSlow(poll(order as Order), limitMs)
    const { deliveries = [] } = result
    if (deliveries.length === 0) return result
    // The poll is committed: a failure of the attempts leaves them to workflows of the deliveries.
    const { open: openDeliveries } = await makeFirstAttempts(deliveries).catch(() =>
      leaveDeliveriesOpen(deliveries),
    )
    return { ...result, openDeliveries }
  }
}

async function failWhenSlow<Result>(result: Promise<Result>, limitMs: number): Promise<Result> {
  const answered = new AbortController()
  const slow = sleep(limitMs, undefined, { signal: answered.signal }).then(() => {
    throw new Error(`the poll takes longer than ${limitMs} ms`)
  })
  try {
    return await Promise.race([result, slow])
  } finally {
    answered.abort()
  }
}
