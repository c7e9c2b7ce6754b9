import { z } from 'zod'
import { type ConnectionOrder, onboardConnection } from '../admin/connection-onboarding.ts'
import { OnboardingRefused } from '../admin/onboarding-refusal.ts'
import type { OpeningOutcome } from '../admin/opening-balance.ts'
import type { Account } from '../db/entities/account.ts'
import type { ProviderAccountHolder } from '../db/repositories/provider-account-identities.ts'
import { textFromCents } from '../domain/ledger/money.ts'
import { type Party, PROVIDER_APIS, PROVIDER_NAMES } from '../domain/providers/provider.ts'
import {
  type OperatorCommand,
  parseHttpsUrl,
  parseReais,
  parseText,
  parseUuid,
  readJsonFile,
  requireAccount,
} from './command-context.ts'

/** Registers the command that connects an account to a provider and opens its provider account. */
export function registerAddConnectionCommand(connection: OperatorCommand): void {
  connection
    .auditedCommand('add', { isRoutine: true })
    .argument('<account>', 'account UUID', parseUuid)
    .description('connect an account to a provider and register the callback address')
    .choice('--provider <name>', PROVIDER_NAMES)
    .choice('--dialect <dialect>', PROVIDER_APIS)
    .choice('--type <type>', ['NOMINAL', 'POOL'], '', 'NOMINAL')
    .requiredOption('--provider-account <name>', 'name or number of the account at the provider', parseText)
    .requiredOption('--base-url <url>', 'https URL of the provider API', parseHttpsUrl)
    .requiredOption('--credentials <file>', 'JSON file of the credentials; stored encrypted')
    .option(
      '--virtual-account <file>',
      'JSON file of the account that a NOMINAL connection has at the provider: account_number, account_agency, bank (name, ispb)',
    )
    .option('--collection-key <key>', 'PIX key that receives charges')
    .option('--simulated', 'a simulator: used by test tokens only', false)
    .option('--join', 'share the money of the provider account where it is connected already', false)
    .option(
      '--replace-webhook',
      'replace the URL of another system that the provider notifies for the collection key',
      false,
    )
    .option(
      '--opening-balance <reais>',
      'balance at the provider now; default: the balance that the provider reports',
      parseReais,
    )
    .run(async (tools, accountUuid: string, options: AddConnectionOptions) => {
      const account = await requireAccount(tools.em, accountUuid)
      const { provider, providerAccount, dialect, type, baseUrl } = options
      const order: ConnectionOrder = {
        accountUuid,
        provider,
        providerAccount,
        dialect,
        type,
        baseUrl,
        isSimulated: options.simulated,
        credentials: await readJsonFile(options.credentials),
        ...(await readVirtualAccount(account, options)),
        collectionKey: options.collectionKey ?? null,
      }
      const site = { providers: tools.providers, publicUrl: tools.config.publicUrl }
      const { join: joins, replaceWebhook: replacesWebhook, openingBalance: openingCents } = options
      const onboarding = { connection: order, ...tools.operator, openingCents, joins, replacesWebhook }
      const dependencies = { em: tools.em, sealer: tools.sealer, site }
      const added = await onboardConnection(dependencies, onboarding).catch(failByOption)
      tools.print({
        provider_uuid: added.connection.uuid,
        ...presentOpening(added.opening),
        ...presentHolders(added.holders),
      })
    })
}

/** Names the option that a refusal is about. */
export function failByOption(error: unknown): never {
  if (!(error instanceof OnboardingRefused)) throw error
  throw new Error(`--${error.field.replaceAll('_', '-')} ${error.message}`, { cause: error })
}

/** Presents whose money a provider account holds, where it is of more than one account. */
export function presentHolders(holders: ProviderAccountHolder[]): object {
  if (holders.length < 2) return {}
  return {
    holds_money_of: holders.map(({ accountUuid, name, type }) => ({ account_uuid: accountUuid, name, type })),
  }
}

const virtualAccountFile = z.strictObject({
  account_number: z.string().min(1),
  account_agency: z.string().min(1),
  bank: z.strictObject({
    code: z.string().default(''),
    name: z.string().min(1),
    ispb: z.string().regex(/^[0-9A-Z]{8}$/, 'must be 8 characters'),
  }),
  account_type: z.enum(['CHECKING', 'PAYMENT']).default('PAYMENT'),
})

/**
 * Reads the account that charges and transfers show as receiver and sender; its holder is the account of the connection.
 * The published APIs of the providers do not return branch and number, so that the operator gives them.
 */
async function readVirtualAccount(
  { name, document }: Account,
  { type, virtualAccount: file }: AddConnectionOptions,
): Promise<{ virtualAccount?: Party }> {
  if (type === 'POOL') {
    if (file !== undefined) throw new Error('--virtual-account is allowed only with --type NOMINAL')
    return {}
  }
  if (file === undefined) throw new Error('--virtual-account is required with --type NOMINAL')
  const { data, error } = virtualAccountFile.safeParse(await readJsonFile(file))
  if (error) throw new Error(`${file}: ${z.prettifyError(error)}`)
  return { virtualAccount: { name, document, ...data } }
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

type AddConnectionOptions = Pick<
  ConnectionOrder,
  'provider' | 'providerAccount' | 'dialect' | 'type' | 'baseUrl'
> & {
  credentials: string
  virtualAccount?: string
  collectionKey?: string
  simulated: boolean
  join: boolean
  replaceWebhook: boolean
  openingBalance?: number
}
