import { readFile } from 'node:fs/promises'
import { Option } from 'commander'
import { addUser, disableUser, enableUser, generateUserPassword, setPassword } from '../admin/users.ts'
import type { EntityManager } from '../db/client/orm.ts'
import { Account } from '../db/entities/account.ts'
import { User } from '../db/entities/user.ts'
import {
  type ActorOptions,
  addActorOptions,
  type OperatorCommand,
  parseUuid,
  requireFound,
  requireOption,
  runAudited,
} from './command-context.ts'

export function registerUserCommands(trilho: OperatorCommand): void {
  const user = trilho.command('user').description('manage dashboard users')

  addActorOptions(user.command('add <email>'), { isRoutine: true })
    .description('add a user; a generated password is shown once')
    .addOption(new Option('--role <role>').choices(['merchant', 'operator']).makeOptionMandatory())
    .option('--account <uuid>', 'account of a merchant user', parseUuid)
    .option(...PASSWORD_OPTION)
    .run(async (tools, email: string, options: AddUserOptions) => {
      const isOperator = options.role === 'operator'
      if (isOperator && options.account) throw new Error('an operator belongs to no account')
      const accountUuid = isOperator ? null : requireOption(options.account, '--account')
      if (accountUuid !== null)
        requireFound(await tools.em.findOne(Account, accountUuid), `account ${accountUuid}`)
      const { password, shown: printed } = await readPassword(options, tools.readSecret)
      const added = await runAudited(tools, options, {
        action: 'user_add',
        work: em => addUser(em, { email, password, accountUuid }),
        subject: user => `user/${user.uuid}`,
      })
      tools.print({ user_uuid: added.uuid, email: added.email, role: added.role, ...printed })
    })

  user
    .command('list')
    .description('list the users')
    .option('--account <uuid>', 'only the users of this account', parseUuid)
    .run(async ({ em, print }, { account }: { account?: string }) => {
      const where = account ? { accountUuid: account } : {}
      for (const one of await em.find(User, where, { orderBy: { email: 'asc' } }))
        print({
          email: one.email,
          role: one.role,
          account_uuid: one.accountUuid ?? null,
          disabled_at: one.disabledAt ?? null,
        })
    })

  addActorOptions(user.command('password <email>'))
    .description('replace a password')
    .option(...PASSWORD_OPTION)
    .run(async (tools, email: string, options: ActorOptions & PasswordOption) => {
      const { password, shown: printed } = await readPassword(options, tools.readSecret)
      await changeUser(tools, email, options, {
        action: 'user_password',
        work: em => setPassword(em, email, password),
      })
      if (printed) tools.print({ email, ...printed })
    })

  addActorOptions(user.command('disable <email>'))
    .description('disable a user')
    .run((tools, email: string, actor: ActorOptions) =>
      changeUser(tools, email, actor, { action: 'user_disable', work: em => disableUser(em, email) }),
    )

  addActorOptions(user.command('enable <email>'))
    .description('enable a disabled user')
    .run((tools, email: string, actor: ActorOptions) =>
      changeUser(tools, email, actor, { action: 'user_enable', work: em => enableUser(em, email) }),
    )
}

async function readPassword({ passwordFile: file }: PasswordOption, readSecret: () => Promise<string>) {
  if (file === undefined) {
    const password = generateUserPassword()
    return { password, shown: { password } }
  }
  return { password: file === '-' ? await readSecret() : (await readFile(file, 'utf8')).trim() }
}

type AddUserOptions = ActorOptions & PasswordOption & { role: string; account?: string }
type PasswordOption = { passwordFile?: string }
const PASSWORD_OPTION = [
  '--password-file <file>',
  'read the password from a file, or from standard input by -',
] as const

async function changeUser(
  tools: { em: EntityManager },
  email: string,
  actor: ActorOptions,
  { action, work }: { action: string; work: (em: EntityManager) => Promise<void> },
) {
  const user = requireFound(
    await tools.em.findOne(User, { email: email.trim().toLowerCase() }),
    `user ${email}`,
  )
  await runAudited(tools, actor, { action, subject: `user/${user.uuid}`, work })
}
