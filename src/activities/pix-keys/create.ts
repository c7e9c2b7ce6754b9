import { type EntityManager, runInTransaction } from '../../db/client/orm.ts'
import { Attempt } from '../../db/entities/attempt.ts'
import { Connection } from '../../db/entities/connection.ts'
import { PixKey } from '../../db/entities/pix-key.ts'
import { runQuery } from '../../db/pipeline/query.ts'
import { recordCircuitResult } from '../../db/repositories/circuit-breaker.ts'
import { queryIsPaused } from '../../db/repositories/pauses.ts'
import { ERROR_CATALOGUE } from '../../domain/errors/error-catalogue.ts'
import { EXISTING_KEY_STATES, normalizePixKey, type PixKeyState } from '../../domain/pix-keys/pix-key.ts'
import type { CreateKeyOutcome, ListKeysOutcome, ProviderKey } from '../../domain/providers/provider.ts'
import { markUnknown } from '../payouts/record-outcome.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { hasSameCredentialsEpoch } from '../shared/credentials-epoch.ts'
import { blockedReason } from '../shared/preflight.ts'
import { loadProviderConnection } from '../shared/provider-client.ts'
import {
  createKeyAttempt,
  describeKeyFailure,
  findKeyAttempt,
  lockPixKey,
  recordKeyRefusal,
  transitionPixKey,
} from './attempts.ts'

/** What is known of a key once its provider was told or asked. */
export type KeyOperationResult =
  | { kind: 'closed'; state: PixKeyState }
  /** It may have been done: only the provider's list of keys can tell. */
  | { kind: 'unknown'; code: string }
  /** Its list does not have it, which proves nothing before the settle window is over. */
  | { kind: 'not_found'; settleWindowMs: number }
  /** Not even the attempt was stored, so nothing can have been asked. */
  | { kind: 'not_started' }
  /** Of a removal: it is there, so it may be removed again. */
  | { kind: 'still_there' }

export type PollPixKeyInput = { uuid: string; pollCount: number }

/** Has its provider make a key. The attempt is stored before the call; one found in the middle of a call is only asked about. */
export function createKey(dependencies: ActivityDependencies) {
  return async ({ uuid }: { uuid: string }): Promise<KeyOperationResult> => {
    const { orm } = dependencies
    const em = orm.em.fork()
    const { type, key, connection: by } = await em.findOneOrFail(PixKey, uuid)
    const { connection, provider } = await loadProviderConnection(dependencies, em, by.uuid)
    // A random key has no name before it is there: what is new in the list afterwards tells of a lost answer.
    const before = type === 'RANDOM' ? await provider.listKeys() : null
    const told = await runInTransaction(orm, tx => prepareKeyCreation(tx, uuid, before))
    if (told !== 'call') return told
    const outcome = await provider.createKey({ type, key: key ?? null })
    await recordCircuitResult(em, connection, outcome)
    return runInTransaction(orm, tx => recordKeyCreation(tx, uuid, outcome))
  }
}

/** Looks for a key in its provider's list. */
export function pollPixKey(dependencies: ActivityDependencies) {
  return async ({ uuid, pollCount: asked }: PollPixKeyInput): Promise<KeyOperationResult> => {
    const { orm, timeScale } = dependencies
    const em = orm.em.fork()
    const { connection } = await em.findOneOrFail(PixKey, uuid)
    const reached = await loadProviderConnection(dependencies, em, connection.uuid)
    const listed = await reached.provider.listKeys()
    await recordCircuitResult(em, reached.connection, listed)
    return runInTransaction(orm, async tx => {
      const row = await lockPixKey(tx, uuid)
      if (row.state !== 'creating') return { kind: 'closed', state: row.state }
      const attempt = await findKeyAttempt(tx, row, 'create_key')
      if (!attempt) return { kind: 'not_started' }
      markUnknown(attempt, { pollCount: asked, timeScale })
      if (listed.kind === 'no_answer') return { kind: 'unknown', code: listed.code }
      // The list may be another account's: its new key is not ours, and what it lacks may be there.
      if (!hasSameCredentialsEpoch(attempt, reached.connection))
        return { kind: 'unknown', code: 'credentials_changed' }
      const found = await findListedKey(tx, row, listed.keys)
      if (found === 'unclear') return { kind: 'unknown', code: 'another_is_being_made' }
      if (found === null) return { kind: 'not_found', settleWindowMs: reached.connection.settleWindowMs }
      return recordKeyCreation(tx, uuid, { kind: 'created', key: found })
    })
  }
}

/** Its absence from the list is proved: it was never made. */
export function failPixKey({ orm }: ActivityDependencies) {
  return ({ uuid }: { uuid: string }): Promise<PixKeyState> =>
    runInTransaction(orm, async em => {
      const code = 'no_provider_available'
      const told = await recordKeyCreation(em, uuid, {
        kind: 'unreachable',
        code,
        message: ERROR_CATALOGUE[code].message,
      })
      return told.kind === 'closed' ? told.state : 'creating'
    })
}

/** What was answered before, or leave to call. */
async function prepareKeyCreation(
  em: EntityManager,
  uuid: string,
  before: ListKeysOutcome | null,
): Promise<KeyOperationResult | 'call'> {
  const row = await lockPixKey(em, uuid)
  if (row.state !== 'creating') return { kind: 'closed', state: row.state }
  if (await findKeyAttempt(em, row, 'create_key')) return { kind: 'unknown', code: 'interrupted' }
  createKeyAttempt(em, row, 'create_key')
  const paused = await runQuery(em, queryIsPaused(row.connection.uuid, 'in'))
  // Without the list nothing could be told of a lost answer, so nothing is asked for either.
  const unlisted = before?.kind === 'no_answer' ? before : null
  const why = blockedReason('create_key', row.connection, { isPaused: paused }) ?? unlisted
  if (why) {
    await em.flush()
    return recordKeyCreation(em, uuid, { kind: 'unreachable', code: why.code, message: why.message })
  }
  row.listedBefore = before?.kind === 'found' ? before.keys.map(one => one.key) : null
  return 'call'
}

/** Keeps what a provider said, in one transaction with where the key then stands; a state once reached stays. */
async function recordKeyCreation(
  em: EntityManager,
  uuid: string,
  outcome: CreateKeyOutcome,
): Promise<KeyOperationResult> {
  const row = await lockPixKey(em, uuid)
  if (row.state !== 'creating') return { kind: 'closed', state: row.state }
  const attempt = (await findKeyAttempt(em, row, 'create_key'))!
  switch (outcome.kind) {
    case 'created':
      attempt.state = 'accepted'
      row.key = normalizePixKey(outcome.key)
      return { kind: 'closed', state: transitionPixKey(row, 'created') }
    case 'unknown':
      attempt.state = 'unknown'
      attempt.unknownSince ??= new Date()
      return { kind: 'unknown', code: outcome.code }
    case 'rejected':
    case 'unreachable':
      recordKeyRefusal(attempt, outcome)
      row.failure = describeKeyFailure(attempt, row)
      return { kind: 'closed', state: transitionPixKey(row, 'refused') }
  }
}

/**
 * A key by its name; a random one by being new there and nobody else's. While another random one is being made there, a
 * new one may be that one's.
 */
async function findListedKey(
  em: EntityManager,
  row: PixKey,
  listed: ProviderKey[],
): Promise<string | 'unclear' | null> {
  const names = listed.map(one => normalizePixKey(one.key))
  if (row.key != null) return names.includes(row.key) ? row.key : null
  const { providerAccountUuid } = row
  await em.execute('select from provider_account where uuid = ? for no key update', [providerAccountUuid])
  const ours = await em.find(PixKey, {
    providerAccountUuid,
    type: 'RANDOM',
    state: { $in: [...EXISTING_KEY_STATES] },
  })
  const collecting = await em.find(Connection, { providerAccountUuid })
  const known = new Set([
    ...(row.listedBefore ?? []).map(normalizePixKey),
    ...ours.map(one => one.key),
    ...collecting.map(one => one.collectionKey),
  ])
  const fresh = listed.filter(one => one.type === 'RANDOM' && !known.has(normalizePixKey(one.key)))
  if (fresh.length === 0) return null
  const others = ours.filter(one => one.key == null && one.uuid !== row.uuid).map(one => one.uuid)
  const calling = await em.count(Attempt, {
    operation: 'create_key',
    subjectUuid: { $in: others },
    state: 'calling',
  })
  return calling > 0 ? 'unclear' : normalizePixKey(fresh[0]!.key)
}
