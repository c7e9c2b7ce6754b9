/** Limits concurrent work per owner; the rest waits in order. Owners do not block each other. */
export type Semaphore = {
  /** Resolves with the release function once a slot is free. */
  acquire(owner: string): Promise<() => void>
}

type OwnerQueue = { activeCount: number; waiting: (() => void)[] }

export function createSemaphore(maxConcurrent: number): Semaphore {
  const queues = new Map<string, OwnerQueue>()
  return {
    async acquire(owner) {
      const queue = queues.get(owner) ?? { activeCount: 0, waiting: [] }
      queues.set(owner, queue)
      if (queue.activeCount >= maxConcurrent) await new Promise<void>(resolve => queue.waiting.push(resolve))
      else queue.activeCount += 1
      return () => {
        const handOver = queue.waiting.shift()
        if (handOver) return handOver() // The slot passes to the next in the queue.
        queue.activeCount -= 1
        if (queue.activeCount === 0) queues.delete(owner)
      }
    },
  }
}
