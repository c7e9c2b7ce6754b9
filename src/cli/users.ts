import { readFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { addUser, disableUser, enableUser, newUserPassword, setPassword } from '../admin/users.ts'
import { Account } from '../db/entities/account.ts'
import { User } from '../db/entities/user.ts'
import type { EntityManager } from '../db/orm.ts'
import { acts, type By, type Desk, done, required, there, uuid } from './tools.ts'

/** Who may sign in at the dashboard. */
export function userCommands(trilho: Command, { withTools, print, readSecret }: Desk): void {
  const user = trilho.command('user').description('who signs in at the dashboard')

  acts(user.command('add <email>'), { isRoutine: true })
    .description('add a user; a password that is made here is shown this once')
    .addOption(new Option('--role <role>').choices(['merchant', 'operator']).makeOptionMandatory())
    .option('--account <uuid>', 'whose dashboard a merchant’s user sees', uuid)
    .option(...PASSWORD)
    .action((email: string, options: By & PasswordOption & { role: string; account?: string }) =>
      withTools(async tools => {
        const isOperator = options.role === 'operator'
        if (isOperator && options.account) throw new Error('an operator belongs to no account')
        const accountUuid = isOperator ? null : required(options.account, '--account')
        if (accountUuid !== null)
          there(await tools.em.findOne(Account, accountUuid), `account ${accountUuid}`)
        const { password, shown } = await passwordOf(options)
        const added = await done(tools, options, {
          act: 'user_add',
          work: em => addUser(em, { email, password, accountUuid }),
          subject: user => `user/${user.uuid}`,
        })
        print({ user_uuid: added.uuid, email: added.email, role: added.role, ...shown })
      }),
    )

  user
    .command('list')
    .description('list the users')
    .option('--account <uuid>', 'only its users', uuid)
    .action(({ account }: { account?: string }) =>
      withTools(async ({ em }) => {
        const where = account ? { accountUuid: account } : {}
        for (const one of await em.find(User, where, { orderBy: { email: 'asc' } }))
          print({
            email: one.email,
            role: one.role,
            account_uuid: one.accountUuid ?? null,
            disabled_at: one.disabledAt ?? null,
          })
      }),
    )

  acts(user.command('password <email>'))
    .description('replace a password')
    .option(...PASSWORD)
    .action((email: string, options: By & PasswordOption) =>
      withTools(async tools => {
        const { password, shown } = await passwordOf(options)
        await change(tools, email, options, {
          act: 'user_password',
          work: em => setPassword(em, email, password),
        })
        if (shown) print({ email, ...shown })
      }),
    )

  acts(user.command('disable <email>'))
    .description('let a user sign in no more')
    .action((email: string, by: By) =>
      withTools(tools =>
        change(tools, email, by, { act: 'user_disable', work: em => disableUser(em, email) }),
      ),
    )

  acts(user.command('enable <email>'))
    .description('let a disabled user sign in again')
    .action((email: string, by: By) =>
      withTools(tools => change(tools, email, by, { act: 'user_enable', work: em => enableUser(em, email) })),
    )

  async function passwordOf({ passwordFile: file }: PasswordOption) {
    if (file === undefined) {
      const password = newUserPassword()
      return { password, shown: { password } }
    }
    return { password: file === '-' ? await readSecret() : (await readFile(file, 'utf8')).trim() }
  }
}

type PasswordOption = { passwordFile?: string }
const PASSWORD = ['--password-file <file>', 'take it from a file, - is the standard input'] as const

async function change(
  tools: { em: EntityManager },
  email: string,
  by: By,
  { act, work }: { act: string; work: (em: EntityManager) => Promise<void> },
) {
  const user = there(await tools.em.findOne(User, { email: email.trim().toLowerCase() }), `user ${email}`)
  await done(tools, by, { act, subject: `user/${user.uuid}`, work })
}
