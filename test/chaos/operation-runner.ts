import { createMerchantActions } from './merchant-actions.ts'
import type { Operation } from './operations.ts'
import { createPayerActions } from './payer-actions.ts'
import {
  createStormContext,
  NO_OUTCOME,
  type OperationOutcome,
  type StormContextInput,
} from './storm-context.ts'

/** Runs the operations of a storm, each once, in any order that respects their references. */
export function createOperationRunner(stagehands: StormContextInput) {
  const scene = createStormContext(stagehands)
  const merchants = createMerchantActions(scene)
  const payers = createPayerActions(scene)

  return {
    requests: scene.asked,
    disputes: scene.disputes,
    skippedCounts: scene.idle,
    async runOperation(place: number): Promise<void> {
      const { resolve } = scene.outcomes[place]!
      try {
        resolve(await act(scene.operations[place]!, place))
      } finally {
        resolve(NO_OUTCOME) // A waiting operation continues, whatever the outcome of this one.
      }
    },
    /** Waits for the payers' later actions, and ends operations that would wait for money longer than a storm lasts. */
    async finish(): Promise<void> {
      await Promise.all([payers.awaitLatePayments(), payers.decideTheRest()])
      await Promise.all([merchants.callOff(), merchants.closeShop()])
    },
  }

  function act(operation: Operation, place: number): Promise<OperationOutcome> {
    switch (operation.kind) {
      case 'charge':
        return merchants.charge(operation, place)
      case 'transfer':
        return merchants.transfer(operation, place)
      case 'batch':
        return merchants.orderBatch(operation, place)
      case 'cancel_batch':
        return merchants.cancelBatch(operation, place)
      case 'refund':
        return merchants.refund(operation, place)
      case 'cancel_charge':
        return merchants.cancelCharge(operation, place)
      case 'revise':
        return merchants.reviseCharge(operation, place)
      case 'cancel_transfer':
        return merchants.cancelTransfer(operation, place)
      case 'return_deposit':
        return merchants.returnDeposit(operation, place)
      case 'reply':
        return merchants.reply(operation, place)
      case 'repeat':
        return merchants.repeat(operation)
      case 'pay':
        return payers.pay(operation)
      case 'deposit':
        return payers.deposit(operation)
      case 'give_back':
        return payers.giveBack(operation)
      case 'dispute':
        return payers.dispute(operation)
      case 'decide':
        return payers.decide(operation)
    }
  }
}
