import { setTimeout as sleep } from 'node:timers/promises'
import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import { Charge } from '../../db/entities/charge.ts'
import { Connection } from '../../db/entities/connection.ts'
import type { OperationFailure } from '../../db/entities/transfer.ts'
import { lockRow } from '../../db/locks.ts'
import { mapQuery, type Query, runQuery } from '../../db/pipeline/query.ts'
import { queryAttempts } from '../../db/repositories/attempts.ts'
import { recordCircuitResult } from '../../db/repositories/circuit-breaker.ts'
import { pendingFollowUpsOfRow } from '../../db/repositories/follow-ups.ts'
import { chargeMachine } from '../../domain/charges/charge.ts'
import { failureOf } from '../../domain/errors/error-catalogue.ts'
import { computeQuotedFeeCents } from '../../domain/ledger/money.ts'
import { referenceOf } from '../../domain/pix/identifiers.ts'
import { mayTryNext } from '../../domain/providers/fallback.ts'
import type { IssuedCharge } from '../../domain/providers/provider.ts'
import type { ChargeInput, IssueChargeResult } from '../../workflows/contracts/charges.ts'
import { recordChargeEvent } from '../events/record-event.ts'
import { throwIfCancelled } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { describeRefusal } from '../shared/attempts.ts'
import {
  getConnectionParty,
  isReachedByOtherWorkersOnly,
  UnreachedProviderError,
} from '../shared/provider-client.ts'
import { lockCharge, transition, transitionAttempt } from '../shared/transition.ts'
import {
  awaitEarlierCall,
  findIssueAttempts,
  type IssueAttempt,
  orphanCallingAttempts,
  recordIssueRefusal,
  startIssueAttempt,
} from './issue-attempts.ts'

/**
 * Issues a charge: stores it, then calls its candidates in order until one returns a payload (SPEC §2). Each attempt is
 * stored before its call. While a slow candidate's call continues the next one is called, and the first payload that is
 * stored is the charge's. Neither an unknown outcome nor a slow call stops the next provider, because a payload that no
 * payer was shown cannot be paid: such an attempt becomes an orphan. Repeatable after a crash: the call uses the same
 * id again.
 */
export function issueCharge(dependencies: ActivityDependencies) {
  return async (order: ChargeInput): Promise<IssueChargeResult> => {
    const { orm } = dependencies
    const calls: Promise<IssueChargeResult | null>[] = []
    const candidates: Connection[] = []
    for (const connectionUuid of order.candidates) {
      throwIfCancelled()
      const issueAttempt = await startIssueAttempt(dependencies, order, connectionUuid)
      if (!issueAttempt) return readIssueResult(orm.em.fork(), order.uuid)
      candidates.push(issueAttempt.connection)
      if (issueAttempt.attempt.state !== 'calling') continue // An earlier run of this activity recorded its outcome.
      calls.push(issueAtConnection(dependencies, order, issueAttempt))
      const issued = await awaitIssuedOrSlow(calls, issueAttempt.attempt)
      if (issued) return issued
    }
    const issued = await awaitFirstIssued(calls)
    if (issued) return issued
    throwIfCancelled() // The regular activity that follows a local one calls the candidates that are left.
    if (
      (await isReachedByOtherWorkersOnly(dependencies, candidates)) &&
      (await deleteUnreachedAttempts(dependencies, order.uuid))
    )
      throw new UnreachedProviderError()
    return runInTransaction(orm, em => failIssuing(em, order.uuid))
  }
}

/**
 * Calls one candidate and records its payload, or why there is none. Returns null where it has not issued, or where an
 * earlier run has recorded its call: the charge's row then has the result.
 */
async function issueAtConnection(
  dependencies: ActivityDependencies,
  order: ChargeInput,
  issueAttempt: IssueAttempt,
): Promise<IssueChargeResult | null> {
  const { attempt, connection, provider } = issueAttempt
  if (issueAttempt.isReissue && (await awaitEarlierCall(dependencies, attempt))) return null
  const outcome = await provider.issueCharge({
    reference: referenceOf(attempt.subjectUuid),
    totalCents: order.valueCents + computeQuotedFeeCents(order.valueCents, connection.fees),
    expiresInSeconds: order.expiresInSeconds,
    collectionKey: connection.collectionKey ?? null,
  })
  const recordCircuit = (of: { kind: string; code?: string }) =>
    recordCircuitResult(dependencies.orm.em.fork(), connection, { outcome: of, order: 'charge' })
  if (mayTryNext('charge', outcome)) {
    await recordCircuit(outcome)
    await recordIssueRefusal(dependencies, issueAttempt, outcome)
    return null
  }
  const issued = await runInTransaction(dependencies.orm, em =>
    recordIssuedCharge(em, issueAttempt, outcome.charge),
  )
  await recordCircuit({ kind: issued.orphans.includes(attempt.uuid) ? 'orphan' : outcome.kind })
  return issued
}

/** Deletes a charge's attempts if none left this worker; returns whether. Temporal then repeats the activity. */
function deleteUnreachedAttempts({ orm }: ActivityDependencies, chargeUuid: string): Promise<boolean> {
  return runInTransaction(orm, async em => {
    const charge = await lockCharge(em, chargeUuid)
    const attempts = await findIssueAttempts(em, chargeUuid)
    const isUnsent = attempts.length > 0 && attempts.every(({ state }) => state === 'unreachable')
    if (charge.state !== 'issuing' || !isUnsent) return false
    for (const attempt of attempts) em.remove(attempt)
    return true
  })
}

/** Time after which the next candidate is called concurrently; like all limits of a provider call it is not scaled. */
const SLOW_ISSUING_MS = 2_500

/** Returns the first result that issues; null once the call of `attempt` has ended without one or is slow. */
async function awaitIssuedOrSlow(
  calls: Promise<IssueChargeResult | null>[],
  { createdAt }: Attempt,
): Promise<IssueChargeResult | null> {
  const answered = new AbortController()
  const slowMs = Math.min(createdAt.getTime() + SLOW_ISSUING_MS - Date.now(), SLOW_ISSUING_MS)
  const slow = sleep(Math.max(0, slowMs), null, { signal: answered.signal }).catch(() => null)
  try {
    return await Promise.race([calls.at(-1)!, awaitFirstIssued(calls), slow])
  } finally {
    answered.abort()
  }
}

/** Returns the first result that issues; null once all have ended without a payload. Rejects with the first error. */
function awaitFirstIssued(calls: Promise<IssueChargeResult | null>[]): Promise<IssueChargeResult | null> {
  return new Promise((resolve, reject) => {
    for (const call of calls) call.then(issued => issued && resolve(issued), reject)
    Promise.all(calls).then(() => resolve(null), reject)
  })
}

/** Reads the result of a charge that another run of the activity has issued or failed. */
export async function readIssueResult(em: EntityManager, chargeUuid: string): Promise<IssueChargeResult> {
  const charge = await em.findOneOrFail(Charge, chargeUuid)
  return runQuery(em, queryIssueResult(charge, await findIssueAttempts(em, chargeUuid)))
}

/** Records the payload under the charge's row lock: the charge becomes pending, on the connection that issued it. */
export async function recordIssuedCharge(
  em: EntityManager,
  issueAttempt: IssueAttempt,
  issued: IssuedCharge,
): Promise<Query<IssueChargeResult>> {
  const { connection } = issueAttempt
  const { subjectUuid } = issueAttempt.attempt
  const [charge, attempts] = await lockRow(em, Charge, subjectUuid, queryAttempts(em, issueAttempt.attempt))
  const attempt = attempts.find(one => one.uuid === issueAttempt.attempt.uuid)!
  if (charge.state !== 'issuing') {
    // Another run of this activity was faster: this payload is not the one that the API showed.
    if (attempt.state !== 'accepted') transitionAttempt(attempt, 'orphaned')
    return queryIssueResult(charge, attempts)
  }
  charge.connection = em.getReference(Connection, connection.uuid)
  charge.providerAccountUuid = connection.providerAccountUuid
  charge.feeCents =
    getQuotedFeeCents(charge, issued) ?? computeQuotedFeeCents(charge.valueCents, connection.fees)
  charge.totalCents = charge.valueCents + charge.feeCents
  charge.payload = issued.payload
  charge.txid = issued.txid
  charge.pixKey = issued.pixKey
  charge.receiver = getConnectionParty(connection) ?? issued.receiver
  charge.expiresAt = new Date(issued.expiresAt)
  transitionAttempt(attempt, 'accepted')
  orphanCallingAttempts(attempts)
  transition(charge, chargeMachine, 'issued', new Date())
  return queryIssueResult(charge, attempts)
}

/**
 * Gets the fee that the payload asks for on top of the value: the fee table may have changed since it was issued. Undefined
 * of an open amount, and where the provider does not report an amount that covers the value.
 */
function getQuotedFeeCents({ valueCents }: Charge, { totalCents }: IssuedCharge): number | undefined {
  if (valueCents === 0 || totalCents === undefined || totalCents < valueCents) return undefined
  return totalCents - valueCents
}

/** Fails a charge that no provider has issued. `code`: the reason where the attempts do not give it. */
export async function failIssuing(
  em: EntityManager,
  chargeUuid: string,
  code?: 'not_found_after_restore',
): Promise<Query<IssueChargeResult>> {
  const charge = await lockCharge(em, chargeUuid)
  const attempts = await findIssueAttempts(em, chargeUuid)
  if (charge.state !== 'issuing') return queryIssueResult(charge, attempts)
  orphanCallingAttempts(attempts)
  const connections = await em.find(Connection, {
    uuid: { $in: attempts.map(attempt => attempt.connectionUuid) },
  })
  const providerOf = ({ connectionUuid }: Attempt) =>
    connections.find(one => one.uuid === connectionUuid)?.provider ?? ''
  const at = new Date()
  charge.failure = {
    ...(code ? failureOf(code) : combineIssueRefusals(attempts, providerOf)),
    attempts: attempts.map(attempt => ({
      provider: providerOf(attempt),
      outcome: attempt.state === 'orphan' ? 'unknown' : attempt.state,
      code: attempt.code ?? '',
    })),
  }
  transition(charge, chargeMachine, 'no_provider_issued', at)
  await recordChargeEvent(em, charge, { at })
  return queryIssueResult(charge, attempts)
}

/** Combines the outcomes of all attempts into one failure: the last refusal, or that a provider was not available. */
function combineIssueRefusals(
  attempts: Attempt[],
  providerOf: (attempt: Attempt) => string,
): OperationFailure {
  if (attempts.some(({ state }) => state !== 'rejected')) return failureOf('no_provider_available')
  const last = attempts.at(-1)
  return last ? { ...describeRefusal(last), provider: providerOf(last) } : failureOf('provider_rejected')
}

function queryIssueResult(charge: Charge, attempts: Attempt[]): Query<IssueChargeResult> {
  return mapQuery(pendingFollowUpsOfRow(charge), followUps => ({
    state: charge.state,
    connectionUuid: charge.connection.uuid,
    expiresAt: charge.expiresAt?.toISOString() ?? null,
    orphans: attempts.filter(attempt => attempt.state === 'orphan').map(orphan => orphan.uuid),
    ...followUps,
  }))
}
