import { renewCredentials } from '../admin/connection-onboarding.ts'
import { changeConnection } from '../admin/connections.ts'
import { Connection, ProviderAccount } from '../db/entities/connection.ts'
import { listProviderAccountHolders } from '../db/repositories/provider-account-identities.ts'
import { FEE_LINES, type Fee, type FeeLine, formatFee } from '../domain/ledger/money.ts'
import { CONNECTION_STATUSES } from '../domain/providers/provider.ts'
import { type OperatorCommand, parseUuid, readJsonFile } from './command-context.ts'
import { failByOption, presentHolders, registerAddConnectionCommand } from './connection-add.ts'
import { parseFee } from './fees.ts'

export function registerConnectionCommands(trilho: OperatorCommand) {
  const connection = trilho.command('connection')

  registerAddConnectionCommand(connection)

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
      const given = FEE_LINES.flatMap(line => (options[line] ? [[line, options[line]]] : []))
      if (given.length === 0) throw new Error('no fee is given')
      const fees: Partial<Record<FeeLine, Fee>> = Object.fromEntries(given)
      const change = (one: Connection) => ({ fees: { ...one.fees, ...fees } })
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
      const { connection: changed, isProved } = await renewCredentials(
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
          credentials_epoch: changed.credentialsEpoch,
        })
    })
}
