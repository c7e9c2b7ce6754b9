import { StartupRefusal } from '../../startup/startup-refusal.ts'
import type { Orm } from './orm.ts'

/**
 * The settings of PostgreSQL on which a commit that was confirmed depends, and the only value of each that loses it. The
 * `local` of `synchronous_commit` is durable on this server; what a failover to a standby loses is in docs/production.md.
 */
const DURABILITY_SETTINGS = ['fsync', 'synchronous_commit', 'full_page_writes']

/** A PostgreSQL that may lose what it has committed. */
export class UnsafeDatabase extends StartupRefusal {
  override name = 'UnsafeDatabase'
}

/**
 * Throws `UnsafeDatabase`, one line, where this server, database or role runs with one of those settings off, as seen by a
 * connection of this process; where that is allowed, the line is a warning. While PostgreSQL is away, throws the error of the
 * connection.
 */
export async function requireDurability(
  orm: Orm,
  { isAllowed, warn }: { isAllowed: boolean; warn: (message: string) => void },
): Promise<void> {
  const off = await orm.em
    .fork()
    .execute<{ name: string }[]>(
      `select name from pg_settings where name = any(array[?]) and setting = 'off' order by name`,
      [DURABILITY_SETTINGS],
    )
  if (off.length === 0) return
  const names = off.map(({ name }) => `${name} = off`).join(', ')
  const message =
    `PostgreSQL runs with ${names} and may lose what it has confirmed; turn it on for the server, the database and the ` +
    'role, or set TRILHO_ENVIRONMENT=local and TRILHO_UNSAFE_DATABASE=true where no money moves'
  if (!isAllowed) throw new UnsafeDatabase(message)
  warn(message)
}
