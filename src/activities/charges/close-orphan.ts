import { Attempt } from '../../db/entities/attempt.ts'
import { Charge } from '../../db/entities/charge.ts'
import { mapQuery, transactionReturning } from '../../db/pipeline/query.ts'
import { recordCircuitResult } from '../../db/repositories/circuit-breaker.ts'
import type { IncomingPix } from '../../domain/providers/provider.ts'
import { type FollowUps, pendingFollowUps } from '../events/follow-ups.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { guardNotFoundByEpoch } from '../shared/credentials-epoch.ts'
import { loadProviderConnection, type ProviderConnection } from '../shared/provider-client.ts'
import { recordUnmatchedPayment } from '../unmatched/record.ts'
import { getStillOpenCode } from './poll-charge.ts'

/** What a provider said of a payload that nobody was shown. */
export type CloseOrphanResult =
  | (FollowUps & { kind: 'closed' })
  /** It does not know the payload, which proves nothing before the settle window is over. */
  | { kind: 'not_found'; settleWindowMs: number }
  | { kind: 'no_answer'; code: string }

/** `isFinalPoll`: the settle window is over and the payload was not found once since, so "not found" is now proof. */
export type CloseOrphanInput = { attemptUuid: string; isFinalPoll: boolean }

/** Cancels an orphaned payload at its provider; a payment that reached it is set aside (SPEC §2). */
export function closeOrphan(dependencies: ActivityDependencies) {
  return async ({ attemptUuid, isFinalPoll }: CloseOrphanInput): Promise<CloseOrphanResult> => {
    const em = dependencies.orm.em.fork()
    const attempt = await em.findOneOrFail(Attempt, attemptUuid)
    const reached = await loadProviderConnection(dependencies, em, attempt.connectionUuid)
    const told = await cancelAndFindOrphan(reached, attempt)
    await recordCircuitResult(em, reached.connection, told)
    const answer = guardNotFoundByEpoch(told, { attempt, connection: reached.connection })
    if (answer.kind === 'no_answer') return { kind: 'no_answer', code: answer.code }
    if (answer.kind === 'not_found' && !isFinalPoll)
      return { kind: 'not_found', settleWindowMs: reached.connection.settleWindowMs }
    const payments = answer.kind === 'closed' ? answer.payments : []
    return transactionReturning(dependencies.orm, async tx => {
      const charge = await tx.findOneOrFail(Charge, attempt.subjectUuid)
      for (const payment of payments.filter(one => one.status === 'settled'))
        await recordUnmatchedPayment(tx, {
          connection: reached.connection,
          charge,
          payment,
          reason: 'orphan',
          ownerUuid: attempt.uuid,
          requestId: charge.requestId,
        })
      const stored = await tx.findOneOrFail(Attempt, attempt.uuid)
      if (stored.state === 'orphan') stored.state = 'closed'
      return mapQuery(pendingFollowUps(attempt.uuid), left => ({ kind: 'closed', ...left }))
    })
  }
}

type OrphanOutcome =
  | { kind: 'closed'; payments: IncomingPix[] }
  | { kind: 'not_found' }
  | { kind: 'no_answer'; code: string }

/** Cancels first, because only that ends it; then looks at what was paid to it before. */
async function cancelAndFindOrphan(
  { provider }: ProviderConnection,
  attempt: Attempt,
): Promise<OrphanOutcome> {
  const cancelled = attempt.state === 'orphan' ? await provider.cancelCharge(attempt.reference) : null
  if (cancelled?.kind === 'no_answer') return { kind: 'no_answer', code: cancelled.code }
  const found = await provider.findCharge(attempt.reference)
  // Some providers forget what was cancelled and never paid.
  if (found.kind === 'not_found' && cancelled?.kind === 'cancelled') return { kind: 'closed', payments: [] }
  if (found.kind !== 'found') return found
  const running = found.payments.some(payment => payment.status === 'in_process')
  if (running) return { kind: 'no_answer', code: 'still_open' }
  const unended = getStillOpenCode(found.status)
  const isOver = unended === null || (found.status === 'completed' && found.payments.length > 0)
  return isOver ? { kind: 'closed', payments: found.payments } : { kind: 'no_answer', code: unended }
}
