import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import { Recurrence } from '../../db/entities/recurrence.ts'
import { listOpenDebits, lockRecurrence } from '../../db/repositories/recurrences.ts'
import { referenceOf } from '../../domain/pix/identifiers.ts'
import type { NoAnswerResult } from '../../domain/providers/provider.ts'
import type {
  CancelRecurrenceOutcome,
  FindRecurrenceOutcome,
  PayerAccount,
  RequestConsentOutcome,
} from '../../domain/providers/provider-recurrence.ts'
import { isChargeableRecurrenceState, recurrenceMachine } from '../../domain/recurrences/recurrence.ts'
import { signalOperation } from '../../temporal/signals.ts'
import type { PollRecurrenceResult } from '../../workflows/contracts/recurrences.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { callRepeatably } from '../shared/provider-client.ts'
import { adoptRecurrence, describeSent, readKnown } from './create.ts'
import { findFirstCharge, isEndedUnpaid } from './first-charge.ts'
import { applyReport, changeRecurrence } from './state.ts'

/**
 * Polls the provider of a recurrence, then applies its answer under the row lock. "Not found" is no answer: the provider has made it. A
 * recurrence whose first charge has ended unpaid is cancelled: its code can be paid no more.
 */
export function pollRecurrence(dependencies: ActivityDependencies) {
  return async (uuid: string): Promise<PollRecurrenceResult> => {
    const em = dependencies.orm.em.fork()
    const row = await em.findOneOrFail(Recurrence, uuid, { populate: ['connection'] })
    const { answer } = await callRepeatably(
      dependencies,
      em,
      row.connection.uuid,
      async (provider): Promise<FindRecurrenceOutcome> =>
        (await provider.findRecurrence?.(describeSent(row))) ?? NOT_SUPPORTED,
    )
    if (answer.kind === 'not_found') return { kind: 'no_answer', code: 'not_found' }
    if (answer.kind === 'no_answer') return { kind: 'no_answer', code: answer.code }
    return change(dependencies, uuid, async (locked, tx) => {
      const { recurrence } = answer
      // A restored row may be of before its creation.
      if (locked.state === 'creating')
        await adoptRecurrence(tx, locked, { connectionUuid: row.connection.uuid, recurrence })
      else await applyReport(tx, locked, recurrence)
      const firstCharge = isChargeableRecurrenceState(locked.state) ? null : await findFirstCharge(tx, locked)
      if (firstCharge && isEndedUnpaid(firstCharge)) withdraw(locked, 'first_charge_not_paid')
    })
  }
}

/** Has a recurrence cancelled at its provider that no payer can authorize any more. */
function withdraw(locked: Recurrence, code: string): void {
  if (!recurrenceMachine.accepts(locked.state, 'cancelled')) return
  locked.reasonCode ??= code
  locked.cancelRequestedAt ??= new Date()
}

/**
 * Sends the request for consent to the payer's bank; may be repeated. Where it cannot be sent, because the provider refuses it or it would
 * have ended by now, the recurrence is cancelled: no payer can ever authorize it.
 */
export function requestConsent(dependencies: ActivityDependencies) {
  return async (uuid: string): Promise<PollRecurrenceResult> => {
    const em = dependencies.orm.em.fork()
    const row = await em.findOneOrFail(Recurrence, uuid, { populate: ['connection'] })
    const { railId, sealedPayerAccount, requestExpiresAt } = row
    if (!railId || !sealedPayerAccount || !requestExpiresAt)
      throw new Error('the recurrence has no request for consent')
    const withdrawRow = (code: string) => change(dependencies, uuid, locked => withdraw(locked, code))
    if (requestExpiresAt <= new Date()) return withdrawRow('request_expired')
    const request = {
      railId,
      debtorDocument: row.debtorDocument,
      payerAccount: dependencies.sealer.open<PayerAccount>(sealedPayerAccount),
      expiresAt: requestExpiresAt.toISOString(),
    }
    const { answer } = await callRepeatably(
      dependencies,
      em,
      row.connection.uuid,
      async (provider): Promise<RequestConsentOutcome> =>
        (await provider.requestConsent?.(request)) ?? { ...NOT_SUPPORTED, kind: 'unknown' },
    )
    switch (answer.kind) {
      case 'requested':
        return change(dependencies, uuid, locked => {
          locked.requestedAt ??= new Date()
        })
      case 'rejected':
        return withdrawRow(answer.code)
      case 'unreachable':
      case 'unknown':
        return { kind: 'no_answer', code: answer.code }
    }
  }
}

/**
 * Cancels a recurrence at its provider. It ends by what the provider answers alone; where that refuses, the recurrence is polled, and the
 * request ends unless it has no answer.
 */
export function cancelRecurrence(dependencies: ActivityDependencies) {
  return async (uuid: string): Promise<PollRecurrenceResult> => {
    const { orm } = dependencies
    const row = await runInTransaction(orm, em => requestCancellation(em, uuid))
    if (!row.railId || !recurrenceMachine.accepts(row.state, 'cancelled'))
      return change(dependencies, uuid, () => undefined)
    const recurrence = { railId: row.railId, reference: referenceOf(uuid) }
    const { answer } = await callRepeatably(
      dependencies,
      orm.em.fork(),
      row.connection.uuid,
      async (provider): Promise<CancelRecurrenceOutcome> =>
        (await provider.cancelRecurrence?.(recurrence)) ?? NOT_SUPPORTED,
    )
    switch (answer.kind) {
      case 'cancelled':
        return change(dependencies, uuid, async (locked, tx) => {
          if (!recurrenceMachine.accepts(locked.state, 'cancelled')) return
          locked.cancelledBy ??= 'receiver'
          locked.reasonCode ??= CANCELLED_BY_RECEIVER
          await changeRecurrence(tx, locked, 'cancelled')
        })
      case 'refused': {
        const found = await pollRecurrence(dependencies)(uuid)
        if (found.kind === 'no_answer') return found
        return change(dependencies, uuid, locked => {
          locked.cancelRequestedAt = null
        })
      }
      case 'not_found':
        return { kind: 'no_answer', code: 'not_found' }
      case 'no_answer':
        return { kind: 'no_answer', code: answer.code }
    }
  }
}

/** Signals the workflows of the open debits of a recurrence that is over to poll their provider, as a notification does. May be repeated. */
export function signalOpenDebits({ orm, temporal }: ActivityDependencies) {
  return async (uuid: string): Promise<void> => {
    const em = orm.em.fork()
    const { connection } = await em.findOneOrFail(Recurrence, uuid)
    for (const chargeUuid of await listOpenDebits(em, uuid))
      await signalOperation(temporal, 'charge', chargeUuid, {
        notificationUuid: randomUUID(),
        connectionUuid: connection.uuid,
      })
  }
}

/** Code of the rail for a cancellation that the receiver has ordered (pix-api, `encerramento.cancelamento.codigo`). */
const CANCELLED_BY_RECEIVER = 'SLCR'

const NOT_SUPPORTED = {
  kind: 'no_answer',
  code: 'not_supported',
  message: 'The provider has no recurrences',
} as const satisfies NoAnswerResult

/** Stores that a cancellation was requested, before the provider is called. */
async function requestCancellation(em: EntityManager, uuid: string): Promise<Recurrence> {
  const row = await lockRecurrence(em, uuid)
  if (recurrenceMachine.accepts(row.state, 'cancelled')) row.cancelRequestedAt ??= new Date()
  return row
}

function change(
  { orm }: ActivityDependencies,
  uuid: string,
  apply: (row: Recurrence, em: EntityManager) => void | Promise<void>,
): Promise<PollRecurrenceResult> {
  return runInTransaction(orm, async em => {
    const row = await lockRecurrence(em, uuid)
    await apply(row, em)
    row.updatedAt = new Date()
    return readKnown(em, row)
  })
}
