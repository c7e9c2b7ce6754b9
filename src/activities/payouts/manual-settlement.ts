import { z } from 'zod'
import type { EntityManager } from '../../db/client/orm.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import { noQuery, type Query, runQuery, transactionReturning } from '../../db/pipeline/query.ts'
import { queryAttemptByConnection } from '../../db/repositories/attempts.ts'
import { recordOperatorAction } from '../../db/repositories/operator-actions.ts'
import { findSettleableAttempt } from '../../db/repositories/settleable-attempts.ts'
import type { SendPayoutOutcome } from '../../domain/providers/provider.ts'
import type { ManualSettlement } from '../../workflows/contracts/messages.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import type { AttemptedRow, PayoutHandler, SendResult } from './payout-handler.ts'
import { type AttemptKey, queryAttemptOutcome, recordOutcome } from './record-outcome.ts'

/** A signal may come from the Temporal UI, where nothing checks its payload. */
const settlementSchema: z.ZodType<ManualSettlement> = z
  .object({ attempt: z.uuid().toLowerCase(), sending: z.int().min(0), reason: z.string().min(1) })
  .and(
    z.discriminatedUnion('as', [
      z.object({ as: z.literal('rejected') }),
      z.object({ as: z.literal('settled'), endToEnd: z.string().min(1) }),
    ]),
  )

type SettleManuallyInput = AttemptKey & { signal: unknown }

/**
 * Keeps what an operator found out about an attempt whose provider has not told; the provider's final answer would stand
 * against it. Under the row lock the attempt must still be the one that the signal names, sent as often as it says:
 * otherwise the act is refused, logged and recorded, and what the attempt says now is answered. Where an operation broke
 * off before its attempt was stored, the workflow learns that nothing was begun.
 */
export function settleManually<Row extends AttemptedRow>(
  dependencies: ActivityDependencies,
  outgoing: PayoutHandler<Row>,
) {
  const { orm, log, timeScale } = dependencies
  const { operation } = outgoing

  return async ({ signal: word, ...key }: SettleManuallyInput): Promise<SendResult> => {
    const given = settlementSchema.safeParse(word).data
    const said = saidOf(key, given)
    const em = orm.em.fork()
    const begun = await runQuery(
      em,
      queryAttemptByConnection(em, { operation, subjectUuid: key.uuid, ...key }),
    )
    if (!begun) {
      log.warn(said, 'an operator would settle an outcome where nothing was begun')
      return { kind: 'unknown', code: 'not_started' }
    }
    try {
      return await transactionReturning(orm, tx => settle(tx, key, given))
    } catch (error) {
      if (!isDataError(error)) throw error
      log.error(said, 'the word of an operator cannot be kept')
      return { kind: 'unknown', code: 'word_not_kept' }
    }
  }

  async function settle(
    tx: EntityManager,
    key: AttemptKey,
    given: ManualSettlement | undefined,
  ): Promise<Query<SendResult>> {
    const [{ attempts }] = await outgoing.lock(tx, key.uuid, noQuery)
    const current = attempts.find(one => one.connectionUuid === key.connectionUuid)!
    const said = saidOf(key, given)
    if (given && findSettleableAttempt([current], given, timeScale)) {
      log.warn(said, 'an operator settles an unknown outcome')
      return recordOutcome(tx, outgoing, { ...key, timeScale }, toManualSettlementOutcome(given))
    }
    if (given && isAlreadyRecorded(current, given)) return queryAttemptOutcome(current, key.uuid)
    const reason = given
      ? `attempt ${given.attempt}, sending ${given.sending}, has changed: now attempt ${current.uuid}, sending ${current.sendings}, ${current.state}`
      : 'the signal must be { attempt, sending, as: "rejected" | "settled", endToEnd where settled, reason }'
    log.warn({ ...said, reason }, 'the settlement of an operator is refused')
    await recordOperatorAction(tx, {
      ...{ who: 'worker', act: 'settle_refused' },
      ...{ subject: `${operation}/${key.uuid}`, reason },
    })
    return queryAttemptOutcome(current, key.uuid)
  }

  function saidOf(key: AttemptKey, given: ManualSettlement | undefined) {
    return { operation, ...key, attempt: given?.attempt, sending: given?.sending, as: given?.as }
  }
}

/** A local activity runs again where its workflow task was lost: the same act may have been kept already. */
function isAlreadyRecorded({ uuid, code, state, endToEnd }: Attempt, given: ManualSettlement): boolean {
  if (uuid !== given.attempt) return false
  return given.as === 'rejected'
    ? code === 'settled_by_operator'
    : state === 'settled' && endToEnd === given.endToEnd
}

/** What he says cannot be so: an end-to-end id that another movement has, or that is none (SQLSTATE 22, 23; 54: no index takes it). */
function isDataError(error: unknown): boolean {
  return /^(2[23]|54)/.test(String(Object(error).code))
}

function toManualSettlementOutcome(word: ManualSettlement): SendPayoutOutcome {
  if (word.as === 'rejected')
    return { kind: 'rejected', finality: 'final', code: 'settled_by_operator', message: word.reason }
  const { endToEnd } = word
  return {
    kind: 'accepted',
    payout: { status: 'settled', endToEnd, at: new Date().toISOString(), returns: [] },
  }
}
