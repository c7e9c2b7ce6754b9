import { tellBreaker } from '../db/breaker.ts'
import { Attempt } from '../db/entities/attempt.ts'
import { Charge } from '../db/entities/charge.ts'
import { heardAs, inTransactionAsking } from '../db/questions.ts'
import type { IncomingPix } from '../domain/provider.ts'
import { type Reached, reach } from './connections.ts'
import { answerInEpoch } from './credentials-epoch.ts'
import type { Dependencies } from './dependencies.ts'
import { whyNotOver } from './following.ts'
import { type LeftToDo, leftToDo } from './left-to-do.ts'
import { setAside } from './unmatched.ts'

/** What a provider said of a payload that nobody was shown. */
export type OrphanFate =
  | (LeftToDo & { kind: 'closed' })
  /** It does not know the payload, which proves nothing before the settle window is over. */
  | { kind: 'absent'; settleWindowMs: number }
  | { kind: 'no_answer'; code: string }

/** `lastLook`: the settle window is over and the payload was not found once since, so "not found" is now proof. */
export type OrphanQuestion = { attemptUuid: string; lastLook: boolean }

/** Cancels an orphaned payload at its provider; a payment that reached it is set aside (SPEC §2). */
export function closeOrphan(dependencies: Dependencies) {
  return async ({ attemptUuid, lastLook }: OrphanQuestion): Promise<OrphanFate> => {
    const em = dependencies.orm.em.fork()
    const attempt = await em.findOneOrFail(Attempt, attemptUuid)
    const reached = await reach(dependencies, em, attempt.connectionUuid)
    const told = await askForTheEnd(reached, attempt)
    await tellBreaker(em, reached.connection, told)
    const answer = answerInEpoch(told, { attempt, connection: reached.connection })
    if (answer.kind === 'no_answer') return { kind: 'no_answer', code: answer.code }
    if (answer.kind === 'not_found' && !lastLook)
      return { kind: 'absent', settleWindowMs: reached.connection.settleWindowMs }
    const payments = answer.kind === 'over' ? answer.payments : []
    return inTransactionAsking(dependencies.orm, async tx => {
      const charge = await tx.findOneOrFail(Charge, attempt.subjectUuid)
      for (const payment of payments.filter(one => one.status === 'settled'))
        await setAside(tx, {
          connection: reached.connection,
          charge,
          payment,
          reason: 'orphan',
          lifeUuid: attempt.uuid,
          requestId: charge.requestId,
        })
      const stored = await tx.findOneOrFail(Attempt, attempt.uuid)
      if (stored.state === 'orphan') stored.state = 'closed'
      return heardAs(leftToDo(attempt.uuid), left => ({ kind: 'closed', ...left }))
    })
  }
}

type Ending =
  | { kind: 'over'; payments: IncomingPix[] }
  | { kind: 'not_found' }
  | { kind: 'no_answer'; code: string }

/** Cancels first, because only that ends it; then looks at what was paid to it before. */
async function askForTheEnd({ provider }: Reached, attempt: Attempt): Promise<Ending> {
  const cancelled = attempt.state === 'orphan' ? await provider.cancelCharge(attempt.reference) : null
  if (cancelled?.kind === 'no_answer') return { kind: 'no_answer', code: cancelled.code }
  const found = await provider.findCharge(attempt.reference)
  // Some providers forget what was cancelled and never paid.
  if (found.kind === 'not_found' && cancelled?.kind === 'cancelled') return { kind: 'over', payments: [] }
  if (found.kind !== 'found') return found
  const running = found.payments.some(payment => payment.status === 'in_process')
  if (running) return { kind: 'no_answer', code: 'still_open' }
  const unended = whyNotOver(found.status)
  const isOver = unended === null || (found.status === 'completed' && found.payments.length > 0)
  return isOver ? { kind: 'over', payments: found.payments } : { kind: 'no_answer', code: unended }
}
