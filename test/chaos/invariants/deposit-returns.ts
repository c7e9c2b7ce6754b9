import type { FinalState, Violation } from '../final-state.ts'

/** SPEC §2: an order to return a deposit that did not fail has sent the whole deposit back once, and no other has. */
export function checkDepositReturns({ depositReturns, movements }: FinalState): Violation[] {
  const deposits = new Map(movements.map(movement => [movement.uuid, movement]))
  const sentBack = Map.groupBy(
    movements.filter(({ type, status }) => type === 'EXTERNAL_REFUND' && status === 'SETTLED'),
    movement => movement.original,
  )
  const held = depositReturns.filter(({ failure }) => failure === null)
  return [
    ...held.flatMap(({ uuid, movement }) => {
      const returns = sentBack.get(movement) ?? []
      const cents = returns.reduce((sum, one) => sum + one.cents, 0)
      const expected = deposits.get(movement)?.cents
      return returns.length === 1 && cents === expected
        ? []
        : violationOf('deposit_not_returned', uuid, `${cents} of ${expected} in ${returns.length} returns`)
    }),
    ...[...Map.groupBy(held, ({ movement }) => movement)].flatMap(([deposit, orders]) =>
      orders.length > 1
        ? violationOf('deposit_ordered_twice', deposit, orders.map(({ uuid }) => uuid).join(', '))
        : [],
    ),
  ]
}

function violationOf(rule: string, where: string, detail: string): Violation[] {
  return [{ rule, where, detail }]
}
