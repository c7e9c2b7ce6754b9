import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../db/client/orm.ts'
import { User } from '../db/entities/user.ts'
import { UserTotp } from '../db/entities/user-totp.ts'
import { ROW_LOCK } from '../db/locks.ts'
import { runAuditedAction, toActionAuthor } from '../db/repositories/audited-actions.ts'
import { consumeRecoveryCode, consumeTotpStep, insertRecoveryCodes } from '../db/repositories/user-totp.ts'
import type { Sealer } from '../security/sealing.ts'
import { findTotpStep, hashRecoveryCode } from '../security/totp.ts'
import type { UserAuthor } from './account-users.ts'

/** The second factor of a user: codes of an authenticator, and recovery codes for when it is lost. */

export function hasSecondFactor(em: EntityManager, userUuid: string): Promise<boolean> {
  return em.count(UserTotp, { userUuid }).then(count => count > 0)
}

type EnableOrder = { author: UserAuthor; secret: string; code: string; recoveryCodes: string[] }

/**
 * Enables the second factor by a code of its secret. Repeating the same secret changes nothing, so that a form sent
 * twice shows its recovery codes twice.
 */
export async function enableSecondFactor(
  em: EntityManager,
  sealer: Sealer,
  { author, secret, code, recoveryCodes }: EnableOrder,
): Promise<'enabled' | 'wrong_code' | 'already_enabled'> {
  const result = await runAuditedAction<'enabled' | 'repeated' | 'wrong_code' | 'already_enabled'>(em, {
    by: toActionAuthor(author),
    action: 'enable_totp',
    subject: `user/${author.uuid}`,
    hasChanged: outcome => outcome === 'enabled',
    async work(tx) {
      // Concurrent requests of one user run one after the other.
      await tx.findOneOrFail(User, author.uuid, ROW_LOCK)
      const existing = await tx.findOne(UserTotp, { userUuid: author.uuid })
      if (existing) return sealer.open(existing.sealedSecret) === secret ? 'repeated' : 'already_enabled'
      const step = findTotpStep(secret, normalizeCode(code))
      if (step === null) return 'wrong_code'
      const totp = {
        uuid: randomUUID(),
        userUuid: author.uuid,
        sealedSecret: sealer.seal(secret),
        lastStep: step,
      }
      await tx.insert(UserTotp, { ...totp, createdAt: new Date() })
      await insertRecoveryCodes(tx, { totpUuid: totp.uuid, hashes: recoveryCodes.map(hashRecoveryCode) })
      return 'enabled'
    },
  })
  return result === 'repeated' ? 'enabled' : result
}

/**
 * Accepts a code of the authenticator or a recovery code, each once, and returns the uuid of the second factor; null where
 * the code is wrong or was used.
 */
export async function acceptSecondFactor(
  em: EntityManager,
  sealer: Sealer,
  { userUuid, code }: { userUuid: string; code: string },
): Promise<string | null> {
  const totp = await em.findOne(UserTotp, { userUuid })
  if (!totp) return null
  return (await consumeCode(em, sealer, { totp, code })) ? totp.uuid : null
}

async function consumeCode(
  em: EntityManager,
  sealer: Sealer,
  { totp, code }: { totp: UserTotp; code: string },
): Promise<boolean> {
  const digits = normalizeCode(code)
  if (!/^\d{6}$/.test(digits))
    return consumeRecoveryCode(em, { totpUuid: totp.uuid, hash: hashRecoveryCode(code) })
  const step = findTotpStep(sealer.open<string>(totp.sealedSecret), digits)
  return step !== null && consumeTotpStep(em, { totpUuid: totp.uuid, step })
}

/** Disables the own second factor by one of its codes. Where there is none, nothing changes. */
export async function disableSecondFactor(
  em: EntityManager,
  sealer: Sealer,
  { author, code }: { author: UserAuthor; code: string },
): Promise<'disabled' | 'wrong_code'> {
  const result = await runAuditedAction<'disabled' | 'absent' | 'wrong_code'>(em, {
    by: toActionAuthor(author),
    action: 'disable_totp',
    subject: `user/${author.uuid}`,
    hasChanged: outcome => outcome === 'disabled',
    async work(tx) {
      if (!(await hasSecondFactor(tx, author.uuid))) return 'absent'
      if ((await acceptSecondFactor(tx, sealer, { userUuid: author.uuid, code })) === null)
        return 'wrong_code'
      await tx.nativeDelete(UserTotp, { userUuid: author.uuid })
      return 'disabled'
    },
  })
  return result === 'absent' ? 'disabled' : result
}

function normalizeCode(code: string): string {
  return code.replace(/\s/g, '')
}
