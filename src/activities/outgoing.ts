import { randomUUID } from 'node:crypto'
import { attemptThrough } from '../db/attempts.ts'
import { tellBreaker } from '../db/breaker.ts'
import { connectionToCall } from '../db/connections.ts'
import { Attempt, type Operation } from '../db/entities/attempt.ts'
import type { Connection } from '../db/entities/connection.ts'
import { type EntityManager, inTransaction } from '../db/orm.ts'
import { isPaused } from '../db/pauses.ts'
import { type Answers, ask, type Questions } from '../db/questions.ts'
import { referenceOf } from '../domain/identifiers.ts'
import type { FindSendingOutcome, Sending, SendOutcome } from '../domain/provider.ts'
import type { TransferState } from '../domain/transfer.ts'
import { scaled, WAITS } from '../domain/waits.ts'
import type { Provider } from '../providers/port.ts'
import { whyBarred } from './barred.ts'
import { type Reached, reached } from './connections.ts'
import type { Dependencies } from './dependencies.ts'
import { type LeftToDo, leftToDo } from './left-to-do.ts'
import { type AttemptKey, answered, FINAL, keep, stayInDoubt } from './outcomes.ts'

/**
 * Money on its way out, whatever its noun: a transfer, a refund, an unmatched PIX returned. One set of rules decides
 * what may be sent, what is asked and what an answer means (SPEC §6); the noun says what is held, settled or given back.
 */

/** What is known of a sending once its provider was told or asked. */
export type Sent =
  /** `returnsUnsaid`: whether its recipient gave anything back since was not to be learned. `transfer`: where one stands now. */
  | (LeftToDo & { kind: 'settled'; returnsUnsaid?: true; transfer?: TransferStanding })
  | { kind: 'in_process' }
  | (LeftToDo & { kind: 'rejected'; code: string; finality: 'other_may_help' | 'final' })
  | (LeftToDo & { kind: 'unreachable'; code: string })
  /** It may have arrived: only the same provider can tell, asked by our id. */
  | { kind: 'unknown'; code: string }

export type TransferStanding = { state: TransferState; connectionUuid: string }

export type Asked =
  | Sent
  | { kind: 'absent'; settleWindowMs: number }
  /** Not even the attempt was stored, so nothing can have been sent. */
  | { kind: 'never_begun' }

/** `again`: its absence at the provider is proved, so the same id may be sent once more. */
export type SendOrder = { uuid: string; connectionUuid: string; again: boolean }
/** `asked`: how often it was asked before, which decides when it is asked next. */
export type AskOrder = { uuid: string; connectionUuid: string; asked: number }

/** What a noun adds to the rules. Everything runs under its row's lock, in the transaction that keeps the attempt. */
export type Outgoing<Row extends Tried> = {
  operation: Exclude<Operation, 'issue'>
  /** `more` is asked in the message of the lock where that can be, and after it in any case. */
  lock<const More extends Questions>(
    em: EntityManager,
    uuid: string,
    more: More,
  ): Promise<[Row, Answers<More>]>
  /** Why nothing of it is sent any more: its life is over. */
  over?(row: Row): string | null
  /** Holds the money and moves the life on; a refusal means that no provider is called. */
  begin(em: EntityManager, row: Row, by: By): Promise<{ code: string; message: string } | null>
  send(provider: Provider, row: Row, by: By): Promise<SendOutcome>
  /** Asks by our id; what else names it there is read without a lock, because it does not change. */
  find(
    provider: Provider,
    attempt: Pick<Attempt, 'subjectUuid' | 'reference'>,
    em: EntityManager,
  ): Promise<FindSendingOutcome>
  accepted(em: EntityManager, row: Row, sending: Sending): Promise<void>
  settled(em: EntityManager, row: Row, attempt: Attempt, sending: Sending): Promise<void>
  /** What may still happen to money that has settled: its recipient gives it back. */
  afterwards?(em: EntityManager, row: Row, attempt: Attempt, sending: Sending): Promise<void>
  /** Where a settled one stands, so that its life need not ask. */
  standing?(row: Row): { transfer: TransferStanding }
  /** Nothing moved, by the provider's definite word or because nothing left. */
  refused(em: EntityManager, row: Row, attempt: Attempt): Promise<void>
}
/** All attempts at it so far, in the order of trying. */
export type Tried = { attempts: Attempt[] }
export type By = { attempt: Attempt; connection: Connection }

/**
 * Sends through one provider. The attempt is stored before the call; one found in the middle of a call is only asked
 * about. `firstLock` is how it is locked before the call, where its row may not be there yet.
 */
export function sendBy<Row extends Tried>(
  dependencies: Dependencies,
  outgoing: Outgoing<Row>,
  firstLock = outgoing.lock,
) {
  return async (order: SendOrder): Promise<Sent> => {
    const begun = await inTransaction(dependencies.orm, em =>
      begin(dependencies, em, { ...outgoing, lock: firstLock }, order),
    )
    if ('sent' in begun) return begun.sent
    const outcome = await outgoing.send(begun.provider, begun.row, begun)
    await tellBreaker(dependencies.orm.em.fork(), begun.connection, outcome)
    return inTransaction(dependencies.orm, tx => keep(tx, outgoing, order, outcome))
  }
}

/** Asks the provider of an attempt what became of it, by our id. */
export function askBy<Row extends Tried>(dependencies: Dependencies, outgoing: Outgoing<Row>) {
  return async (order: AskOrder): Promise<Asked> => {
    const em = dependencies.orm.em.fork()
    const { operation } = outgoing
    const { uuid: subjectUuid, connectionUuid } = order
    const [attempt, called] = await ask(
      em,
      attemptThrough(em, { operation, subjectUuid, connectionUuid }),
      connectionToCall(em, connectionUuid),
    )
    if (!attempt) return { kind: 'never_begun' }
    const { connection, provider } = reached(dependencies, called)
    const found = await outgoing.find(provider, attempt, em)
    await tellBreaker(em, connection, found)
    switch (found.kind) {
      case 'no_answer':
      case 'not_found': {
        const nextCheckAt = nextCheck(order.asked, dependencies.timeScale)
        await inTransaction(dependencies.orm, tx => stayInDoubt(tx, outgoing, order, nextCheckAt))
        if (found.kind === 'no_answer') return { kind: 'unknown', code: found.code }
        return { kind: 'absent', settleWindowMs: connection.settleWindowMs }
      }
      case 'found':
        return inTransaction(dependencies.orm, tx =>
          keep(tx, outgoing, order, { kind: 'accepted', sending: found.sending }),
        )
    }
  }
}

/** When the life will ask next: shown to the merchant while an outcome is unknown. */
export function nextCheck(asked: number, timeScale: number): Date {
  return new Date(Date.now() + scaled(WAITS.askAgain(asked + 1), timeScale))
}

/** What was answered before, or what is needed to call. */
async function begin<Row extends Tried>(
  dependencies: Dependencies,
  em: EntityManager,
  outgoing: Outgoing<Row>,
  order: SendOrder,
): Promise<{ sent: Sent } | (Reached & { attempt: Attempt; row: Row })> {
  const [row, [called, paused]] = await outgoing.lock(em, order.uuid, [
    connectionToCall(em, order.connectionUuid),
    isPaused(order.connectionUuid, 'out'),
  ])
  const by = reached(dependencies, called)
  const { connection } = by
  const earlier = row.attempts.find(attempt => attempt.connectionUuid === order.connectionUuid)
  if (earlier && !mayBegin(earlier)) {
    if (FINAL.includes(earlier.state)) return { sent: await answered(em, earlier, order.uuid) }
    if (!order.again) return { sent: { kind: 'unknown', code: 'interrupted' } }
    // Absent by all that is known: it stays in doubt, and is asked about, until it may be sent again.
    if (paused) {
      Object.assign(earlier, {
        state: 'unknown',
        code: 'paused',
        unknownSince: earlier.unknownSince ?? new Date(),
      })
      return { sent: { kind: 'unknown', code: 'paused' } }
    }
    earlier.state = 'calling'
    return { ...by, row, attempt: earlier }
  }
  const over = outgoing.over?.(row) ?? null
  if (over !== null) {
    const left = await leftToDo(em, order.uuid)
    return { sent: { kind: 'rejected', code: over, finality: 'final', ...left } }
  }
  const attempt = earlier ?? newAttempt(em, outgoing, { ...order, row }, connection)
  attempt.state = 'calling'
  const barred = whyBarred(outgoing.operation, connection, { paused })
  if (barred) Object.assign(attempt, barred)
  else {
    const refusal = await outgoing.begin(em, row, { attempt, connection })
    if (!refusal) return { ...by, row, attempt }
    Object.assign(attempt, { state: 'rejected', finality: 'other_may_help', ...refusal })
  }
  await outgoing.refused(em, row, attempt)
  return { sent: await answered(em, attempt, order.uuid) }
}

/** Nothing of it can have moved: it never left, or stopped at a balance that may have grown since. */
function mayBegin(attempt: Attempt): boolean {
  return (
    attempt.state === 'unreachable' ||
    (attempt.state === 'rejected' && attempt.code === 'insufficient_balance')
  )
}

/** The attempt of one connection, before its call, after all that came before it. */
export function newAttempt<Row extends Tried>(
  em: EntityManager,
  { operation }: Outgoing<Row>,
  { uuid, connectionUuid, row }: AttemptKey & { row: Row },
  { providerAccountUuid }: Connection,
): Attempt {
  const attempt = em.create(Attempt, {
    uuid: randomUUID(),
    operation,
    subjectUuid: uuid,
    connectionUuid,
    providerAccountUuid,
    position: row.attempts.length,
    reference: referenceOf(uuid),
    state: 'calling',
  })
  row.attempts.push(attempt)
  return attempt
}
