import { randomUUID } from 'node:crypto'
import { attemptsAt } from '../db/attempts.ts'
import { connectionToCall } from '../db/connections.ts'
import { Attempt } from '../db/entities/attempt.ts'
import { Charge, Split } from '../db/entities/charge.ts'
import type { Connection } from '../db/entities/connection.ts'
import { type EntityManager, inTransaction } from '../db/orm.ts'
import { isPaused } from '../db/pauses.ts'
import { all, ask, type Question, question } from '../db/questions.ts'
import type { ChargeState } from '../domain/charge.ts'
import { referenceOf } from '../domain/identifiers.ts'
import type { IssueOutcome } from '../domain/provider.ts'
import type { ChargeDetails, ChargeOrder } from '../workflows/messages.ts'
import { whyBarred } from './barred.ts'
import { type Reached, reached } from './connections.ts'
import type { Dependencies } from './dependencies.ts'

/**
 * The attempts to issue a charge, each a row before its call. What may exist at a provider and is not the payload that
 * was shown is an orphan: a life of its own cancels it there (SPEC §2).
 */

/** `isRepeat`: an earlier run broke off in the middle of this call, which may have reached the provider. */
export type Begun = Reached & { attempt: Attempt; isRepeat: boolean }

/** A charge to issue, with what its order carries sealed. */
export type Issuing = ChargeOrder & { opened: ChargeDetails }

/**
 * Under the charge's lock, so that nothing is begun once it is issued; null where it is, or can not be any more. The
 * charge itself is written with its first attempt. One through a connection that may begin nothing now is over at once.
 */
export function beginAttempt(
  dependencies: Dependencies,
  order: Issuing,
  connectionUuid: string,
): Promise<Begun | null> {
  return inTransaction(dependencies.orm, async em => {
    const [state, called, paused] = await ask(
      em,
      all(lockedState(order.uuid), connectionToCall(em, connectionUuid), isPaused(connectionUuid, 'in')),
    )
    const by = reached(dependencies, called)
    const { connection } = by
    if (state === undefined) storeCharge(em, order, connection)
    else if (state !== 'issuing') return null
    const earlier = state === undefined ? [] : await attemptsToIssue(em, order.uuid)
    const begun = earlier.find(attempt => attempt.connectionUuid === connectionUuid)
    if (begun) return { ...by, attempt: begun, isRepeat: true }
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
      ...(!order.restored && whyBarred('issue', connection, { isPaused: paused })),
    })
    return { ...by, attempt, isRepeat: false }
  })
}

/** The attempts to issue a charge, in the order of trying. */
export function attemptsToIssue(em: EntityManager, chargeUuid: string): Promise<Attempt[]> {
  return attemptsAt(em, { operation: 'issue', subjectUuid: chargeUuid })
}

/** Writes the charge, its splits and nothing else. */
export function storeCharge(em: EntityManager, order: Issuing, connection: Connection): void {
  const { opened: details, valueCents } = order
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
export function leaveCandidate(
  { orm }: Dependencies,
  { attempt: { uuid, subjectUuid }, isRepeat }: Begun,
  outcome: Exclude<IssueOutcome, { kind: 'accepted' }>,
): Promise<void> {
  return inTransaction(orm, async em => {
    await ask(em, lockedState(subjectUuid))
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
export function orphanTheRest(attempts: Attempt[]): void {
  for (const attempt of attempts.filter(one => one.state === 'calling'))
    Object.assign(attempt, { state: 'orphan', code: 'interrupted' })
}

/** Where a charge stands, its row locked from then on; undefined where there is none yet. */
function lockedState(chargeUuid: string): Question<ChargeState | undefined> {
  const sql = 'select state from charge where uuid = ? for no key update'
  return question(sql, [chargeUuid], ([charge]) => charge?.state as ChargeState | undefined)
}
