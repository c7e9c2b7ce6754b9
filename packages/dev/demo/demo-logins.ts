import { randomBytes } from 'node:crypto'
import { addUser, generateUserPassword, setPassword } from '../../../src/admin/users.ts'
import type { EntityManager } from '../../../src/db/client/orm.ts'
import { User } from '../../../src/db/entities/user.ts'
import type { ProviderApi } from '../../../src/domain/providers/provider.ts'

/** How the simulator knows a demo account, whatever its dialect calls it. */
export type SimulatorLogin = { client_id: string; client_secret: string; notification_secret: string }

export function generateSimulatorLogin(clientId: string): SimulatorLogin {
  const secret = () => randomBytes(24).toString('base64url')
  return { client_id: clientId, client_secret: secret(), notification_secret: secret() }
}

/** The credentials that the dialect's adapter wants for a login. */
export function toProviderCredentials(dialect: ProviderApi, login: SimulatorLogin): Record<string, string> {
  if (dialect === 'efi') return login
  const { client_id, client_secret, notification_secret } = login
  return {
    app_id: Buffer.from(`${client_id}:${client_secret}`).toString('base64'),
    webhook_secret: notification_secret,
  }
}

/** And back: a later start finds them in the connection. */
export function fromProviderCredentials(
  dialect: ProviderApi,
  credentials: Record<string, string>,
): SimulatorLogin {
  if (dialect === 'efi') return credentials as SimulatorLogin
  const [client_id, client_secret] = Buffer.from(credentials.app_id!, 'base64').toString('utf8').split(':')
  return {
    client_id: client_id!,
    client_secret: client_secret!,
    notification_secret: credentials.webhook_secret!,
  }
}

/** What signs in at the dashboard. */
export type DashboardLogin = { email: string; password: string }

/** The merchant's user and an operator, each with a password that is new at every start, like the tokens. */
export async function resetDashboardLogins(
  em: EntityManager,
  accountUuid: string,
): Promise<{ dashboard: DashboardLogin; operator: DashboardLogin }> {
  return {
    dashboard: await resetDashboardLogin(em, 'merchant@trilho.test', accountUuid),
    operator: await resetDashboardLogin(em, 'operator@trilho.test', null),
  }
}

async function resetDashboardLogin(
  em: EntityManager,
  email: string,
  accountUuid: string | null,
): Promise<DashboardLogin> {
  const password = generateUserPassword()
  if ((await em.count(User, { email })) > 0) await setPassword(em, email, password)
  else await addUser(em, { email, password, accountUuid })
  return { email, password }
}
