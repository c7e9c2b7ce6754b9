import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import { StartupRefusal } from '../../domain/errors/startup-refusal.ts'

const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full']

/** Allowed query parameters of the URL; MikroORM itself reads `schema`. */
const URL_PARAMETERS = ['sslmode', 'sslrootcert', 'schema']

/**
 * Parses the TLS options of a PostgreSQL URL, with libpq's parameters. MikroORM ignores them and would send the
 * password unencrypted. Throws for every parameter or value that it would have to ignore.
 */
export function parseTlsOptions(databaseUrl: string): ConnectionOptions | false | undefined {
  const { hostname, searchParams } = new URL(databaseUrl)
  const unknown = [...searchParams.keys()].find(name => !URL_PARAMETERS.includes(name))
  if (unknown !== undefined)
    throw new StartupRefusal(`DATABASE_URL has ${unknown}, which is none of ${URL_PARAMETERS.join(', ')}.`)
  const [mode, authority] = [searchParams.get('sslmode'), searchParams.get('sslrootcert')]
  if (mode !== null && !SSL_MODES.includes(mode))
    throw new StartupRefusal(`DATABASE_URL has sslmode=${mode}, which is none of ${SSL_MODES.join(', ')}.`)
  if (mode === null || mode === 'disable') {
    if (authority !== null)
      throw new StartupRefusal('DATABASE_URL has sslrootcert without an sslmode that uses it.')
    return mode === null ? undefined : false
  }
  if (authority === null && mode === 'require') return { rejectUnauthorized: false }
  return {
    rejectUnauthorized: true,
    host: decodeURIComponent(hostname).replace(/^\[|\]$/g, ''), // For an IP address `pg` passes no host name to check.
    ...(authority !== null && { ca: readCertificates(authority) }),
    // A public authority issues certificates to anyone for their own host names: only a private CA is proof
    // without the host name.
    ...(authority !== null && mode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  }
}

function readCertificates(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new StartupRefusal(`The sslrootcert of DATABASE_URL cannot be read: ${path}`, { cause })
  }
}
