import { tellBreaker } from '../db/breaker.ts'
import type { Attempt } from '../db/entities/attempt.ts'
import { Connection } from '../db/entities/connection.ts'
import type { EntityManager } from '../db/orm.ts'
import { certain, inTransactionAsking, NOTHING, type Question } from '../db/questions.ts'
import { REFUSALS } from '../domain/errors.ts'
import { referenceOf } from '../domain/identifiers.ts'
import type { FindSendingOutcome } from '../domain/provider.ts'
import { reach } from './connections.ts'
import { answerInEpoch, answerSinceOrder } from './credentials-epoch.ts'
import type { Dependencies } from './dependencies.ts'
import { throwIfToEnd } from './ending.ts'
import { type AttemptKey, keep, liveAttempt, nextCheck } from './outcomes.ts'
import type { Outgoing, Sent, Tried } from './outgoing.ts'
import { newAttempt } from './sending.ts'

/**
 * Money that went, or may have gone, after the moment to which its database was restored (SPEC §11): every candidate is
 * asked by our id, which a restore does not change. Nothing here sends.
 */

/** `lastLook`: all have twice said that they know nothing of it, so that once more is proof. */
export type Look = { asked: number; lastLook: boolean }
/** `orderedAt`: ISO 8601 UTC, absent of workflows that began before it was passed on. */
export type SeekOrder = Look & { uuid: string; candidates: string[]; orderedAt?: string | undefined }

/** Whoever is named holds the money as far as there is any, and an operator's word may settle it there. */
export type Sought =
  | { kind: 'found'; connectionUuid: string }
  | { kind: 'absent'; connectionUuid: string; settleWindowMs: number }
  | { kind: 'unknown'; connectionUuid: string }
  /** It never went. */
  | Rejection
type Rejection = Extract<Sent, { kind: 'rejected' }>

/** What one candidate says of it. */
type Word = {
  connectionUuid: string
  connection: Connection
  settleWindowMs: number
  found: FindSendingOutcome
}

/** Asks every candidate; the attempt of the one that has it, or that may, is a row from then on. */
export function seekBy<Row extends Tried>(dependencies: Dependencies, outgoing: Outgoing<Row>) {
  return async ({ uuid, candidates, orderedAt, ...at }: SeekOrder): Promise<Sought> => {
    const { orm, timeScale } = dependencies
    const words: Word[] = []
    for (const connectionUuid of candidates) {
      throwIfToEnd()
      const em = orm.em.fork()
      const { connection, provider } = await reach(dependencies, em, connectionUuid)
      const found = await outgoing.find(provider, { subjectUuid: uuid, reference: referenceOf(uuid) }, em)
      await tellBreaker(em, connection, found)
      words.push({ connectionUuid, connection, settleWindowMs: connection.settleWindowMs, found })
    }
    return inTransactionAsking(orm, async (em): Promise<Question<Sought>> => {
      const [row] = await outgoing.lock(em, uuid, NOTHING)
      const live = liveAttempt(row)
      const counted = words.filter(notSettledTwice(row)).map(inEpoch(row, orderedAt))
      const { kind, connectionUuid } = conclude(counted, { live, ...at })
      const attempt = await holdAt(em, outgoing, { uuid, connectionUuid, row, live })
      if (attempt.state === 'unknown') attempt.nextCheckAt = nextCheck(at.asked, timeScale)
      if (kind !== 'absent') return certain({ kind, connectionUuid })
      if (at.lastLook) return neverWent(em, outgoing, { uuid, connectionUuid, timeScale })
      const settleWindowMs = Math.max(...words.map(word => word.settleWindowMs))
      return certain({ kind, connectionUuid, settleWindowMs })
    })
  }
}

/** What settled beside it has a movement of its own and is over (SPEC §4): it says nothing of this one. */
function notSettledTwice({ attempts }: Tried) {
  const twice = attempts.filter(({ state }) => state === 'duplicate')
  return (word: Word) => !twice.some(({ connectionUuid }) => connectionUuid === word.connectionUuid)
}

/** "Not found" says nothing of what was sent with credentials that may have been another account's. */
function inEpoch({ attempts }: Tried, orderedAt: string | undefined) {
  return ({ found, ...word }: Word): Word => {
    const { connection } = word
    const attempt = attempts.find(one => one.connectionUuid === word.connectionUuid)
    // One that a look has stored was sent at a time that nothing here tells.
    if (attempt && attempt.sendings > 0)
      return { ...word, found: answerInEpoch(found, { attempt, connection }) }
    return { ...word, found: answerSinceOrder(found, { orderedAt: new Date(orderedAt ?? 0), connection }) }
  }
}

type Conclusion = { kind: 'found' | 'absent' | 'unknown'; connectionUuid: string }

/** Who has it, or may. Money that went or is on its way counts before a rejection, which another may have followed. */
function conclude(words: Word[], { live, lastLook }: Look & { live: Attempt | undefined }): Conclusion {
  const has = words.find(saying('settled')) ?? words.find(saying('in_process'))
  if (has) return { ...has, kind: 'found' }
  const isLive = (word: Word) => word.connectionUuid === live?.connectionUuid
  /** The one at which it is held already, where that is one of them. */
  const oneOf = (some: Word[]) => some.find(isLive) ?? some[0]
  const absent = words.filter(({ found }) => found.kind === 'not_found')
  // What a provider once had did arrive: that it does not find it now is one more missing answer.
  const lost = live?.state === 'accepted' ? absent.find(isLive) : undefined
  const silent = oneOf(words.filter(({ found }) => found.kind === 'no_answer')) ?? lost
  if (silent) return { ...silent, kind: 'unknown' }
  const rejected = words.findLast(saying('rejected'))
  return rejected && (lastLook || absent.length === 0)
    ? { ...rejected, kind: 'found' }
    : { ...oneOf(absent)!, kind: 'absent' }
}

function saying(status: 'settled' | 'in_process' | 'rejected') {
  return ({ found }: Word) => found.kind === 'found' && found.sending.status === status
}

type Holding<Row> = AttemptKey & { row: Row; live: Attempt | undefined }

/**
 * Makes the attempt there the one that may have gone, and holds the money for it as far as the balance goes: what is not
 * covered may be gone all the same. Where it was held for another connection before, that one is left.
 */
async function holdAt<Row extends Tried>(
  em: EntityManager,
  outgoing: Outgoing<Row>,
  { row, live, ...key }: Holding<Row>,
): Promise<Attempt> {
  if (live?.connectionUuid === key.connectionUuid) {
    if (live.state === 'calling') Object.assign(live, inDoubt())
    return live
  }
  if (live) Object.assign(live, { ...inDoubt(), state: 'unreachable', unknownSince: null, nextCheckAt: null })
  await em.flush() // Only one attempt may be live at a time.
  const connection = await em.findOneOrFail(Connection, key.connectionUuid)
  const attempt =
    row.attempts.find(one => one.connectionUuid === key.connectionUuid) ??
    newAttempt(em, outgoing, { ...key, row }, connection)
  Object.assign(attempt, inDoubt())
  await outgoing.begin(em, row, { attempt, connection })
  await em.flush()
  return attempt
}

function inDoubt() {
  return {
    state: 'unknown',
    code: 'restored',
    message: null,
    finality: null,
    unknownSince: new Date(),
  } as const
}

/** After a restore: the provider has proved that it has no such payment. Closes it as rejected; it is not sent. */
function neverWent<Row extends Tried>(
  em: EntityManager,
  outgoing: Outgoing<Row>,
  key: AttemptKey & { timeScale: number },
) {
  const code = 'not_found_after_restore'
  const { message } = REFUSALS[code]
  const outcome = { kind: 'rejected', finality: 'final', code, message } as const
  return keep(em, outgoing, key, outcome) as Promise<Question<Rejection>>
}
