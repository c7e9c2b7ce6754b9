import { z } from 'zod'
import { recordAct } from '../db/acts.ts'
import { attemptThrough } from '../db/attempts.ts'
import type { Attempt } from '../db/entities/attempt.ts'
import type { EntityManager } from '../db/orm.ts'
import { ask, inTransactionAsking, NOTHING, type Question } from '../db/questions.ts'
import { settleableAttempt } from '../db/settleable-attempts.ts'
import type { SendOutcome } from '../domain/provider.ts'
import type { OperatorsWord } from '../workflows/messages.ts'
import type { Dependencies } from './dependencies.ts'
import { type AttemptKey, answered, keep } from './outcomes.ts'
import type { Outgoing, Sent, Tried } from './outgoing.ts'

/** A signal may come from the Temporal UI, where nothing checks its payload. */
const settlement: z.ZodType<OperatorsWord> = z
  .object({ attempt: z.uuid().toLowerCase(), sending: z.int().min(0), reason: z.string().min(1) })
  .and(
    z.discriminatedUnion('as', [
      z.object({ as: z.literal('rejected') }),
      z.object({ as: z.literal('settled'), endToEnd: z.string().min(1) }),
    ]),
  )

type Settling = AttemptKey & { word: unknown }

/**
 * Keeps what an operator found out about an attempt whose provider has not told; the provider's final answer would stand
 * against it. Under the row lock the attempt must still be the one that the signal names, sent as often as it says:
 * otherwise the act is refused, logged and recorded, and what the attempt says now is answered. Where an operation broke
 * off before its attempt was stored, the workflow learns that nothing was begun.
 */
export function settleBy<Row extends Tried>(dependencies: Dependencies, outgoing: Outgoing<Row>) {
  const { orm, log, timeScale } = dependencies
  const { operation } = outgoing

  return async ({ word, ...key }: Settling): Promise<Sent> => {
    const given = settlement.safeParse(word).data
    const said = saidOf(key, given)
    const em = orm.em.fork()
    const begun = await ask(em, attemptThrough(em, { operation, subjectUuid: key.uuid, ...key }))
    if (!begun) {
      log.warn(said, 'an operator would settle an outcome where nothing was begun')
      return { kind: 'unknown', code: 'never_begun' }
    }
    try {
      return await inTransactionAsking(orm, tx => settle(tx, key, given))
    } catch (error) {
      if (!isRefusedByARow(error)) throw error
      log.error(said, 'the word of an operator cannot be kept')
      return { kind: 'unknown', code: 'word_not_kept' }
    }
  }

  async function settle(
    tx: EntityManager,
    key: AttemptKey,
    given: OperatorsWord | undefined,
  ): Promise<Question<Sent>> {
    const [{ attempts }] = await outgoing.lock(tx, key.uuid, NOTHING)
    const current = attempts.find(one => one.connectionUuid === key.connectionUuid)!
    const said = saidOf(key, given)
    if (given && settleableAttempt([current], given, timeScale)) {
      log.warn(said, 'an operator settles an unknown outcome')
      return keep(tx, outgoing, { ...key, timeScale }, outcomeOf(given))
    }
    if (given && isKept(current, given)) return answered(current, key.uuid)
    const reason = given
      ? `attempt ${given.attempt}, sending ${given.sending}, has changed: now attempt ${current.uuid}, sending ${current.sendings}, ${current.state}`
      : 'the signal must be { attempt, sending, as: "rejected" | "settled", endToEnd where settled, reason }'
    log.warn({ ...said, reason }, 'the settlement of an operator is refused')
    await recordAct(tx, {
      ...{ who: 'worker', act: 'settle_refused' },
      ...{ subject: `${operation}/${key.uuid}`, reason },
    })
    return answered(current, key.uuid)
  }

  function saidOf(key: AttemptKey, given: OperatorsWord | undefined) {
    return { operation, ...key, attempt: given?.attempt, sending: given?.sending, as: given?.as }
  }
}

/** A local activity runs again where its workflow task was lost: the same act may have been kept already. */
function isKept({ uuid, code, state, endToEnd }: Attempt, given: OperatorsWord): boolean {
  if (uuid !== given.attempt) return false
  return given.as === 'rejected'
    ? code === 'settled_by_operator'
    : state === 'settled' && endToEnd === given.endToEnd
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
