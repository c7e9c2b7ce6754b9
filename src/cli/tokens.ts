import { Option } from 'commander'
import { issueToken, revokeTokens } from '../admin/accounts.ts'
import type { EntityManager } from '../db/client/orm.ts'
import { Account } from '../db/entities/account.ts'
import { Connection } from '../db/entities/connection.ts'
import { Token } from '../db/entities/token.ts'
import type { TokenMode } from '../security/tokens.ts'
import {
  type ActorOptions,
  addActorOptions,
  type OperatorCommand,
  parseFutureInstant,
  parseInstant,
  parseText,
  parseUuid,
  requireFound,
  runAudited,
} from './command-context.ts'

/** Registers the commands of API tokens. Only a hash is stored, so that a token is shown once. */
export function registerTokenCommands(trilho: OperatorCommand) {
  const token = trilho.command('token').description('manage API tokens')

  addActorOptions(token.command('issue'), { isRoutine: true })
    .argument('<account>', 'account UUID', parseUuid)
    .argument('<name>', 'name of the token', parseText)
    .description('create a token; it is shown once')
    .addOption(
      new Option('--mode <mode>', 'test tokens use simulators only')
        .choices(['live', 'test'])
        .default('live'),
    )
    .option('--connection <uuid>', 'bind the token to one connection', parseUuid)
    .option('--expires <moment>', 'ISO 8601', parseFutureInstant)
    .run(async (tools, accountUuid: string, name: string, options: ActorOptions & IssueTokenOptions) => {
      const { mode, connection, expires } = options
      const text = await runAudited(tools, options, {
        action: 'token_issue',
        subject: `account/${accountUuid}`,
        async work(em) {
          requireFound(await em.findOne(Account, accountUuid), `account ${accountUuid}`)
          if (connection) await requireConnection(em, { accountUuid, uuid: connection, mode })
          return issueToken(em, {
            accountUuid,
            name,
            mode,
            ...(connection && { connectionUuid: connection }),
            ...(expires && { expiresAt: expires }),
          })
        },
      })
      tools.print({ token: text })
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

  addActorOptions(token.command('revoke'), { isRoutine: true })
    .argument('<account>', 'account UUID', parseUuid)
    .argument('<name>', 'name, or UUID of one token')
    .description('revoke the tokens of an account by name or UUID; it takes effect within one second')
    .run(async (tools, accountUuid: string, name: string, actor: ActorOptions) => {
      const { em } = tools
      const usable = await em.find(Token, { accountUuid, revokedAt: null })
      const one = usable.find(each => each.uuid === name || each.name === name)
      if (!one) throw new Error(`the account has no token ${name} that is not revoked`)
      await runAudited(tools, actor, {
        action: 'token_revoke',
        subject: `account/${accountUuid}`,
        async work(tx) {
          if (one.uuid === name) await tx.nativeUpdate(Token, { uuid: name }, { revokedAt: new Date() })
          else await revokeTokens(tx, { accountUuid, name })
        },
      })
    })

  addActorOptions(token.command('expire'), { isRoutine: true })
    .argument('<token>', 'its uuid', parseUuid)
    .argument('<moment>', 'ISO 8601', parseInstant)
    .description('set the expiry of a token')
    .run((tools, tokenUuid: string, at: Date, actor: ActorOptions) =>
      runAudited(tools, actor, {
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
