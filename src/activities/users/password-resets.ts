import type { EntityManager } from '../../db/client/orm.ts'
import { PasswordReset, type PasswordResetMessage } from '../../db/entities/password-reset.ts'
import { runAuditedAction } from '../../db/repositories/audited-actions.ts'
import {
  deleteResetMessage,
  findResettableUser,
  insertPasswordReset,
} from '../../db/repositories/password-resets.ts'
import { PASSWORD_RESET_MINUTES } from '../../domain/users/password-reset.ts'
import type { OutboundMessage } from '../../messaging/messengers.ts'
import { generateLinkToken, hashResetToken } from '../../security/tokens.ts'
import type {
  PasswordResetInput,
  PasswordResetInputDetails,
  SendPasswordResetResult,
} from '../../workflows/contracts/users.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'

/**
 * Makes one attempt to send the link of a forgotten password, which the first attempt stores. Repeatable: a stored link
 * stays, and one that was sent or has expired is not sent again.
 */
export function sendPasswordReset({ orm, sealer, messengers, log }: ActivityDependencies) {
  return async ({ uuid, details }: PasswordResetInput): Promise<SendPasswordResetResult> => {
    const em = orm.em.fork()
    const row = (await em.findOne(PasswordReset, uuid)) ?? (await storeReset(em, uuid, details))
    if (!row) return { kind: 'closed', outcome: 'no_user' }
    if (row.sealedMessage == null) return { kind: 'closed', outcome: 'sent' }
    if (row.expiresAt <= new Date()) {
      await deleteResetMessage(em, uuid)
      return { kind: 'closed', outcome: 'expired' }
    }
    const message = composeResetMessage(uuid, sealer.open<PasswordResetMessage>(row.sealedMessage))
    const result = (await messengers.EMAIL?.send(message)) ?? NO_CARRIER
    if (result.kind === 'again') {
      log.warn({ password_reset: uuid, code: result.code }, 'the link for a new password could not be sent')
      return { kind: 'again', code: result.code }
    }
    // The local outbox reads what it keeps.
    if (result.kind !== 'kept') await deleteResetMessage(em, uuid)
    return { kind: 'closed', outcome: result.kind }
  }

  /** Stores a link for the user of the address, with its message and the record of the request; null without a user. */
  async function storeReset(em: EntityManager, uuid: string, details: string): Promise<PasswordReset | null> {
    const { email, pageUrl, language } = sealer.open<PasswordResetInputDetails>(details)
    const user = await findResettableUser(em, email)
    if (!user) return null
    const token = generateLinkToken()
    const message: PasswordResetMessage = { to: user.email, url: `${pageUrl}/${token}`, language }
    const reset = {
      uuid,
      userUuid: user.uuid,
      tokenHash: hashResetToken(token),
      sealedMessage: sealer.seal(message),
    }
    await runAuditedAction(em, {
      by: {
        actor: user.email,
        actorAccountUuid: user.accountUuid,
        reason: 'by the e-mail, on the page of the sign-in',
      },
      action: 'request_password_reset',
      subject: `user/${user.uuid}`,
      work: tx => insertPasswordReset(tx, reset),
    })
    return em.fork().findOneOrFail(PasswordReset, uuid)
  }
}

const NO_CARRIER = { kind: 'again', code: 'no_carrier' } as const

const TEXTS = {
  'pt-BR': {
    subject: 'Nova senha do Trilho',
    lines: [
      'Foi pedida uma nova senha para este e-mail. Para criá-la, abra:',
      `O link vale uma vez e por ${PASSWORD_RESET_MINUTES} minutos. Se você não pediu, ignore esta mensagem: sua senha continua a mesma.`,
    ],
  },
  en: {
    subject: 'New password for Trilho',
    lines: [
      'A new password was requested for this e-mail. To choose it, open:',
      `The link works once and for ${PASSWORD_RESET_MINUTES} minutes. If you did not request it, ignore this message: your password stays as it is.`,
    ],
  },
} as const

function composeResetMessage(id: string, { to, url, language }: PasswordResetMessage): OutboundMessage {
  const { subject, lines } = TEXTS[language]
  return { id, to, subject, text: [lines[0], url, lines[1]].join('\n\n') }
}
