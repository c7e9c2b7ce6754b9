import { readFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { issueToken, openAccount, revokeTokens, setDefaults } from '../admin/accounts.ts'
import { connect, registerNotices } from '../admin/connections.ts'
import { Account } from '../db/entities/account.ts'
import { Connection } from '../db/entities/connection.ts'
import { isDocument, normalizedDocument } from '../domain/document.ts'
import { DIALECTS, type Dialect, PROVIDER_NAMES, type ProviderName } from '../domain/provider.ts'
import { print, withTools } from './tools.ts'

/** Merchants, their tokens and their connections. */
export function accountCommands(trilho: Command): void {
  const account = trilho.command('account').description('merchants')
  account
    .command('open <name> <document>')
    .description('open an account for the holder of a CPF or CNPJ')
    .action((name: string, document: string) =>
      withTools(async ({ em }) => {
        const holder = { name, document: normalizedDocument(document) }
        if (!isDocument(holder.document)) throw new Error(`${document} is not a valid CPF or CNPJ`)
        print({ account_uuid: (await openAccount(em, holder)).uuid })
      }),
    )
  account
    .command('list')
    .description('list the accounts')
    .action(() =>
      withTools(async ({ em }) => {
        for (const { uuid, name, status } of await em.findAll(Account, { orderBy: { createdAt: 'asc' } }))
          print({ account_uuid: uuid, name, status })
      }),
    )
  account
    .command('defaults <account> <connections...>')
    .description('replace the priority list of an account, preferred first')
    .action((uuid: string, connections: string[]) =>
      withTools(({ em }) => setDefaults(em, uuid, connections)),
    )

  const token = trilho.command('token').description('API tokens')
  token
    .command('issue <account> <name>')
    .description('issue a token; its text is shown this once')
    .addOption(
      new Option('--mode <mode>', 'test tokens reach simulators only')
        .choices(['live', 'test'])
        .default('live'),
    )
    .option('--connection <uuid>', 'bind it to one connection')
    .option('--expires <moment>', 'ISO 8601')
    .action((accountUuid: string, name: string, options) =>
      withTools(async ({ em }) => {
        const order = {
          accountUuid,
          name,
          mode: options.mode,
          ...(options.connection && { connectionUuid: options.connection }),
          ...(options.expires && { expiresAt: new Date(options.expires) }),
        }
        print({ token: await issueToken(em, order) })
      }),
    )
  token
    .command('revoke <account> <name>')
    .description('revoke the tokens of an account that carry a name')
    .action((accountUuid: string, name: string) =>
      withTools(({ em }) => revokeTokens(em, { accountUuid, name })),
    )

  const connection = trilho.command('connection').description('connections of accounts to providers')
  connection
    .command('add <account>')
    .description('connect an account to a provider and register the address of its notices')
    .addOption(new Option('--provider <name>').choices(PROVIDER_NAMES).makeOptionMandatory())
    .addOption(new Option('--dialect <dialect>').choices(DIALECTS).makeOptionMandatory())
    .addOption(new Option('--type <type>').choices(['NOMINAL', 'POOL']).default('NOMINAL'))
    .requiredOption('--provider-account <name>', 'the provider’s name of the account where the money sits')
    .requiredOption('--base-url <url>')
    .requiredOption('--credentials <file>', 'JSON as the dialect wants it; sealed before it is stored')
    .option('--collection-key <key>', 'the PIX key that collects')
    .option('--simulated', 'reached by test tokens only', false)
    .action((accountUuid: string, options) =>
      withTools(async ({ em, seal, providers, config }) => {
        const made = await connect(em, seal, {
          accountUuid,
          provider: options.provider as ProviderName,
          providerAccount: options.providerAccount,
          dialect: options.dialect as Dialect,
          type: options.type,
          isSimulated: options.simulated,
          baseUrl: options.baseUrl,
          credentials: JSON.parse(await readFile(options.credentials, 'utf8')),
          collectionKey: options.collectionKey ?? null,
        })
        print({ provider_uuid: made.uuid })
        await registerNotices({ providers, sealer: seal, publicUrl: config.publicUrl }, made)
      }),
    )
  connection
    .command('list <account>')
    .description('list the connections of an account')
    .action((accountUuid: string) =>
      withTools(async ({ em }) => {
        for (const { uuid, provider, type, status, dialect } of await em.find(Connection, {
          accountUuid,
        }))
          print({ provider_uuid: uuid, provider, type, status, dialect })
      }),
    )
}
