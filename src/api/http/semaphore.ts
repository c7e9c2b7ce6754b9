/** Lets the work of one owner in a few at a time; the rest waits in order, and nobody waits for another owner. */
export type Semaphore = {
  /** Resolves when it is this one's turn, with what ends it. */
  acquire(owner: string): Promise<() => void>
}

type OwnerQueue = { activeCount: number; waiting: (() => void)[] }

export function createSemaphore(atOnce: number): Semaphore {
  const lines = new Map<string, OwnerQueue>()
  return {
    async acquire(owner) {
      const line = lines.get(owner) ?? { activeCount: 0, waiting: [] }
      lines.set(owner, line)
      if (line.activeCount >= atOnce) await new Promise<void>(resolve => line.waiting.push(resolve))
      else line.activeCount += 1
      return () => {
        const next = line.waiting.shift()
        if (next) return next() // It takes this one's place.
        line.activeCount -= 1
        if (line.activeCount === 0) lines.delete(owner)
      }
    },
  }
}
