import type { Orm } from './orm.ts'

/**
 * The settings of PostgreSQL on which a commit that was confirmed depends, and the only value of each that loses it. The
 * `local` of `synchronous_commit` is durable on this server; what a failover to a standby loses is in docs/production.md.
 */
const SETTINGS = ['fsync', 'synchronous_commit', 'full_page_writes']

/** A database that forgets what it has confirmed: nothing may be promised over it. */
export class UnsafeDatabase extends Error {
  override name = 'UnsafeDatabase'
}

/**
 * Throws `UnsafeDatabase`, one line, where this server, database or role runs with one of those settings off, as seen by a
 * connection of this process. Whoever cannot ask, because PostgreSQL is away, gets the error of the connection.
 */
export async function requireDurability(orm: Orm): Promise<void> {
  const off = await orm.em
    .fork()
    .execute<{ name: string }[]>(
      `select name from pg_settings where name = any(array[?]) and setting = 'off' order by name`,
      [SETTINGS],
    )
  if (off.length === 0) return
  const names = off.map(({ name }) => `${name} = off`).join(', ')
  throw new UnsafeDatabase(
    `PostgreSQL runs with ${names} and may lose what it has confirmed; turn it on for the server, the database and the ` +
      'role, or set TRILHO_UNSAFE_DATABASE=true where no money moves',
  )
}

/**
 * The check of a process at its start: an unsafe database ends it, unless that is allowed. One that is away is not judged;
 * the process serves nothing until it is back.
 */
export async function checkDurability(
  orm: Orm,
  { isAllowed, warn }: { isAllowed: boolean; warn: (message: string) => void },
): Promise<void> {
  try {
    await requireDurability(orm)
  } catch (error) {
    if (error instanceof UnsafeDatabase && !isAllowed) throw error
    warn(
      error instanceof UnsafeDatabase
        ? error.message
        : 'PostgreSQL does not answer: its settings are not checked',
    )
  }
}
