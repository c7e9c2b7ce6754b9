import { Option } from 'commander'
import { type NotificationSite, registerNotificationUrl } from '../admin/connections.ts'
import { replaceCredentials, rollBackCredentials } from '../admin/credentials.ts'
import { Connection } from '../db/entities/connection.ts'
import { ROW_LOCK } from '../db/locks.ts'
import type { Fee } from '../domain/ledger/money.ts'
import { CONNECTION_STATUSES } from '../domain/providers/provider.ts'
import {
  type ActorOptions,
  addActorOptions,
  type CommandContext,
  type OperatorCommand,
  parseUuid,
  readJsonFile,
  requireFound,
  runAudited,
} from './command-context.ts'
import { registerAddConnectionCommand } from './connection-add.ts'
import { formatFee, parseFee } from './fees.ts'

export function registerConnectionCommands(trilho: OperatorCommand) {
  const connection = trilho
    .command('connection')
    .description('manage the connections of accounts to providers')

  registerAddConnectionCommand(connection)

  connection
    .command('list')
    .argument('<account>', 'account UUID', parseUuid)
    .description('list the connections of an account with their fees')
    .run(async ({ em, print }, accountUuid: string) => {
      for (const one of await em.find(Connection, { accountUuid }, { orderBy: { createdAt: 'asc' } }))
        print({
          provider_uuid: one.uuid,
          provider: one.provider,
          type: one.type,
          status: one.status,
          dialect: one.dialect,
          is_public: one.isPublic,
          fees: Object.fromEntries(Object.entries(one.fees).map(([what, fee]) => [what, formatFee(fee)])),
          secret_key_id: one.secretKeyId,
        })
    })

  addActorOptions(connection.command('status'))
    .argument('<connection>', 'connection UUID', parseUuid)
    .argument('<status>', CONNECTION_STATUSES.join(', '))
    .description(
      'set the status: a connection that is not ACTIVE starts no operation; polls, refunds and disputes continue',
    )
    .run((context, uuid: string, status: string, actor: ActorOptions) => {
      const knownStatus = CONNECTION_STATUSES.find(one => one === status.toUpperCase())
      if (!knownStatus) throw new Error(`${status} is not one of ${CONNECTION_STATUSES.join(', ')}`)
      const change = () => ({ status: knownStatus })
      return changeConnection(context, uuid, { actor, action: 'connection_status', change })
    })

  addActorOptions(connection.command('visibility'))
    .argument('<connection>', 'connection UUID', parseUuid)
    .addOption(new Option('--public <yes or no>').choices(['yes', 'no']).makeOptionMandatory())
    .description('set whether requests and default providers may use a connection')
    .run((context, uuid: string, options: ActorOptions & { public: 'yes' | 'no' }) => {
      const change = () => ({ isPublic: options.public === 'yes' })
      return changeConnection(context, uuid, { actor: options, action: 'connection_visibility', change })
    })

  addActorOptions(connection.command('fees'))
    .argument('<connection>', 'connection UUID', parseUuid)
    .description('replace fees of a connection: 0.10, 0.99% or 0.10+0.99%; running operations keep their fee')
    .option('--charge <fee>', 'paid by the payer', parseFee)
    .option('--transfer <fee>', 'paid by the sender', parseFee)
    .option('--refund <fee>', 'paid by the account', parseFee)
    .run((context, uuid: string, { by, reason, ...fees }: ActorOptions & Partial<Record<FeeLine, Fee>>) => {
      if (Object.keys(fees).length === 0) throw new Error('no fee is given')
      const change = (one: Connection) => ({ fees: { ...one.fees, ...fees } })
      return changeConnection(context, uuid, { actor: { by, reason }, action: 'connection_fees', change })
    })

  addActorOptions(connection.command('credentials'))
    .argument('<connection>', 'connection UUID', parseUuid)
    .argument('<file>', 'JSON file of the credentials')
    .description(
      'replace the credentials by others of the same provider account, and register the callback address again',
    )
    .run(async (tools, connectionUuid: string, file: string, { by: actor, reason }: ActorOptions) => {
      const order = { connectionUuid, credentials: await readJsonFile(file), actor, reason }
      const replaced = await replaceCredentials(tools.em, tools, order)
      const { connection: changed, isProved } = replaced
      await registerNotificationUrl(createNotificationSite(tools), changed).catch(async error => {
        if (isProved || !(await rollBackCredentials(tools.em, replaced, actor))) throw error
        throw new Error(`${error.message}; the previous credentials are restored`)
      })
      if (!isProved)
        tools.print({
          warning: 'these credentials could not be proved to belong to the same account at the provider',
          credentials_epoch: changed.credentialsEpoch,
        })
    })
}

type ConnectionChange = {
  actor: ActorOptions
  action: string
  change: (connection: Connection) => Partial<Connection>
}

function changeConnection(
  context: CommandContext,
  uuid: string,
  { actor, action, change }: ConnectionChange,
) {
  return runAudited(context, actor, {
    action,
    subject: `connection/${uuid}`,
    async work(em) {
      // Under the row lock: two concurrent changes of different fees keep both.
      const one = requireFound(await em.findOne(Connection, uuid, ROW_LOCK), `connection ${uuid}`)
      Object.assign(one, change(one), { updatedAt: new Date() })
    },
  })
}

function createNotificationSite({ providers, config }: CommandContext): NotificationSite {
  const warn = (text: string) => void process.stderr.write(`${text}\n`)
  return { providers, publicUrl: config.publicUrl, warn }
}

type FeeLine = 'charge' | 'transfer' | 'refund'
