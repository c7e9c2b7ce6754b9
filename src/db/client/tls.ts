import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import { StartupRefusal } from '../../startup/startup-refusal.ts'

const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full']

/** What the query of a URL may say; MikroORM itself reads the schema. */
const URL_PARAMETERS = ['sslmode', 'sslrootcert', 'schema']

/**
 * How the URL of a PostgreSQL wants it spoken to, in the words of libpq: MikroORM leaves them out, and so the password
 * would go in the clear. Throws at whatever it would have to ignore.
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
    host: decodeURIComponent(hostname).replace(/^\[|\]$/g, ''), // Where it is an address, pg names none to check.
    ...(authority !== null && { ca: readCertificates(authority) }),
    // Of the public authorities anybody has a certificate, in his own name: only one's own vouches without it.
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
