import type { EntityManager } from '../client/orm.ts'
import { UserTotp } from '../entities/user-totp.ts'

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
  { totpUuid, hash }: { totpUuid: string; hash: Buffer },
): Promise<boolean> {
  const { affectedRows } = await em.execute<{ affectedRows: number }>(
    'update recovery_code set used_at = now() where totp_uuid = ? and hash = ? and used_at is null',
    [totpUuid, hash],
    'run',
  )
  return affectedRows === 1
}

export async function insertRecoveryCodes(
  em: EntityManager,
  { totpUuid, hashes }: { totpUuid: string; hashes: Buffer[] },
): Promise<void> {
  for (const hash of hashes)
    await em.execute('insert into recovery_code (totp_uuid, hash) values (?, ?)', [totpUuid, hash])
}

/** Counts the recovery codes of a user that were not used; null where the user has no second factor. */
export async function countRecoveryCodes(em: EntityManager, userUuid: string): Promise<number | null> {
  const [row] = await em.execute<{ count: number }[]>(
    `select count(r.hash) filter (where r.used_at is null)::int as count
     from user_totp t left join recovery_code r on r.totp_uuid = t.uuid where t.user_uuid = ? group by t.uuid`,
    [userUuid],
  )
  return row?.count ?? null
}
