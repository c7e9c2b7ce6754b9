import { randomUUID } from 'node:crypto'
import { type ChargeState, chargeMachine, isPaidChargeState } from '../domain/charges/charge.ts'
import { refundMachine } from '../domain/refunds/refund.ts'
import type { MoneyNoun } from '../domain/shared/nouns.ts'
import { isSettledTransferState, transferMachine } from '../domain/transfers/transfer.ts'
import { signalOperation, signalReturn } from '../temporal/signals.ts'
import type { TemporalContext } from '../temporal/workflow-options.ts'

/** Comparison of restored rows with workflow histories, for each noun that carries money. */

export const IS_FINAL: Record<MoneyNoun, (state: string) => boolean> = {
  charge: state => chargeMachine.isFinal(state as ChargeState),
  transfer: state => transferMachine.isFinal(state as never),
  refund: state => refundMachine.isFinal(state as never),
  return: state => state !== 'held' && state !== 'returning',
}

/** Returns whether the workflow's result is ahead of a final row: money moved after the row's end. */
export function isHistoryAhead(noun: MoneyNoun, state: string, result: string | undefined): boolean {
  switch (noun) {
    case 'charge':
      return !isPaidChargeState(state) && state !== 'failed' && isPaidChargeState(result)
    case 'transfer':
      return (
        isSettledTransferState(result) &&
        (!isSettledTransferState(state) || (state !== result && state !== 'refunded' && result !== 'paid'))
      )
    case 'refund':
      return state === 'failed' && result === 'settled'
    case 'return':
      return (state === 'not_returned' || state === 'kept') && result === 'settled'
  }
}

/** Signals the noun's workflow, as a provider notification does, to poll its provider. */
export function signalMoneyWorkflow(
  temporal: TemporalContext,
  noun: MoneyNoun,
  { uuid, connectionUuid }: { uuid: string; connectionUuid: string },
): Promise<void> {
  const notification = { notificationUuid: randomUUID(), connectionUuid }
  if (noun === 'return') return signalReturn(temporal, { uuid, connectionUuid }, notification)
  return signalOperation(temporal, noun, uuid, notification)
}
