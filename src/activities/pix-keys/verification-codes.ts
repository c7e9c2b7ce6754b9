import { randomInt } from 'node:crypto'
import { AuthCode } from '../../db/entities/pix-key.ts'
import { CODE_VALIDITY_MINUTES } from '../../domain/pix-keys/pix-key.ts'
import type { OutboundMessage } from '../../messaging/messenger.ts'
import type {
  CodeOutcome,
  SendAuthCodeResult,
  VerificationCodeInput,
  VerificationCodeInputDetails,
} from '../../workflows/contracts/pix-keys.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'

/** Message with a code, sealed in its row until it is sent. */
export type CodeMessage = { to: string; code: string }

/**
 * Creates a code and stores the MAC that verifies a guess. Its expiry is by PostgreSQL's clock, which every API process
 * uses. Repeatable: a stored code stays, because the one in its message must stay valid.
 */
export function storeAuthCode({ orm, sealer }: ActivityDependencies) {
  return async (order: VerificationCodeInput): Promise<void> => {
    const { address, fingerprint } = sealer.open<VerificationCodeInputDetails>(order.details)
    const code = String(randomInt(1_000_000)).padStart(6, '0')
    const message: CodeMessage = { to: address, code }
    await orm.em.fork().execute(
      `insert into auth_code (uuid, account_uuid, type, key, mac, expires_at, sealed_message, delivery, request_id,
         fingerprint)
       values (?, ?, ?, ?, ?, now() + interval '${CODE_VALIDITY_MINUTES} minutes', ?, 'waiting', ?, ?)
       on conflict (uuid) do nothing`,
      [
        order.uuid,
        order.accountUuid,
        order.type,
        address,
        sealer.mac(`${order.uuid}:${code}`),
        sealer.seal(message),
        order.requestId,
        fingerprint,
      ],
    )
  }
}

/** Makes one attempt to send a code; an expired code is not sent any more. */
export function sendAuthCode({ orm, sealer, messengers, log }: ActivityDependencies) {
  return async ({ uuid }: { uuid: string }): Promise<SendAuthCodeResult> => {
    const em = orm.em.fork()
    const row = await em.findOneOrFail(AuthCode, uuid)
    if (row.delivery !== 'waiting') return { kind: 'closed', outcome: row.delivery }
    const [{ late }]: [{ late: boolean }] = await em.execute(
      'select expires_at <= now() as late from auth_code where uuid = ?',
      [uuid],
    )
    if (late) return closeDelivery('expired')
    const message = composeCodeMessage(uuid, sealer.open<CodeMessage>(row.sealedMessage!))
    const result = (await messengers[row.type]?.send(message)) ?? NO_CARRIER
    if (result.kind !== 'again') return closeDelivery(result.kind)
    log.warn(
      { auth_code: uuid, type: row.type, code: result.code },
      'the verification code could not be sent',
    )
    return { kind: 'again', code: result.code }

    /** Records the outcome and deletes the sealed message, except where the local outbox reads it (`kept`). */
    async function closeDelivery(outcome: CodeOutcome): Promise<SendAuthCodeResult> {
      await em.execute(
        `update auth_code set delivery = ?, sent_at = now(), sealed_message = case when ? = 'kept' then sealed_message end
         where uuid = ? and delivery = 'waiting'`,
        [outcome, outcome, uuid],
      )
      return { kind: 'closed', outcome }
    }
  }
}

const NO_CARRIER = { kind: 'again', code: 'no_carrier' } as const

/** Composes the message of a code, in Portuguese, the language of its readers. */
function composeCodeMessage(id: string, { to, code }: CodeMessage): OutboundMessage {
  const text = `${code} é o seu código para cadastrar a chave Pix. Ele vale por ${CODE_VALIDITY_MINUTES} minutos. Se você não solicitou este código, ignore esta mensagem.`
  return { id, to, subject: 'Código de verificação da chave Pix', text }
}
