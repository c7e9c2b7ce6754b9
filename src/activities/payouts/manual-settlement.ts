import { z } from 'zod'
import type { EntityManager } from '../../db/client/orm.ts'
import { isDataRefusal, runInTransaction } from '../../db/client/transaction.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import { noQuery, type Query, runQuery } from '../../db/pipeline/query.ts'
import { queryAttemptByConnection } from '../../db/repositories/attempts.ts'
import { runAuditedAction } from '../../db/repositories/audited-actions.ts'
import { findSettleableAttempt } from '../../db/repositories/settleable-attempts.ts'
import type { OrderedPayout } from '../../domain/payouts/ordered-payout.ts'
import { OPERATOR_REJECTION } from '../../domain/payouts/unsent-code.ts'
import { timeOfRailId } from '../../domain/pix/identifiers.ts'
import type { SendPayoutOutcome } from '../../domain/providers/provider.ts'
import type { ManualSettlement, SendResult } from '../../workflows/contracts/payouts.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import type { AttemptedRow, PayoutHandler } from './payout-handler.ts'
import { type AttemptKey, queryAttemptOutcome, recordOutcome } from './record-outcome.ts'

/** Validates the payload of a manual settlement signal: one sent from the Temporal UI is not validated there. */
const settlementSchema: z.ZodType<ManualSettlement> = z
  .object({ attempt: z.uuid().toLowerCase(), sending: z.int().min(0), reason: z.string().min(1) })
  .and(
    z.discriminatedUnion('as', [
      z.object({ as: z.literal('rejected'), merchantText: z.string().min(1).optional() }),
      z.object({ as: z.literal('settled'), endToEnd: z.string().min(1) }),
    ]),
  )

type SettleManuallyInput = AttemptKey & { signal: unknown }

/**
 * Records the outcome that an operator has established for an attempt whose provider has not reported one; a final
 * answer of the provider wins over it. Under the row lock the attempt must still be the one that the signal names, with
 * the same number of sendings: otherwise the settlement is refused, logged and recorded, and the attempt's current
 * outcome is returned. Returns `not_started` where the operation was interrupted before its attempt was stored.
 */
export function settleManually<Row extends AttemptedRow>(
  dependencies: ActivityDependencies,
  handler: PayoutHandler<Row>,
) {
  const { orm, log, timeScale, sealer } = dependencies
  const { operation } = handler

  return async ({ signal, ...key }: SettleManuallyInput): Promise<SendResult> => {
    const settlement = settlementSchema.safeParse(signal).data
    const logFields = logFieldsOf(key, settlement)
    const em = orm.em.fork()
    const attempt = await runQuery(
      em,
      queryAttemptByConnection(em, { operation, subjectUuid: key.uuid, ...key }),
    )
    if (!attempt) {
      log.warn(logFields, 'manual settlement refused: no attempt was stored')
      return { kind: 'unknown', code: 'not_started' }
    }
    try {
      return await runInTransaction(orm, tx => settle(tx, key, settlement))
    } catch (error) {
      if (!isDataRefusal(error)) throw error
      log.error(logFields, 'manual settlement refused: PostgreSQL rejected its data')
      return { kind: 'unknown', code: 'settlement_not_stored' }
    }
  }

  async function settle(
    tx: EntityManager,
    key: AttemptKey,
    settlement: ManualSettlement | undefined,
  ): Promise<Query<SendResult>> {
    const [row] = await handler.lock(tx, key.uuid, noQuery)
    const current = row.attempts.find(one => one.connectionUuid === key.connectionUuid)!
    const logFields = logFieldsOf(key, settlement)
    if (settlement && findSettleableAttempt([current], settlement, timeScale)) {
      log.warn(logFields, 'manual settlement applied')
      return recordOutcome(
        tx,
        handler,
        { ...key, timeScale, sealer },
        toManualSettlementOutcome(settlement, current, handler.getOrdered(row)),
      )
    }
    if (settlement && isAlreadyRecorded(current, settlement)) return queryAttemptOutcome(current, key.uuid)
    const reason = settlement
      ? `attempt ${settlement.attempt}, sending ${settlement.sending}, has changed: now attempt ${current.uuid}, sending ${current.sendings}, ${current.state}`
      : 'the signal must be { attempt, sending, as: "rejected" | "settled", endToEnd where settled, reason }'
    log.warn({ ...logFields, reason }, 'manual settlement refused')
    await runAuditedAction(tx, {
      by: { actor: 'worker', reason },
      action: 'settle_refused',
      subject: `${operation}/${key.uuid}`,
    })
    return queryAttemptOutcome(current, key.uuid)
  }

  function logFieldsOf(key: AttemptKey, settlement: ManualSettlement | undefined) {
    const { attempt, sending, as } = settlement ?? {}
    return { operation, ...key, attempt, sending, as }
  }
}

/** Tells whether this settlement was recorded before: Temporal repeats a local activity of a lost task. */
function isAlreadyRecorded({ uuid, code, state, endToEnd }: Attempt, settlement: ManualSettlement): boolean {
  if (uuid !== settlement.attempt) return false
  return settlement.as === 'rejected'
    ? code === OPERATOR_REJECTION.code
    : state === 'settled' && endToEnd === settlement.endToEnd
}

function toManualSettlementOutcome(
  settlement: ManualSettlement,
  attempt: Attempt,
  { cents }: OrderedPayout,
): SendPayoutOutcome {
  if (settlement.as === 'rejected') {
    const message = settlement.merchantText ?? OPERATOR_REJECTION.message
    const { code } = OPERATOR_REJECTION
    return { kind: 'rejected', finality: 'final', code, message, refusedBy: 'operator' }
  }
  const { endToEnd } = settlement
  const at = getSettlementTime(endToEnd, attempt).toISOString()
  return { kind: 'accepted', payout: { status: 'settled', cents, endToEnd, at, returns: [] } }
}

/**
 * Gets the time of a settlement from its id, within the time of the attempt: with the time of the operator's action the
 * movement would be missing in the provider's statement of that day. An id that has no time settles now.
 */
function getSettlementTime(endToEnd: string, { calledAt, createdAt }: Attempt): Date {
  const now = Date.now()
  const earliest = (calledAt ?? createdAt).getTime()
  return new Date(Math.min(now, Math.max(earliest, timeOfRailId(endToEnd) ?? now)))
}
