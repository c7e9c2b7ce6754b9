import type { EntityManager } from '../../db/client/orm.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import { Connection } from '../../db/entities/connection.ts'
import { constantQuery, noQuery, type Query, transactionReturning } from '../../db/pipeline/query.ts'
import { recordCircuitResult } from '../../db/repositories/circuit-breaker.ts'
import { ERROR_CATALOGUE } from '../../domain/errors/error-catalogue.ts'
import { referenceOf } from '../../domain/pix/identifiers.ts'
import type { FindPayoutOutcome } from '../../domain/providers/provider.ts'
import type { AttemptedRow, PayoutHandler, SendResult } from '../payouts/payout-handler.ts'
import {
  type AttemptKey,
  findLiveAttempt,
  getNextPollTime,
  recordOutcome,
} from '../payouts/record-outcome.ts'
import { createPayoutAttempt } from '../payouts/send.ts'
import { throwIfCancelled } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { guardNotFoundByEpoch, guardNotFoundByOrderTime } from '../shared/credentials-epoch.ts'
import { loadProviderConnection } from '../shared/provider-client.ts'

/**
 * Money that went, or may have gone, after the moment to which its database was restored (SPEC §11): every candidate is
 * asked by our id, which a restore does not change. Nothing here sends.
 */

/** `isFinalPoll`: all have twice said that they know nothing of it, so that once more is proof. */
export type RestorePoll = { pollCount: number; isFinalPoll: boolean }
/** `orderedAt`: ISO 8601 UTC, absent of workflows that began before it was passed on. */
export type RestorePayoutInput = RestorePoll & {
  uuid: string
  candidates: string[]
  orderedAt?: string | undefined
}

/** Whoever is named holds the money as far as there is any, and an operator's word may settle it there. */
export type RestorePayoutResult =
  | { kind: 'found'; connectionUuid: string }
  | { kind: 'not_found'; connectionUuid: string; settleWindowMs: number }
  | { kind: 'unknown'; connectionUuid: string }
  /** It never went. */
  | RejectedSendResult
type RejectedSendResult = Extract<SendResult, { kind: 'rejected' }>

/** What one candidate says of it. */
type CandidateAnswer = {
  connectionUuid: string
  connection: Connection
  settleWindowMs: number
  found: FindPayoutOutcome
}

/** Asks every candidate; the attempt of the one that has it, or that may, is a row from then on. */
export function restorePayout<Row extends AttemptedRow>(
  dependencies: ActivityDependencies,
  outgoing: PayoutHandler<Row>,
) {
  return async ({ uuid, candidates, orderedAt, ...at }: RestorePayoutInput): Promise<RestorePayoutResult> => {
    const { orm, timeScale } = dependencies
    const words: CandidateAnswer[] = []
    for (const connectionUuid of candidates) {
      throwIfCancelled()
      const em = orm.em.fork()
      const { connection, provider } = await loadProviderConnection(dependencies, em, connectionUuid)
      const found = await outgoing.find(provider, { subjectUuid: uuid, reference: referenceOf(uuid) }, em)
      await recordCircuitResult(em, connection, found)
      words.push({ connectionUuid, connection, settleWindowMs: connection.settleWindowMs, found })
    }
    return transactionReturning(orm, async (em): Promise<Query<RestorePayoutResult>> => {
      const [row] = await outgoing.lock(em, uuid, noQuery)
      const live = findLiveAttempt(row)
      const counted = words.filter(createDuplicateFilter(row)).map(createEpochGuard(row, orderedAt))
      const { kind, connectionUuid } = concludeAnswers(counted, { live, ...at })
      const attempt = await holdAtConnection(em, outgoing, { uuid, connectionUuid, row, live })
      if (attempt.state === 'unknown') attempt.nextCheckAt = getNextPollTime(at.pollCount, timeScale)
      if (kind !== 'not_found') return constantQuery({ kind, connectionUuid })
      if (at.isFinalPoll) return recordNeverSent(em, outgoing, { uuid, connectionUuid, timeScale })
      const settleWindowMs = Math.max(...words.map(word => word.settleWindowMs))
      return constantQuery({ kind, connectionUuid, settleWindowMs })
    })
  }
}

/** What settled beside it has a movement of its own and is over (SPEC §4): it says nothing of this one. */
function createDuplicateFilter({ attempts }: AttemptedRow) {
  const twice = attempts.filter(({ state }) => state === 'duplicate')
  return (word: CandidateAnswer) =>
    !twice.some(({ connectionUuid }) => connectionUuid === word.connectionUuid)
}

/** "Not found" says nothing of what was sent with credentials that may have been another account's. */
function createEpochGuard({ attempts }: AttemptedRow, orderedAt: string | undefined) {
  return ({ found, ...word }: CandidateAnswer): CandidateAnswer => {
    const { connection } = word
    const attempt = attempts.find(one => one.connectionUuid === word.connectionUuid)
    // One that a look has stored was sent at a time that nothing here tells.
    if (attempt && attempt.sendings > 0)
      return { ...word, found: guardNotFoundByEpoch(found, { attempt, connection }) }
    return {
      ...word,
      found: guardNotFoundByOrderTime(found, { orderedAt: new Date(orderedAt ?? 0), connection }),
    }
  }
}

type RestoreConclusion = { kind: 'found' | 'not_found' | 'unknown'; connectionUuid: string }

/** Who has it, or may. Money that went or is on its way counts before a rejection, which another may have followed. */
function concludeAnswers(
  words: CandidateAnswer[],
  { live, isFinalPoll }: RestorePoll & { live: Attempt | undefined },
): RestoreConclusion {
  const has = words.find(createStatusFilter('settled')) ?? words.find(createStatusFilter('in_process'))
  if (has) return { ...has, kind: 'found' }
  const isLive = (word: CandidateAnswer) => word.connectionUuid === live?.connectionUuid
  /** The one at which it is held already, where that is one of them. */
  const oneOf = (some: CandidateAnswer[]) => some.find(isLive) ?? some[0]
  const absent = words.filter(({ found }) => found.kind === 'not_found')
  // What a provider once had did arrive: that it does not find it now is one more missing answer.
  const lost = live?.state === 'accepted' ? absent.find(isLive) : undefined
  const silent = oneOf(words.filter(({ found }) => found.kind === 'no_answer')) ?? lost
  if (silent) return { ...silent, kind: 'unknown' }
  const rejected = words.findLast(createStatusFilter('rejected'))
  return rejected && (isFinalPoll || absent.length === 0)
    ? { ...rejected, kind: 'found' }
    : { ...oneOf(absent)!, kind: 'not_found' }
}

function createStatusFilter(status: 'settled' | 'in_process' | 'rejected') {
  return ({ found }: CandidateAnswer) => found.kind === 'found' && found.payout.status === status
}

type HoldTarget<Row> = AttemptKey & { row: Row; live: Attempt | undefined }

/**
 * Makes the attempt there the one that may have gone, and holds the money for it as far as the balance goes: what is not
 * covered may be gone all the same. Where it was held for another connection before, that one is left.
 */
async function holdAtConnection<Row extends AttemptedRow>(
  em: EntityManager,
  outgoing: PayoutHandler<Row>,
  { row, live, ...key }: HoldTarget<Row>,
): Promise<Attempt> {
  if (live?.connectionUuid === key.connectionUuid) {
    if (live.state === 'calling') Object.assign(live, createUnknownMarks())
    return live
  }
  if (live)
    Object.assign(live, {
      ...createUnknownMarks(),
      state: 'unreachable',
      unknownSince: null,
      nextCheckAt: null,
    })
  await em.flush() // Only one attempt may be live at a time.
  const connection = await em.findOneOrFail(Connection, key.connectionUuid)
  const attempt =
    row.attempts.find(one => one.connectionUuid === key.connectionUuid) ??
    createPayoutAttempt(em, outgoing, { ...key, row }, connection)
  Object.assign(attempt, createUnknownMarks())
  await outgoing.holdFunds(em, row, { attempt, connection })
  await em.flush()
  return attempt
}

function createUnknownMarks() {
  return {
    state: 'unknown',
    code: 'restored',
    message: null,
    finality: null,
    unknownSince: new Date(),
  } as const
}

/** After a restore: the provider has proved that it has no such payment. Closes it as rejected; it is not sent. */
function recordNeverSent<Row extends AttemptedRow>(
  em: EntityManager,
  outgoing: PayoutHandler<Row>,
  key: AttemptKey & { timeScale: number },
) {
  const code = 'not_found_after_restore'
  const { message } = ERROR_CATALOGUE[code]
  const outcome = { kind: 'rejected', finality: 'final', code, message } as const
  return recordOutcome(em, outgoing, key, outcome) as Promise<Query<RejectedSendResult>>
}
