import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import { Connection } from '../../db/entities/connection.ts'
import { constantQuery, noQuery, type Query, sendChanges } from '../../db/pipeline/query.ts'
import { findAttempts } from '../../db/repositories/attempts.ts'
import { failureOf } from '../../domain/errors/error-catalogue.ts'
import type { FindPayoutOutcome, ProviderPayout } from '../../domain/providers/provider.ts'
import type {
  LookUpPayoutInput,
  LookUpPayoutResult,
  PayoutLookUp,
  RejectedSendResult,
} from '../../workflows/contracts/payouts.ts'
import { throwIfCancelled } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { clearUnknownMarks, getNextPollTime } from '../shared/attempts.ts'
import { callRepeatably, guardNotFoundByEpoch, guardNotFoundByOrderTime } from '../shared/provider-client.ts'
import { transitionAttempt } from '../shared/transition.ts'
import { openHandle } from './payout-handle.ts'
import type { AttemptedRow, PayoutHandler } from './payout-handler.ts'
import {
  type AttemptKey,
  findLiveAttempt,
  markInterrupted,
  recordInconclusiveAnswer,
  recordOutcome,
} from './record-outcome.ts'
import { createPayoutAttempt } from './send.ts'

type CandidateAnswer = { connection: Connection; answer: FindPayoutOutcome }

/**
 * Looks up a payout that was interrupted before its outcome was stored, and that may have been sent (SPEC §11): polls every
 * candidate by our id, and stores an attempt at the one that has the payout or may have it. Sends nothing. Repeatable.
 */
export function lookUpPayout<Row extends AttemptedRow>(
  dependencies: ActivityDependencies,
  handler: PayoutHandler<Row>,
) {
  return async ({
    uuid,
    candidates,
    orderedAt,
    ...lookUp
  }: LookUpPayoutInput): Promise<LookUpPayoutResult> => {
    const { orm, sealer, timeScale } = dependencies
    const answers: CandidateAnswer[] = []
    const knownAttempts = await findAttempts(orm.em.fork(), {
      operation: handler.operation,
      subjectUuid: uuid,
    })
    for (const connectionUuid of candidates) {
      throwIfCancelled()
      const em = orm.em.fork()
      const attempt = knownAttempts.find(one => one.connectionUuid === connectionUuid)
      const payout = { subjectUuid: uuid, handle: attempt && openHandle(attempt, sealer) }
      const { connection, answer } = await callRepeatably(dependencies, em, connectionUuid, provider =>
        handler.find(provider, payout, em),
      )
      answers.push({ connection, answer })
    }
    return runInTransaction(orm, async (em): Promise<Query<LookUpPayoutResult>> => {
      const [row] = await handler.lock(em, uuid, noQuery)
      const liveAttempt = findLiveAttempt(row)
      const counted = answers.flatMap(candidateAnswer => countAnswer(candidateAnswer, row, orderedAt))
      const { kind, connection, answer } = concludeAnswers(counted, { liveAttempt, ...lookUp })
      const connectionUuid = connection.uuid
      const attempt = await holdAtConnection(em, handler, { uuid, connectionUuid, row, liveAttempt })
      const nextCheckAt = getNextPollTime(lookUp.pollCount, timeScale)
      if (answer.kind === 'found') {
        if (attempt.state === 'unknown') attempt.nextCheckAt = nextCheckAt
        return constantQuery({ kind: 'found', connectionUuid })
      }
      await recordInconclusiveAnswer(em, attempt, { nextCheckAt, answer, sealer })
      if (kind !== 'not_found') return constantQuery({ kind: 'unknown', code: answer.kind, connectionUuid })
      if (lookUp.isFinalPoll) {
        // All candidates have proved that they do not have it: it is not sent again.
        const outcome = {
          kind: 'rejected',
          finality: 'final',
          refusedBy: 'service',
          ...failureOf('not_found_after_restore'),
        } as const
        const context = { uuid, connectionUuid, timeScale, sealer }
        return recordOutcome(em, handler, context, outcome) as Promise<Query<RejectedSendResult>>
      }
      const settleWindowMs = Math.max(...answers.map(({ connection }) => connection.settleWindowMs))
      return constantQuery({ kind, connectionUuid, settleWindowMs })
    })
  }
}

/**
 * Returns what an answer counts as. An answer about a duplicate is dropped: a duplicate has its own movement and is final
 * (SPEC §4). "Not found" counts only where the credentials were not replaced since the payout may have left.
 */
function countAnswer(
  { connection, answer }: CandidateAnswer,
  { attempts }: AttemptedRow,
  orderedAt: string,
): CandidateAnswer[] {
  const attempt = attempts.find(one => one.connectionUuid === connection.uuid)
  if (attempt?.state === 'duplicate') return []
  // An attempt without a sending was stored by a look-up: the time of its sending is unknown.
  const counted =
    attempt && attempt.sendings > 0
      ? guardNotFoundByEpoch(answer, { attempt, connection })
      : guardNotFoundByOrderTime(answer, { orderedAt: new Date(orderedAt), connection })
  return [{ connection, answer: counted }]
}

/** The answer that decides: the payout is at its connection, may be there, or is at no candidate. */
type Conclusion = CandidateAnswer & { kind: 'found' | 'not_found' | 'unknown' }

/**
 * Concludes which candidate has the payout or may have it. A settled payout or one in process wins over an order that can
 * still be approved, and both over a rejection, because another provider may have been tried after the rejection.
 */
function concludeAnswers(
  answers: CandidateAnswer[],
  { liveAttempt, isFinalPoll }: PayoutLookUp & { liveAttempt: Attempt | undefined },
): Conclusion {
  const conclude = (kind: Conclusion['kind'], candidateAnswer: CandidateAnswer) => ({
    kind,
    ...candidateAnswer,
  })
  const byStatus = groupByStatus(answers)
  const [movedPayout] = [...byStatus.settled, ...byStatus.in_process]
  if (movedPayout) return conclude('found', movedPayout)
  const isLive = ({ connection }: CandidateAnswer) => connection.uuid === liveAttempt?.connectionUuid
  /** Prefers the connection that the money is held for already. */
  const preferLive = (some: CandidateAnswer[]) => some.find(isLive) ?? some[0]
  // A provider that has accepted the payout keeps it until it reports an outcome: "not found" is no outcome, and the
  // answer of another candidate does not end its attempt.
  const accepted = liveAttempt?.state === 'accepted' ? answers.find(isLive) : undefined
  const unsettled = accepted && accepted.answer.kind !== 'found' ? accepted : undefined
  const unresolved = unsettled ?? preferLive(byStatus.awaiting_approval) ?? preferLive(byStatus.no_answer)
  if (unresolved) return conclude('unknown', unresolved)
  const rejected = byStatus.rejected.at(-1)
  return rejected && (isFinalPoll || byStatus.not_found.length === 0)
    ? conclude('found', rejected)
    : conclude('not_found', preferLive(byStatus.not_found)!)
}

type AnswerStatus = ProviderPayout['status'] | Exclude<FindPayoutOutcome['kind'], 'found'>

/** Groups answers by what they say of the payout. Lists every outcome of a look-up, so that none is left out. */
function groupByStatus(answers: CandidateAnswer[]): Record<AnswerStatus, CandidateAnswer[]> {
  const groups: Record<AnswerStatus, CandidateAnswer[]> = {
    settled: [],
    in_process: [],
    awaiting_approval: [],
    no_answer: [],
    rejected: [],
    not_found: [],
  }
  for (const candidateAnswer of answers) {
    const { answer } = candidateAnswer
    groups[answer.kind === 'found' ? answer.payout.status : answer.kind].push(candidateAnswer)
  }
  return groups
}

/**
 * Makes the attempt at one connection the live one, in state unknown, and holds its money if the balance covers it; the
 * payout may have been sent even where it does not. A live attempt at another connection is ended. The caller holds the
 * row lock.
 */
export async function holdAtConnection<Row extends AttemptedRow>(
  em: EntityManager,
  handler: PayoutHandler<Row>,
  { row, liveAttempt, ...key }: AttemptKey & { row: Row; liveAttempt: Attempt | undefined },
): Promise<Attempt> {
  if (liveAttempt?.connectionUuid === key.connectionUuid) {
    // The row may be older than the workflow: what it shows as prepared may have been sent since.
    if (liveAttempt.state === 'calling' || liveAttempt.state === 'preparing') markInterrupted(liveAttempt)
    return liveAttempt
  }
  if (liveAttempt) {
    clearUnknownMarks(liveAttempt)
    transitionAttempt(liveAttempt, 'superseded')
    liveAttempt.code = 'interrupted'
  }
  await sendChanges(em) // Only one attempt may be live at a time.
  const connection = await em.findOneOrFail(Connection, key.connectionUuid)
  const attempt =
    row.attempts.find(one => one.connectionUuid === key.connectionUuid) ??
    createPayoutAttempt(em, handler, { ...key, row }, connection)
  markInterrupted(attempt)
  await handler.holdFunds(em, row, connection, true)
  await sendChanges(em)
  return attempt
}
