import { runInTransaction } from '../../db/client/transaction.ts'
import { Attempt } from '../../db/entities/attempt.ts'
import { Charge } from '../../db/entities/charge.ts'
import { runQuery } from '../../db/pipeline/query.ts'
import { queryChargeKind } from '../../db/repositories/charges.ts'
import { queryWithFollowUps } from '../../db/repositories/follow-ups.ts'
import { getStillOpenCode } from '../../domain/charges/still-open.ts'
import { referenceOf } from '../../domain/pix/identifiers.ts'
import type { IncomingPix, NoAnswerResult } from '../../domain/providers/provider.ts'
import type { ChargeKind, Provider } from '../../providers/port.ts'
import type { CloseOrphanInput, CloseOrphanResult } from '../../workflows/contracts/charges.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { callRepeatably, guardNotFoundByEpoch } from '../shared/provider-client.ts'
import { transitionAttempt } from '../shared/transition.ts'
import { recordUnmatchedPayment } from '../unmatched/record.ts'

/** Cancels an orphan at its provider; a payment made to it is recorded as an unmatched payment (SPEC §2). */
export function closeOrphan(dependencies: ActivityDependencies) {
  return async ({ attemptUuid, isFinalPoll }: CloseOrphanInput): Promise<CloseOrphanResult> => {
    const em = dependencies.orm.em.fork()
    const attempt = await em.findOneOrFail(Attempt, attemptUuid)
    const { connectionUuid } = attempt
    const kind = await runQuery(em, queryChargeKind(attempt.subjectUuid))
    const call = await callRepeatably(dependencies, em, connectionUuid, provider =>
      cancelAndFindOrphan(provider, attempt, kind),
    )
    const { connection } = call
    const answer = guardNotFoundByEpoch(call.answer, { attempt, connection })
    if (answer.kind === 'no_answer') return { kind: 'no_answer', code: answer.code }
    if (answer.kind === 'not_found' && !isFinalPoll)
      return { kind: 'not_found', settleWindowMs: connection.settleWindowMs }
    const payments = answer.kind === 'closed' ? answer.payments : []
    return runInTransaction(dependencies.orm, async tx => {
      const charge = await tx.findOneOrFail(Charge, attempt.subjectUuid)
      for (const payment of payments.filter(one => one.status === 'settled' && one.cents > 0))
        await recordUnmatchedPayment(tx, {
          connection,
          charge,
          payment,
          reason: 'orphan',
          ownerUuid: attempt.uuid,
          requestId: charge.requestId,
        })
      const storedAttempt = await tx.findOneOrFail(Attempt, attempt.uuid)
      if (storedAttempt.state === 'orphan') transitionAttempt(storedAttempt, 'removed')
      return queryWithFollowUps(attempt.uuid, { kind: 'closed' })
    })
  }
}

type OrphanOutcome =
  | { kind: 'closed'; payments: IncomingPix[] }
  | { kind: 'not_found' }
  | Omit<NoAnswerResult, 'message'>

/** Cancels an orphan first, because only that ends it, then polls the provider for payments made to it before. */
async function cancelAndFindOrphan(
  provider: Provider,
  attempt: Attempt,
  kind: ChargeKind,
): Promise<OrphanOutcome> {
  const reference = referenceOf(attempt.subjectUuid)
  const cancelled = attempt.state === 'orphan' ? await provider.cancelCharge(reference, kind) : null
  if (cancelled?.kind === 'no_answer') return cancelled
  const foundCharge = await provider.findCharge(reference, kind)
  // Some providers delete charges that were cancelled and never paid.
  if (foundCharge.kind === 'not_found' && cancelled?.kind === 'cancelled')
    return { kind: 'closed', payments: [] }
  if (foundCharge.kind !== 'found') return foundCharge
  if (foundCharge.payments.some(({ status }) => status === 'in_process'))
    return { kind: 'no_answer', code: 'still_open' }
  const code = getStillOpenCode(foundCharge)
  const hasEnded = code === null || (foundCharge.status === 'completed' && foundCharge.payments.length > 0)
  return hasEnded ? { kind: 'closed', payments: foundCharge.payments } : { kind: 'no_answer', code }
}
