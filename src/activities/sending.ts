import { randomUUID } from 'node:crypto'
import { attemptThrough } from '../db/attempts.ts'
import { tellBreaker } from '../db/breaker.ts'
import { connectionToCall } from '../db/connections.ts'
import { Attempt } from '../db/entities/attempt.ts'
import type { Connection } from '../db/entities/connection.ts'
import { type EntityManager, inTransaction } from '../db/orm.ts'
import { all, ask, certain, heardAs, inTransactionAsking, type Question } from '../db/questions.ts'
import { type SendingConditions, sendingConditions } from '../db/sending-conditions.ts'
import { referenceOf } from '../domain/identifiers.ts'
import type { Rejected, SendOutcome } from '../domain/provider.ts'
import { whyBarred, whyHeld } from './barred.ts'
import { type Reached, reached } from './connections.ts'
import { contradictionOf } from './contradictions.ts'
import { answerInEpoch, isOfEpoch } from './credentials-epoch.ts'
import type { Dependencies } from './dependencies.ts'
import { leftToDo } from './left-to-do.ts'
import {
  type AttemptKey,
  answered,
  doubt,
  FINAL,
  keep,
  leave,
  liveAttempt,
  NOT_TAKEN,
  nextCheck,
  stayInDoubt,
} from './outcomes.ts'
import type { Asked, AskOrder, Outgoing, SendOrder, Sent, Tried } from './outgoing.ts'

/** Sends payouts, at most once, and polls them (SPEC §6). */

/** A worker that paused for longer has been given up by Temporal (src/workflows/activities.ts). */
const SENT_WITHIN_MS = 10_000

/**
 * Sends through one provider. The attempt is committed before the call; an attempt that is already calling is not sent again.
 * `first`: the noun's rules before the call, where its row may not exist yet.
 */
export function sendBy<Row extends Tried>(
  dependencies: Dependencies,
  outgoing: Outgoing<Row>,
  first = outgoing,
) {
  return async (order: SendOrder): Promise<Sent> => {
    const { orm, timeScale } = dependencies
    const askedAt = performance.now()
    const begun = await inTransactionAsking(orm, async (em): Promise<Question<Sent | ToSend<Row>>> => {
      const beginning = await begin(dependencies, em, first, { ...order, askedAt })
      if ('statements' in beginning) return beginning
      beginning.provider.openAhead()
      // From before the commit; not from the start, because it may have waited for its locks.
      return certain({ ...beginning, sendBefore: performance.now() + SENT_WITHIN_MS })
    })
    if ('kind' in begun) return begun
    const committedAt = performance.now()
    if (committedAt > begun.sendBefore)
      throw new Error('It is too late to send: the workflow asks about it by now.')
    // Only a commit before the deadline was visible before it.
    const outcome = committedAt > begun.takeBefore ? NOT_TAKEN : await send(begun)
    const kept = { ...order, timeScale, sending: begun.attempt.sendings }
    const contradicted = contradictionOf(dependencies, begun.connection)
    return inTransactionAsking(orm, tx => keep(tx, outgoing, { ...kept, contradicted }, outcome))
  }

  async function send(begun: ToSend<Row>): Promise<SendOutcome> {
    const outcome = await outgoing.send(begun.provider, begun.row, begun)
    await tellBreaker(dependencies.orm.em.fork(), begun.connection, outcome)
    return outcome
  }
}

/** Polls the provider of an attempt by our id; with `unlessFinal` a final outcome is answered from the row. */
export function askBy<Row extends Tried>(dependencies: Dependencies, outgoing: Outgoing<Row>) {
  return async (order: AskOrder): Promise<Asked> => {
    const { orm, timeScale } = dependencies
    const em = orm.em.fork()
    const { operation } = outgoing
    const { uuid: subjectUuid, connectionUuid } = order
    const begun = attemptThrough(em, { operation, subjectUuid, connectionUuid })
    const [attempt, called] = await ask(em, all(begun, connectionToCall(em, connectionUuid)))
    if (!attempt) return { kind: 'never_begun' }
    if (order.unlessFinal && FINAL.includes(attempt.state)) return ask(em, answered(attempt, subjectUuid))
    const { connection, provider } = reached(dependencies, called)
    const answer = await outgoing.find(provider, attempt, em)
    await tellBreaker(em, connection, answer)
    const found = answerInEpoch(answer, { attempt, connection })
    switch (found.kind) {
      case 'no_answer':
      case 'awaiting_approval':
      case 'not_found': {
        const nextCheckAt = nextCheck(order.asked, timeScale)
        await inTransaction(orm, tx => stayInDoubt(tx, outgoing, order, { nextCheckAt, found }))
        if (found.kind === 'not_found') return { kind: 'absent', settleWindowMs: connection.settleWindowMs }
        return { kind: 'unknown', code: found.kind === 'no_answer' ? found.code : found.kind }
      }
      case 'found': {
        const kept = { ...order, timeScale, contradicted: contradictionOf(dependencies, connection) }
        return inTransactionAsking(orm, tx =>
          keep(tx, outgoing, kept, { kind: 'accepted', sending: found.sending }),
        )
      }
    }
  }
}

type Calling<Row> = Reached & {
  attempt: Attempt
  row: Row
  /** Acceptance deadline by `performance.now()`: committed later, the row may not have been visible in time, and is not sent. */
  takeBefore: number
}
type ToSend<Row> = Calling<Row> & { sendBefore: number }

/** Everything that the call needs, or the query of the outcome that there is already, to be run at the end of the transaction. */
async function begin<Row extends Tried>(
  dependencies: Dependencies,
  em: EntityManager,
  outgoing: Outgoing<Row>,
  { askedAt, ...order }: SendOrder & { askedAt: number },
): Promise<Question<Sent> | Calling<Row>> {
  const { uuid, connectionUuid } = order
  const through = all(connectionToCall(em, connectionUuid), sendingConditions(connectionUuid))
  const [row, [called, conditions]] = await outgoing.lock(em, uuid, through)
  const by = reached(dependencies, called)
  const { connection } = by
  const earlier = row.attempts.find(attempt => attempt.connectionUuid === connectionUuid)
  // What a provider has accepted is never sent again, whatever it finds later.
  if (earlier && isAnswered(earlier)) return answered(earlier, uuid)
  const live = liveAttempt(row)
  // A workflow whose history was rolled back does not know of the live attempt.
  if (live && live !== earlier) return certain({ kind: 'elsewhere', connectionUuid: live.connectionUuid })
  if (live && !order.again) return certain({ kind: 'unknown', code: 'interrupted' })
  const { timeScale } = dependencies
  if (live && !isOfEpoch(live, connection)) return stay(live, 'credentials_changed')
  // No provider has it now: it may be sent, unless a rule forbids it.
  const takeBefore = deadlineOf(outgoing.orderOf?.(row), conditions, askedAt)
  const over = whyOver(outgoing, row)
  const refusal = over ?? live?.refusal ?? (performance.now() > takeBefore ? NOT_TAKEN : null)
  if (refusal) {
    const outcome: Rejected = { ...refusal, kind: 'rejected' }
    if (live) await leave(em, outgoing, { row, attempt: live, outcome, timeScale })
    if (refusal === NOT_TAKEN) await outgoing.notTaken?.(em, row)
    const { code, finality } = refusal
    return heardAs(leftToDo(uuid), left => ({ kind: 'rejected', code, finality, ...left }))
  }
  if (live) {
    const held = whyHeld(outgoing.operation, conditions)
    if (held) return stay(live, held.code)
    calls(live, connection)
    return { ...by, row, attempt: live, takeBefore }
  }
  const barred = whyBarred(outgoing.operation, connection, conditions)
  const attempt = earlier ?? newAttempt(em, outgoing, { ...order, row }, connection)
  if (barred) Object.assign(attempt, barred)
  else {
    const refusal = await outgoing.begin(em, row, { attempt, connection })
    if (!refusal) {
      calls(attempt, connection)
      return { ...by, row, attempt, takeBefore }
    }
    Object.assign(attempt, { state: 'rejected', finality: 'other_may_help', ...refusal })
  }
  await outgoing.refused(em, row, attempt)
  return answered(attempt, uuid)

  /** Keeps the attempt unknown, so that it is polled until it may be sent again. */
  function stay(inDoubt: Attempt, code: string): Question<Sent> {
    inDoubt.code = code
    doubt(inDoubt, { asked: 0, timeScale })
    return certain({ kind: 'unknown', code })
  }
}

/** Counts one more sending of the attempt. */
function calls(attempt: Attempt, { credentialsEpoch }: Connection): void {
  attempt.state = 'calling'
  attempt.credentialsEpoch = credentialsEpoch
  attempt.sendings += 1
}

/**
 * Acceptance deadline of the commit's acknowledgement, by `performance.now()`. The transaction began at the earliest when it was
 * requested, so a process that pauses in between is early, never late.
 */
function deadlineOf(
  order: { takeBefore?: Date | null | undefined } | undefined,
  { beganAtMs }: SendingConditions,
  askedAt: number,
): number {
  return order?.takeBefore ? askedAt + order.takeBefore.getTime() - beganAtMs : Number.POSITIVE_INFINITY
}

function whyOver<Row extends Tried>(outgoing: Outgoing<Row>, row: Row): Omit<Rejected, 'kind'> | null {
  const code = outgoing.over?.(row) ?? null
  return code === null ? null : { code, finality: 'final', message: 'the operation ended before it was sent' }
}

/** Whether the outcome is kept: the provider has it, or it has ended and may not be tried again. */
function isAnswered(attempt: Attempt): boolean {
  if (attempt.state === 'accepted') return true
  return FINAL.includes(attempt.state) && !mayBeginAgain(attempt)
}

/**
 * Whether an ended attempt may be sent again by the same id: it never left, or our own balance was too low, which may have grown
 * since. What a provider has refused is not sent to it again: none documents that the id of a refused order may be used again.
 */
function mayBeginAgain({ state, code, sendings }: Attempt): boolean {
  if (state !== 'rejected') return state === 'unreachable'
  return code === 'insufficient_balance' && sendings === 0
}

/** Creates the attempt of one connection, before its call, after all earlier ones. */
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
