import { randomUUID } from 'node:crypto'
import { createAccount } from '../../../src/admin/accounts.ts'
import { type ConnectionOrder, onboardConnection } from '../../../src/admin/connection-onboarding.ts'
import { OnboardingRefused } from '../../../src/admin/connections.ts'
import type {
  AccountIdentity,
  ConnectionType,
  NoAnswerResult,
  ProviderApi,
  ProviderName,
} from '../../../src/domain/providers/provider.ts'
import type { ProviderRegistry, RegistryConnection } from '../../../src/providers/registry.ts'
import { createSealer } from '../../../src/security/sealing.ts'
import { createSelfSignedCertificate } from '../../providers/support/certificate.ts'
import { createTestDatabase } from '../../support/database.ts'
import { openTestOrm } from '../../support/orm.ts'

/** Accounts at banks whose answers are scripted, and the onboarding of connections to them over PostgreSQL. */

/** An account at a bank, as its API shows it to whoever has its credentials. */
export type BankAccount = {
  dialect: ProviderApi
  identity: AccountIdentity | NoAnswerResult
  cents: number
  webhook: string | null
}
/** How an account at a bank is connected. */
export type Way = {
  provider: ProviderName
  name: string
  owner: string
  isSimulated: boolean
  type: ConnectionType
}

export const LIVE: Omit<Way, 'owner'> = {
  provider: 'PROVIDER_A',
  name: 'shop',
  isSimulated: false,
  type: 'NOMINAL',
}

export type BankFixture = Awaited<ReturnType<typeof openBankFixture>>

/** Opens a database with two merchants, Loja X and Loja Y. */
export async function openBankFixture() {
  const sealer = createSealer(`a:${Buffer.alloc(32, 7).toString('base64')}`)
  const bankAccounts = new Map<string, BankAccount>()
  const { certificate, key: private_key } = await createSelfSignedCertificate()
  const orm = await openTestOrm({ databaseUrl: await createTestDatabase() })
  for (const name of ['Loja X', 'Loja Y'])
    await createAccount(orm.em.fork(), { name, document: '11222333000181' })
  const merchants = await sql<{ uuid: string }>('select uuid from account order by name')
  const [x, y] = merchants.map(({ uuid }) => uuid) as [string, string]

  const site = {
    publicUrl: 'https://pix.test',
    providers: {
      providerFor({ sealedCredentials }: RegistryConnection) {
        const { id } = sealer.open(sealedCredentials) as { id: string }
        const account = bankAccounts.get(id)!
        return {
          identity: async () => account.identity,
          balances: async () => ({
            kind: 'found',
            balance: { availableCents: account.cents, blockedCents: 0 },
          }),
          statement: async () => ({ kind: 'found', entries: [] }),
          ...(account.dialect === 'efi' && {
            findReplacedUrl: async () => ({ kind: 'found', url: account.webhook }),
          }),
          async registerNotificationUrl(url: string) {
            account.webhook = url
            return { kind: 'registered' }
          },
        }
      },
    } as unknown as ProviderRegistry,
  }

  function sql<Row extends object>(query: string, values: unknown[] = []): Promise<Row[]> {
    return orm.em.fork().execute(query, values)
  }

  function openBankAccount(account: Partial<BankAccount> = {}): string {
    const id = randomUUID()
    const dialect = account.dialect ?? 'woovi'
    const identity = dialect === 'efi' ? { keys: [randomUUID()] } : { id: randomUUID() }
    bankAccounts.set(id, {
      dialect,
      cents: 50_000,
      webhook: null,
      identity: { kind: 'found', ...identity } as AccountIdentity,
      ...account,
    })
    return id
  }

  /** Connects an account at a bank; returns the refusal as `<field>: <text>`, or null. */
  async function connect(
    id: string,
    { name, owner, ...way }: Way,
    permitted: { joins?: boolean; replacesWebhook?: boolean } = {},
  ): Promise<string | null> {
    const connection: ConnectionOrder = {
      ...way,
      accountUuid: owner,
      providerAccount: name,
      dialect: bankAccounts.get(id)!.dialect,
      baseUrl: 'https://bank.test',
      credentials: { id, certificate, private_key },
      collectionKey: null,
    }
    const isLivePool = connection.type === 'POOL' && !connection.isSimulated
    const order = {
      connection,
      actor: 'ana',
      reason: 'contract',
      joins: false,
      replacesWebhook: false,
      ...(isLivePool && { poolRole: 'payment institution' }),
    }
    try {
      await onboardConnection({ em: orm.em.fork(), sealer, site }, { ...order, ...permitted })
      return null
    } catch (error) {
      if (!(error instanceof OnboardingRefused)) throw error
      return `${error.field}: ${error.message}`
    }
  }

  /** What can be spent at provider accounts of these names, in all modes, in centavos: live and test. */
  async function sumAvailable(names: string[]): Promise<{ live: number; test: number }> {
    const rows = await sql<{ is_simulated: boolean; cents: number }>(
      `select p.is_simulated, sum(b.cents)::int as cents from balance b
     join provider_account p on p.uuid = b.provider_account_uuid
     where b.bucket <> 'outside' and p.name in (?) group by 1`,
      [names],
    )
    const sumOf = (isSimulated: boolean) => rows.find(row => row.is_simulated === isSimulated)?.cents ?? 0
    return { live: sumOf(false), test: sumOf(true) }
  }

  return { sealer, bankAccounts, x, y, sql, openBankAccount, connect, sumAvailable, close: () => orm.close() }
}
