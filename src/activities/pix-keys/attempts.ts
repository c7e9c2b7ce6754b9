import type { EntityManager } from '../../db/client/orm.ts'
import { Attempt } from '../../db/entities/attempt.ts'
import { PixKey } from '../../db/entities/pix-key.ts'
import { ROW_LOCK } from '../../db/locks.ts'
import { pixKeyMachine } from '../../domain/pix-keys/pix-key.ts'
import type { RejectedResult, UnreachableResult } from '../../domain/providers/provider.ts'
import type { KeyOperationResult } from '../../workflows/contracts/pix-keys.ts'
import { createAttempt, describeRefusal, recordRefusedAnswer } from '../shared/attempts.ts'
import { transition, transitionAttempt } from '../shared/transition.ts'

/** Locks a key's row and loads its connection. */
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
  return createAttempt(em, { operation, subjectUuid: row.uuid, position: 0 }, row.connection)
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

/**
 * Records that nothing was done at the provider, which refused or was not reached: the key gets the state of the event
 * and the reason.
 */
export function recordKeyRefusal(
  attempt: Attempt,
  row: PixKey,
  outcome: RejectedResult | UnreachableResult,
  event: 'refused' | 'kept',
): KeyOperationResult {
  recordRefusedAnswer(attempt, outcome)
  row.failure = { ...describeRefusal(attempt), provider: row.connection.provider }
  return { kind: 'closed', state: transition(row, pixKeyMachine, event, new Date()) }
}

/** Records that the provider may have done what was requested. */
export function recordUnknownKeyOutcome(attempt: Attempt, code: string): KeyOperationResult {
  transitionAttempt(attempt, 'unanswered')
  attempt.unknownSince ??= new Date()
  return { kind: 'unknown', code }
}
