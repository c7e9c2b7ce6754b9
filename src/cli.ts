import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Client, Connection } from '@temporalio/client'
import { Command, Option } from 'commander'
import { issueToken, openAccount, revokeTokens, setDefaults } from './admin/accounts.ts'
import { checkLedger, checkProviders } from './admin/check-ledger.ts'
import { connect, registerNotices } from './admin/connections.ts'
import { type Config, readConfig } from './config.ts'
import { Account } from './db/entities/account.ts'
import { Connection as ProviderConnection } from './db/entities/connection.ts'
import { type EntityManager, migrate, type Orm, openOrm } from './db/orm.ts'
import { isDocument, normalizedDocument } from './domain/document.ts'
import { DIALECTS, type Dialect, PROVIDER_NAMES, type ProviderName } from './domain/provider.ts'
import { environmentOfCommands } from './local/local-environment.ts'
import { type ProviderRegistry, providerRegistry } from './providers/registry.ts'
import { type Sealer, sealer } from './sealing.ts'
import type { reconciliationWorkflow } from './workflows/reconciliation.ts'

/** `trilho`: what an administrator does without the API. Every command prints JSON, one object a line. */

type Tools = { orm: Orm; em: EntityManager; config: Config; seal: Sealer; providers: ProviderRegistry }

const trilho = new Command('trilho').description('Administers a PIX payments engine').showHelpAfterError()

trilho
  .command('migrate')
  .description('bring the database schema up to date')
  .action(() => withTools(({ orm }) => migrate(orm)))

trilho
  .command('check-ledger')
  .description('check that every movement adds up to zero and every balance is the fold of its postings')
  .option('--providers', 'also compare with what each provider says it holds')
  .action(options =>
    withTools(async ({ em, providers, seal }) => {
      const violations = await checkLedger(em)
      if (options.providers) violations.push(...(await checkProviders(em, { providers, sealer: seal })))
      violations.forEach(print)
      print({ violations: violations.length })
      if (violations.length > 0) process.exitCode = 1
    }),
  )

trilho
  .command('reconcile')
  .description(
    'compare every provider’s statement with ours now, repair what lost notices left, show the rest',
  )
  .option('--hours <hours>', 'how far back', '48')
  .action(options =>
    withTools(async ({ em, config }) => {
      const connection = await Connection.connect({ address: config.temporal.address })
      const client = new Client({ connection, namespace: config.temporal.namespace })
      const results = await client.workflow.execute<typeof reconciliationWorkflow>('reconciliationWorkflow', {
        workflowId: `reconciliation/${randomUUID()}`,
        taskQueue: config.temporal.taskQueue,
        args: [{ hours: Number(options.hours) }],
      })
      results.forEach(print)
      const open = await em.execute('select * from difference where settled_at is null order by found_at')
      open.forEach(print)
      if (open.length > 0) process.exitCode = 1
      await connection.close()
    }),
  )

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
  .action((uuid: string, connections: string[]) => withTools(({ em }) => setDefaults(em, uuid, connections)))

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
      for (const { uuid, provider, type, status, dialect } of await em.find(ProviderConnection, {
        accountUuid,
      }))
        print({ provider_uuid: uuid, provider, type, status, dialect })
    }),
  )

await trilho.parseAsync()

/** Opens what a command needs, and closes it whatever happens; an error is a sentence, not a stack. */
async function withTools(work: (tools: Tools) => Promise<unknown>): Promise<void> {
  const { environment, ca } = await environmentOfCommands()
  const config = readConfig(environment)
  const orm = await openOrm({ databaseUrl: config.databaseUrl })
  const providers = providerRegistry({ timeoutMs: 10_000, ...(ca !== undefined && { ca }) })
  try {
    await work({ orm, em: orm.em.fork(), config, seal: sealer(config.secretKeys), providers })
  } catch (error) {
    print({ error: error instanceof Error ? error.message : String(error) })
    process.exitCode = 1
  } finally {
    await Promise.all([providers.close(), orm.close()])
  }
}

function print(line: unknown): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
