import { randomUUID } from 'node:crypto'
import { InvalidArgumentError } from 'commander'
import {
  changeTokenPermissions,
  expireToken,
  issueToken,
  revokeTokens,
  type TokenPermissions,
} from '../admin/tokens.ts'
import type { EntityManager } from '../db/client/orm.ts'
import { Connection } from '../db/entities/connection.ts'
import { Token } from '../db/entities/token.ts'
import { TOKEN_SCOPES, type TokenScope } from '../domain/tokens/token-scope.ts'
import { formatFieldMessage } from '../http/field-message.ts'
import { parseAllowedAddresses } from '../security/allowed-addresses.ts'
import type { TokenMode } from '../security/tokens.ts'
import {
  type OperatorCommand,
  parseFutureInstant,
  parseInstant,
  parseText,
  parseUuid,
  requireAccount,
  requireFound,
} from './command-context.ts'

/** Registers the commands of API tokens. Only a hash is stored, so that a token is shown once. */
export function registerTokenCommands(trilho: OperatorCommand) {
  const token = trilho.command('token')

  token
    .auditedCommand('issue', { isRoutine: true })
    .argument('<account>', 'account UUID', parseUuid)
    .argument('<name>', 'name of the token', parseText)
    .description('create a token; it is shown once, with the uuid that restrict, revoke and expire take')
    .choice('--mode <mode>', ['live', 'test'], 'test tokens use simulators only', 'live')
    .option('--connection <uuid>', 'bind the token to one connection', parseUuid)
    .option('--expires <moment>', 'ISO 8601', parseFutureInstant)
    .option('--scopes <scopes>', SCOPES_HELP, parseScopes)
    .option('--addresses <addresses>', ADDRESSES_HELP, parseAddresses)
    .run(async ({ em, operator, print }, accountUuid: string, name: string, options: IssueTokenOptions) => {
      const { mode, connection, expires } = options
      const uuid = randomUUID()
      await requireAccount(em, accountUuid)
      if (connection) await requireConnection(em, { accountUuid, uuid: connection, mode })
      const token = await issueToken(em, {
        ...operator,
        token: {
          uuid,
          accountUuid,
          name,
          mode,
          ...(connection && { connectionUuid: connection }),
          ...(expires && { expiresAt: expires }),
          ...toPermissions(options),
        },
      })
      print({ token, token_uuid: uuid, name })
    })

  token
    .command('list')
    .argument('<account>', 'account UUID', parseUuid)
    .description('list the tokens of an account, by their first characters')
    .run(async ({ em, print }, accountUuid: string) => {
      for (const one of await em.find(Token, { accountUuid }, { orderBy: { createdAt: 'asc', uuid: 'asc' } }))
        print({
          token_uuid: one.uuid,
          name: one.name,
          mode: one.mode,
          prefix: one.prefix,
          provider_uuid: one.connectionUuid ?? null,
          scopes: one.scopes,
          allowed_addresses: one.allowedAddresses,
          expires_at: one.expiresAt ?? null,
          last_used_at: one.lastUsedAt ?? null,
          revoked_at: one.revokedAt ?? null,
        })
    })

  token
    .auditedCommand('restrict', { isRoutine: true })
    .argument('<token>', 'its uuid', parseUuid)
    .option('--scopes <scopes>', SCOPES_HELP, parseScopes)
    .option('--addresses <addresses>', ADDRESSES_HELP, parseAddresses)
    .description('change the scopes or the addresses of a token; it takes effect within one second')
    .run(async ({ em, operator }, uuid: string, options: PermissionOptions) => {
      if (!options.scopes && !options.addresses) throw new Error('--scopes or --addresses is required')
      const { accountUuid } = requireFound(await em.findOne(Token, uuid), `token ${uuid}`)
      const permissions = toPermissions(options)
      if (!(await changeTokenPermissions(em, { ...operator, uuid, accountUuid, permissions })))
        throw new Error(`token ${uuid} is revoked`)
    })

  token
    .auditedCommand('revoke', { isRoutine: true })
    .argument('<account>', 'account UUID', parseUuid)
    .argument('<name>', 'name, or UUID of one token')
    .description('revoke the tokens of an account by name or UUID; it takes effect within one second')
    .run(async ({ em, operator }, accountUuid: string, name: string) => {
      const tokens = await em.find(Token, { accountUuid, revokedAt: null })
      const match = tokens.find(one => one.uuid === name || one.name === name)
      if (!match) throw new Error(`the account has no token ${name} that is not revoked`)
      const which = match.uuid === name ? { uuid: name } : { name }
      await revokeTokens(em, { ...operator, accountUuid, which })
    })

  token
    .auditedCommand('expire', { isRoutine: true })
    .argument('<token>', 'its uuid', parseUuid)
    .argument('<moment>', 'ISO 8601', parseInstant)
    .description('set the expiry of a token')
    .run(async ({ em, operator }, uuid: string, expiresAt: Date) => {
      if (!(await expireToken(em, { ...operator, uuid, expiresAt })))
        throw new Error(`there is no token ${uuid}`)
    })
}

type PermissionOptions = { scopes?: TokenScope[]; addresses?: string[] }
type IssueTokenOptions = PermissionOptions & { mode: TokenMode; connection?: string; expires?: Date }

const SCOPES_HELP = `of ${TOKEN_SCOPES.join(', ')}, separated by commas; default: all`
const ADDRESSES_HELP =
  'IP addresses and networks (CIDR) that may use the token, separated by commas; "any" removes the list'

function toPermissions({ scopes, addresses }: PermissionOptions): TokenPermissions {
  return { ...(scopes && { scopes }), ...(addresses && { allowedAddresses: addresses }) }
}

function parseScopes(value: string): TokenScope[] {
  const names = value.split(',').map(name => name.trim())
  const scopes = TOKEN_SCOPES.filter(scope => names.includes(scope))
  if (scopes.length !== new Set(names).size)
    throw new InvalidArgumentError(`Not of ${TOKEN_SCOPES.join(', ')}.`)
  return scopes
}

function parseAddresses(value: string): string[] {
  if (value === 'any') return []
  const { addresses, fault } = parseAllowedAddresses(value)
  if (fault) throw new InvalidArgumentError(`The list ${formatFieldMessage(fault)}.`)
  if (addresses.length === 0) throw new InvalidArgumentError('It is empty; "any" removes the list.')
  return addresses
}

/** Rejects a token bound to a connection that its mode cannot use. */
async function requireConnection(
  em: EntityManager,
  { accountUuid, uuid, mode }: { accountUuid: string; uuid: string; mode: TokenMode },
) {
  const isSimulated = mode === 'test'
  requireFound(
    await em.findOne(Connection, { uuid, accountUuid, isSimulated }),
    `${isSimulated ? 'simulated' : 'real'} connection ${uuid} of the account`,
  )
}
