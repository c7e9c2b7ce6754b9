/** Lets the work of one owner in a few at a time; the rest waits in order, and nobody waits for another owner. */
export type Turns = {
  /** Resolves when it is this one's turn, with what ends it. */
  take(owner: string): Promise<() => void>
}

type Line = { underWay: number; waiting: (() => void)[] }

export function turns(atOnce: number): Turns {
  const lines = new Map<string, Line>()
  return {
    async take(owner) {
      const line = lines.get(owner) ?? { underWay: 0, waiting: [] }
      lines.set(owner, line)
      if (line.underWay >= atOnce) await new Promise<void>(resolve => line.waiting.push(resolve))
      else line.underWay += 1
      return () => {
        const next = line.waiting.shift()
        if (next) return next() // It takes this one's place.
        line.underWay -= 1
        if (line.underWay === 0) lines.delete(owner)
      }
    },
  }
}
