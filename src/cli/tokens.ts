import { type Command, Option } from 'commander'
import { issueToken, revokeTokens } from '../admin/accounts.ts'
import { Account } from '../db/entities/account.ts'
import { Connection } from '../db/entities/connection.ts'
import { Token } from '../db/entities/token.ts'
import type { EntityManager } from '../db/orm.ts'
import type { TokenMode } from '../tokens.ts'
import { acts, type By, comingMoment, type Desk, done, moment, there, uuid, words } from './tools.ts'

/** API tokens: only what recognises them is kept, so only an issue shows one. */
export function tokenCommands(trilho: Command, { withTools, print }: Desk): void {
  const token = trilho.command('token').description('API tokens')

  acts(token.command('issue'), { isRoutine: true })
    .argument('<account>', 'its uuid', uuid)
    .argument('<name>', 'what it is told from others by', words)
    .description('issue a token; its text is shown this once')
    .addOption(
      new Option('--mode <mode>', 'test tokens reach simulators only')
        .choices(['live', 'test'])
        .default('live'),
    )
    .option('--connection <uuid>', 'bind it to one connection', uuid)
    .option('--expires <moment>', 'ISO 8601', comingMoment)
    .action((accountUuid: string, name: string, options: By & IssueOptions) =>
      withTools(async tools => {
        const { mode, connection, expires } = options
        const text = await done(tools, options, {
          act: 'token_issue',
          subject: `account/${accountUuid}`,
          async work(em) {
            there(await em.findOne(Account, accountUuid), `account ${accountUuid}`)
            if (connection) await connectionOf(em, { accountUuid, uuid: connection, mode })
            return issueToken(em, {
              accountUuid,
              name,
              mode,
              ...(connection && { connectionUuid: connection }),
              ...(expires && { expiresAt: expires }),
            })
          },
        })
        print({ token: text })
      }),
    )

  token
    .command('list')
    .argument('<account>', 'its uuid', uuid)
    .description('list the tokens of an account, by their beginnings')
    .action((accountUuid: string) =>
      withTools(async ({ em }) => {
        for (const one of await em.find(
          Token,
          { accountUuid },
          { orderBy: { createdAt: 'asc', uuid: 'asc' } },
        ))
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
      }),
    )

  acts(token.command('revoke'), { isRoutine: true })
    .argument('<account>', 'its uuid', uuid)
    .argument('<name>', 'or uuid of one token')
    .description(
      'revoke the tokens of an account that carry a name; they are refused everywhere within a second',
    )
    .action((accountUuid: string, name: string, by: By) =>
      withTools(async tools => {
        const { em } = tools
        const usable = await em.find(Token, { accountUuid, revokedAt: null })
        const one = usable.find(each => each.uuid === name || each.name === name)
        if (!one) throw new Error(`the account has no token ${name} that is not revoked`)
        await done(tools, by, {
          act: 'token_revoke',
          subject: `account/${accountUuid}`,
          async work(tx) {
            if (one.uuid === name) await tx.nativeUpdate(Token, { uuid: name }, { revokedAt: new Date() })
            else await revokeTokens(tx, { accountUuid, name })
          },
        })
      }),
    )

  acts(token.command('expire'), { isRoutine: true })
    .argument('<token>', 'its uuid', uuid)
    .argument('<moment>', 'ISO 8601', moment)
    .description('let a token expire at a moment, earlier or later than before')
    .action((tokenUuid: string, at: Date, by: By) =>
      withTools(tools =>
        done(tools, by, {
          act: 'token_expire',
          subject: `token/${tokenUuid}`,
          async work(em) {
            there(await em.findOne(Token, tokenUuid), `token ${tokenUuid}`).expiresAt = at
          },
        }),
      ),
    )
}

type IssueOptions = { mode: TokenMode; connection?: string; expires?: Date }

/** A token that is bound to what its mode never reaches could do nothing. */
async function connectionOf(
  em: EntityManager,
  { accountUuid, uuid, mode }: { accountUuid: string; uuid: string; mode: TokenMode },
) {
  const isSimulated = mode === 'test'
  there(
    await em.findOne(Connection, { uuid, accountUuid, isSimulated }),
    `${isSimulated ? 'simulated' : 'real'} connection ${uuid} of the account`,
  )
}
