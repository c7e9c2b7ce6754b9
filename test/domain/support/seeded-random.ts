/** Pseudo-random numbers that are the same in every run (mulberry32). */
export function createSeededRandom(seed: number): { upTo: (most: number) => number } {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let bits = Math.imul(state ^ (state >>> 15), 1 | state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    /** A whole number from 0 to `most`; two draws, because one has fewer digits than the largest amounts. */
    upTo: most => Math.floor(((next() + next() / 2 ** 32) % 1) * (most + 1)),
  }
}
