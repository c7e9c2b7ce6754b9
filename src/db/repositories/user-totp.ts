import type { EntityManager } from '../client/orm.ts'

/** Writes of second factors. Each accepts a code at most once, in however many processes it arrives. */

/** Stores the time step of an accepted code; false where a code of this or a later step was accepted before. */
export async function consumeTotpStep(
  em: EntityManager,
  { totpUuid, step }: { totpUuid: string; step: number },
): Promise<boolean> {
  const sql = 'update user_totp set last_step = ? where uuid = ? and last_step < ?'
  return (await countChanged(em, sql, [step, totpUuid, step])) === 1
}

/** Marks a recovery code as used; false where there is none, or it was used before. */
export async function consumeRecoveryCode(
  em: EntityManager,
  { totpUuid, hash }: { totpUuid: string; hash: Buffer },
): Promise<boolean> {
  const sql = 'update recovery_code set used_at = now() where totp_uuid = ? and hash = ? and used_at is null'
  return (await countChanged(em, sql, [totpUuid, hash])) === 1
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

async function countChanged(em: EntityManager, sql: string, values: unknown[]): Promise<number> {
  const { affectedRows } = await em.execute<{ affectedRows: number }>(sql, values, 'run')
  return affectedRows
}
