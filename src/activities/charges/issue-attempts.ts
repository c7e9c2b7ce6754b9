import { randomUUID } from 'node:crypto'
import { type EntityManager, runInTransaction } from '../../db/client/orm.ts'
import { Attempt } from '../../db/entities/attempt.ts'
import { Charge, Split } from '../../db/entities/charge.ts'
import type { Connection } from '../../db/entities/connection.ts'
import { batchQueries, type Query, query, runQuery } from '../../db/pipeline/query.ts'
import { findAttempts } from '../../db/repositories/attempts.ts'
import { queryConnectionToCall } from '../../db/repositories/connections.ts'
import { queryIsPaused } from '../../db/repositories/pauses.ts'
import type { ChargeState } from '../../domain/charges/charge.ts'
import { referenceOf } from '../../domain/pix/identifiers.ts'
import type { IssueChargeOutcome } from '../../domain/providers/provider.ts'
import type { ChargeInput, ChargeInputDetails } from '../../workflows/contracts/messages.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { blockedReason } from '../shared/preflight.ts'
import { type ProviderConnection, toProviderConnection } from '../shared/provider-client.ts'

/**
 * The attempts to issue a charge, each a row before its call. What may exist at a provider and is not the payload that
 * was shown is an orphan: a life of its own cancels it there (SPEC §2).
 */

/** `isRepeat`: an earlier run broke off in the middle of this call, which may have reached the provider. */
export type IssueAttempt = ProviderConnection & { attempt: Attempt; isReissue: boolean }

/** A charge to issue, with what its order carries sealed. */
export type UnsealedChargeOrder = ChargeInput & { unsealedDetails: ChargeInputDetails }

/**
 * Under the charge's lock, so that nothing is begun once it is issued; null where it is, or can not be any more. The
 * charge itself is written with its first attempt. One through a connection that may begin nothing now is over at once.
 */
export function startIssueAttempt(
  dependencies: ActivityDependencies,
  order: UnsealedChargeOrder,
  connectionUuid: string,
): Promise<IssueAttempt | null> {
  return runInTransaction(dependencies.orm, async em => {
    const [state, called, paused] = await runQuery(
      em,
      batchQueries(
        queryLockedChargeState(order.uuid),
        queryConnectionToCall(em, connectionUuid),
        queryIsPaused(connectionUuid, 'in'),
      ),
    )
    const by = toProviderConnection(dependencies, called)
    const { connection } = by
    if (state === undefined) storeCharge(em, order, connection)
    else if (state !== 'issuing') return null
    const earlier = state === undefined ? [] : await findIssueAttempts(em, order.uuid)
    const begun = earlier.find(attempt => attempt.connectionUuid === connectionUuid)
    if (begun) return { ...by, attempt: begun, isReissue: true }
    const attempt = em.create(Attempt, {
      uuid: randomUUID(),
      operation: 'issue',
      subjectUuid: order.uuid,
      connectionUuid,
      providerAccountUuid: connection.providerAccountUuid,
      credentialsEpoch: connection.credentialsEpoch,
      position: earlier.length,
      reference: referenceOf(order.uuid),
      state: 'calling',
      // What is found again after a restore was issued long ago, and is only looked for.
      ...(!order.restored && blockedReason('issue', connection, { isPaused: paused })),
    })
    return { ...by, attempt, isReissue: false }
  })
}

/** The attempts to issue a charge, in the order of trying. */
export function findIssueAttempts(em: EntityManager, chargeUuid: string): Promise<Attempt[]> {
  return findAttempts(em, { operation: 'issue', subjectUuid: chargeUuid })
}

/** Writes the charge, its splits and nothing else. */
export function storeCharge(em: EntityManager, order: UnsealedChargeOrder, connection: Connection): void {
  const { unsealedDetails: details, valueCents } = order
  const at = new Date(order.restored?.orderedAt ?? Date.now())
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
    })
  })
}

/**
 * Keeps why there is no payload from this candidate. A no to a repeat says nothing about the call before it, and what
 * another run of the same activity has learned meanwhile stays.
 */
export function recordIssueRefusal(
  { orm }: ActivityDependencies,
  { attempt: { uuid, subjectUuid }, isReissue: isRepeat }: IssueAttempt,
  outcome: Exclude<IssueChargeOutcome, { kind: 'accepted' }>,
): Promise<void> {
  return runInTransaction(orm, async em => {
    await runQuery(em, queryLockedChargeState(subjectUuid))
    const attempt = await em.findOneOrFail(Attempt, uuid)
    if (attempt.state !== 'calling') return
    attempt.state = isRepeat || outcome.kind === 'unknown' ? 'orphan' : outcome.kind
    attempt.code = outcome.code
    attempt.message = outcome.message
    if (outcome.kind === 'rejected') {
      attempt.finality = outcome.finality
      attempt.providerCode = outcome.providerCode
    }
  })
}

/** Calls of earlier runs that broke off, and calls that were overtaken: whatever they leave is none of the charge's. */
export function orphanCallingAttempts(attempts: Attempt[]): void {
  for (const attempt of attempts.filter(one => one.state === 'calling'))
    Object.assign(attempt, { state: 'orphan', code: 'interrupted' })
}

/** Where a charge stands, its row locked from then on; undefined where there is none yet. */
function queryLockedChargeState(chargeUuid: string): Query<ChargeState | undefined> {
  const sql = 'select state from charge where uuid = ? for no key update'
  return query(sql, [chargeUuid], ([charge]) => charge?.state as ChargeState | undefined)
}
