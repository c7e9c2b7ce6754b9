import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { addUser, generateUserPassword, setPassword } from '../../../src/admin/users.ts'
import type { EntityManager } from '../../../src/db/client/orm.ts'
import { User } from '../../../src/db/entities/user.ts'
import type { SimulatedDialect } from '../../simulator/dialects.ts'

/** Number of the current account of a simulated account that has no other. */
const SIMULATED_ACCOUNT_NUMBER = '13525622'

/** How the simulator knows a demo account, whatever its dialect calls it; `private_key` is the account's own. */
export type SimulatorLogin = {
  client_id: string
  client_secret: string
  notification_secret: string
  private_key?: string
}

export function generateSimulatorLogin(dialect: SimulatedDialect, clientId: string): SimulatorLogin {
  if (dialect === 'stark') return generateStarkLogin(clientId)
  const secret = () => randomBytes(24).toString('base64url')
  return { client_id: clientId, client_secret: secret(), notification_secret: secret() }
}

/** Stark Bank knows an account by its public key, and signs its notifications by a key of the bank. */
function generateStarkLogin(projectId: string): SimulatorLogin {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
  const pem = privateKey.export({ type: 'sec1', format: 'pem' }).toString()
  return { ...readStarkLogin({ access_id: `project/${projectId}`, private_key: pem }), private_key: pem }
}

function readStarkLogin({ access_id, private_key }: Record<string, string>): SimulatorLogin {
  return {
    client_id: access_id!.replace(/^project\//, ''),
    client_secret: createPublicKey(private_key!).export({ type: 'spki', format: 'pem' }).toString(),
    notification_secret: 'unused',
  }
}

/** The credentials that the dialect's adapter wants for a login. */
export function toProviderCredentials(
  dialect: SimulatedDialect,
  login: SimulatorLogin,
): Record<string, string> {
  const { client_id, client_secret, notification_secret, private_key } = login
  if (dialect === 'efi') return { client_id, client_secret, notification_secret }
  if (dialect === 'sicoob')
    return { client_id, account_number: SIMULATED_ACCOUNT_NUMBER, notification_secret }
  if (dialect === 'stark') return { access_id: `project/${client_id}`, private_key: private_key! }
  return {
    app_id: Buffer.from(`${client_id}:${client_secret}`).toString('base64'),
    webhook_secret: notification_secret,
  }
}

/** And back: a later start finds them in the connection. */
export function fromProviderCredentials(
  dialect: SimulatedDialect,
  credentials: Record<string, string>,
): SimulatorLogin {
  if (dialect === 'efi') return credentials as SimulatorLogin
  if (dialect === 'stark') return readStarkLogin(credentials)
  if (dialect === 'sicoob')
    return { ...generateSimulatorLogin(dialect, credentials.client_id!), ...credentials }
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
