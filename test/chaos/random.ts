/** Reproducible random numbers: the same seed gives the same numbers in the same order. */
export type Random = ReturnType<typeof createRandom>

export function createRandom(seed: number) {
  let state = seed >>> 0

  /** Mulberry32: at least 0, below 1. */
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  /** Both ends included. */
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1))
  const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)]!

  return {
    next,
    between,
    pick,
    chance: (probability: number) => next() < probability,
    /** A name of the table, as often as its weight says. */
    pickWeighted<Name extends string>(table: Record<Name, number>): Name {
      const names = Object.keys(table) as Name[]
      let left = next() * names.reduce((sum, name) => sum + table[name], 0)
      for (const name of names) {
        left -= table[name]
        if (left < 0) return name
      }
      return names.at(-1)!
    },
    shuffle<T>(items: readonly T[]): T[] {
      const rest = [...items]
      for (let last = rest.length - 1; last > 0; last--) {
        const other = between(0, last)
        ;[rest[last], rest[other]] = [rest[other]!, rest[last]!]
      }
      return rest
    },
    /** Another stream of random numbers, so that draws from one do not change the other. */
    fork: (salt: number) => createRandom(Math.imul(seed ^ 0x9e3779b9, 2 * salt + 1)),
  }
}
