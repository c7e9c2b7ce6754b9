import { InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { type ConnectionOrder, onboardConnection, renewCredentials } from '../admin/connection-onboarding.ts'
import { changeConnection, OnboardingRefused } from '../admin/connections.ts'
import type { OpeningOutcome } from '../admin/opening-balance.ts'
import type { Account } from '../db/entities/account.ts'
import { Connection, ProviderAccount } from '../db/entities/connection.ts'
import {
  listProviderAccountHolders,
  type ProviderAccountHolder,
} from '../db/repositories/provider-account-identities.ts'
import {
  FEE_LINES,
  type Fee,
  type FeeLine,
  feeFromText,
  formatFee,
  textFromCents,
} from '../domain/ledger/money.ts'
import { isIspb, normalizeIspb } from '../domain/pix/ispb.ts'
import type { Party } from '../domain/pix/party.ts'
import { CONNECTION_STATUSES, PROVIDER_APIS, PROVIDER_NAMES } from '../domain/providers/provider.ts'
import {
  type OperatorCommand,
  parseHttpsUrl,
  parseReais,
  parseText,
  parseUuid,
  readJsonFile,
  requireAccount,
} from './command-context.ts'

export function registerConnectionCommands(trilho: OperatorCommand) {
  const connection = trilho.command('connection')

  registerAddCommand(connection)

  connection
    .command('list')
    .argument('<account>', 'account UUID', parseUuid)
    .description('list the connections of an account with their fees')
    .run(async ({ em, print }, accountUuid: string) => {
      for (const one of await em.find(Connection, { accountUuid }, { orderBy: { createdAt: 'asc' } })) {
        const { name } = await em.findOneOrFail(ProviderAccount, one.providerAccountUuid)
        print({
          provider_uuid: one.uuid,
          provider: one.provider,
          provider_account: name,
          mode: one.isSimulated ? 'test' : 'live',
          type: one.type,
          ...presentHolders(await listProviderAccountHolders(em, one.providerAccountUuid)),
          status: one.status,
          dialect: one.dialect,
          is_public: one.isPublic,
          max_per_transfer: one.maxTransferCents == null ? null : textFromCents(one.maxTransferCents),
          fees: Object.fromEntries(Object.entries(one.fees).map(([what, fee]) => [what, formatFee(fee)])),
          secret_key_id: one.secretKeyId,
        })
      }
    })

  connection
    .auditedCommand('status')
    .argument('<connection>', 'connection UUID', parseUuid)
    .argument('<status>', CONNECTION_STATUSES.join(', '))
    .description(
      'set the status: a connection that is not ACTIVE starts no operation; polls, refunds and disputes continue',
    )
    .run(({ em, operator }, uuid: string, status: string) => {
      const knownStatus = CONNECTION_STATUSES.find(one => one === status.toUpperCase())
      if (!knownStatus) throw new Error(`${status} is not one of ${CONNECTION_STATUSES.join(', ')}`)
      const change = () => ({ status: knownStatus })
      return changeConnection(em, { ...operator, uuid, change })
    })

  connection
    .auditedCommand('visibility')
    .argument('<connection>', 'connection UUID', parseUuid)
    .choice('--public <yes or no>', ['yes', 'no'])
    .description('set whether requests and default providers may use a connection')
    .run(({ em, operator }, uuid: string, options: { public: 'yes' | 'no' }) => {
      const change = () => ({ isPublic: options.public === 'yes' })
      return changeConnection(em, { ...operator, uuid, change })
    })

  connection
    .auditedCommand('fees')
    .argument('<connection>', 'connection UUID', parseUuid)
    .description('replace fees of a connection: 0.10, 0.99% or 0.10+0.99%; running operations keep their fee')
    .option('--charge <fee>', 'paid by the payer', parseFee)
    .option('--transfer <fee>', 'paid by the sender', parseFee)
    .option('--refund <fee>', 'paid by the account', parseFee)
    .run(({ em, operator }, uuid: string, options: Partial<Record<FeeLine, Fee>>) => {
      const lines = FEE_LINES.flatMap(line => (options[line] ? [[line, options[line]]] : []))
      if (lines.length === 0) throw new Error('no fee is given')
      const fees: Partial<Record<FeeLine, Fee>> = Object.fromEntries(lines)
      const change = (one: Connection) => ({ fees: { ...one.fees, ...fees } })
      return changeConnection(em, { ...operator, uuid, change })
    })

  connection
    .auditedCommand('limit')
    .argument('<connection>', 'connection UUID', parseUuid)
    .description(
      'set the most that one transfer through a connection may send; a transfer above it goes through another one',
    )
    .requiredOption('--max-per-transfer <reais>', 'reais, or none', parseTransferLimit)
    .run(({ em, operator }, uuid: string, { maxPerTransfer }: { maxPerTransfer: number | 'none' }) => {
      const change = () => ({ maxTransferCents: maxPerTransfer === 'none' ? null : maxPerTransfer })
      return changeConnection(em, { ...operator, uuid, change })
    })

  connection
    .auditedCommand('credentials')
    .argument('<connection>', 'connection UUID', parseUuid)
    .argument('<file>', 'JSON file of the credentials')
    .description(
      'replace the credentials by others of the same provider account, and register the callback address again',
    )
    .option('--replace-webhook', 'replace the URL of another system that the provider notifies', false)
    .run(async (tools, connectionUuid: string, file: string, options: { replaceWebhook: boolean }) => {
      const warn = (text: string) => void process.stderr.write(`${text}\n`)
      const site = { providers: tools.providers, publicUrl: tools.config.publicUrl, warn }
      const { connection, isProved } = await renewCredentials(
        { em: tools.em, sealer: tools.sealer, site },
        {
          connectionUuid,
          credentials: await readJsonFile(file),
          ...tools.operator,
          replacesWebhook: options.replaceWebhook,
        },
      ).catch(failByOption)
      if (!isProved)
        tools.print({
          warning: 'these credentials could not be proved to belong to the same account at the provider',
          credentials_epoch: connection.credentialsEpoch,
        })
    })
}

/** Registers the command that connects an account to a provider and opens its provider account. */
function registerAddCommand(parent: OperatorCommand): void {
  parent
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
    .option('--max-per-transfer <reais>', 'the most that one transfer may send, or none', parseTransferLimit)
    .option(
      '--pool-role <role>',
      'who is authorised to hold the money of others, and as what; required for a live --type POOL',
      parseText,
    )
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
        maxTransferCents: typeof options.maxPerTransfer === 'number' ? options.maxPerTransfer : null,
      }
      const site = { providers: tools.providers, publicUrl: tools.config.publicUrl }
      const { join: joins, replaceWebhook: replacesWebhook, openingBalance: openingCents, poolRole } = options
      const onboarding = {
        connection: order,
        ...tools.operator,
        poolRole,
        openingCents,
        joins,
        replacesWebhook,
      }
      const dependencies = { em: tools.em, sealer: tools.sealer, site }
      const { connection, opening, holders } = await onboardConnection(dependencies, onboarding).catch(
        failByOption,
      )
      tools.print({
        provider_uuid: connection.uuid,
        ...presentOpening(opening),
        ...presentHolders(holders),
      })
    })
}

/** Names the option that a refusal is about. */
function failByOption(error: unknown): never {
  if (!(error instanceof OnboardingRefused)) throw error
  throw new Error(`--${error.field.replaceAll('_', '-')} ${error.message}`, { cause: error })
}

/** Presents whose money a provider account holds, where it is of more than one account. */
function presentHolders(holders: ProviderAccountHolder[]): object {
  if (holders.length < 2) return {}
  return {
    holds_money_of: holders.map(({ accountUuid, name, type }) => ({ account_uuid: accountUuid, name, type })),
  }
}

const ispbSchema = z.string().transform(normalizeIspb).refine(isIspb, 'must be 8 characters')

const virtualAccountFile = z.strictObject({
  account_number: z.string().min(1),
  account_agency: z.string().min(1),
  bank: z.strictObject({
    code: z.string().default(''),
    name: z.string().min(1),
    ispb: ispbSchema,
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
  maxPerTransfer?: number | 'none'
  poolRole?: string
}

function parseTransferLimit(text: string): number | 'none' {
  if (text === 'none') return 'none'
  const cents = parseReais(text)
  if (cents <= 0) throw new InvalidArgumentError('Not a limit: give reais above zero, or none.')
  return cents
}

/** Parses a fee: `0.10` reais, `0.99%`, or both, `0.10+0.99%`. */
export function parseFee(text: string): Fee {
  const fee = feeFromText(text)
  if (!fee)
    throw new InvalidArgumentError('Not a fee: give 0.10, 0.99% or 0.10+0.99%, with at most two decimals.')
  return fee
}
