import { merchantsOf } from './merchants.ts'
import type { Operation } from './operations.ts'
import { payersOf } from './payers.ts'
import { NOTHING, type Outcome, type Stagehands, sceneOf } from './scene.ts'

/** Carries the operations of a storm out, each once, in any order that keeps to what names what. */
export function performer(stagehands: Stagehands) {
  const scene = sceneOf(stagehands)
  const merchants = merchantsOf(scene)
  const payers = payersOf(scene)

  return {
    asked: scene.asked,
    disputes: scene.disputes,
    idle: scene.idle,
    async perform(place: number): Promise<void> {
      const { resolve } = scene.outcomes[place]!
      try {
        resolve(await act(scene.operations[place]!, place))
      } finally {
        resolve(NOTHING) // Whoever waits for it need not, whatever it came to.
      }
    },
    /** Waits for what payers do later, and ends what would wait for money longer than anybody watches. */
    async finish(): Promise<void> {
      await Promise.all([payers.finished(), payers.decideTheRest()])
      await Promise.all([merchants.callOff(), merchants.closeShop()])
    },
  }

  function act(operation: Operation, place: number): Promise<Outcome> {
    switch (operation.kind) {
      case 'charge':
        return merchants.charge(operation, place)
      case 'transfer':
        return merchants.transfer(operation, place)
      case 'refund':
        return merchants.refund(operation, place)
      case 'cancel_charge':
        return merchants.cancelCharge(operation, place)
      case 'cancel_transfer':
        return merchants.cancelTransfer(operation, place)
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
