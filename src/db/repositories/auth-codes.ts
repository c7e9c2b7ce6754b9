import { raw } from '@mikro-orm/core'
import { CODE_VALIDITY_MINUTES, type CodeDelivery } from '../../domain/pix-keys/pix-key.ts'
import type { EntityManager } from '../client/orm.ts'
import { AuthCode } from '../entities/pix-key.ts'
import { selectValue } from '../select-values.ts'

type NewAuthCode = Pick<
  AuthCode,
  'uuid' | 'accountUuid' | 'type' | 'key' | 'isSimulated' | 'mac' | 'requestId' | 'fingerprint'
> & {
  sealedMessage: string
}

/**
 * Inserts an auth code. Its expiry is by PostgreSQL's clock, which every API process uses. Repeatable: a stored
 * code stays, because the one in its message must stay valid.
 */
export async function insertAuthCode(em: EntityManager, code: NewAuthCode): Promise<void> {
  const expiresAt = raw(`now() + interval '${CODE_VALIDITY_MINUTES} minutes'`)
  await em
    .createQueryBuilder(AuthCode)
    .insert({ ...code, delivery: 'waiting', createdAt: raw('now()'), expiresAt })
    .onConflict('uuid')
    .ignore()
    .execute()
}

/** `uuid`: of the code that is requested. `addressHash`: null where the code is sent nowhere. */
type AuthCodeRequest = { uuid: string; accountUuid: string; addressHash: Buffer | null }

/**
 * Counts a request of a code for an account, and for an address where it is really sent to one; returns the seconds until
 * another is allowed, 0 where this one is counted, now or by an earlier or parallel request of the same code.
 */
export function countAuthCodeRequest(
  em: EntityManager,
  { uuid, accountUuid, addressHash }: AuthCodeRequest,
): Promise<number> {
  return selectValue(em, 'select count_auth_code_request(?, ?, ?)', [accountUuid, addressHash, uuid])
}

/** Returns whether a code has expired by PostgreSQL's clock; true where there is none. */
export async function isAuthCodeExpired(em: EntityManager, uuid: string): Promise<boolean> {
  return (await em.count(AuthCode, { uuid, expiresAt: { $gt: raw('clock_timestamp()') } })) === 0
}

/** Marks a code as used; false where it was used before. */
export async function consumeAuthCode(em: EntityManager, uuid: string): Promise<boolean> {
  return (await em.nativeUpdate(AuthCode, { uuid, usedAt: null }, { usedAt: new Date() })) === 1
}

/** Records how sending a code ended and deletes the sealed message, except where the outbox lists it (`kept`). */
export async function endAuthCodeDelivery(
  em: EntityManager,
  uuid: string,
  outcome: CodeDelivery,
): Promise<void> {
  const message = outcome === 'kept' ? {} : { sealedMessage: null }
  await em.nativeUpdate(
    AuthCode,
    { uuid, delivery: 'waiting' },
    { delivery: outcome, sentAt: new Date(), ...message },
  )
}
