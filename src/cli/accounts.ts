import { InvalidArgumentError, Option } from 'commander'
import { createAccount } from '../admin/accounts.ts'
import { Account } from '../db/entities/account.ts'
import { Connection } from '../db/entities/connection.ts'
import { revokeUserSessions } from '../db/repositories/dashboard-sessions.ts'
import { replaceDefaultConnections } from '../db/repositories/default-providers.ts'
import { isDocument, normalizeDocument } from '../domain/pix/document.ts'
import {
  type ActorOptions,
  addActorOptions,
  type CommandContext,
  type OperatorCommand,
  parseText,
  parseUuid,
  requireFound,
  runAudited,
} from './command-context.ts'

export function registerAccountCommands(trilho: OperatorCommand) {
  const account = trilho.command('account').description('manage merchant accounts')

  addActorOptions(account.command('open'), { isRoutine: true })
    .argument('<name>', 'name of the holder', parseText)
    .argument('<document>', 'CPF or CNPJ of the holder')
    .description('create an account')
    .run(async (tools, name: string, document: string, actor: ActorOptions) => {
      const holder = { name, document: normalizeDocument(document.replaceAll(/[./-]/g, '')) }
      if (!isDocument(holder.document)) throw new Error('the document is not a valid CPF or CNPJ')
      const opened = await runAudited(tools, actor, {
        action: 'account_open',
        work: em => createAccount(em, holder),
        subject: account => `account/${account.uuid}`,
      })
      tools.print({ account_uuid: opened.uuid })
    })

  account
    .command('list')
    .description('list the accounts with their policies')
    .run(async ({ em, print }) => {
      for (const one of await em.findAll(Account, { orderBy: { createdAt: 'asc' } }))
        print({
          account_uuid: one.uuid,
          name: one.name,
          status: one.status,
          unmatched: one.unmatchedPolicy,
          unique_external_ref: one.uniqueExternalRef,
        })
    })

  addActorOptions(account.command('defaults'), { isRoutine: true })
    .argument('<account>', 'account UUID', parseUuid)
    .argument('<connections...>', 'connection UUIDs, preferred first', (value, before: string[] = []) => {
      if (before.includes(parseUuid(value))) throw new InvalidArgumentError(`${value} is repeated.`)
      return [...before, parseUuid(value)]
    })
    .description('replace the default providers of an account')
    .run((tools, accountUuid: string, connections: string[], actor: ActorOptions) =>
      runAudited(tools, actor, {
        action: 'account_defaults',
        subject: `account/${accountUuid}`,
        async work(em) {
          for (const one of connections)
            requireFound(
              await em.findOne(Connection, { uuid: one, accountUuid }),
              `connection ${one} of the account`,
            )
          await replaceDefaultConnections(em, { accountUuid }, connections)
        },
      }),
    )

  addActorOptions(account.command('policy'))
    .argument('<account>', 'account UUID', parseUuid)
    .description('set what is done with unmatched payments, and whether external_ref must be unique')
    .addOption(new Option('--unmatched <policy>').choices(['refund', 'keep']))
    .addOption(new Option('--unique-external-ref <yes or no>').choices(['yes', 'no']))
    .run((context, uuid: string, options: PolicyOptions) => {
      const { unmatched: unmatchedPolicy, uniqueExternalRef } = options
      return changeAccount(context, uuid, {
        ...{ action: 'account_policy', actor: options },
        ...(unmatchedPolicy && { unmatchedPolicy }),
        ...(uniqueExternalRef && { uniqueExternalRef: uniqueExternalRef === 'yes' }),
      })
    })

  addActorOptions(account.command('block'))
    .argument('<account>', 'account UUID', parseUuid)
    .description('block an account: its tokens and splits are refused; running operations continue')
    .run((context, uuid: string, actor: ActorOptions) =>
      changeAccount(context, uuid, { action: 'account_block', actor, status: 'BLOCKED' }),
    )

  addActorOptions(account.command('unblock'))
    .argument('<account>', 'account UUID', parseUuid)
    .description('unblock an account')
    .run((context, uuid: string, actor: ActorOptions) =>
      changeAccount(context, uuid, { action: 'account_unblock', actor, status: 'ACTIVE' }),
    )
}

type PolicyOptions = ActorOptions & { unmatched?: 'refund' | 'keep'; uniqueExternalRef?: 'yes' | 'no' }
type AccountChange = { action: string; actor: ActorOptions } & Partial<
  Pick<Account, 'status' | 'unmatchedPolicy' | 'uniqueExternalRef'>
>

async function changeAccount(context: CommandContext, uuid: string, change: AccountChange) {
  const { action, actor, ...values } = change
  if (Object.keys(values).length === 0) throw new Error('no option is given: nothing to change')
  await runAudited(context, actor, {
    action,
    subject: `account/${uuid}`,
    async work(em) {
      Object.assign(requireFound(await em.findOne(Account, uuid), `account ${uuid}`), values)
      if (values.status === 'BLOCKED') await revokeUserSessions(em, { accountUuid: uuid })
    },
  })
}
