import { randomUUID } from 'node:crypto'
import { Attempt } from '../db/entities/attempt.ts'
import type { Connection } from '../db/entities/connection.ts'
import { type EntityManager, inTransaction } from '../db/orm.ts'
import type { ChargeState } from '../domain/charge.ts'
import { referenceOf } from '../domain/identifiers.ts'
import type { IssueOutcome } from '../domain/provider.ts'
import type { Dependencies } from './dependencies.ts'

/**
 * The attempts to issue a charge, each a row before its call. What may exist at a provider and is not the payload that
 * was shown is an orphan: a life of its own cancels it there (SPEC §2).
 */

/** `isRepeat`: an earlier run broke off in the middle of this call, which may have reached the provider. */
export type Begun = { attempt: Attempt; isRepeat: boolean }

/** Under the charge's lock, so that nothing is begun once it is issued; null where it is, or can not be any more. */
export function beginAttempt(
  { orm }: Dependencies,
  { chargeUuid, connection }: { chargeUuid: string; connection: Connection },
): Promise<Begun | null> {
  return inTransaction(orm, async em => {
    if ((await lockState(em, chargeUuid)) !== 'issuing') return null
    const earlier = await em.find(Attempt, { operation: 'issue', subjectUuid: chargeUuid })
    const begun = earlier.find(attempt => attempt.connectionUuid === connection.uuid)
    if (begun) return { attempt: begun, isRepeat: true }
    const attempt = em.create(Attempt, {
      uuid: randomUUID(),
      operation: 'issue',
      subjectUuid: chargeUuid,
      connectionUuid: connection.uuid,
      providerAccountUuid: connection.providerAccountUuid,
      position: earlier.length,
      reference: referenceOf(chargeUuid),
      state: 'calling',
    })
    return { attempt, isRepeat: false }
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
    await lockState(em, subjectUuid)
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

/** Calls of earlier runs that broke off and are not asked again: whatever they left is none of the charge's. */
export async function orphanTheRest(em: EntityManager, chargeUuid: string): Promise<void> {
  const all = await em.find(Attempt, { operation: 'issue', subjectUuid: chargeUuid })
  for (const attempt of all.filter(one => one.state === 'calling'))
    Object.assign(attempt, { state: 'orphan', code: 'interrupted' })
  await em.flush()
}

async function lockState(em: EntityManager, chargeUuid: string): Promise<ChargeState | undefined> {
  const [charge]: { state: ChargeState }[] = await em.execute(
    'select state from charge where uuid = ? for update',
    [chargeUuid],
  )
  return charge?.state
}
