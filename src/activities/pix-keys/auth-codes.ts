import { randomInt } from 'node:crypto'
import { AuthCode, type CodeMessage } from '../../db/entities/pix-key.ts'
import { endAuthCodeDelivery, insertAuthCode, isAuthCodeExpired } from '../../db/repositories/auth-codes.ts'
import { CODE_VALIDITY_MINUTES } from '../../domain/pix-keys/pix-key.ts'
import type { OutboundMessage } from '../../messaging/messengers.ts'
import type {
  AuthCodeInput,
  AuthCodeInputDetails,
  CodeOutcome,
  SendAuthCodeResult,
} from '../../workflows/contracts/pix-keys.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'

/**
 * Creates a code and stores the MAC that verifies a guess. Repeatable: a stored code stays.
 */
export function storeAuthCode({ orm, sealer }: ActivityDependencies) {
  return async (order: AuthCodeInput): Promise<void> => {
    const { address, fingerprint } = sealer.open<AuthCodeInputDetails>(order.details)
    const code = String(randomInt(1_000_000)).padStart(6, '0')
    const message: CodeMessage = { to: address, code }
    const { uuid, accountUuid, type, isSimulated, requestId } = order
    await insertAuthCode(orm.em.fork(), {
      uuid,
      accountUuid,
      type,
      isSimulated,
      requestId,
      fingerprint,
      key: address,
      mac: sealer.mac(`${uuid}:${code}`),
      sealedMessage: sealer.seal(message),
    })
  }
}

/** Makes one attempt to send a code. An expired code is not sent any more; that of a test token is never, but kept in the outbox. */
export function sendAuthCode({ orm, sealer, messengers, log }: ActivityDependencies) {
  return async ({ uuid }: { uuid: string }): Promise<SendAuthCodeResult> => {
    const em = orm.em.fork()
    const row = await em.findOne(AuthCode, uuid)
    // Deleted long after its expiry.
    if (!row) return { kind: 'closed', outcome: 'expired' }
    if (row.delivery !== 'waiting') return { kind: 'closed', outcome: row.delivery }
    if (await isAuthCodeExpired(em, uuid)) return closeDelivery('expired')
    if (row.isSimulated) return closeDelivery('kept')
    const message = composeCodeMessage(uuid, sealer.open<CodeMessage>(row.sealedMessage!))
    const result = (await messengers[row.type]?.send(message)) ?? NO_CARRIER
    if (result.kind !== 'again') return closeDelivery(result.kind)
    log.warn({ auth_code: uuid, type: row.type, code: result.code }, 'the auth code could not be sent')
    return { kind: 'again', code: result.code }

    async function closeDelivery(outcome: CodeOutcome): Promise<SendAuthCodeResult> {
      await endAuthCodeDelivery(em, uuid, outcome)
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
