import { attemptThrough, silentSince, UNDER_WAY } from '../db/attempts.ts'
import { ask, inTransactionAsking } from '../db/questions.ts'
import type { SendOutcome } from '../domain/provider.ts'
import type { OperatorsWord } from '../workflows/messages.ts'
import type { Dependencies } from './dependencies.ts'
import { type AttemptKey, keep } from './outcomes.ts'
import type { Outgoing, Sent, Tried } from './outgoing.ts'

/**
 * Keeps what an operator found out, where the provider has not told; its final word would stand against it. Of what broke
 * off before its attempt was stored nothing can be found out: the life asks, and learns that nothing was begun.
 */
export function settleBy<Row extends Tried>({ orm, log, timeScale }: Dependencies, outgoing: Outgoing<Row>) {
  return async ({ word, ...key }: AttemptKey & { word: OperatorsWord }): Promise<Sent> => {
    const { operation } = outgoing
    const said = { operation, ...key, ...word }
    const em = orm.em.fork()
    const begun = await ask(em, attemptThrough(em, { operation, subjectUuid: key.uuid, ...key }))
    if (!begun) {
      log.warn(said, 'an operator would settle an outcome where nothing was begun')
      return { kind: 'unknown', code: 'never_begun' }
    }
    // The door refuses this too (src/engine/settle.ts); a signal of the Temporal UI goes by no door.
    if (UNDER_WAY.includes(begun.state) && begun.updatedAt >= silentSince(timeScale)) {
      log.warn(said, 'an operator would settle what its provider took a moment ago')
      return { kind: 'unknown', code: 'word_too_early' }
    }
    log.warn(said, 'an operator settles an unknown outcome')
    try {
      return await inTransactionAsking(orm, tx => keep(tx, outgoing, { ...key, timeScale }, outcomeOf(word)))
    } catch (error) {
      if (!isRefusedByARow(error)) throw error
      log.error(said, 'the word of an operator cannot be kept')
      return { kind: 'unknown', code: 'word_not_kept' }
    }
  }
}

/** What he says cannot be so: an end-to-end id that another movement has, or that is none (SQLSTATE 22, 23; 54: no index takes it). */
function isRefusedByARow(error: unknown): boolean {
  return /^(2[23]|54)/.test(String(Object(error).code))
}

function outcomeOf(word: OperatorsWord): SendOutcome {
  if (word.as === 'rejected')
    return { kind: 'rejected', finality: 'final', code: 'settled_by_operator', message: word.reason }
  const { endToEnd } = word
  return {
    kind: 'accepted',
    sending: { status: 'settled', endToEnd, at: new Date().toISOString(), returns: [] },
  }
}
