import type { Logger } from 'pino'
import { CERTIFICATE_ERROR_CODE, StartupRefusal } from '../../domain/errors/startup-refusal.ts'
import { selectValue } from '../select-values.ts'
import { requireDurability } from './durability.ts'
import { isSchemaMigrated } from './migrate.ts'
import type { Orm } from './orm.ts'

export type DatabaseRequirements = {
  orm: Orm
  /** Whether PostgreSQL settings that lose committed transactions are allowed (TRILHO_UNSAFE_DATABASE). */
  isUnsafeAllowed: boolean
  log: Logger
}

/**
 * Checks that PostgreSQL accepts the credentials, that its schema is migrated and that its commits are durable.
 * Throws `StartupRefusal` where waiting does not help, and the connection's error while PostgreSQL is unreachable.
 */
export async function requireUsableDatabase({ orm, isUnsafeAllowed, log }: DatabaseRequirements) {
  try {
    await requireMigratedSchema(orm, log)
    await requireDurability(orm, { isAllowed: isUnsafeAllowed, warn: message => log.warn(message) })
  } catch (error) {
    throw classifyDatabaseError(error) ?? error
  }
}

/**
 * Checks the schema version. A schema newer than this release is accepted with a warning: that is the state after a
 * rollback, and each migration keeps the schema usable by the release before it (docs/production.md).
 */
async function requireMigratedSchema(orm: Orm, log: Logger): Promise<void> {
  const { migrator, config } = orm
  // Checked first, because the migrator creates the table where it is missing.
  if (!(await isSchemaMigrated(orm))) throw new StartupRefusal(SCHEMA_NOT_MIGRATED)
  const releaseMigrations = new Set(config.get('migrations').migrationsList?.map(({ name }) => name))
  const newer = (await migrator.getExecuted()).filter(({ name }) => !releaseMigrations.has(name))
  if (newer.length > 0)
    log.warn(
      { migrations: newer.map(({ name }) => name) },
      'the database schema is newer than this release: replace this release by the newer one',
    )
}

/** Returns whether PostgreSQL takes writes: it is no standby, and transactions are not read-only. */
export function isDatabaseWritable({ em }: Orm): Promise<boolean> {
  const sql = `select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off'`
  return selectValue(em.fork(), sql)
}

const SCHEMA_NOT_MIGRATED =
  'The schema of the database that DATABASE_URL names is not migrated to this release: run `trilho migrate` first'

/** Messages for PostgreSQL errors that need another setting, by SQLSTATE. */
const REFUSALS_BY_STATE: Record<string, string> = {
  '28P01': 'PostgreSQL refuses the password of DATABASE_URL: correct the user or the password',
  '28000':
    'PostgreSQL refuses the user of DATABASE_URL: correct the user or its sslmode, or let the role in (pg_hba.conf)',
  '3D000': 'DATABASE_URL names a database that PostgreSQL does not have: correct the name or create it',
  '42501':
    'The user of DATABASE_URL lacks privileges on the schema: grant them, or use the user that ran `trilho migrate`',
  '42P01': SCHEMA_NOT_MIGRATED,
  '42703': SCHEMA_NOT_MIGRATED,
}

/** Messages for driver errors without a code: only their text separates them from a lost connection. */
const REFUSALS_BY_TEXT: [RegExp, string][] = [
  [
    /does not support SSL/,
    'PostgreSQL does not support TLS, which the sslmode of DATABASE_URL requires: turn TLS on in PostgreSQL or change sslmode',
  ],
  [/^SASL/, 'DATABASE_URL has no password, and PostgreSQL requires one: add the password to DATABASE_URL'],
]

/** Classifies a connection error: the `StartupRefusal` for a wrong setting, or undefined where waiting may help. */
export function classifyDatabaseError(error: unknown): StartupRefusal | undefined {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown }
  const refusal = typeof code === 'string' ? REFUSALS_BY_STATE[code] : undefined
  if (refusal) return new StartupRefusal(refusal)
  if (typeof code === 'string' && CERTIFICATE_ERROR_CODE.test(code))
    return new StartupRefusal(
      `The certificate of PostgreSQL is not trusted (${code}): correct the certificate, or sslmode and sslrootcert of DATABASE_URL`,
    )
  if (code !== undefined) return undefined
  const [, text] = REFUSALS_BY_TEXT.find(([pattern]) => pattern.test(String(message))) ?? []
  return text === undefined ? undefined : new StartupRefusal(text)
}
