import { setTimeout as sleep } from 'node:timers/promises'
import { attemptsOf } from '../db/attempts.ts'
import { isAnsweredElsewhere, tellBreaker } from '../db/breaker.ts'
import type { Attempt } from '../db/entities/attempt.ts'
import { Charge, type ChargeFailure } from '../db/entities/charge.ts'
import { Connection } from '../db/entities/connection.ts'
import { lockAlone } from '../db/lock.ts'
import { type EntityManager, inTransaction } from '../db/orm.ts'
import { ask, heardAs, inTransactionAsking, type Question } from '../db/questions.ts'
import type { ChargeState } from '../domain/charge.ts'
import { askedFeeOf } from '../domain/money.ts'
import type { IssuedCharge } from '../domain/provider.ts'
import type { ChargeDetails, ChargeOrder } from '../workflows/messages.ts'
import { announceCharge } from './announce.ts'
import { partyOf } from './connections.ts'
import type { Dependencies } from './dependencies.ts'
import { throwIfToEnd } from './ending.ts'
import {
  attemptsToIssue,
  type Begun,
  beginAttempt,
  type Issuing,
  leaveCandidate,
  orphanTheRest,
} from './issue-attempts.ts'
import { type LeftToDo, leftToDoOf } from './left-to-do.ts'
import { lockCharge, moveCharge } from './move.ts'

/** Where a charge stands after issuing; `orphans` are attempts whose payload may exist and must be cancelled. */
export type Issued = LeftToDo & {
  state: ChargeState
  connectionUuid: string
  /** ISO 8601 UTC, null where nobody could issue. */
  expiresAt: string | null
  orphans: string[]
}

/**
 * Stores the charge, then asks its candidates in order for a payload until one gives it (SPEC §2). Each candidate's
 * attempt is a row before its call. A slow candidate is overtaken: the next one is asked while its call goes on, and the
 * first payload that is stored is the charge's. Neither an unknown outcome nor a slow call stops the next provider, because
 * a payload that nobody was shown cannot be paid: the attempt becomes an orphan. Safe to repeat after a crash: the same id
 * asks again.
 */
export function issueCharge(dependencies: Dependencies) {
  return async (order: ChargeOrder): Promise<Issued> => {
    const { orm, sealer } = dependencies
    const issuing = { ...order, opened: sealer.open<ChargeDetails>(order.details) }
    const calls: Promise<Issued | null>[] = []
    for (const connectionUuid of order.candidates) {
      throwIfToEnd()
      const begun = await beginAttempt(dependencies, issuing, connectionUuid)
      if (!begun) return issuedMeanwhile(orm.em.fork(), order.uuid)
      if (begun.attempt.state !== 'calling') continue // An earlier run of this activity has its outcome.
      calls.push(issueThrough(dependencies, issuing, begun))
      const issued = await issuedOrSlow(calls)
      if (issued) return issued
    }
    const issued = await firstIssued(calls)
    if (issued) return issued
    if (await withdrawUnreachable(dependencies, order.uuid))
      throw new Error('This worker reaches none of the candidates, and another worker does')
    return inTransactionAsking(orm, em => giveUp(em, order.uuid))
  }
}

/** Asks one candidate, and stores its payload or why there is none. Null: it has not issued. */
async function issueThrough(
  dependencies: Dependencies,
  order: Issuing,
  begun: Begun,
): Promise<Issued | null> {
  const { attempt, connection, provider } = begun
  const outcome = await provider.issueCharge({
    reference: attempt.reference,
    totalCents: order.valueCents + askedFeeOf(order.valueCents, connection.fees),
    expiresInSeconds: order.expiresInSeconds,
    collectionKey: connection.collectionKey ?? null,
  })
  await tellBreaker(dependencies.orm.em.fork(), connection, outcome)
  if (outcome.kind === 'accepted')
    return inTransactionAsking(dependencies.orm, em => open(em, begun, outcome.charge))
  await leaveCandidate(dependencies, begun, outcome)
  return null
}

/**
 * Deletes the attempts of a charge if none of them left this worker while another worker reaches one of its candidates, and
 * returns whether it has: this activity is repeated then, by whichever worker is free.
 */
function withdrawUnreachable({ orm }: Dependencies, chargeUuid: string): Promise<boolean> {
  return inTransaction(orm, async em => {
    const charge = await lockCharge(em, chargeUuid)
    const attempts = await attemptsToIssue(em, chargeUuid)
    const isUnsent = attempts.length > 0 && attempts.every(({ state }) => state === 'unreachable')
    if (charge.state !== 'issuing' || !isUnsent) return false
    if (
      !(await isAnsweredElsewhere(
        em,
        attempts.map(attempt => attempt.connectionUuid),
      ))
    )
      return false
    for (const attempt of attempts) em.remove(attempt)
    return true
  })
}

/** How long a candidate issues before the next one is asked beside it; like all limits of a call it is not scaled. */
const SLOW_ISSUING_MS = 2_500

/** What one of the calls has issued; null once the last one has failed to, or is slow. */
async function issuedOrSlow(calls: Promise<Issued | null>[]): Promise<Issued | null> {
  const answered = new AbortController()
  const slow = sleep(SLOW_ISSUING_MS, null, { signal: answered.signal }).catch(() => null)
  try {
    return await Promise.race([calls.at(-1)!, firstIssued(calls), slow])
  } finally {
    answered.abort()
  }
}

/** What the first of the calls has issued; null where all have ended without. Fails with the first that fails. */
function firstIssued(calls: Promise<Issued | null>[]): Promise<Issued | null> {
  return new Promise((resolve, reject) => {
    for (const call of calls) call.then(issued => issued && resolve(issued), reject)
    Promise.all(calls).then(() => resolve(null), reject)
  })
}

/** Another run of this activity was faster. */
export async function issuedMeanwhile(em: EntityManager, chargeUuid: string): Promise<Issued> {
  const charge = await em.findOneOrFail(Charge, chargeUuid)
  return ask(em, issuedAs(charge, await attemptsToIssue(em, chargeUuid)))
}

/** The payload is there: the charge is pending from here on, carried by the connection that issued it. */
export async function open(em: EntityManager, begun: Begun, issued: IssuedCharge): Promise<Question<Issued>> {
  const { connection } = begun
  const { subjectUuid } = begun.attempt
  const [charge, attempts] = await lockAlone(em, Charge, subjectUuid, attemptsOf(em, begun.attempt))
  const attempt = attempts.find(one => one.uuid === begun.attempt.uuid)!
  if (charge.state !== 'issuing') {
    // Another run of this activity was faster: what this one was given is not what was shown.
    if (attempt.state !== 'accepted') attempt.state = 'orphan'
    return issuedAs(charge, attempts)
  }
  charge.connection = em.getReference(Connection, connection.uuid)
  charge.providerAccountUuid = connection.providerAccountUuid
  charge.feeCents = askedFeeOf(charge.valueCents, connection.fees)
  charge.totalCents = charge.valueCents + charge.feeCents
  charge.payload = issued.payload
  charge.txid = issued.txid
  charge.pixKey = issued.pixKey
  charge.receiver = partyOf(connection) ?? issued.receiver
  charge.expiresAt = new Date(issued.expiresAt)
  attempt.state = 'accepted'
  orphanTheRest(attempts)
  moveCharge(charge, 'issued', new Date())
  return issuedAs(charge, attempts)
}

/** `code` where it is none of the attempts that says why. */
export async function giveUp(
  em: EntityManager,
  chargeUuid: string,
  code?: ChargeFailure['code'],
): Promise<Question<Issued>> {
  const charge = await lockCharge(em, chargeUuid)
  const attempts = await attemptsToIssue(em, chargeUuid)
  if (charge.state !== 'issuing') return issuedAs(charge, attempts)
  orphanTheRest(attempts)
  const connections = await em.find(Connection, {
    uuid: { $in: attempts.map(attempt => attempt.connectionUuid) },
  })
  const at = new Date()
  charge.failure = {
    code: code ?? whyNobody(attempts),
    attempts: attempts.map(attempt => ({
      provider: connections.find(one => one.uuid === attempt.connectionUuid)?.provider ?? '',
      outcome: attempt.state === 'orphan' ? 'unknown' : attempt.state,
      code: attempt.code ?? '',
    })),
  }
  moveCharge(charge, 'nobody_could_issue', at)
  await announceCharge(em, charge, { at })
  return issuedAs(charge, attempts)
}

function whyNobody(attempts: Attempt[]): ChargeFailure['code'] {
  return attempts.every(attempt => attempt.state === 'rejected')
    ? 'provider_rejected'
    : 'no_provider_available'
}

function issuedAs(charge: Charge, attempts: Attempt[]): Question<Issued> {
  return heardAs(leftToDoOf(charge), left => ({
    state: charge.state,
    connectionUuid: charge.connection.uuid,
    expiresAt: charge.expiresAt?.toISOString() ?? null,
    orphans: attempts.filter(attempt => attempt.state === 'orphan').map(orphan => orphan.uuid),
    ...left,
  }))
}
