import { createPublicKey, generateKeyPairSync, randomBytes, randomInt } from 'node:crypto'
import { addUser, generateUserPassword, setPassword } from '../../../src/admin/users.ts'
import type { EntityManager } from '../../../src/db/client/orm.ts'
import { User } from '../../../src/db/entities/user.ts'
import type { ProviderApi } from '../../../src/domain/providers/provider.ts'
import type { SimulatorClient } from '../../simulator/control/client.ts'

/** Number of the current account of a simulated account that has no other. */
const SIMULATED_ACCOUNT_NUMBER = '13525622'

/** How the simulator knows a demo account, whatever its dialect calls it. */
export type SimulatorLogin = { client_id: string; client_secret: string; notification_secret: string }

/** An account at the simulator, and the credentials of its connection. */
export type SimulatedCredentials = { login: SimulatorLogin; credentials: Record<string, string> }

type CertificateIssuer = Pick<SimulatorClient, 'issueCertificate'>

/** Creates the login of a new simulated account, with the credentials that the adapter of its dialect needs. */
export async function createSimulatedCredentials(
  simulator: CertificateIssuer,
  dialect: ProviderApi,
  clientId: string,
): Promise<SimulatedCredentials> {
  const secret = () => randomBytes(24).toString('base64url')
  const login = { client_id: clientId, client_secret: secret(), notification_secret: secret() }
  switch (dialect) {
    case 'efi':
      return { login, credentials: { ...login, account_number: SIMULATED_ACCOUNT_NUMBER } }
    case 'woovi':
      return {
        login,
        credentials: {
          app_id: Buffer.from(`${clientId}:${login.client_secret}`).toString('base64'),
          webhook_secret: login.notification_secret,
        },
      }
    case 'sicoob':
    case 'inter': {
      const { certificate, key } = await simulator.issueCertificate(clientId)
      const { client_secret, ...others } = login
      const credentials = {
        ...others,
        ...(dialect === 'inter' && { client_secret }),
        account_number: SIMULATED_ACCOUNT_NUMBER,
        certificate,
        private_key: key,
      }
      return { login: readSimulatorLogin(dialect, credentials), credentials }
    }
    case 'stark': {
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
      const private_key = privateKey.export({ type: 'sec1', format: 'pem' }).toString()
      const projectId = String(randomInt(2 ** 47)).padStart(16, '5')
      const credentials = { access_id: `project/${projectId}`, private_key }
      return { login: readStarkLogin(credentials), credentials }
    }
  }
}

/** Reads the login of an account from the credentials of its connection, as a later start finds them. */
export function readSimulatorLogin(
  dialect: ProviderApi,
  credentials: Record<string, string>,
): SimulatorLogin {
  switch (dialect) {
    case 'efi':
    case 'inter':
      return pickLogin(credentials)
    case 'sicoob': // Its API knows an application by its id and its certificate; the simulator signs tokens by the secret.
      return pickLogin({ ...credentials, client_secret: credentials.notification_secret! })
    case 'woovi': {
      const [id, secret] = Buffer.from(credentials.app_id!, 'base64').toString('utf8').split(':')
      return { client_id: id!, client_secret: secret!, notification_secret: credentials.webhook_secret! }
    }
    case 'stark':
      return readStarkLogin(credentials)
  }
}

function pickLogin(fields: Record<string, string>): SimulatorLogin {
  const { client_id, client_secret, notification_secret } = fields as SimulatorLogin
  return { client_id, client_secret, notification_secret }
}

/** Stark Bank knows an account by its public key, and signs its notifications by a key of the bank. */
function readStarkLogin({ access_id, private_key }: Record<string, string>): SimulatorLogin {
  return {
    client_id: access_id!.replace(/^project\//, ''),
    client_secret: createPublicKey(private_key!).export({ type: 'spki', format: 'pem' }).toString(),
    notification_secret: 'unused',
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
