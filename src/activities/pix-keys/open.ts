import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import { Connection } from '../../db/entities/connection.ts'
import { PixKey } from '../../db/entities/pix-key.ts'
import type { OperationFailure } from '../../db/entities/transfer.ts'
import { lockAccount } from '../../db/locks.ts'
import { consumeAuthCode } from '../../db/repositories/auth-codes.ts'
import { countPixKeys, isPixKeyRegistered } from '../../db/repositories/pix-keys.ts'
import { failureOf } from '../../domain/errors/error-catalogue.ts'
import { MAX_KEYS_PER_TYPE, type PixKeyState } from '../../domain/pix-keys/pix-key.ts'
import type { PixKeyInput, PixKeyInputDetails } from '../../workflows/contracts/pix-keys.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'

/**
 * Stores a key's order and uses its auth code, under the account's row lock. Of concurrent orders the fourth
 * key of a type, the second order of a key and the second use of a code are stored as refused, and no provider is
 * called. Database constraints hold the same rules.
 */
export function openPixKey({ orm, sealer }: ActivityDependencies) {
  return (order: PixKeyInput): Promise<PixKeyState> =>
    runInTransaction(orm, async em => {
      const storedKey = await em.findOne(PixKey, order.uuid, { populate: ['connection'] })
      if (storedKey) return storedKey.state
      await lockAccount(em, order.accountUuid)
      const details = sealer.open<PixKeyInputDetails>(order.details)
      const connection = await em.findOneOrFail(Connection, order.connectionUuid)
      const { isSimulated } = connection
      const failure = await getKeyRefusal(em, order, { key: details.key, isSimulated })
      return storePixKey(em, order, { details, connection, failure }).state
    })
}

type PlannedKey = { details: PixKeyInputDetails; connection: Connection; failure: OperationFailure | null }

/** Stores a key's row: creating, or refused with its failure. */
export function storePixKey(
  em: EntityManager,
  order: PixKeyInput,
  { details, connection, failure }: PlannedKey,
): PixKey {
  const at = new Date()
  return em.create(PixKey, {
    uuid: order.uuid,
    accountUuid: order.accountUuid,
    connection,
    providerAccountUuid: connection.providerAccountUuid,
    isSimulated: connection.isSimulated,
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
}

async function getKeyRefusal(
  em: EntityManager,
  order: PixKeyInput,
  { key, isSimulated }: { key: string | null; isSimulated: boolean },
): Promise<OperationFailure | null> {
  const { accountUuid, type, authCodeUuid } = order
  if ((await countPixKeys(em, { accountUuid, type, isSimulated })) >= MAX_KEYS_PER_TYPE)
    return failureOf('pix_key_limit')
  if (key !== null && (await isPixKeyRegistered(em, { key, isSimulated })))
    return failureOf('pix_key_already_registered')
  if (authCodeUuid === undefined) return null
  // Checked last, so that a code is used only for an order that reaches a provider.
  if (await consumeAuthCode(em, authCodeUuid)) return null
  return { code: 'auth_code_used', message: 'the code was already used' }
}
