import { type Command, Option } from 'commander'
import { begin, type ConnectionOrder, connect } from '../admin/connections.ts'
import { NOT_CREDITED_YET, type OpeningOutcome } from '../admin/opening-balance.ts'
import { Account } from '../db/entities/account.ts'
import { textFromCents } from '../domain/money.ts'
import {
  type ConnectionType,
  DIALECTS,
  type Dialect,
  PROVIDER_NAMES,
  type ProviderName,
} from '../domain/provider.ts'
import { acts, type By, centsOfText, type Desk, done, httpsUrl, jsonIn, there, uuid, words } from './tools.ts'

/** Connects an account to a provider and opens its provider account with what is there. */
export function addConnectionCommand(
  connection: Command,
  { withTools, print }: Pick<Desk, 'withTools' | 'print'>,
): void {
  acts(connection.command('add'), { isRoutine: true })
    .argument('<account>', 'its uuid', uuid)
    .description('connect an account to a provider and register the address of its notices')
    .addOption(new Option('--provider <name>').choices(PROVIDER_NAMES).makeOptionMandatory())
    .addOption(new Option('--dialect <dialect>').choices(DIALECTS).makeOptionMandatory())
    .addOption(new Option('--type <type>').choices(['NOMINAL', 'POOL']).default('NOMINAL'))
    .requiredOption(
      '--provider-account <name>',
      'the provider’s name of the account where the money sits',
      words,
    )
    .requiredOption('--base-url <url>', 'by https', httpsUrl)
    .requiredOption('--credentials <file>', 'JSON as the dialect wants it; sealed before it is stored')
    .option('--collection-key <key>', 'the PIX key that collects')
    .option('--simulated', 'reached by test tokens only', false)
    .option(
      '--opening-balance <reais>',
      'what is there now, where the provider does not tell; else it is asked',
      centsOfText,
    )
    .action((accountUuid: string, options: By & AddOptions) =>
      withTools(async tools => {
        there(await tools.em.findOne(Account, accountUuid), `account ${accountUuid}`)
        const wanted: ConnectionOrder = {
          accountUuid,
          provider: options.provider,
          providerAccount: options.providerAccount,
          dialect: options.dialect,
          type: options.type,
          status: 'CONFIGURATION_PENDING',
          isSimulated: options.simulated,
          baseUrl: options.baseUrl,
          credentials: await jsonIn(options.credentials),
          collectionKey: options.collectionKey ?? null,
          creditedSince: NOT_CREDITED_YET,
        }
        const made = await done(tools, options, {
          act: 'connection_add',
          async work(em) {
            const connection = await connect(em, tools.seal, wanted)
            tools.providers.providerFor(connection) // Throws on what the dialect cannot use, before anything is stored.
            return connection
          },
          subject: one => `connection/${one.uuid}`,
        })
        const site = { providers: tools.providers, publicUrl: tools.config.publicUrl }
        const order = { site, connection: made, who: options.by, openingCents: options.openingBalance }
        print({ provider_uuid: made.uuid, ...shownOpening(await begin(tools.em, order)) })
      }),
    )
}

function shownOpening(opening: OpeningOutcome): object {
  switch (opening.kind) {
    case 'opened':
      return { opening_balance: textFromCents(opening.cents) }
    case 'open_already':
      return {}
    case 'balance_unknown':
      return {
        warning:
          'the provider did not tell its balance: it opens with 0.00, correct it by `trilho ledger adjust`',
      }
    default:
      return opening satisfies never
  }
}

type AddOptions = {
  provider: ProviderName
  dialect: Dialect
  type: ConnectionType
  providerAccount: string
  baseUrl: string
  credentials: string
  collectionKey?: string
  simulated: boolean
  openingBalance?: number
}
