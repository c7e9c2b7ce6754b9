import { randomBytes } from 'node:crypto'
import { addUser, newUserPassword, setPassword } from '../admin/users.ts'
import { User } from '../db/entities/user.ts'
import type { EntityManager } from '../db/orm.ts'
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

/** What signs in at the dashboard. */
export type SignIn = { email: string; password: string }

/** The merchant's user and an operator, each with a password that is new at every start, like the tokens. */
export async function freshSignIns(
  em: EntityManager,
  accountUuid: string,
): Promise<{ dashboard: SignIn; operator: SignIn }> {
  return {
    dashboard: await freshSignIn(em, 'merchant@trilho.test', accountUuid),
    operator: await freshSignIn(em, 'operator@trilho.test', null),
  }
}

async function freshSignIn(em: EntityManager, email: string, accountUuid: string | null): Promise<SignIn> {
  const password = newUserPassword()
  if ((await em.count(User, { email })) > 0) await setPassword(em, email, password)
  else await addUser(em, { email, password, accountUuid })
  return { email, password }
}
