import { issueToken, revokeTokens } from '../admin/accounts.ts'
import type { EntityManager } from '../db/client/orm.ts'
import { Connection } from '../db/entities/connection.ts'
import { Token } from '../db/entities/token.ts'
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
  const token = trilho.command('token').description('manage API tokens')

  token
    .auditedCommand('issue', { isRoutine: true })
    .argument('<account>', 'account UUID', parseUuid)
    .argument('<name>', 'name of the token', parseText)
    .description('create a token; it is shown once')
    .choice('--mode <mode>', ['live', 'test'], 'test tokens use simulators only', 'live')
    .option('--connection <uuid>', 'bind the token to one connection', parseUuid)
    .option('--expires <moment>', 'ISO 8601', parseFutureInstant)
    .run(async ({ audit, print }, accountUuid: string, name: string, options: IssueTokenOptions) => {
      const { mode, connection, expires } = options
      const token = await audit({
        action: 'token_issue',
        subject: `account/${accountUuid}`,
        async work(em) {
          await requireAccount(em, accountUuid)
          if (connection) await requireConnection(em, { accountUuid, uuid: connection, mode })
          return issueToken(em, {
            ...{ accountUuid, name, mode },
            ...(connection && { connectionUuid: connection }),
            ...(expires && { expiresAt: expires }),
          })
        },
      })
      print({ token })
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
          expires_at: one.expiresAt ?? null,
          last_used_at: one.lastUsedAt ?? null,
          revoked_at: one.revokedAt ?? null,
        })
    })

  token
    .auditedCommand('revoke', { isRoutine: true })
    .argument('<account>', 'account UUID', parseUuid)
    .argument('<name>', 'name, or UUID of one token')
    .description('revoke the tokens of an account by name or UUID; it takes effect within one second')
    .run(async ({ em, audit }, accountUuid: string, name: string) => {
      const usable = await em.find(Token, { accountUuid, revokedAt: null })
      const one = usable.find(each => each.uuid === name || each.name === name)
      if (!one) throw new Error(`the account has no token ${name} that is not revoked`)
      await audit({
        action: 'token_revoke',
        subject: `account/${accountUuid}`,
        work: tx => revokeTokens(tx, { accountUuid, ...(one.uuid === name ? { uuid: name } : { name }) }),
      })
    })

  token
    .auditedCommand('expire', { isRoutine: true })
    .argument('<token>', 'its uuid', parseUuid)
    .argument('<moment>', 'ISO 8601', parseInstant)
    .description('set the expiry of a token')
    .run(({ audit }, tokenUuid: string, at: Date) =>
      audit({
        action: 'token_expire',
        subject: `token/${tokenUuid}`,
        async work(em) {
          requireFound(await em.findOne(Token, tokenUuid), `token ${tokenUuid}`).expiresAt = at
        },
      }),
    )
}

type IssueTokenOptions = { mode: TokenMode; connection?: string; expires?: Date }

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
