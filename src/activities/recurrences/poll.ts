import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import { Recurrence } from '../../db/entities/recurrence.ts'
import { lockRecurrence } from '../../db/repositories/recurrences.ts'
import { referenceOf } from '../../domain/pix/identifiers.ts'
import type { NoAnswerResult } from '../../domain/providers/provider.ts'
import type {
  CancelRecurrenceOutcome,
  FindRecurrenceOutcome,
  PayerAccount,
  RequestConsentOutcome,
} from '../../domain/providers/provider-recurrence.ts'
import { recurrenceMachine } from '../../domain/recurrences/recurrence.ts'
import type { PollRecurrenceResult } from '../../workflows/contracts/recurrences.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { callRepeatably } from '../shared/provider-client.ts'
import { describeSent, readKnown } from './create.ts'
import { applyReport, changeRecurrence } from './state.ts'

/** Polls the provider of a recurrence, then applies its answer under the row lock. "Not found" is no answer: the provider has made it. */
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
    return change(dependencies, uuid, (locked, tx) => applyReport(tx, locked, answer.recurrence))
  }
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
    const withdraw = (code: string) =>
      change(dependencies, uuid, locked => {
        if (!recurrenceMachine.accepts(locked.state, 'cancelled')) return
        locked.reasonCode ??= code
        locked.cancelRequestedAt ??= new Date()
      })
    if (requestExpiresAt <= new Date()) return withdraw('request_expired')
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
        return withdraw(answer.code)
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
