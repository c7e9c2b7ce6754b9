import { randomUUID } from 'node:crypto'
import { attemptThrough } from '../db/attempts.ts'
import { tellBreaker } from '../db/breaker.ts'
import { connectionToCall } from '../db/connections.ts'
import { Attempt } from '../db/entities/attempt.ts'
import type { Connection } from '../db/entities/connection.ts'
import { type EntityManager, inTransaction } from '../db/orm.ts'
import { isPaused } from '../db/pauses.ts'
import { all, ask, certain, heardAs, inTransactionAsking, type Question } from '../db/questions.ts'
import { REFUSALS } from '../domain/errors.ts'
import { referenceOf } from '../domain/identifiers.ts'
import type { SendOutcome } from '../domain/provider.ts'
import { whyBarred } from './barred.ts'
import { type Reached, reached } from './connections.ts'
import { answerInEpoch, isOfEpoch } from './credentials-epoch.ts'
import type { Dependencies } from './dependencies.ts'
import { leftToDo } from './left-to-do.ts'
import { type AttemptKey, answered, doubt, FINAL, keep, nextCheck, stayInDoubt } from './outcomes.ts'
import type { Asked, AskOrder, Outgoing, SendOrder, Sent, Tried } from './outgoing.ts'

/** How money on its way out is sent, once, and asked about (SPEC §6); the noun says what that does to it. */

/** A worker that slept longer is one that Temporal has given up (src/workflows/activities.ts): it may be sent again by now. */
const SENT_WITHIN_MS = 10_000

/** Its commit took so long that its caller has heard otherwise, and may have ordered anew: no provider is called (SPEC §4). */
const NOT_TAKEN: SendOutcome = {
  ...{ kind: 'rejected', finality: 'final', code: 'not_taken' },
  message: REFUSALS.not_taken.message,
}

/**
 * Sends through one provider. The attempt is stored before the call; one found in the middle of a call is only asked
 * about. `first` are its rules before the call, where its row may not be there yet.
 */
export function sendBy<Row extends Tried>(
  dependencies: Dependencies,
  outgoing: Outgoing<Row>,
  first = outgoing,
) {
  return async (order: SendOrder): Promise<Sent> => {
    const { orm, timeScale } = dependencies
    const begun = await inTransactionAsking(orm, async (em): Promise<Question<Sent | ToSend<Row>>> => {
      const beginning = await begin(dependencies, em, first, order)
      if ('statements' in beginning) return beginning
      beginning.provider.openAhead()
      // Not from its start: it may have waited for its turn.
      return certain({ ...beginning, sendBefore: Date.now() + SENT_WITHIN_MS })
    })
    if ('kind' in begun) return begun
    if (Date.now() > begun.sendBefore)
      throw new Error('It is too late to send: its life asks about it by now.')
    const outcome = first.isTooLate?.() ? NOT_TAKEN : await send(begun)
    const kept = { ...order, timeScale, sending: begun.attempt.sendings }
    return inTransactionAsking(orm, tx => keep(tx, outgoing, kept, outcome))
  }

  async function send(begun: ToSend<Row>): Promise<SendOutcome> {
    const outcome = await outgoing.send(begun.provider, begun.row, begun)
    await tellBreaker(dependencies.orm.em.fork(), begun.connection, outcome)
    return outcome
  }
}

/** Asks the provider of an attempt what became of it, by our id. */
export function askBy<Row extends Tried>(dependencies: Dependencies, outgoing: Outgoing<Row>) {
  return async (order: AskOrder): Promise<Asked> => {
    const { orm, timeScale } = dependencies
    const em = orm.em.fork()
    const { operation } = outgoing
    const { uuid: subjectUuid, connectionUuid } = order
    const begun = attemptThrough(em, { operation, subjectUuid, connectionUuid })
    const [attempt, called] = await ask(em, all(begun, connectionToCall(em, connectionUuid)))
    if (!attempt) return { kind: 'never_begun' }
    const { connection, provider } = reached(dependencies, called)
    const answer = await outgoing.find(provider, attempt, em)
    await tellBreaker(em, connection, answer)
    const found = answerInEpoch(answer, { attempt, connection })
    switch (found.kind) {
      case 'no_answer':
      case 'awaiting_approval':
      case 'not_found': {
        const nextCheckAt = nextCheck(order.asked, timeScale)
        await inTransaction(orm, tx => stayInDoubt(tx, outgoing, order, nextCheckAt))
        if (found.kind !== 'not_found') return { kind: 'unknown', code: found.code }
        return { kind: 'absent', settleWindowMs: connection.settleWindowMs }
      }
      case 'found':
        return inTransactionAsking(orm, tx =>
          keep(tx, outgoing, { ...order, timeScale }, { kind: 'accepted', sending: found.sending }),
        )
    }
  }
}

type Calling<Row> = Reached & { attempt: Attempt; row: Row }
type ToSend<Row> = Calling<Row> & { sendBefore: number }

/** What is needed to call, or else what was answered before, to be asked where the transaction ends. */
async function begin<Row extends Tried>(
  dependencies: Dependencies,
  em: EntityManager,
  outgoing: Outgoing<Row>,
  order: SendOrder,
): Promise<Question<Sent> | Calling<Row>> {
  const { uuid, connectionUuid } = order
  const through = all(connectionToCall(em, connectionUuid), isPaused(connectionUuid, 'out'))
  const [row, [called, paused]] = await outgoing.lock(em, uuid, through)
  const by = reached(dependencies, called)
  const { connection } = by
  const earlier = row.attempts.find(attempt => attempt.connectionUuid === connectionUuid)
  if (earlier && !mayBegin(earlier)) {
    // What a provider took is never sent again, whatever it finds of it later.
    if (FINAL.includes(earlier.state) || earlier.state === 'accepted') return answered(earlier, uuid)
    if (!order.again) return certain({ kind: 'unknown', code: 'interrupted' })
    // Absent by all that is known: it stays in doubt, and is asked about, until it may be sent again.
    const code = paused ? 'paused' : isOfEpoch(earlier, connection) ? null : 'credentials_changed'
    if (code) {
      earlier.code = code
      doubt(earlier, { asked: 0, timeScale: dependencies.timeScale })
      return certain({ kind: 'unknown', code })
    }
    calls(earlier, connection)
    return { ...by, row, attempt: earlier }
  }
  const over = outgoing.over?.(row) ?? null
  if (over !== null) {
    const rejected = { kind: 'rejected', code: over, finality: 'final' } as const
    return heardAs(leftToDo(uuid), left => ({ ...rejected, ...left }))
  }
  const attempt = earlier ?? newAttempt(em, outgoing, { ...order, row }, connection)
  calls(attempt, connection)
  const barred = whyBarred(outgoing.operation, connection, { paused })
  if (barred) Object.assign(attempt, barred)
  else {
    const refusal = await outgoing.begin(em, row, { attempt, connection })
    if (!refusal) return { ...by, row, attempt }
    Object.assign(attempt, { state: 'rejected', finality: 'other_may_help', ...refusal })
  }
  await outgoing.refused(em, row, attempt)
  return answered(attempt, uuid)
}

/** One more sending of it begins. */
function calls(attempt: Attempt, { credentialsEpoch }: Connection): void {
  attempt.state = 'calling'
  attempt.credentialsEpoch = credentialsEpoch
  attempt.sendings += 1
}

/**
 * Nothing of it can have moved: it never left, or stopped at a balance that may have grown since. A return has no other
 * provider to go through, so what another might have taken is tried again where it was refused.
 */
function mayBegin({ state, code, operation, finality }: Attempt): boolean {
  if (state !== 'rejected') return state === 'unreachable'
  return code === 'insufficient_balance' || (operation === 'return' && finality === 'other_may_help')
}

/** The attempt of one connection, before its call, after all that came before it. */
export function newAttempt<Row extends Tried>(
  em: EntityManager,
  { operation }: Outgoing<Row>,
  { uuid, connectionUuid, row }: AttemptKey & { row: Row },
  { providerAccountUuid, credentialsEpoch }: Connection,
): Attempt {
  const attempt = em.create(Attempt, {
    uuid: randomUUID(),
    operation,
    subjectUuid: uuid,
    connectionUuid,
    providerAccountUuid,
    credentialsEpoch,
    position: row.attempts.length,
    reference: referenceOf(uuid),
    state: 'calling',
  })
  row.attempts.push(attempt)
  return attempt
}
