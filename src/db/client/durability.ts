import { StartupRefusal } from '../../domain/errors/startup-refusal.ts'
import type { Orm } from './orm.ts'

/**
 * PostgreSQL settings on which the durability of a confirmed commit depends; `off` loses it. `synchronous_commit =
 * local` is durable on this server; docs/production.md says what a failover to a standby loses.
 */
const DURABILITY_SETTINGS = ['fsync', 'synchronous_commit', 'full_page_writes']

/** Refusal to start on a PostgreSQL that may lose committed transactions. */
export class UnsafeDatabase extends StartupRefusal {
  override name = 'UnsafeDatabase'
}

/**
 * Throws `UnsafeDatabase`, in one line, if this server, database or role runs with one of those settings off, as seen
 * by a connection of this process; if that is allowed, the line is a warning instead. While PostgreSQL is
 * unreachable, throws the connection error.
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
