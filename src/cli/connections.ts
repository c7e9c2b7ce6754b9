import { type Command, Option } from 'commander'
import { type NoticeSite, registerNotices } from '../admin/connections.ts'
import { replaceCredentials, withdrawCredentials } from '../admin/credentials.ts'
import { Connection } from '../db/entities/connection.ts'
import { ALONE } from '../db/lock.ts'
import type { Fee } from '../domain/money.ts'
import { CONNECTION_STATUSES } from '../domain/provider.ts'
import { addConnectionCommand } from './connection-add.ts'
import { feeOfText, textOfFee } from './fees.ts'
import { acts, type By, type Desk, done, jsonIn, type Tools, there, uuid } from './tools.ts'

/** Accounts' connections to providers, their fee tables and their secrets. */
export function connectionCommands(trilho: Command, { withTools, print }: Desk): void {
  const connection = trilho.command('connection').description('connections of accounts to providers')

  addConnectionCommand(connection, { withTools, print })

  connection
    .command('list')
    .argument('<account>', 'its uuid', uuid)
    .description('list the connections of an account with their fees')
    .action((accountUuid: string) =>
      withTools(async ({ em }) => {
        for (const one of await em.find(Connection, { accountUuid }, { orderBy: { createdAt: 'asc' } }))
          print({
            provider_uuid: one.uuid,
            provider: one.provider,
            type: one.type,
            status: one.status,
            dialect: one.dialect,
            is_public: one.isPublic,
            fees: Object.fromEntries(Object.entries(one.fees).map(([what, fee]) => [what, textOfFee(fee)])),
            secret_key_id: one.secretKeyId,
          })
      }),
    )

  acts(connection.command('status'))
    .argument('<connection>', 'its uuid', uuid)
    .argument('<status>', CONNECTION_STATUSES.join(', '))
    .description('what is not ACTIVE starts nothing new; look-ups, refunds and disputes of its lives go on')
    .action((connectionUuid: string, status: string, by: By) => {
      const known = CONNECTION_STATUSES.find(one => one === status.toUpperCase())
      if (!known) throw new Error(`${status} is none of ${CONNECTION_STATUSES.join(', ')}`)
      return change(connectionUuid, {
        by,
        act: 'connection_status',
        change(one) {
          one.status = known
        },
      })
    })

  acts(connection.command('visibility'))
    .argument('<connection>', 'its uuid', uuid)
    .addOption(new Option('--public <yes or no>').choices(['yes', 'no']).makeOptionMandatory())
    .description('whether requests may name it and defaults may hold it')
    .action((connectionUuid: string, options: By & { public: 'yes' | 'no' }) =>
      change(connectionUuid, {
        by: options,
        act: 'connection_visibility',
        change(one) {
          one.isPublic = options.public === 'yes'
        },
      }),
    )

  acts(connection.command('fees'))
    .argument('<connection>', 'its uuid', uuid)
    .description('replace lines of its fee table: 0.10, 0.99% or 0.10+0.99%; what has begun keeps its fee')
    .option('--charge <fee>', 'paid by the payer', feeOfText)
    .option('--transfer <fee>', 'paid by the sender', feeOfText)
    .option('--refund <fee>', 'paid by the account', feeOfText)
    .action((connectionUuid: string, { by, reason, ...fees }: By & Partial<Record<FeeLine, Fee>>) => {
      if (Object.keys(fees).length === 0) throw new Error('no line of the fee table is named')
      return change(connectionUuid, {
        by: { by, reason },
        act: 'connection_fees',
        change(one) {
          one.fees = { ...one.fees, ...fees }
        },
      })
    })

  acts(connection.command('credentials'))
    .argument('<connection>', 'its uuid', uuid)
    .argument('<file>', 'JSON as the dialect wants it')
    .description(
      'replace its credentials by others of the same account at the provider, and register the address of its notices anew',
    )
    .action((connectionUuid: string, file: string, { by: who, reason }: By) =>
      withTools(async tools => {
        const order = { connectionUuid, credentials: await jsonIn(file), who, reason }
        const replaced = await replaceCredentials(tools.em, tools, order)
        const { connection: changed, isProved } = replaced
        await registerNotices(siteOf(tools), changed).catch(async error => {
          if (isProved || !(await withdrawCredentials(tools.em, replaced, who))) throw error
          throw new Error(`${error.message}; the credentials before are in place again`)
        })
        if (!isProved)
          print({
            warning:
              'it could not be proved that these credentials belong to the same account at the provider',
            credentials_epoch: changed.credentialsEpoch,
          })
      }),
    )

  function change(connectionUuid: string, changing: Changing) {
    return withTools(tools => changeConnection(tools, connectionUuid, changing))
  }
}

type Changing = { by: By; act: string; change: (connection: Connection) => void }

function changeConnection(tools: Tools, connectionUuid: string, { by, act, change }: Changing) {
  return done(tools, by, {
    act,
    subject: `connection/${connectionUuid}`,
    async work(em) {
      // Under its lock: of two that change different fees at once, neither takes back the other's.
      const found = await em.findOne(Connection, connectionUuid, ALONE)
      const one = there(found, `connection ${connectionUuid}`)
      change(one)
      one.updatedAt = new Date()
      return one
    },
  })
}

function siteOf({ providers, config }: Tools): NoticeSite {
  const warn = (text: string) => void process.stderr.write(`${text}\n`)
  return { providers, publicUrl: config.publicUrl, warn }
}

type FeeLine = 'charge' | 'transfer' | 'refund'
