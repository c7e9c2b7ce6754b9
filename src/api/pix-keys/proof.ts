import { AuthCode } from '../../db/entities/pix-key.ts'
import { ALONE } from '../../db/lock.ts'
import type { EntityManager } from '../../db/orm.ts'
import { isUuid } from '../../domain/identifiers.ts'
import { MOST_WRONG_TRIES, type ProvedType } from '../../domain/pix-key.ts'
import type { Sealer } from '../../sealing.ts'
import { refuseField } from '../errors.ts'

export const USED_CODE = 'was used before: a code is good for one key'

export type Proof = { accountUuid: string; type: ProvedType; authCodeId: string; authCode: string }

/**
 * The address that a code was sent to, where this is the code; else 422 with the field that is wrong. A wrong guess is
 * counted before it is answered, under the code's lock, so that many at once are not one more than five.
 */
export async function provedAddress(em: EntityManager, sealer: Sealer, proof: Proof): Promise<string> {
  const judged = await em.fork().transactional(inner => judge(inner, sealer, proof))
  return 'address' in judged ? judged.address : refuseField(judged.field, judged.message)
}

type Judged = { address: string } | { field: 'auth_code_id' | 'auth_code'; message: string }

async function judge(em: EntityManager, sealer: Sealer, proof: Proof): Promise<Judged> {
  const uuid = proof.authCodeId.toLowerCase()
  const code = isUuid(uuid)
    ? await em.findOne(AuthCode, { uuid, accountUuid: proof.accountUuid }, ALONE)
    : null
  if (!code) return no('is not a code of this account')
  if (code.type !== proof.type) return no(`is of a code for ${code.type}, not for ${proof.type}`)
  if (code.usedAt) return no(USED_CODE)
  if (await isExpired(em, uuid)) return no('has expired: a code is good for 10 minutes')
  if (code.wrongTries >= MOST_WRONG_TRIES) return no('was tried too often: ask for another code')
  if (sealer.isMacOf(code.mac, `${uuid}:${proof.authCode}`)) return { address: code.key }
  code.wrongTries += 1
  const left = MOST_WRONG_TRIES - code.wrongTries
  const more = left === 0 ? 'ask for another code' : left === 1 ? '1 try left' : `${left} tries left`
  return { field: 'auth_code', message: `is wrong: ${more}` }
}

function no(message: string): Judged {
  return { field: 'auth_code_id', message }
}

async function isExpired(em: EntityManager, uuid: string): Promise<boolean> {
  const [row]: { late: boolean }[] = await em.execute(
    'select expires_at <= clock_timestamp() as late from auth_code where uuid = ?',
    [uuid],
  )
  return row?.late ?? true
}
