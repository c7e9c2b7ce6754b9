import { Option } from 'commander'
import { activateConnection, type CreateConnectionInput, createConnection } from '../admin/connections.ts'
import { NOT_CREDITED_YET, type OpeningOutcome } from '../admin/opening-balance.ts'
import { Account } from '../db/entities/account.ts'
import { textFromCents } from '../domain/ledger/money.ts'
import {
  type ConnectionType,
  PROVIDER_APIS,
  PROVIDER_NAMES,
  type ProviderApi,
  type ProviderName,
} from '../domain/providers/provider.ts'
import {
  type ActorOptions,
  addActorOptions,
  type OperatorCommand,
  parseHttpsUrl,
  parseReais,
  parseText,
  parseUuid,
  readJsonFile,
  requireFound,
  runAudited,
} from './command-context.ts'

/** Registers the command that connects an account to a provider and opens its provider account. */
export function registerAddConnectionCommand(connection: OperatorCommand): void {
  addActorOptions(connection.command('add'), { isRoutine: true })
    .argument('<account>', 'account UUID', parseUuid)
    .description('connect an account to a provider and register the callback address')
    .addOption(new Option('--provider <name>').choices(PROVIDER_NAMES).makeOptionMandatory())
    .addOption(new Option('--dialect <dialect>').choices(PROVIDER_APIS).makeOptionMandatory())
    .addOption(new Option('--type <type>').choices(['NOMINAL', 'POOL']).default('NOMINAL'))
    .requiredOption('--provider-account <name>', 'name or number of the account at the provider', parseText)
    .requiredOption('--base-url <url>', 'https URL of the provider API', parseHttpsUrl)
    .requiredOption('--credentials <file>', 'JSON file of the credentials; stored encrypted')
    .option('--collection-key <key>', 'PIX key that receives charges')
    .option('--simulated', 'a simulator: used by test tokens only', false)
    .option(
      '--opening-balance <reais>',
      'balance at the provider now; default: the balance that the provider reports',
      parseReais,
    )
    .run(async (tools, accountUuid: string, options: ActorOptions & AddConnectionOptions) => {
      requireFound(await tools.em.findOne(Account, accountUuid), `account ${accountUuid}`)
      const input: CreateConnectionInput = {
        accountUuid,
        provider: options.provider,
        providerAccount: options.providerAccount,
        dialect: options.dialect,
        type: options.type,
        status: 'CONFIGURATION_PENDING',
        isSimulated: options.simulated,
        baseUrl: options.baseUrl,
        credentials: await readJsonFile(options.credentials),
        collectionKey: options.collectionKey ?? null,
        creditedSince: NOT_CREDITED_YET,
      }
      const connection = await runAudited(tools, options, {
        action: 'connection_add',
        async work(em) {
          const connection = await createConnection(em, tools.sealer, input)
          tools.providers.providerFor(connection) // Throws on what the dialect cannot use, before anything is stored.
          return connection
        },
        subject: one => `connection/${one.uuid}`,
      })
      const site = { providers: tools.providers, publicUrl: tools.config.publicUrl }
      const order = { site, connection, actor: options.by, openingCents: options.openingBalance }
      tools.print({
        provider_uuid: connection.uuid,
        ...presentOpening(await activateConnection(tools.em, order)),
      })
    })
}

function presentOpening(opening: OpeningOutcome): object {
  switch (opening.kind) {
    case 'opened':
      return { opening_balance: textFromCents(opening.cents) }
    case 'already_open':
      return {}
    case 'balance_unknown':
      return {
        warning:
          'the provider reports no balance: the opening balance is 0.00; correct it by `trilho ledger adjust`',
      }
    default:
      return opening satisfies never
  }
}

type AddConnectionOptions = {
  provider: ProviderName
  dialect: ProviderApi
  type: ConnectionType
  providerAccount: string
  baseUrl: string
  credentials: string
  collectionKey?: string
  simulated: boolean
  openingBalance?: number
}
