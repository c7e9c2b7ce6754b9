import type { FinalState, Violation } from '../final-state.ts'
import { violationIf } from './violations.ts'

/** SPEC §4, "Limits": a counter is the sum of the orders that it let through and that have not failed. */
export function checkLimits({ limitUsages }: FinalState): Violation[] {
  return limitUsages.flatMap(({ counter, usedCents, orderedCents }) =>
    violationIf(
      usedCents !== orderedCents,
      'limit_usage_differs',
      counter,
      `${usedCents} counted, ${orderedCents} ordered`,
    ),
  )
}
