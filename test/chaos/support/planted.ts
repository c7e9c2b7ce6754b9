import { violationsOf } from '../invariants.ts'
import type { World } from '../world.ts'
import { cleanWorld } from './clean-world.ts'

/** Something wrong, the rules that it breaks and no others, and how it comes into a clean world. */
export type Planted = [what: string, rules: string[], plant: (world: World) => unknown]

export const first = <T>(items: T[]): T => items[0]!
export const named = <T extends { uuid: string }>(items: T[], uuid: string): T =>
  items.find(one => one.uuid === uuid)!
export const put = Object.assign as (planted: object, more: object) => unknown
export const without = <T>(items: T[], fits: (item: T) => boolean): void => {
  items.splice(0, items.length, ...items.filter(item => !fits(item)))
}

export function rulesBrokenBy(plant: Planted[2]): string[] {
  const world = cleanWorld()
  plant(world)
  return [...new Set(violationsOf(world).map(violation => violation.rule))].toSorted()
}
