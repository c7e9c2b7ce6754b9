import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { INVITATION_PATH, inviteByOperator } from '../admin/invitations.ts'
import { addOperator, changeUser, generateUserPassword, parseEmail, type UserChange } from '../admin/users.ts'
import { User } from '../db/entities/user.ts'
import { ACCOUNT_ROLES, type AccountRole } from '../domain/users/roles.ts'
import {
  type AuditedContext,
  type OperatorCommand,
  parseUuid,
  requireAccount,
  requireOption,
} from './command-context.ts'

export function registerUserCommands(trilho: OperatorCommand): void {
  const user = trilho.command('user')

  user
    .auditedCommand('add', { isRoutine: true })
    .argument('<email>')
    .description(
      'invite a user of an account by a link, which is shown once; add an operator, whose generated password is shown once',
    )
    .choice(
      '--role <role>',
      [...ACCOUNT_ROLES, 'merchant', 'operator'],
      '`merchant` is another name of `owner`',
    )
    .option('--account <uuid>', 'account of a merchant user', parseUuid)
    .option(...PASSWORD_OPTION)
    .run(async (tools, email: string, options: AddUserOptions) => {
      const isOperator = options.role === 'operator'
      if (isOperator && options.account) throw new Error('an operator belongs to no account')
      const role = ACCOUNT_ROLES.find(one => one === options.role)
      const accountUuid = isOperator ? null : requireOption(options.account, '--account')
      if (accountUuid !== null) return inviteUser(tools, { accountUuid, email, role, options })
      const { password, shown } = await readPassword(options, tools.readSecret)
      const newOperator = await addOperator(tools.em, { ...tools.operator, email, password })
      tools.print({ user_uuid: newOperator.uuid, email: newOperator.email, role: newOperator.role, ...shown })
    })

  user
    .command('list')
    .description('list the users')
    .option('--account <uuid>', 'only the users of this account', parseUuid)
    .run(async ({ em, print }, { account }: { account?: string }) => {
      const where = { removedAt: null, ...(account && { accountUuid: account }) }
      for (const one of await em.find(User, where, { orderBy: { email: 'asc' } }))
        print({
          email: one.email,
          role: one.role,
          account_uuid: one.accountUuid ?? null,
          disabled_at: one.disabledAt ?? null,
        })
    })

  user
    .auditedCommand('password')
    .argument('<email>')
    .description('replace a password')
    .option(...PASSWORD_OPTION)
    .run(async (tools, email: string, options: PasswordOption) => {
      const { password, shown } = await readPassword(options, tools.readSecret)
      await requestUserChange(tools, email, { kind: 'password', password })
      if (shown) tools.print({ email, ...shown })
    })

  user
    .auditedCommand('disable')
    .argument('<email>')
    .description('disable a user')
    .run((tools, email: string) => requestUserChange(tools, email, { kind: 'disable' }))

  user
    .auditedCommand('enable')
    .argument('<email>')
    .description('enable a disabled user')
    .run((tools, email: string) => requestUserChange(tools, email, { kind: 'enable' }))

  user
    .auditedCommand('totp-reset')
    .argument('<email>')
    .description('remove the second factor of a user who has lost it, and end its sessions')
    .run((tools, email: string) => requestUserChange(tools, email, { kind: 'totp_reset' }))
}

type InviteUserInput = {
  accountUuid: string
  email: string
  role: AccountRole | undefined
  options: AddUserOptions
}

/** Prints the link of an invitation: the user sets the password, which no operator knows. */
async function inviteUser(
  { em, operator, print, config }: AuditedContext,
  { accountUuid, email, role = 'owner', options }: InviteUserInput,
): Promise<void> {
  await requireAccount(em, accountUuid)
  if (options.passwordFile !== undefined)
    throw new Error('--password-file is allowed only with --role operator: users of an account set their own')
  const order = { uuid: randomUUID(), accountUuid, email: parseEmail(email), role, invitedBy: null }
  const result = await inviteByOperator(em, { ...order, ...operator })
  if (result.kind === 'user_exists') throw new Error(`${email} already exists`)
  if (result.kind !== 'created')
    throw new Error('the account has as many users and invitations as it may have')
  const invitationUrl = `${config.publicUrl}${INVITATION_PATH}/${result.token}`
  print({ invitation_uuid: order.uuid, email: order.email, role, invitation_url: invitationUrl })
}

async function readPassword({ passwordFile: file }: PasswordOption, readSecret: () => Promise<string>) {
  if (file === undefined) {
    const password = generateUserPassword()
    return { password, shown: { password } }
  }
  return { password: file === '-' ? await readSecret() : (await readFile(file, 'utf8')).trim() }
}

type AddUserOptions = PasswordOption & { role: string; account?: string }
type PasswordOption = { passwordFile?: string }
const PASSWORD_OPTION = [
  '--password-file <file>',
  'read the password from a file, or from standard input by -',
] as const

async function requestUserChange({ em, operator }: AuditedContext, email: string, change: UserChange) {
  if (!(await changeUser(em, { ...operator, email, change }))) throw new Error(`there is no user ${email}`)
}
