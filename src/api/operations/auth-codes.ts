import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import { AuthCode, type CodeMessage } from '../../db/entities/pix-key.ts'
import { ROW_LOCK } from '../../db/locks.ts'
import { isAuthCodeExpired } from '../../db/repositories/auth-codes.ts'
import { isUuid } from '../../domain/pix/identifiers.ts'
import { MAX_WRONG_CODE_ATTEMPTS, type VerifiedKeyType } from '../../domain/pix-keys/pix-key.ts'
import { failField } from '../../http/api-error.ts'
import type { FieldMessage } from '../../http/field-message.ts'
import type { Sealer } from '../../security/sealing.ts'

export const USED_CODE_MESSAGE = 'was already used: a code is valid for one key'

const MAX_LISTED_CODES = 5

/** Lists an account's codes of test tokens that can still be used, newest first: no message has them (SPEC §9). */
export async function listTestCodes(em: EntityManager, sealer: Sealer, accountUuid: string) {
  const usable = {
    usedAt: null,
    wrongAttempts: { $lt: MAX_WRONG_CODE_ATTEMPTS },
    expiresAt: { $gt: new Date() },
  }
  const rows = await em.find(
    AuthCode,
    { accountUuid, isSimulated: true, sealedMessage: { $ne: null }, ...usable },
    { orderBy: { createdAt: 'desc' }, limit: MAX_LISTED_CODES },
  )
  return rows.map(({ uuid, key, sealedMessage, expiresAt }) => ({
    uuid,
    address: key,
    expires_at: expiresAt,
    code: sealer.open<CodeMessage>(sealedMessage!).code,
  }))
}

type AuthCodeProof = {
  accountUuid: string
  type: VerifiedKeyType
  /** Whether the key is a simulated one: a code of a test token, which is sent nowhere, proves no real address. */
  isSimulated: boolean
  authCodeId: string
  authCode: string
}

/**
 * Verifies a code and returns the address it was sent to; else fails with 422 for the wrong field. A wrong guess is
 * committed before the response, under the code's row lock, so that concurrent guesses cannot exceed the limit of five.
 */
export async function verifyAddress(em: EntityManager, sealer: Sealer, proof: AuthCodeProof) {
  const verification = await runInTransaction(em, inner => verifyCode(inner, sealer, proof))
  return 'address' in verification
    ? verification.address
    : failField(verification.field, verification.message)
}

type CodeVerification = { address: string } | { field: 'auth_code_id' | 'auth_code'; message: FieldMessage }

async function verifyCode(
  em: EntityManager,
  sealer: Sealer,
  proof: AuthCodeProof,
): Promise<CodeVerification> {
  const uuid = proof.authCodeId.toLowerCase()
  const { accountUuid, isSimulated } = proof
  const code = isUuid(uuid) ? await em.findOne(AuthCode, { uuid, accountUuid, isSimulated }, ROW_LOCK) : null
  if (!code) return rejectCode('is not a code of this account')
  if (code.type !== proof.type)
    return rejectCode({
      text: 'belongs to a code for {type}, not for {expected}',
      gaps: { type: code.type, expected: proof.type },
    })
  if (code.usedAt) return rejectCode(USED_CODE_MESSAGE)
  if (await isAuthCodeExpired(em, uuid)) return rejectCode('has expired: a code is valid for 10 minutes')
  if (code.wrongAttempts >= MAX_WRONG_CODE_ATTEMPTS)
    return rejectCode('has too many wrong attempts: request another code')
  if (sealer.isMacOf(code.mac, `${uuid}:${proof.authCode}`)) return { address: code.key }
  code.wrongAttempts += 1
  const count = MAX_WRONG_CODE_ATTEMPTS - code.wrongAttempts
  const text =
    ['is wrong: request another code', 'is wrong: 1 attempt left'][count] ?? 'is wrong: {count} attempts left'
  return { field: 'auth_code', message: { text, gaps: { count } } }
}

function rejectCode(message: FieldMessage): CodeVerification {
  return { field: 'auth_code_id', message }
}
