import type { Violation } from '../final-state.ts'

/** A violation where a value is wrong, and none where it is right: rules are lists of these. */
export function violationIf(isWrong: boolean, rule: string, where: string, detail: string): Violation[] {
  return isWrong ? [{ rule, where, detail }] : []
}

export function sumCents(cents: number[]): number {
  return cents.reduce((total, each) => total + each, 0)
}
