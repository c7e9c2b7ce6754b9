import { randomBytes } from 'node:crypto'
import type { Dialect } from '../domain/provider.ts'

/** How the simulator knows a demo account, whatever its dialect calls it. */
export type Login = { client_id: string; client_secret: string; notice_secret: string }

export function freshLogin(clientId: string): Login {
  const secret = () => randomBytes(24).toString('base64url')
  return { client_id: clientId, client_secret: secret(), notice_secret: secret() }
}

/** The credentials that the dialect's adapter wants for a login. */
export function credentialsOf(dialect: Dialect, login: Login): Record<string, string> {
  if (dialect === 'efi') return login
  const { client_id, client_secret, notice_secret } = login
  return {
    app_id: Buffer.from(`${client_id}:${client_secret}`).toString('base64'),
    webhook_secret: notice_secret,
  }
}

/** And back: a later start finds them in the connection. */
export function loginOf(dialect: Dialect, credentials: Record<string, string>): Login {
  if (dialect === 'efi') return credentials as Login
  const [client_id, client_secret] = Buffer.from(credentials.app_id!, 'base64').toString('utf8').split(':')
  return { client_id: client_id!, client_secret: client_secret!, notice_secret: credentials.webhook_secret! }
}
