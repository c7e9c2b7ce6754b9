import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import { Attempt } from '../../db/entities/attempt.ts'
import { Connection } from '../../db/entities/connection.ts'
import { PixKey } from '../../db/entities/pix-key.ts'
import { lockProviderAccount } from '../../db/locks.ts'
import { runQuery, sendChanges } from '../../db/pipeline/query.ts'
import { queryIsPaused } from '../../db/repositories/pauses.ts'
import { failureOf } from '../../domain/errors/error-catalogue.ts'
import { detectPixKeyType, normalizePixKey } from '../../domain/pix-keys/key-format.ts'
import { EXISTING_KEY_STATES, type PixKeyState, pixKeyMachine } from '../../domain/pix-keys/pix-key.ts'
import { PROVIDER_CAPABILITIES } from '../../domain/providers/capabilities.ts'
import { buildNotificationUrl } from '../../domain/providers/notification-url.ts'
import type { CreateKeyOutcome, ListKeysOutcome, ProviderKey } from '../../domain/providers/provider.ts'
import { isTransportCode } from '../../domain/providers/transport-code.ts'
import type { KeyOperationResult, PollPixKeyInput } from '../../workflows/contracts/pix-keys.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { blockedReason, markUnknown } from '../shared/attempts.ts'
import {
  callRepeatably,
  hasSameCredentialsEpoch,
  loadProviderConnection,
  type ProviderConnection,
  recordCall,
  requireReach,
} from '../shared/provider-client.ts'
import { transition, transitionAttempt } from '../shared/transition.ts'
import {
  createKeyAttempt,
  deleteUnsentKeyAttempt,
  findKeyAttempt,
  lockPixKey,
  recordKeyRefusal,
  recordUnknownKeyOutcome,
} from './attempts.ts'

/**
 * Creates a key at its provider. The attempt is stored before the call; a key with a stored attempt is only polled. The
 * key is recorded once the provider knows where to notify its PIX.
 */
export function createKey(dependencies: ActivityDependencies) {
  return async ({ uuid }: { uuid: string }): Promise<KeyOperationResult> => {
    const { orm } = dependencies
    const em = orm.em.fork()
    const { type, key, connection: keyConnection } = await em.findOneOrFail(PixKey, uuid)
    const client = await loadProviderConnection(dependencies, em, keyConnection.uuid)
    const { connection, provider } = client
    // The provider chooses a random key: after a lost answer, a new key in its list is the created one.
    const keysBefore = type === 'RANDOM' ? await provider.listKeys() : null
    if (keysBefore) await requireReach(dependencies, em, connection, keysBefore)
    const preparation = await runInTransaction(orm, tx => prepareKeyCreation(tx, uuid, keysBefore))
    if (preparation.kind !== 'call') return preparation
    const outcome = await provider.createKey({ type, key: key ?? null })
    const isLeft = await recordCall(dependencies, em, connection, outcome)
    if (isLeft)
      return runInTransaction(orm, tx =>
        deleteUnsentKeyAttempt(tx, { uuid, operation: 'create_key', calledAt: preparation.calledAt }),
      )
    const confirmedOutcome = keysBefore ? await confirmRandomKey(client, keysBefore, outcome) : outcome
    const registeredOutcome = await registerKeyNotifications(dependencies, client, confirmedOutcome)
    return runInTransaction(orm, tx => recordKeyCreation(tx, uuid, registeredOutcome))
  }
}

/** Code of a creation whose answer and whose provider's list contradict each other. */
const KEY_NOT_LISTED = 'key_not_listed'

/**
 * Confirms a random key by its provider's list: the order names no key that the answer could be compared with. A key that
 * was listed before the request, or is not listed after it, leaves the creation unknown, so that it is polled.
 */
async function confirmRandomKey(
  { provider }: ProviderConnection,
  keysBefore: ListKeysOutcome,
  outcome: CreateKeyOutcome,
): Promise<CreateKeyOutcome> {
  if (outcome.kind !== 'created') return outcome
  const keysAfter = await provider.listKeys()
  if (keysAfter.kind === 'no_answer')
    return { kind: 'unknown', code: keysAfter.code, message: keysAfter.message }
  const created = normalizePixKey(outcome.key)
  const isIn = (list: ListKeysOutcome) =>
    list.kind === 'found' && list.keys.some(one => isRandomKey(one) && normalizePixKey(one.key) === created)
  if (isIn(keysAfter) && !isIn(keysBefore)) return outcome
  const message = 'The provider does not list the key of its answer as a new one'
  return { kind: 'unknown', code: KEY_NOT_LISTED, message }
}

const isRandomKey = ({ key, type }: ProviderKey) =>
  type === 'RANDOM' && detectPixKeyType(normalizePixKey(key)) === 'RANDOM'

/** Polls a key that is being created: looks for it in its provider's list. */
export function pollPixKey(dependencies: ActivityDependencies) {
  return async ({ uuid, pollCount }: PollPixKeyInput): Promise<KeyOperationResult> => {
    const { orm, timeScale } = dependencies
    const em = orm.em.fork()
    const pixKey = await em.findOneOrFail(PixKey, uuid)
    const { answer, ...client } = await callRepeatably(dependencies, em, pixKey.connection.uuid, provider =>
      provider.listKeys(),
    )
    const { connection } = client
    const result = await runInTransaction(orm, async (tx): Promise<KeyOperationResult | CreatedKey> => {
      const row = await lockPixKey(tx, uuid)
      if (row.state !== 'creating') return { kind: 'closed', state: row.state }
      const attempt = await findKeyAttempt(tx, row, 'create_key')
      if (!attempt) return { kind: 'not_started' }
      markUnknown(attempt, { pollCount, timeScale })
      if (answer.kind === 'no_answer') return { kind: 'unknown', code: answer.code }
      // The list may be of another account: a new key in it is not ours, and a missing key may exist.
      if (!hasSameCredentialsEpoch(attempt, connection))
        return { kind: 'unknown', code: 'credentials_changed' }
      // Either the answer or the list is wrong: the list counts once a later poll still contradicts the answer.
      if (attempt.code === KEY_NOT_LISTED && pollCount === 0) return { kind: 'unknown', code: KEY_NOT_LISTED }
      const listedKey = await findListedKey(tx, row, answer.keys)
      if (listedKey === 'unclear') return { kind: 'unknown', code: 'another_is_being_made' }
      if (listedKey === null) return { kind: 'not_found', settleWindowMs: connection.settleWindowMs }
      return { kind: 'created', key: listedKey }
    })
    if (result.kind !== 'created') return result
    const registeredOutcome = await registerKeyNotifications(dependencies, client, result)
    return runInTransaction(orm, tx => recordKeyCreation(tx, uuid, registeredOutcome))
  }
}

type CreatedKey = Extract<CreateKeyOutcome, { kind: 'created' }>

/**
 * Registers the URL of notifications for a created key, at a provider that notifies by key. Without an answer the creation
 * is unknown, so that it is polled and registered again. After a refusal only reconciliation finds the PIX of the key.
 */
async function registerKeyNotifications(
  { publicUrl, log }: ActivityDependencies,
  { connection, provider }: ProviderConnection,
  outcome: CreateKeyOutcome,
): Promise<CreateKeyOutcome> {
  if (outcome.kind !== 'created' || !PROVIDER_CAPABILITIES[connection.dialect].notifiesByKey) return outcome
  const url = buildNotificationUrl(publicUrl, connection)
  const answer = await provider.registerNotificationUrl(url, outcome.key)
  if (answer.kind === 'registered') return outcome
  const { code, message } = answer
  if (isTransportCode(code)) return { kind: 'unknown', code, message }
  log.warn({ connection: connection.uuid, code }, 'the provider will not notify the PIX of a key')
  return outcome
}

/** Fails a key whose absence from the provider's list is proved: it was never created. */
export function failPixKey({ orm }: ActivityDependencies) {
  return ({ uuid }: { uuid: string }): Promise<PixKeyState> =>
    runInTransaction(orm, async em => {
      const outcome = { kind: 'unreachable', ...failureOf('no_provider_available') } as const
      const result = await recordKeyCreation(em, uuid, outcome)
      return result.kind === 'closed' ? result.state : 'creating'
    })
}

/** Prepares the creation under the row lock: `call`, with the attempt stored, or the result without a call. */
async function prepareKeyCreation(
  em: EntityManager,
  uuid: string,
  keysBefore: ListKeysOutcome | null,
): Promise<KeyOperationResult | { kind: 'call'; calledAt: Date }> {
  const row = await lockPixKey(em, uuid)
  if (row.state !== 'creating') return { kind: 'closed', state: row.state }
  if (await findKeyAttempt(em, row, 'create_key')) return { kind: 'unknown', code: 'interrupted' }
  const calledAt = new Date()
  createKeyAttempt(em, row, 'create_key').calledAt = calledAt
  const isPaused = await runQuery(em, queryIsPaused(row.connection.uuid, 'in'))
  // Without the list a lost answer could not be resolved, so no call is made.
  const unlisted = keysBefore?.kind === 'no_answer' ? keysBefore : null
  const refusal = blockedReason('create_key', row.connection, { isPaused }) ?? unlisted
  if (refusal) {
    await sendChanges(em)
    return recordKeyCreation(em, uuid, { kind: 'unreachable', code: refusal.code, message: refusal.message })
  }
  row.listedBefore = keysBefore?.kind === 'found' ? keysBefore.keys.map(one => one.key) : null
  return { kind: 'call', calledAt }
}

/** Records a provider's answer and the key's new state, under the row lock, while the key is being created. */
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
      transitionAttempt(attempt, 'accepted')
      Object.assign(attempt, { code: null, message: null })
      row.key = normalizePixKey(outcome.key)
      return { kind: 'closed', state: transition(row, pixKeyMachine, 'created', new Date()) }
    case 'unknown':
      Object.assign(attempt, { code: outcome.code, message: outcome.message })
      return recordUnknownKeyOutcome(attempt, outcome.code)
    case 'rejected':
    case 'unreachable':
      return recordKeyRefusal(attempt, row, outcome, 'refused')
  }
}

/**
 * Finds a key in the provider's list: by its value, or a random key by being new and no other row's. Returns `unclear`
 * while another random key is being created there, because a new key may be that one.
 */
async function findListedKey(
  em: EntityManager,
  row: PixKey,
  keys: ProviderKey[],
): Promise<string | 'unclear' | null> {
  const names = keys.map(one => normalizePixKey(one.key))
  if (row.key != null) return names.includes(row.key) ? row.key : null
  const { providerAccountUuid } = row
  await lockProviderAccount(em, providerAccountUuid)
  const accountKeys = await em.find(PixKey, {
    providerAccountUuid,
    type: 'RANDOM',
    state: { $in: [...EXISTING_KEY_STATES] },
  })
  const connections = await em.find(Connection, { providerAccountUuid })
  const knownKeys = new Set([
    ...(row.listedBefore ?? []).map(normalizePixKey),
    ...accountKeys.map(one => one.key),
    ...connections.map(one => one.collectionKey),
  ])
  const newKeys = keys.filter(one => isRandomKey(one) && !knownKeys.has(normalizePixKey(one.key)))
  if (newKeys.length === 0) return null
  const others = accountKeys.filter(one => one.key == null && one.uuid !== row.uuid).map(one => one.uuid)
  const callingCount = await em.count(Attempt, {
    operation: 'create_key',
    subjectUuid: { $in: others },
    state: 'calling',
  })
  return callingCount > 0 ? 'unclear' : normalizePixKey(newKeys[0]!.key)
}
