import { tellBreaker } from '../db/breaker.ts'
import { Attempt } from '../db/entities/attempt.ts'
import { Connection } from '../db/entities/connection.ts'
import { PixKey } from '../db/entities/pix-key.ts'
import { type EntityManager, inTransaction } from '../db/orm.ts'
import { isPaused } from '../db/pauses.ts'
import { ask } from '../db/questions.ts'
import { REFUSALS } from '../domain/errors.ts'
import { LIVE_KEY_STATES, normalizedPixKey, type PixKeyState } from '../domain/pix-key.ts'
import type { CreateKeyOutcome, ListKeysOutcome, ProviderKey } from '../domain/provider.ts'
import { whyBarred } from './barred.ts'
import { reach } from './connections.ts'
import { isOfEpoch } from './credentials-epoch.ts'
import type { Dependencies } from './dependencies.ts'
import { attemptAt, failureOf, leave, lockPixKey, movePixKey, newAttempt } from './key-attempts.ts'
import { doubt } from './outcomes.ts'

/** What is known of a key once its provider was told or asked. */
export type KeyTold =
  | { kind: 'over'; state: PixKeyState }
  /** It may have been done: only the provider's list of keys can tell. */
  | { kind: 'unknown'; code: string }
  /** Its list does not have it, which proves nothing before the settle window is over. */
  | { kind: 'absent'; settleWindowMs: number }
  /** Not even the attempt was stored, so nothing can have been asked. */
  | { kind: 'never_begun' }
  /** Of a removal: it is there, so it may be removed again. */
  | { kind: 'still_there' }

export type KeyQuestion = { uuid: string; asked: number }

/** Has its provider make a key. The attempt is stored before the call; one found in the middle of a call is only asked about. */
export function createKey(dependencies: Dependencies) {
  return async ({ uuid }: { uuid: string }): Promise<KeyTold> => {
    const { orm } = dependencies
    const em = orm.em.fork()
    const { type, key, connection: by } = await em.findOneOrFail(PixKey, uuid)
    const { connection, provider } = await reach(dependencies, em, by.uuid)
    // A random key has no name before it is there: what is new in the list afterwards tells of a lost answer.
    const before = type === 'RANDOM' ? await provider.listKeys() : null
    const told = await inTransaction(orm, tx => begin(tx, uuid, before))
    if (told !== 'call') return told
    const outcome = await provider.createKey({ type, key: key ?? null })
    await tellBreaker(em, connection, outcome)
    return inTransaction(orm, tx => keep(tx, uuid, outcome))
  }
}

/** Looks for a key in its provider's list. */
export function askKey(dependencies: Dependencies) {
  return async ({ uuid, asked }: KeyQuestion): Promise<KeyTold> => {
    const { orm, timeScale } = dependencies
    const em = orm.em.fork()
    const { connection } = await em.findOneOrFail(PixKey, uuid)
    const reached = await reach(dependencies, em, connection.uuid)
    const listed = await reached.provider.listKeys()
    await tellBreaker(em, reached.connection, listed)
    return inTransaction(orm, async tx => {
      const row = await lockPixKey(tx, uuid)
      if (row.state !== 'creating') return { kind: 'over', state: row.state }
      const attempt = await attemptAt(tx, row, 'create_key')
      if (!attempt) return { kind: 'never_begun' }
      doubt(attempt, { asked, timeScale })
      if (listed.kind === 'no_answer') return { kind: 'unknown', code: listed.code }
      // The list may be another account's: its new key is not ours, and what it lacks may be there.
      if (!isOfEpoch(attempt, reached.connection)) return { kind: 'unknown', code: 'credentials_changed' }
      const found = await findIn(tx, row, listed.keys)
      if (found === 'unclear') return { kind: 'unknown', code: 'another_is_being_made' }
      if (found === null) return { kind: 'absent', settleWindowMs: reached.connection.settleWindowMs }
      return keep(tx, uuid, { kind: 'created', key: found })
    })
  }
}

/** Its absence from the list is proved: it was never made. */
export function giveUpKey({ orm }: Dependencies) {
  return ({ uuid }: { uuid: string }): Promise<PixKeyState> =>
    inTransaction(orm, async em => {
      const code = 'no_provider_available'
      const told = await keep(em, uuid, { kind: 'unreachable', code, message: REFUSALS[code].message })
      return told.kind === 'over' ? told.state : 'creating'
    })
}

/** What was answered before, or leave to call. */
async function begin(
  em: EntityManager,
  uuid: string,
  before: ListKeysOutcome | null,
): Promise<KeyTold | 'call'> {
  const row = await lockPixKey(em, uuid)
  if (row.state !== 'creating') return { kind: 'over', state: row.state }
  if (await attemptAt(em, row, 'create_key')) return { kind: 'unknown', code: 'interrupted' }
  newAttempt(em, row, 'create_key')
  const paused = await ask(em, isPaused(row.connection.uuid, 'in'))
  // Without the list nothing could be told of a lost answer, so nothing is asked for either.
  const unlisted = before?.kind === 'no_answer' ? before : null
  const why = whyBarred('create_key', row.connection, { isPaused: paused }) ?? unlisted
  if (why) {
    await em.flush()
    return keep(em, uuid, { kind: 'unreachable', code: why.code, message: why.message })
  }
  row.listedBefore = before?.kind === 'found' ? before.keys.map(one => one.key) : null
  return 'call'
}

/** Keeps what a provider said, in one transaction with where the key then stands; a state once reached stays. */
async function keep(em: EntityManager, uuid: string, outcome: CreateKeyOutcome): Promise<KeyTold> {
  const row = await lockPixKey(em, uuid)
  if (row.state !== 'creating') return { kind: 'over', state: row.state }
  const attempt = (await attemptAt(em, row, 'create_key'))!
  switch (outcome.kind) {
    case 'created':
      attempt.state = 'accepted'
      row.key = normalizedPixKey(outcome.key)
      return { kind: 'over', state: movePixKey(row, 'created') }
    case 'unknown':
      attempt.state = 'unknown'
      attempt.unknownSince ??= new Date()
      return { kind: 'unknown', code: outcome.code }
    case 'rejected':
    case 'unreachable':
      leave(attempt, outcome)
      row.failure = failureOf(attempt, row)
      return { kind: 'over', state: movePixKey(row, 'refused') }
  }
}

/**
 * A key by its name; a random one by being new there and nobody else's. While another random one is being made there, a
 * new one may be that one's.
 */
async function findIn(
  em: EntityManager,
  row: PixKey,
  listed: ProviderKey[],
): Promise<string | 'unclear' | null> {
  const names = listed.map(one => normalizedPixKey(one.key))
  if (row.key != null) return names.includes(row.key) ? row.key : null
  const { providerAccountUuid } = row
  await em.execute('select from provider_account where uuid = ? for no key update', [providerAccountUuid])
  const ours = await em.find(PixKey, {
    providerAccountUuid,
    type: 'RANDOM',
    state: { $in: [...LIVE_KEY_STATES] },
  })
  const collecting = await em.find(Connection, { providerAccountUuid })
  const known = new Set([
    ...(row.listedBefore ?? []).map(normalizedPixKey),
    ...ours.map(one => one.key),
    ...collecting.map(one => one.collectionKey),
  ])
  const fresh = listed.filter(one => one.type === 'RANDOM' && !known.has(normalizedPixKey(one.key)))
  if (fresh.length === 0) return null
  const others = ours.filter(one => one.key == null && one.uuid !== row.uuid).map(one => one.uuid)
  const calling = await em.count(Attempt, {
    operation: 'create_key',
    subjectUuid: { $in: others },
    state: 'calling',
  })
  return calling > 0 ? 'unclear' : normalizedPixKey(fresh[0]!.key)
}
