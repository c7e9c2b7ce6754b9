import { PasswordReset, type PasswordResetMessage } from '../db/entities/password-reset.ts'
import { AuthCode, type CodeMessage } from '../db/entities/pix-key.ts'
import type { OperatorCommand } from './command-context.ts'

const MAX_LISTED_CODES = 50

/** Registers the command that lists auth codes for which no carrier is configured. */
export function registerOutboxCommands(trilho: OperatorCommand) {
  trilho.command('outbox').run(async ({ em, sealer: seal, print }) => {
    const rows = await em.find(
      AuthCode,
      { sealedMessage: { $ne: null } },
      { orderBy: [{ createdAt: 'desc' }, { uuid: 'desc' }], limit: MAX_LISTED_CODES },
    )
    for (const { uuid, type, sealedMessage, delivery, expiresAt } of rows) {
      const { to, code } = seal.open<CodeMessage>(sealedMessage!)
      const expires_at = expiresAt.toISOString()
      print({ auth_code_id: uuid, type, to, auth_code: code, delivery, expires_at })
    }
    const resets = await em.find(
      PasswordReset,
      { sealedMessage: { $ne: null } },
      { orderBy: { createdAt: 'desc' }, limit: MAX_LISTED_CODES },
    )
    for (const { uuid, sealedMessage, expiresAt } of resets) {
      const { to, url } = seal.open<PasswordResetMessage>(sealedMessage!)
      print({ password_reset_id: uuid, to, url, expires_at: expiresAt.toISOString() })
    }
  })
}
