import type { EntityManager } from '../client/orm.ts'
import { RecoveryCode, UserTotp } from '../entities/user-totp.ts'

/** Writes of second factors. Each accepts a code at most once, in however many processes it arrives. */

/** Stores the time step of an accepted code; false where a code of this or a later step was accepted before. */
export async function consumeTotpStep(
  em: EntityManager,
  { totpUuid, step }: { totpUuid: string; step: number },
): Promise<boolean> {
  const earlier = { uuid: totpUuid, lastStep: { $lt: step } }
  return (await em.nativeUpdate(UserTotp, earlier, { lastStep: step })) === 1
}

/** Marks a recovery code as used; false where there is none, or it was used before. */
export async function consumeRecoveryCode(
  em: EntityManager,
  code: { totpUuid: string; hash: Buffer },
): Promise<boolean> {
  return (await em.nativeUpdate(RecoveryCode, { ...code, usedAt: null }, { usedAt: new Date() })) === 1
}

export async function insertRecoveryCodes(
  em: EntityManager,
  { totpUuid, hashes }: { totpUuid: string; hashes: Buffer[] },
): Promise<void> {
  await em.insertMany(
    RecoveryCode,
    hashes.map(hash => ({ totpUuid, hash })),
  )
}

/** Counts the recovery codes of a user that were not used; null where the user has no second factor. */
export async function countRecoveryCodes(em: EntityManager, userUuid: string): Promise<number | null> {
  const totp = await em.findOne(UserTotp, { userUuid }, { fields: ['uuid'], disableIdentityMap: true })
  return totp && em.count(RecoveryCode, { totpUuid: totp.uuid, usedAt: null })
}
