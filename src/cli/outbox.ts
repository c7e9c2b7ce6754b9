import type { Command } from 'commander'
import type { CodeMessage } from '../activities/auth-codes.ts'
import { AuthCode } from '../db/entities/pix-key.ts'
import type { Desk } from './tools.ts'

const MOST_SHOWN = 50

/** The codes that nobody carried away: what a local start shows instead of sending it. */
export function outboxCommands(trilho: Command, { withTools, print }: Desk): void {
  trilho
    .command('outbox')
    .description('show the codes that are kept here or wait to be sent, newest first')
    .action(() =>
      withTools(async ({ em, seal }) => {
        const rows = await em.find(
          AuthCode,
          { sealedMessage: { $ne: null } },
          { orderBy: [{ createdAt: 'desc' }, { uuid: 'desc' }], limit: MOST_SHOWN },
        )
        for (const { uuid, type, sealedMessage, delivery, expiresAt } of rows) {
          const { to, code } = seal.open<CodeMessage>(sealedMessage!)
          const expires_at = expiresAt.toISOString()
          print({ auth_code_id: uuid, type, to, auth_code: code, delivery, expires_at })
        }
      }),
    )
}
