import { AsyncLocalStorage } from 'node:async_hooks'

/** Time in which a request waits for PostgreSQL: the union of its waits, because statements run at the same time. */
class DatabaseTime {
  #totalMs = 0
  #pendingCount = 0
  #waitingSinceMs = 0

  get totalMs(): number {
    return this.#totalMs + (this.#pendingCount > 0 ? performance.now() - this.#waitingSinceMs : 0)
  }

  async measure<T>(begin: () => Promise<T>): Promise<T> {
    if (this.#pendingCount === 0) this.#waitingSinceMs = performance.now()
    this.#pendingCount += 1
    try {
      return await begin()
    } finally {
      this.#pendingCount -= 1
      if (this.#pendingCount === 0) this.#totalMs += performance.now() - this.#waitingSinceMs
    }
  }
}

const storage = new AsyncLocalStorage<DatabaseTime>()

/** Runs work whose waits for PostgreSQL are summed; `work` reads the sum so far, in ms. */
export function withDatabaseTime<T>(work: (readMs: () => number) => T): T {
  const time = new DatabaseTime()
  return storage.run(time, () => work(() => time.totalMs))
}

/** Begins a wait for PostgreSQL, and adds it to the sum of the current request, where there is one. */
export function measureDatabaseWait<T>(begin: () => Promise<T>): Promise<T> {
  return storage.getStore()?.measure(begin) ?? begin()
}
