import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../../db/client/orm.ts'
import { Attempt } from '../../db/entities/attempt.ts'
import { PixKey } from '../../db/entities/pix-key.ts'
import { ROW_LOCK } from '../../db/locks.ts'
import { referenceOf } from '../../domain/pix/identifiers.ts'
import type { CreateKeyOutcome } from '../../domain/providers/provider.ts'
import type { KeyOperationResult } from '../../workflows/contracts/pix-keys.ts'
import { describeRefusal } from '../payouts/record-outcome.ts'

/** Locks a key's row and loads its connection. Creating and deleting a key share the functions of this file. */

export async function lockPixKey(em: EntityManager, uuid: string): Promise<PixKey> {
  const pixKey = await em.findOneOrFail(PixKey, uuid, { ...ROW_LOCK, refresh: true })
  await em.populate(pixKey, ['connection'])
  return pixKey
}

type KeyOperation = 'create_key' | 'delete_key'

export function findKeyAttempt(
  em: EntityManager,
  row: PixKey,
  operation: KeyOperation,
): Promise<Attempt | null> {
  return em.findOne(Attempt, { operation, subjectUuid: row.uuid, connectionUuid: row.connection.uuid })
}

export function createKeyAttempt(em: EntityManager, row: PixKey, operation: KeyOperation): Attempt {
  return em.create(Attempt, {
    uuid: randomUUID(),
    operation,
    subjectUuid: row.uuid,
    connectionUuid: row.connection.uuid,
    providerAccountUuid: row.providerAccountUuid,
    credentialsEpoch: row.connection.credentialsEpoch,
    position: 0,
    reference: referenceOf(row.uuid),
    state: 'calling',
  })
}

/**
 * Deletes the attempt of a call that could not leave this worker, unless a later call has replaced it: any worker makes the
 * call again, as the first one.
 */
export async function deleteUnsentKeyAttempt(
  em: EntityManager,
  { uuid, operation, calledAt }: { uuid: string; operation: KeyOperation; calledAt: Date },
): Promise<KeyOperationResult> {
  const attempt = await findKeyAttempt(em, await lockPixKey(em, uuid), operation)
  const isOpen = attempt?.state === 'calling' || attempt?.state === 'unknown'
  if (isOpen && attempt.calledAt?.getTime() === calledAt.getTime()) em.remove(attempt)
  return { kind: 'not_started' }
}

/** Records that nothing was done at the provider: it refused, or the request was not sent. */
export function recordKeyRefusal(
  attempt: Attempt,
  outcome: Extract<CreateKeyOutcome, { kind: 'rejected' | 'unreachable' }>,
): void {
  attempt.state = outcome.kind
  attempt.code = outcome.code
  attempt.message = outcome.message
  attempt.unknownSince = null
  attempt.nextCheckAt = null
  if (outcome.kind !== 'rejected') return
  attempt.finality = outcome.finality
  attempt.providerCode = outcome.providerCode ?? null
}

export function describeKeyFailure(attempt: Attempt, row: PixKey): NonNullable<PixKey['failure']> {
  return { ...describeRefusal(attempt), provider: row.connection.provider }
}
