import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import { Connection } from '../../db/entities/connection.ts'
import { lockConnection } from '../../db/locks.ts'
import { constantQuery, runQuery } from '../../db/pipeline/query.ts'
import { queryAttemptByReference } from '../../db/repositories/attempts.ts'
import { mayPayCharge } from '../../db/repositories/charges.ts'
import { queryWithFollowUps } from '../../db/repositories/follow-ups.ts'
import { mayBeAdjusted } from '../../db/repositories/ledger-adjustments.ts'
import { findProviderAccountOwner } from '../../db/repositories/provider-accounts.ts'
import { findPaidQrCode } from '../../db/repositories/qr-codes.ts'
import type { IncomingPix } from '../../domain/providers/provider.ts'
import { signalPayloadOwner } from '../../temporal/signals.ts'
import type { RecordDepositInput, RecordDepositResult } from '../../workflows/contracts/unmatched.ts'
import { addNotifiedPayers } from '../provider-notifications/notified-details.ts'
import { recordQrCodePayment } from '../qr-codes/record-payment.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { callRepeatably } from '../shared/provider-client.ts'
import { recordUnmatchedPayment } from '../unmatched/record.ts'

/**
 * Polls the provider for a PIX and records it: as the payment of the static code that it names (SPEC §2), else as a deposit to the
 * connection's account; at a shared provider account to that of the charge that it names, else to the service's. Whether the PIX names a charge is decided by the provider's
 * answer, not by the notification. Repeatable.
 */
export function recordDeposit(dependencies: ActivityDependencies) {
  return async (input: RecordDepositInput): Promise<RecordDepositResult> => {
    const { connectionUuid, endToEnd, requestId } = input
    const em = dependencies.orm.em.fork()
    const { answer, ...client } = await callRepeatably(dependencies, em, connectionUuid, provider =>
      provider.findPayment(endToEnd),
    )
    const { connection } = client
    if (answer.kind === 'no_answer') return { kind: 'no_answer', code: answer.code }
    if (answer.kind === 'not_found' || answer.payment.status === 'failed') return { kind: 'not_found' }
    if (answer.payment.cents <= 0) return { kind: 'not_found' } // It moved nothing.
    const [payment = answer.payment] = await addNotifiedPayers(em, client, [answer.payment])
    if (isInOpeningBalance(connection, payment)) return { kind: 'not_found' }
    // Only a settled PIX is credited.
    if (payment.status !== 'settled') return { kind: 'no_answer', code: payment.status }
    const { providerAccountUuid } = connection
    const { reference } = payment
    const attempt = await runQuery(em, queryAttemptByReference(em, { reference, providerAccountUuid }))
    if (attempt?.operation === 'issue') {
      const notification = { notificationUuid: randomUUID(), connectionUuid }
      const owner = await signalPayloadOwner(dependencies.temporal, attempt, notification)
      if (owner === 'signalled') return { kind: 'expected' }
      if (owner === 'issuing') return { kind: 'no_answer', code: 'charge_issuing' }
    }
    const code = attempt ? null : await findPaidQrCode(em, connection, payment)
    if (code)
      return runInTransaction<RecordDepositResult>(dependencies.orm, tx =>
        recordQrCodePayment(tx, { code, payment, requestId }),
      )
    // A look-up of the charge may still name this PIX; the reconciliation books it after a day.
    const { cents } = payment
    if (connection.type === 'POOL' && !attempt && (await mayPayCharge(em, { providerAccountUuid, cents })))
      return { kind: 'no_answer', code: 'may_pay_a_charge' }
    return runInTransaction<RecordDepositResult>(dependencies.orm, async tx => {
      const owner = await findDepositOwner(tx, connection, attempt)
      await lockConnection(tx, owner.connection.uuid)
      const movedMoney = {
        providerAccountUuid,
        direction: 'IN',
        cents,
        at: new Date(payment.at),
      } as const
      // Reconciliation shows it to the operators, who have adjusted that value meanwhile.
      if (await mayBeAdjusted(tx, movedMoney))
        return constantQuery<RecordDepositResult>({ kind: 'not_found' })
      const movement = await recordUnmatchedPayment(tx, { ...owner, payment, reason: 'deposit', requestId })
      return queryWithFollowUps(movement.uuid, { kind: 'accepted' })
    })
  }
}

/** Finds whose a PIX is that pays no charge. At a shared provider account, only an attempt there shows it. */
async function findDepositOwner(
  em: EntityManager,
  connection: Connection,
  attempt: Attempt | undefined,
): Promise<{ connection: Connection; serviceAccountUuid?: string }> {
  if (connection.type !== 'POOL') return { connection }
  if (attempt) return { connection: await em.findOneOrFail(Connection, attempt.connectionUuid) }
  const owner = await findProviderAccountOwner(em, connection.providerAccountUuid)
  return { connection: owner.connection, ...(owner.isService && { serviceAccountUuid: owner.accountUuid }) }
}

/** Tells whether a PIX is, or may be, part of the opening balance: reconciliation shows operators the one that may be. */
function isInOpeningBalance({ creditedSince }: Connection, { at }: IncomingPix): boolean {
  return Boolean(creditedSince) && Date.parse(at) < creditedSince!.getTime()
}
