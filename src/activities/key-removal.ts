import { tellBreaker } from '../db/breaker.ts'
import type { Attempt } from '../db/entities/attempt.ts'
import { PixKey } from '../db/entities/pix-key.ts'
import { type EntityManager, inTransaction } from '../db/orm.ts'
import { isInUse } from '../db/pix-keys.ts'
import { REFUSALS } from '../domain/errors.ts'
import { normalizedPixKey } from '../domain/pix-key.ts'
import type { DeleteKeyOutcome } from '../domain/provider.ts'
import { scaled } from '../domain/waits.ts'
import { reach } from './connections.ts'
import { isOfEpoch } from './credentials-epoch.ts'
import type { Dependencies } from './dependencies.ts'
import { attemptAt, failureOf, leave, lockPixKey, movePixKey, newAttempt } from './key-attempts.ts'
import { doubt } from './outcomes.ts'
import type { KeyQuestion, KeyTold } from './pix-keys.ts'

/** Has its provider remove a key. Removing twice is removing once, so a broken-off removal may be asked for again. */
export function deleteKey(dependencies: Dependencies) {
  return async ({ uuid }: { uuid: string }): Promise<KeyTold> => {
    const { orm, timeScale } = dependencies
    const told = await inTransaction(orm, tx => begin(tx, uuid))
    if (told.kind !== 'call') return told
    const em = orm.em.fork()
    const { key, connection: by } = await em.findOneOrFail(PixKey, uuid)
    const { connection, provider } = await reach(dependencies, em, by.uuid)
    const outcome = await provider.deleteKey(key!)
    await tellBreaker(em, connection, outcome)
    return inTransaction(orm, tx => keep(tx, { uuid, outcome, before: told.before, timeScale }))
  }
}

/** Whether its provider's list still has a key that is being removed. */
export function askKeyRemoval(dependencies: Dependencies) {
  return async ({ uuid, asked }: KeyQuestion): Promise<KeyTold> => {
    const { orm, timeScale } = dependencies
    const em = orm.em.fork()
    const { connection: by } = await em.findOneOrFail(PixKey, uuid)
    const { connection, provider } = await reach(dependencies, em, by.uuid)
    const listed = await provider.listKeys()
    await tellBreaker(em, connection, listed)
    return inTransaction(orm, async tx => {
      const row = await lockPixKey(tx, uuid)
      if (row.state !== 'removing') return row.state === 'active' ? { kind: 'still_there' } : over(row)
      const attempt = (await attemptAt(tx, row, 'delete_key'))!
      doubt(attempt, { asked, timeScale })
      if (listed.kind === 'no_answer') return { kind: 'unknown', code: listed.code }
      if (listed.keys.some(one => normalizedPixKey(one.key) === row.key)) return { kind: 'still_there' }
      return keep(tx, { uuid, outcome: { kind: 'not_found' }, before: null, timeScale })
    })
  }
}

/** When the last call before this one was made, of those that may still arrive. */
type Before = { before: Date | null }

/** What was answered before, or leave to call. */
async function begin(em: EntityManager, uuid: string): Promise<KeyTold | ({ kind: 'call' } & Before)> {
  const row = await lockPixKey(em, uuid)
  if (row.state !== 'active' && row.state !== 'removing') return over(row)
  const isRepeat = row.state === 'removing'
  if (!isRepeat) {
    row.failure = null
    if (await isInUse(em, row)) {
      row.failure = { code: 'key_in_use', message: REFUSALS.key_in_use.message }
      return over(row)
    }
    movePixKey(row, 'removal_asked')
  }
  const attempt = (await attemptAt(em, row, 'delete_key')) ?? newAttempt(em, row, 'delete_key')
  if (!isRepeat) attempt.credentialsEpoch = row.connection.credentialsEpoch
  Object.assign(attempt, { state: 'calling', code: null, message: null, providerCode: null, finality: null })
  // An older worker kept only since when it is unknown.
  const before = isRepeat ? (attempt.calledAt ?? attempt.unknownSince ?? attempt.updatedAt) : null
  if (isRepeat) attempt.unknownSince ??= new Date()
  attempt.calledAt = new Date()
  return { kind: 'call', before }
}

type Said = Before & { uuid: string; outcome: DeleteKeyOutcome; timeScale: number }

/** Keeps what a provider said, as far as that says anything. */
async function keep(em: EntityManager, { uuid, outcome, before, timeScale }: Said): Promise<KeyTold> {
  const row = await lockPixKey(em, uuid)
  if (row.state !== 'removing') return over(row)
  const attempt = (await attemptAt(em, row, 'delete_key'))!
  // What another account does not have may still be there, at the one that was asked to remove it.
  if (outcome.kind === 'not_found' && !isOfEpoch(attempt, row.connection)) {
    attempt.state = 'unknown'
    attempt.unknownSince ??= new Date()
    return { kind: 'unknown', code: 'credentials_changed' }
  }
  switch (outcome.kind) {
    case 'deleted':
    case 'not_found':
      Object.assign(attempt, { state: 'accepted', unknownSince: null, nextCheckAt: null })
      movePixKey(row, 'removed')
      return over(row)
    case 'rejected':
      if (!before || !mayStillArrive(before, row, timeScale)) return kept(attempt, row, outcome)
      attempt.calledAt = before
      break
    case 'unreachable':
      if (!before) return kept(attempt, row, outcome)
      attempt.calledAt = before
  }
  attempt.state = 'unknown'
  attempt.unknownSince ??= new Date()
  return { kind: 'unknown', code: outcome.code }
}

/** What is said of a repeat is no word about the call before it, which may arrive as long as its settle window is open. */
function mayStillArrive(calledAt: Date, { connection }: PixKey, timeScale: number): boolean {
  return Date.now() < calledAt.getTime() + scaled(connection.settleWindowMs, timeScale)
}

/** Its provider refused, or was never reached: the key stays, and why. */
function kept(attempt: Attempt, row: PixKey, outcome: Parameters<typeof leave>[1]): KeyTold {
  leave(attempt, outcome)
  row.failure = failureOf(attempt, row)
  movePixKey(row, 'kept')
  return over(row)
}

function over({ state }: PixKey): KeyTold {
  return { kind: 'over', state }
}
