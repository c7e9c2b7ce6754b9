import { type EntityManager, runInTransaction } from '../../db/client/orm.ts'
import { Connection } from '../../db/entities/connection.ts'
import { AuthCode, PixKey } from '../../db/entities/pix-key.ts'
import type { OperationFailure } from '../../db/entities/transfer.ts'
import { lockAccount } from '../../db/locks.ts'
import { countPixKeys, isPixKeyRegistered } from '../../db/repositories/pix-keys.ts'
import { failureOf } from '../../domain/errors/error-catalogue.ts'
import { MAX_KEYS_PER_TYPE, type PixKeyState } from '../../domain/pix-keys/pix-key.ts'
import type { PixKeyInput, PixKeyInputDetails } from '../../workflows/contracts/pix-keys.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { createKeyAttempt, findKeyAttempt, recordUnknownKeyOutcome } from './attempts.ts'

/**
 * Stores a key's order and uses its auth code, under the account's row lock. Of concurrent orders the fourth
 * key of a type, the second order of a key and the second use of a code are stored as refused, and no provider is
 * called. Database constraints hold the same rules.
 */
export function openPixKey({ orm, sealer }: ActivityDependencies) {
  return (order: PixKeyInput): Promise<PixKeyState> =>
    runInTransaction(orm, async em => {
      const stored = await em.findOne(PixKey, order.uuid, { populate: ['connection'] })
      if (stored) return order.restored ? restoreKeyAttempt(em, stored) : stored.state
      await lockAccount(em, order.accountUuid)
      const details = sealer.open<PixKeyInputDetails>(order.details)
      const connection = await em.findOneOrFail(Connection, order.connectionUuid)
      const { isSimulated } = connection
      // The original reason of a key that was refused before a restore is lost with its row.
      const failure =
        order.restored?.ended === 'refused'
          ? failureOf('not_found_after_restore')
          : await getKeyRefusal(em, order, { key: details.key, isSimulated })
      const at = new Date()
      const row = em.create(PixKey, {
        uuid: order.uuid,
        accountUuid: order.accountUuid,
        connection,
        providerAccountUuid: connection.providerAccountUuid,
        isSimulated,
        type: order.type,
        key: details.key,
        state: failure ? 'refused' : 'creating',
        authCodeUuid: order.authCodeUuid ?? null,
        failure,
        requestId: order.requestId,
        tokenNumber: order.tokenNumber ?? null,
        userUuid: order.userUuid ?? null,
        fingerprint: details.fingerprint,
        createdAt: at,
        updatedAt: at,
      })
      return order.restored ? restoreKeyAttempt(em, row) : row.state
    })
}

/** Stores an unknown attempt after a restore: the key may have been requested; its provider's list shows it. */
async function restoreKeyAttempt(em: EntityManager, row: PixKey): Promise<PixKeyState> {
  await em.flush()
  if (row.state !== 'creating' || (await findKeyAttempt(em, row, 'create_key'))) return row.state
  const attempt = createKeyAttempt(em, row, 'create_key')
  recordUnknownKeyOutcome(attempt, 'restored')
  attempt.code = 'restored'
  return row.state
}

async function getKeyRefusal(
  em: EntityManager,
  order: PixKeyInput,
  { key, isSimulated }: { key: string | null; isSimulated: boolean },
): Promise<OperationFailure | null> {
  const { accountUuid, type, authCodeUuid, restored } = order
  if (restored) return null
  if ((await countPixKeys(em, { accountUuid, type, isSimulated })) >= MAX_KEYS_PER_TYPE)
    return failureOf('pix_key_limit')
  if (key !== null && (await isPixKeyRegistered(em, { key, isSimulated })))
    return failureOf('pix_key_already_registered')
  if (authCodeUuid === undefined) return null
  // Checked last, so that a code is used only for an order that reaches a provider.
  const updatedCount = await em.nativeUpdate(
    AuthCode,
    { uuid: authCodeUuid, usedAt: null },
    { usedAt: new Date() },
  )
  return updatedCount === 1 ? null : { code: 'auth_code_used', message: 'the code was already used' }
}
