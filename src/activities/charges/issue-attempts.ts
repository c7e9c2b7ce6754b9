import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import { Attempt } from '../../db/entities/attempt.ts'
import { Charge, Split } from '../../db/entities/charge.ts'
import type { Connection } from '../../db/entities/connection.ts'
import { batchQueries, runQuery } from '../../db/pipeline/query.ts'
import { findAttempts } from '../../db/repositories/attempts.ts'
import { queryLockedChargeState } from '../../db/repositories/charges.ts'
import { queryConnectionToCall } from '../../db/repositories/connections.ts'
import { queryIsPaused } from '../../db/repositories/pauses.ts'
import { ATTEMPT_MACHINES } from '../../domain/providers/attempt.ts'
import type { IssueChargeOutcome } from '../../domain/providers/provider.ts'
import type { ChargeInput, ChargeInputDetails } from '../../workflows/contracts/charges.ts'
import { startTimeBudget, throwIfCancelled } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { createAttempt, recordRefusedAnswer } from '../shared/attempts.ts'
import { blockedReason } from '../shared/preflight.ts'
import { type ProviderConnection, toProviderConnection } from '../shared/provider-client.ts'
import { transitionAttempt } from '../shared/transition.ts'

/**
 * Stores the attempts to issue a charge, each before its provider call. A payload that may exist at a provider and is
 * not the charge's is an orphan: a workflow of its own cancels it there (SPEC §2).
 */

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
    const earlier = state === undefined ? [] : await findIssueAttempts(em, order.uuid)
    const repeated = earlier.find(attempt => attempt.connectionUuid === connectionUuid)
    if (repeated) return { ...call, attempt: repeated, isReissue: true }
    const subject = { operation: 'issue', subjectUuid: order.uuid, position: earlier.length } as const
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
export async function awaitEarlierCall(
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
): void {
  const details = sealer.open<ChargeInputDetails>(order.details)
  const { valueCents } = order
  const charge = em.create(Charge, {
    uuid: order.uuid,
    accountUuid: order.accountUuid,
    connection,
    providerAccountUuid: connection.providerAccountUuid,
    state: 'issuing',
    valueCents,
    totalCents: valueCents,
    externalRef: details.externalRef,
    beneficiaryName: details.finalBeneficiary?.name,
    beneficiaryDocument: details.finalBeneficiary?.document,
    paymentUuid: randomUUID(),
    expiresInSeconds: order.expiresInSeconds,
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
export function orphanCallingAttempts(attempts: Attempt[]): void {
  for (const attempt of attempts.filter(one => one.state === 'calling')) {
    transitionAttempt(attempt, 'orphaned')
    attempt.code = 'interrupted'
  }
}
