import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import { Attempt } from '../../db/entities/attempt.ts'
import { Charge, Split } from '../../db/entities/charge.ts'
import { Connection } from '../../db/entities/connection.ts'
import type { OperationFailure } from '../../db/entities/transfer.ts'
import { lockRow } from '../../db/locks.ts'
import { batchQueries, mapQuery, type Query, runQuery } from '../../db/pipeline/query.ts'
import { findAttempts, queryAttempts } from '../../db/repositories/attempts.ts'
import { queryLockedChargeState } from '../../db/repositories/charges.ts'
import { recordCircuitResult } from '../../db/repositories/circuit-breaker.ts'
import { queryConnectionToCall } from '../../db/repositories/connections.ts'
import { queryFollowUpsOfRow } from '../../db/repositories/follow-ups.ts'
import { queryIsPaused } from '../../db/repositories/pauses.ts'
import { chargeMachine } from '../../domain/charges/charge.ts'
import { buildPayerRestriction } from '../../domain/charges/payer-restriction.ts'
import { failureOf } from '../../domain/errors/error-catalogue.ts'
import { computeQuotedFeeCents } from '../../domain/ledger/money.ts'
import { referenceOf } from '../../domain/pix/identifiers.ts'
import { ATTEMPT_MACHINES } from '../../domain/providers/attempt.ts'
import { PROVIDER_CAPABILITIES } from '../../domain/providers/capabilities.ts'
import { mayTryNext } from '../../domain/providers/fallback.ts'
import type { IssueChargeOutcome, IssuedCharge } from '../../domain/providers/provider.ts'
import type { ChargeInput, ChargeInputDetails, IssueChargeResult } from '../../workflows/contracts/charges.ts'
import { recordChargeEvent } from '../events/record-event.ts'
import { startTimeBudget, throwIfCancelled } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { blockedReason, createAttempt, describeRefusal, recordRefusedAnswer } from '../shared/attempts.ts'
import {
  getConnectionParty,
  isReachedByOtherWorkersOnly,
  type ProviderConnection,
  toProviderConnection,
  UnreachedProviderError,
} from '../shared/provider-client.ts'
import { lockCharge, transition, transitionAttempt } from '../shared/transition.ts'
import { findDebitExpiry, findPollTime, isDebit } from './debits.ts'
import { findLaterExpiry } from './revisions.ts'
import { isIssuedAsStaticCode, issueStaticCharge, storeChargeCode } from './static-charge.ts'

/**
 * Issues a charge: stores it, then calls its candidates in order until one returns a payload (SPEC §2). Each attempt is
 * stored before its call. While a slow candidate's call continues the next one is called, and the first payload that is
 * stored is the charge's. Neither an unknown outcome nor a slow call stops the next provider, because a payload that no
 * payer was shown cannot be paid: such an attempt becomes an orphan, which a workflow of its own cancels there. Repeatable
 * after a crash: the call uses the same id again.
 */
export function issueCharge(dependencies: ActivityDependencies) {
  return async (order: ChargeInput): Promise<IssueChargeResult> => {
    const { orm } = dependencies
    const calls: Promise<IssueChargeResult | null>[] = []
    const issueAttempts: RunAttempt[] = []
    for (const connectionUuid of order.candidates) {
      throwIfCancelled()
      const started = await startIssueAttempt(dependencies, order, connectionUuid)
      if (!started) return readIssueResult(orm.em.fork(), order.uuid)
      const issueAttempt = { ...started, isCalled: false }
      issueAttempts.push(issueAttempt)
      if (issueAttempt.attempt.state !== 'calling') continue // An earlier run of this activity recorded its outcome.
      calls.push(issueAtConnection(dependencies, order, issueAttempt))
      const issued = await awaitIssuedOrSlow(calls, issueAttempt.attempt)
      if (issued) return issued
    }
    const issued = await awaitFirstIssued(calls)
    if (issued) return issued
    throwIfCancelled() // The regular activity that follows a local one calls the candidates that are left.
    // What an earlier run could not reach, this one has not called: the worker of that run may reach less.
    const isUncalled = issueAttempts.some(({ isReissue, isCalled }) => isReissue && !isCalled)
    const candidates = issueAttempts.map(({ connection }) => connection)
    if (
      (isUncalled || (await isReachedByOtherWorkersOnly(dependencies, candidates))) &&
      (await deleteUnreachedAttempts(dependencies, order.uuid, issueAttempts))
    )
      throw new UnreachedProviderError()
    return runInTransaction(orm, em => failIssuing(em, order.uuid))
  }
}

/** `isCalled`: this run of the activity has made the call. */
type RunAttempt = IssueAttempt & { isCalled: boolean }

/**
 * Calls one candidate and records its payload, or why there is none. Returns null where it has not issued, or where an
 * earlier run has recorded its call: the charge's row then has the result.
 */
async function issueAtConnection(
  dependencies: ActivityDependencies,
  order: ChargeInput,
  issueAttempt: RunAttempt,
): Promise<IssueChargeResult | null> {
  const { attempt, connection, provider } = issueAttempt
  if (issueAttempt.isReissue && (await awaitEarlierCall(dependencies, attempt))) return null
  issueAttempt.isCalled = true
  const isStatic = isIssuedAsStaticCode(order.valueCents, connection)
  const outcome = isStatic
    ? await issueStaticCharge(dependencies.orm.em.fork(), order, connection)
    : await provider.issueCharge({
        reference: referenceOf(attempt.subjectUuid),
        totalCents: order.valueCents + computeQuotedFeeCents(order.valueCents, connection.fees),
        expiresInSeconds: order.expiresInSeconds,
        collectionKey: connection.collectionKey ?? null,
        ...describeDetails(connection, dependencies.sealer.open<ChargeInputDetails>(order.details)),
      })
  const recordCircuit = async (of: { kind: string; code?: string }) => {
    if (!isStatic)
      await recordCircuitResult(dependencies.orm.em.fork(), connection, { outcome: of, order: 'charge' })
  }
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

/**
 * Describes to a provider what the payer is shown, when the charge is due, who is to pay and, where the provider can refuse others, who
 * may; an order of an earlier release has none of it.
 */
export function describeDetails(
  { dialect }: Connection,
  {
    due,
    message,
    additionalInfo,
    debtor,
    isSenderVerified = false,
    payerKind,
    payerMatch,
  }: ChargeInputDetails,
) {
  const canLock = PROVIDER_CAPABILITIES[dialect].locksPayer === 'charge'
  const restriction = buildPayerRestriction({
    isSenderVerified,
    debtorDocument: debtor?.document,
    kind: payerKind,
    match: payerMatch,
  })
  return {
    ...(due && { due }),
    ...(message !== undefined && { message }),
    ...(additionalInfo && { additionalInfo }),
    ...(debtor && { debtor }),
    ...(canLock && restriction && { restriction }),
  }
}

/**
 * Deletes a charge's attempts unless one may have reached its provider; returns whether none has, or another run has deleted those of
 * this one. Temporal then repeats the activity.
 */
function deleteUnreachedAttempts(
  { orm }: ActivityDependencies,
  chargeUuid: string,
  issueAttempts: IssueAttempt[],
): Promise<boolean> {
  return runInTransaction(orm, async em => {
    const charge = await lockCharge(em, chargeUuid)
    const attempts = await findIssueAttempts(em, chargeUuid)
    if (charge.state !== 'issuing') return false
    const hasOwn = issueAttempts.some(({ attempt }) => attempts.some(({ uuid }) => uuid === attempt.uuid))
    if (!hasOwn) return true
    if (!attempts.every(({ state }) => state === 'unreachable')) return false
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
  charge.payload = charge.debitOn == null ? issued.payload : ''
  charge.txid = issued.txid
  charge.pixKey = issued.pixKey
  charge.receiver = getConnectionParty(connection) ?? issued.receiver
  charge.expiresAt = issued.expiresAt === null ? null : new Date(issued.expiresAt)
  if (charge.due) charge.expiresAt = findLaterExpiry(charge.due, issued.expiresAt)
  if (isDebit(charge)) charge.expiresAt = await findDebitExpiry(em, charge)
  if (isIssuedAsStaticCode(charge.valueCents, connection)) storeChargeCode(em, charge, issued)
  attempt.providerRef = issued.ref ?? null
  transitionAttempt(attempt, 'accepted')
  orphanCallingAttempts(attempts)
  transition(charge, chargeMachine, 'issued', new Date())
  return queryIssueResult(charge, attempts)
}

/**
 * Gets the fee that the payload asks for on top of the value: the fee table may have changed since it was issued. Undefined
 * of an open amount, and where the provider does not report an amount that covers the value.
 */
function getQuotedFeeCents(
  { valueCents, debitOn, feeCents }: Charge,
  { totalCents }: IssuedCharge,
): number | undefined {
  if (debitOn != null) return feeCents
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
  return mapQuery(queryFollowUpsOfRow(charge), followUps => ({
    state: charge.state,
    connectionUuid: charge.connection.uuid,
    expiresAt: findPollTime(charge)?.toISOString() ?? null,
    ...(charge.qrCodeUuid && { isStatic: true as const }),
    orphans: attempts.filter(attempt => attempt.state === 'orphan').map(orphan => orphan.uuid),
    ...followUps,
  }))
}

/** `isReissue`: an earlier run has not recorded the outcome of this call, which may have reached the provider. */
export type IssueAttempt = ProviderConnection & { attempt: Attempt; isReissue: boolean }

/**
 * Starts the attempt to issue a charge through one connection, under the charge's row lock, so that no attempt starts
 * after the charge is issued. Returns null where it is issued or has failed. The charge itself is stored with its first
 * attempt. An attempt through a blocked connection is stored as ended, with the reason. `wasCalled`: an earlier run has made the
 * call, whose attempt is missing.
 */
export function startIssueAttempt(
  dependencies: ActivityDependencies,
  order: ChargeInput,
  connectionUuid: string,
  { wasCalled = false } = {},
): Promise<IssueAttempt | null> {
  return runInTransaction(dependencies.orm, async em => {
    const [state, connectionToCall, isPaused] = await runQuery(
      em,
      batchQueries(
        queryLockedChargeState(order.uuid),
        queryConnectionToCall(em, connectionUuid),
        queryIsPaused(connectionUuid, 'in'),
      ),
    )
    const call = toProviderConnection(dependencies, connectionToCall)
    const { connection } = call
    if (state === undefined) storeCharge(dependencies, em, order, connection)
    else if (state !== 'issuing') return null
    const earlierAttempts = state === undefined ? [] : await findIssueAttempts(em, order.uuid)
    const repeatedAttempt = earlierAttempts.find(attempt => attempt.connectionUuid === connectionUuid)
    if (repeatedAttempt) return { ...call, attempt: repeatedAttempt, isReissue: true }
    const subject = { operation: 'issue', subjectUuid: order.uuid, position: earlierAttempts.length } as const
    const attempt = createAttempt(em, subject, connection)
    const blocked = wasCalled ? null : blockedReason('issue', connection, { isPaused })
    if (blocked) recordRefusedAnswer(attempt, blocked)
    return { ...call, attempt, isReissue: false }
  })
}

/** Longest time from storing an attempt until its call is recorded: the timeout of a call (src/worker.ts) and a margin. */
const CALL_IN_PROGRESS_MS = 5_000
const POLL_INTERVAL_MS = 200

/**
 * Waits for the call of an earlier run, which may still be in progress: a local activity that is too slow continues
 * after the regular one has started. Returns whether its outcome was recorded; if not, its worker has ended.
 */
async function awaitEarlierCall(
  { orm }: ActivityDependencies,
  { uuid, createdAt }: Attempt,
): Promise<boolean> {
  const waitMs = Math.min(createdAt.getTime() + CALL_IN_PROGRESS_MS - Date.now(), CALL_IN_PROGRESS_MS)
  for (const hasTime = startTimeBudget(waitMs); hasTime(); await sleep(POLL_INTERVAL_MS)) {
    const attempt = await orm.em.fork().findOne(Attempt, uuid)
    if (attempt?.state !== 'calling') return true
  }
  throwIfCancelled()
  return false
}

/** Finds the attempts to issue a charge, in the order in which they were made. */
export function findIssueAttempts(em: EntityManager, chargeUuid: string): Promise<Attempt[]> {
  return findAttempts(em, { operation: 'issue', subjectUuid: chargeUuid })
}

/** Stores a charge's row and its splits. `at`: when it was ordered. */
export function storeCharge(
  { sealer }: ActivityDependencies,
  em: EntityManager,
  order: ChargeInput,
  connection: Connection,
  at = new Date(),
): Charge {
  const details = sealer.open<ChargeInputDetails>(order.details)
  const { valueCents, debit } = order
  const charge = em.create(Charge, {
    uuid: order.uuid,
    accountUuid: order.accountUuid,
    connection,
    providerAccountUuid: connection.providerAccountUuid,
    state: 'issuing',
    valueCents,
    feeCents: debit?.feeCents ?? 0,
    totalCents: valueCents + (debit?.feeCents ?? 0),
    externalRef: details.externalRef,
    beneficiaryName: details.finalBeneficiary?.name,
    beneficiaryDocument: details.finalBeneficiary?.document,
    debtorName: details.debtor?.name ?? null,
    debtorDocument: details.debtor?.document ?? null,
    debtorEmail: details.debtor?.email ?? null,
    debtorAddress: details.debtor?.address ?? null,
    isSenderVerified: details.isSenderVerified ?? false,
    payerKind: details.payerKind ?? null,
    payerMatch: details.payerMatch ?? null,
    paymentUuid: randomUUID(),
    due: details.due ?? null,
    recurrenceUuid: debit?.recurrenceUuid ?? null,
    cycle: debit?.cycle ?? null,
    debitOn: debit?.dueOn ?? null,
    message: details.message ?? null,
    additionalInfo: details.additionalInfo ?? [],
    metadata: details.metadata ?? {},
    // The payload expires by its due date, and a debit has none.
    expiresInSeconds: details.due || debit ? null : order.expiresInSeconds,
    history: [],
    requestId: order.requestId,
    tokenNumber: order.tokenNumber ?? null,
    userUuid: order.userUuid ?? null,
    fingerprint: details.fingerprint,
    createdAt: at,
    updatedAt: at,
  })
  details.splits.forEach((split, position) => {
    em.create(Split, {
      uuid: randomUUID(),
      charge,
      position,
      type: split.type,
      amount: split.amount,
      recipient: split.recipientAccountUuid,
      status: 'PENDING',
    })
  })
  return charge
}

/**
 * Records why this candidate returned no payload. A refusal of a repeated call proves nothing about the call before it,
 * so the attempt becomes an orphan. An outcome that another run of the activity has recorded stays, unless it proves nothing
 * about this call, which may have made a payload: a run that stood still may record after its repeat has called.
 */
export function recordIssueRefusal(
  { orm }: ActivityDependencies,
  { attempt: { uuid, subjectUuid }, isReissue }: IssueAttempt,
  outcome: Exclude<IssueChargeOutcome, { kind: 'accepted' }>,
): Promise<void> {
  return runInTransaction(orm, async em => {
    await runQuery(em, queryLockedChargeState(subjectUuid))
    const attempt = await em.findOneOrFail(Attempt, uuid)
    const isUnknown = outcome.kind === 'unknown'
    const isRecorded = attempt.state !== 'calling'
    if (isRecorded && !(isUnknown && ATTEMPT_MACHINES.issue.accepts(attempt.state, 'orphaned'))) return
    recordRefusedAnswer(attempt, outcome, isReissue || isUnknown ? 'orphaned' : undefined)
  })
}

/** Marks attempts that are still calling as orphans: interrupted or slower calls, whose payload is not the charge's. */
function orphanCallingAttempts(attempts: Attempt[]): void {
  for (const attempt of attempts.filter(one => one.state === 'calling')) {
    transitionAttempt(attempt, 'orphaned')
    attempt.code = 'interrupted'
  }
}
