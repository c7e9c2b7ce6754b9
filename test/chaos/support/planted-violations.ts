import type { FinalState } from '../final-state.ts'
import { findViolations } from '../invariants.ts'
import { buildValidFinalState } from './valid-final-state.ts'

/** A violation, the rules that it breaks and no others, and how it is planted into a valid state. */
export type PlantedViolation = [what: string, rules: string[], plant: (world: FinalState) => unknown]

export const firstOf = <T>(items: T[]): T => items[0]!
export const findByUuid = <T extends { uuid: string }>(items: T[], uuid: string): T =>
  items.find(one => one.uuid === uuid)!
export const assignTo = Object.assign as (planted: object, more: object) => unknown
export const removeWhere = <T>(items: T[], fits: (item: T) => boolean): void => {
  items.splice(0, items.length, ...items.filter(item => !fits(item)))
}

export function findBrokenRules(plant: PlantedViolation[2]): string[] {
  const world = buildValidFinalState()
  plant(world)
  return [...new Set(findViolations(world).map(violation => violation.rule))].toSorted()
}
