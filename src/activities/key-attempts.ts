import { randomUUID } from 'node:crypto'
import { Attempt } from '../db/entities/attempt.ts'
import { PixKey } from '../db/entities/pix-key.ts'
import { ALONE } from '../db/lock.ts'
import type { EntityManager } from '../db/orm.ts'
import { referenceOf } from '../domain/identifiers.ts'
import { pixKey as life, type PixKeyEvent, type PixKeyState } from '../domain/pix-key.ts'
import type { CreateKeyOutcome } from '../domain/provider.ts'
import { refusalOf } from './outcomes.ts'

/** A key under its lock, its one step, and the attempts at it: making it and removing it have these in common. */

export async function lockPixKey(em: EntityManager, uuid: string): Promise<PixKey> {
  const pixKey = await em.findOneOrFail(PixKey, uuid, { ...ALONE, refresh: true })
  await em.populate(pixKey, ['connection'])
  return pixKey
}

export function movePixKey(row: PixKey, event: PixKeyEvent): PixKeyState {
  row.state = life.next(row.state, event)
  row.updatedAt = new Date()
  return row.state
}

type KeyOperation = 'create_key' | 'delete_key'

export function attemptAt(em: EntityManager, row: PixKey, operation: KeyOperation): Promise<Attempt | null> {
  return em.findOne(Attempt, { operation, subjectUuid: row.uuid, connectionUuid: row.connection.uuid })
}

export function newAttempt(em: EntityManager, row: PixKey, operation: KeyOperation): Attempt {
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

/** Nothing was done, by the provider's definite word or because nothing left. */
export function leave(
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

export function failureOf(attempt: Attempt, row: PixKey): NonNullable<PixKey['failure']> {
  return { ...refusalOf(attempt), provider: row.connection.provider }
}
