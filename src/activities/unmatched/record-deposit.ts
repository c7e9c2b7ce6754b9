import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../../db/client/orm.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import type { Connection } from '../../db/entities/connection.ts'
import { mapQuery, runQuery, transactionReturning } from '../../db/pipeline/query.ts'
import { queryAttemptByReference } from '../../db/repositories/attempts.ts'
import { pendingFollowUps } from '../../db/repositories/follow-ups.ts'
import type { IncomingPix } from '../../domain/providers/provider.ts'
import { signalPayloadOwner } from '../../temporal/signals.ts'
import type { RecordDepositInput, RecordDepositResult } from '../../workflows/contracts/unmatched.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { callRepeatably } from '../shared/worker-reach.ts'
import { recordUnmatchedPayment } from './record.ts'

/**
 * Polls the provider for a PIX and credits it to the connection's account as a deposit (SPEC §2). Whether the PIX names
 * a charge is decided by the provider's answer, not by the notification. Repeatable.
 */
export function recordDeposit(dependencies: ActivityDependencies) {
  return async ({
    connectionUuid,
    endToEnd,
    requestId,
  }: RecordDepositInput): Promise<RecordDepositResult> => {
    const em = dependencies.orm.em.fork()
    const { connection, answer: found } = await callRepeatably(dependencies, em, connectionUuid, provider =>
      provider.findPayment(endToEnd),
    )
    if (found.kind === 'not_found') return { kind: 'not_found' }
    if (found.kind === 'no_answer') return { kind: 'no_answer', code: found.code }
    const { payment } = found
    if (payment.status === 'failed') return { kind: 'not_found' }
    if (isInOpeningBalance(connection, payment)) return { kind: 'not_found' }
    // Only a settled PIX is credited.
    if (payment.status !== 'settled') return { kind: 'no_answer', code: payment.status }
    const issuing = await findPaidAttempt(em, connection, payment)
    const expected = issuing && (await signalExpectingCharge(dependencies, connection, issuing))
    if (expected) return expected
    return transactionReturning(dependencies.orm, async tx => {
      const movement = await recordUnmatchedPayment(tx, { connection, payment, reason: 'deposit', requestId })
      return mapQuery(pendingFollowUps(movement.uuid), followUps => ({ kind: 'accepted', ...followUps }))
    })
  }
}

/** Tells whether a PIX is part of the account's opening balance, because it arrived before that balance was read. */
function isInOpeningBalance({ creditedSince }: Connection, { at }: IncomingPix): boolean {
  return Boolean(creditedSince) && Date.parse(at) < creditedSince!.getTime()
}

/** Finds the issue attempt whose payload the PIX names. */
async function findPaidAttempt(
  em: EntityManager,
  { providerAccountUuid }: Connection,
  { reference }: IncomingPix,
): Promise<Attempt | undefined> {
  const attempt = await runQuery(em, queryAttemptByReference(em, { reference, providerAccountUuid }))
  return attempt?.operation === 'issue' ? attempt : undefined
}

/** Signals the workflow that owns the payload. Returns null where there is none: the provider issued no payload. */
async function signalExpectingCharge(
  { temporal }: ActivityDependencies,
  { uuid: connectionUuid }: Connection,
  attempt: Attempt,
): Promise<RecordDepositResult | null> {
  switch (await signalPayloadOwner(temporal, attempt, { notificationUuid: randomUUID(), connectionUuid })) {
    case 'signalled':
      return { kind: 'expected' }
    case 'issuing':
      return { kind: 'no_answer', code: 'charge_issuing' }
    case 'none':
      return null
  }
}
