import type { EventEmitter } from 'node:events'

/** As much of a pool of `pg` as is needed here. */
export type Pool = EventEmitter
type Client = EventEmitter & { release: (error?: Error | boolean) => void }

/**
 * Takes back connections that end while they are lent out. Kysely releases the one of a transaction only after its
 * begin, commit or rollback has succeeded, which on a dead connection none does; so a database that restarts would
 * leave every pool with that many places fewer for ever, and a busy process with none.
 */
export function takeBackTheDead(pool: Pool): void {
  const lent = new Set<Client>()
  pool.on('acquire', client => lent.add(client))
  pool.on('release', (_error: unknown, client: Client) => lent.delete(client))
  pool.on('connect', (client: Client) =>
    client.once('end', () => {
      if (!lent.has(client)) return
      const { release } = client
      client.release = () => {} // Whoever has it and does give it back is late, and not wrong.
      release(true)
    }),
  )
}
