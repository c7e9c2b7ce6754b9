import { type EntityManager, runInTransaction } from '../../db/client/orm.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import { PixKey } from '../../db/entities/pix-key.ts'
import { recordCircuitResult } from '../../db/repositories/circuit-breaker.ts'
import { isPixKeyInUse } from '../../db/repositories/pix-keys.ts'
import { ERROR_CATALOGUE } from '../../domain/errors/error-catalogue.ts'
import { normalizePixKey } from '../../domain/pix-keys/pix-key.ts'
import type { DeleteKeyOutcome } from '../../domain/providers/provider.ts'
import { scaleWait } from '../../domain/shared/intervals.ts'
import { markUnknown } from '../payouts/record-outcome.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { hasSameCredentialsEpoch } from '../shared/credentials-epoch.ts'
import { loadProviderConnection } from '../shared/provider-client.ts'
import {
  createKeyAttempt,
  describeKeyFailure,
  findKeyAttempt,
  lockPixKey,
  recordKeyRefusal,
  transitionPixKey,
} from './attempts.ts'
import type { KeyOperationResult, PollPixKeyInput } from './create.ts'

/** Has its provider remove a key. Removing twice is removing once, so a broken-off removal may be asked for again. */
export function deleteKey(dependencies: ActivityDependencies) {
  return async ({ uuid }: { uuid: string }): Promise<KeyOperationResult> => {
    const { orm, timeScale } = dependencies
    const told = await runInTransaction(orm, tx => prepareKeyRemoval(tx, uuid))
    if (told.kind !== 'call') return told
    const em = orm.em.fork()
    const { key, connection: by } = await em.findOneOrFail(PixKey, uuid)
    const { connection, provider } = await loadProviderConnection(dependencies, em, by.uuid)
    const outcome = await provider.deleteKey(key!)
    await recordCircuitResult(em, connection, outcome)
    return runInTransaction(orm, tx =>
      recordKeyRemoval(tx, { uuid, outcome, calledBeforeAt: told.calledBeforeAt, timeScale }),
    )
  }
}

/** Whether its provider's list still has a key that is being removed. */
export function pollPixKeyRemoval(dependencies: ActivityDependencies) {
  return async ({ uuid, pollCount: asked }: PollPixKeyInput): Promise<KeyOperationResult> => {
    const { orm, timeScale } = dependencies
    const em = orm.em.fork()
    const { connection: by } = await em.findOneOrFail(PixKey, uuid)
    const { connection, provider } = await loadProviderConnection(dependencies, em, by.uuid)
    const listed = await provider.listKeys()
    await recordCircuitResult(em, connection, listed)
    return runInTransaction(orm, async tx => {
      const row = await lockPixKey(tx, uuid)
      if (row.state !== 'removing') return row.state === 'active' ? { kind: 'still_there' } : toKeyResult(row)
      const attempt = (await findKeyAttempt(tx, row, 'delete_key'))!
      markUnknown(attempt, { pollCount: asked, timeScale })
      if (listed.kind === 'no_answer') return { kind: 'unknown', code: listed.code }
      if (listed.keys.some(one => normalizePixKey(one.key) === row.key)) return { kind: 'still_there' }
      return recordKeyRemoval(tx, { uuid, outcome: { kind: 'not_found' }, calledBeforeAt: null, timeScale })
    })
  }
}

/** When the last call before this one was made, of those that may still arrive. */
type EarlierCall = { calledBeforeAt: Date | null }

/** What was answered before, or leave to call. */
async function prepareKeyRemoval(
  em: EntityManager,
  uuid: string,
): Promise<KeyOperationResult | ({ kind: 'call' } & EarlierCall)> {
  const row = await lockPixKey(em, uuid)
  if (row.state !== 'active' && row.state !== 'removing') return toKeyResult(row)
  const isRepeat = row.state === 'removing'
  if (!isRepeat) {
    row.failure = null
    if (await isPixKeyInUse(em, row)) {
      row.failure = { code: 'key_in_use', message: ERROR_CATALOGUE.key_in_use.message }
      return toKeyResult(row)
    }
    transitionPixKey(row, 'removal_requested')
  }
  const attempt = (await findKeyAttempt(em, row, 'delete_key')) ?? createKeyAttempt(em, row, 'delete_key')
  if (!isRepeat) attempt.credentialsEpoch = row.connection.credentialsEpoch
  Object.assign(attempt, { state: 'calling', code: null, message: null, providerCode: null, finality: null })
  // An older worker kept only since when it is unknown.
  const before = isRepeat ? (attempt.calledAt ?? attempt.unknownSince ?? attempt.updatedAt) : null
  if (isRepeat) attempt.unknownSince ??= new Date()
  attempt.calledAt = new Date()
  return { kind: 'call', calledBeforeAt: before }
}

type KeyRemovalOutcome = EarlierCall & { uuid: string; outcome: DeleteKeyOutcome; timeScale: number }

/** Keeps what a provider said, as far as that says anything. */
async function recordKeyRemoval(
  em: EntityManager,
  { uuid, outcome, calledBeforeAt: before, timeScale }: KeyRemovalOutcome,
): Promise<KeyOperationResult> {
  const row = await lockPixKey(em, uuid)
  if (row.state !== 'removing') return toKeyResult(row)
  const attempt = (await findKeyAttempt(em, row, 'delete_key'))!
  // What another account does not have may still be there, at the one that was asked to remove it.
  if (outcome.kind === 'not_found' && !hasSameCredentialsEpoch(attempt, row.connection)) {
    attempt.state = 'unknown'
    attempt.unknownSince ??= new Date()
    return { kind: 'unknown', code: 'credentials_changed' }
  }
  switch (outcome.kind) {
    case 'deleted':
    case 'not_found':
      Object.assign(attempt, { state: 'accepted', unknownSince: null, nextCheckAt: null })
      transitionPixKey(row, 'removed')
      return toKeyResult(row)
    case 'rejected':
      if (!before || !canStillArrive(before, row, timeScale))
        return recordRemovalRefusal(attempt, row, outcome)
      attempt.calledAt = before
      break
    case 'unreachable':
      if (!before) return recordRemovalRefusal(attempt, row, outcome)
      attempt.calledAt = before
  }
  attempt.state = 'unknown'
  attempt.unknownSince ??= new Date()
  return { kind: 'unknown', code: outcome.code }
}

/** What is said of a repeat is no word about the call before it, which may arrive as long as its settle window is open. */
function canStillArrive(calledAt: Date, { connection }: PixKey, timeScale: number): boolean {
  return Date.now() < calledAt.getTime() + scaleWait(connection.settleWindowMs, timeScale)
}

/** Its provider refused, or was never reached: the key stays, and why. */
function recordRemovalRefusal(
  attempt: Attempt,
  row: PixKey,
  outcome: Parameters<typeof recordKeyRefusal>[1],
): KeyOperationResult {
  recordKeyRefusal(attempt, outcome)
  row.failure = describeKeyFailure(attempt, row)
  transitionPixKey(row, 'kept')
  return toKeyResult(row)
}

function toKeyResult({ state }: PixKey): KeyOperationResult {
  return { kind: 'closed', state }
}
