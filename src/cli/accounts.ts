import { type Command, InvalidArgumentError, Option } from 'commander'
import { openAccount } from '../admin/accounts.ts'
import { endSessionsOf } from '../admin/users.ts'
import { replaceDefaults } from '../db/defaults.ts'
import { Account } from '../db/entities/account.ts'
import { Connection } from '../db/entities/connection.ts'
import { isDocument, normalizedDocument } from '../domain/document.ts'
import { acts, type By, type Desk, done, there, uuid, words } from './tools.ts'

/** Merchants and their policies. */
export function accountCommands(trilho: Command, { withTools, print }: Desk): void {
  const account = trilho.command('account').description('merchants')

  acts(account.command('open'), { isRoutine: true })
    .argument('<name>', 'the holder’s', words)
    .argument('<document>', 'CPF or CNPJ')
    .description('open an account for the holder of a CPF or CNPJ')
    .action((name: string, document: string, by: By) =>
      withTools(async tools => {
        const holder = { name, document: normalizedDocument(document.replaceAll(/[./-]/g, '')) }
        if (!isDocument(holder.document)) throw new Error('that is not a valid CPF or CNPJ')
        const opened = await done(tools, by, {
          act: 'account_open',
          work: em => openAccount(em, holder),
          subject: account => `account/${account.uuid}`,
        })
        print({ account_uuid: opened.uuid })
      }),
    )

  account
    .command('list')
    .description('list the accounts with their policies')
    .action(() =>
      withTools(async ({ em }) => {
        for (const one of await em.findAll(Account, { orderBy: { createdAt: 'asc' } }))
          print({
            account_uuid: one.uuid,
            name: one.name,
            status: one.status,
            unmatched: one.unmatchedPolicy,
            unique_external_ref: one.uniqueExternalRef,
          })
      }),
    )

  acts(account.command('defaults'), { isRoutine: true })
    .argument('<account>', 'its uuid', uuid)
    .argument('<connections...>', 'uuids, preferred first', (value, before: string[] = []) => {
      if (before.includes(uuid(value))) throw new InvalidArgumentError(`${value} is named twice.`)
      return [...before, uuid(value)]
    })
    .description('replace the priority list of an account')
    .action((accountUuid: string, connections: string[], by: By) =>
      withTools(tools =>
        done(tools, by, {
          act: 'account_defaults',
          subject: `account/${accountUuid}`,
          async work(em) {
            for (const one of connections)
              there(
                await em.findOne(Connection, { uuid: one, accountUuid }),
                `connection ${one} of the account`,
              )
            await replaceDefaults(em, { accountUuid }, connections)
          },
        }),
      ),
    )

  acts(account.command('policy'))
    .argument('<account>', 'its uuid', uuid)
    .description('what becomes of money that is no charge’s, and whether an external_ref may be used twice')
    .addOption(new Option('--unmatched <policy>').choices(['refund', 'keep']))
    .addOption(new Option('--unique-external-ref <yes or no>').choices(['yes', 'no']))
    .action((accountUuid: string, options: PolicyOptions) =>
      change(accountUuid, options, {
        act: 'account_policy',
        ...(options.unmatched && { unmatchedPolicy: options.unmatched }),
        ...(options.uniqueExternalRef && { uniqueExternalRef: options.uniqueExternalRef === 'yes' }),
      }),
    )

  acts(account.command('block'))
    .argument('<account>', 'its uuid', uuid)
    .description('refuse its tokens and its shares of splits; what runs goes on')
    .action((accountUuid: string, by: By) =>
      change(accountUuid, by, { act: 'account_block', status: 'BLOCKED' }, endSessionsOf),
    )

  acts(account.command('unblock'))
    .argument('<account>', 'its uuid', uuid)
    .description('take them again')
    .action((accountUuid: string, by: By) =>
      change(accountUuid, by, { act: 'account_unblock', status: 'ACTIVE' }),
    )

  function change(accountUuid: string, by: By, { act, ...values }: Change, andThen?: typeof endSessionsOf) {
    if (Object.keys(values).length === 0) throw new Error('nothing is to be changed')
    return withTools(tools =>
      done(tools, by, {
        act,
        subject: `account/${accountUuid}`,
        async work(em) {
          Object.assign(there(await em.findOne(Account, accountUuid), `account ${accountUuid}`), values)
          await andThen?.(em, accountUuid)
        },
      }),
    )
  }
}

type PolicyOptions = By & { unmatched?: 'refund' | 'keep'; uniqueExternalRef?: 'yes' | 'no' }
type Change = { act: string } & Partial<Pick<Account, 'status' | 'unmatchedPolicy' | 'uniqueExternalRef'>>
