import type { FinalState, Violation } from '../final-state.ts'
import { sumCents, violationIf } from './violations.ts'

/** SPEC §2: an order to return a deposit that did not fail has sent the whole deposit back once; a deposit has one at most. */
export function checkDepositReturns({ depositReturns, movements }: FinalState): Violation[] {
  const deposits = new Map(movements.map(movement => [movement.uuid, movement]))
  const returnsByDeposit = Map.groupBy(
    movements.filter(({ type, status }) => type === 'EXTERNAL_REFUND' && status === 'SETTLED'),
    movement => movement.original,
  )
  const orders = depositReturns.filter(({ failure }) => failure === null)
  const ordersByDeposit = Map.groupBy(orders, ({ movement }) => movement)
  return [
    ...orders.flatMap(({ uuid, movement }) => {
      const returns = returnsByDeposit.get(movement) ?? []
      const cents = sumCents(returns.map(one => one.cents))
      const expected = deposits.get(movement)?.cents
      return violationIf(
        returns.length !== 1 || cents !== expected,
        'deposit_not_returned',
        uuid,
        `${cents} of ${expected} in ${returns.length} returns`,
      )
    }),
    ...[...ordersByDeposit].flatMap(([deposit, same]) =>
      violationIf(same.length > 1, 'deposit_ordered_twice', deposit, same.map(({ uuid }) => uuid).join(', ')),
    ),
  ]
}
