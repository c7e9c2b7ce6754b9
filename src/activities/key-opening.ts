import { Connection } from '../db/entities/connection.ts'
import { AuthCode, PixKey } from '../db/entities/pix-key.ts'
import type { Failure } from '../db/entities/transfer.ts'
import { type EntityManager, inTransaction } from '../db/orm.ts'
import { countedKeys, isTaken } from '../db/pix-keys.ts'
import { REFUSALS } from '../domain/errors.ts'
import { MOST_KEYS_OF_A_TYPE, type PixKeyState } from '../domain/pix-key.ts'
import type { PixKeyDetails, PixKeyOrder } from '../workflows/key-messages.ts'
import type { Dependencies } from './dependencies.ts'
import { attemptAt, newAttempt } from './key-attempts.ts'

/**
 * Stores a key's order and uses its code, under the lock of its account: of many at once the fourth of a type, the second
 * of a key and the second use of a code are stored as refused, and no provider is called. The constraints say the same.
 */
export function openPixKey({ orm, sealer }: Dependencies) {
  return (order: PixKeyOrder): Promise<PixKeyState> =>
    inTransaction(orm, async em => {
      const stored = await em.findOne(PixKey, order.uuid, { populate: ['connection'] })
      if (stored) return order.restored ? foundAgain(em, stored) : stored.state
      await em.execute('select from account where uuid = ? for no key update', [order.accountUuid])
      const details = sealer.open<PixKeyDetails>(order.details)
      const connection = await em.findOneOrFail(Connection, order.connectionUuid)
      const why = order.restored
        ? whyNotBefore(order.restored)
        : await whyNot(em, { order, key: details.key, isSimulated: connection.isSimulated })
      const at = new Date()
      const row = em.create(PixKey, {
        uuid: order.uuid,
        accountUuid: order.accountUuid,
        connection,
        providerAccountUuid: connection.providerAccountUuid,
        isSimulated: connection.isSimulated,
        type: order.type,
        key: details.key,
        state: why ? 'refused' : 'creating',
        authCodeUuid: order.authCodeUuid ?? null,
        failure: why,
        requestId: order.requestId,
        fingerprint: details.fingerprint,
        createdAt: at,
        updatedAt: at,
      })
      return order.restored ? foundAgain(em, row) : row.state
    })
}

/** Of a restored database: it may have been asked for, so that its provider's list tells. */
async function foundAgain(em: EntityManager, row: PixKey): Promise<PixKeyState> {
  await em.flush()
  if (row.state !== 'creating' || (await attemptAt(em, row, 'create_key'))) return row.state
  Object.assign(newAttempt(em, row, 'create_key'), {
    state: 'unknown',
    code: 'restored',
    unknownSince: new Date(),
  })
  return row.state
}

/** What was refused stays so; why is gone with its row. */
function whyNotBefore({ ended }: NonNullable<PixKeyOrder['restored']>): Failure | null {
  return ended === 'refused' ? failureOf('not_found_after_restore') : null
}

type Wanted = { order: PixKeyOrder; key: string | null; isSimulated: boolean }

async function whyNot(em: EntityManager, { order, key, isSimulated }: Wanted): Promise<Failure | null> {
  const { accountUuid, type, authCodeUuid } = order
  if ((await countedKeys(em, { accountUuid, type, isSimulated })) >= MOST_KEYS_OF_A_TYPE)
    return failureOf('pix_key_limit')
  if (key !== null && (await isTaken(em, { key, isSimulated }))) return failureOf('pix_key_taken')
  if (authCodeUuid === undefined) return null
  // Last, so that a code is only spent on what is then asked of a provider.
  const used = await em.nativeUpdate(AuthCode, { uuid: authCodeUuid, usedAt: null }, { usedAt: new Date() })
  return used === 1 ? null : { code: 'auth_code_used', message: 'the code was used before' }
}

function failureOf(code: 'pix_key_limit' | 'pix_key_taken' | 'not_found_after_restore'): Failure {
  return { code, message: REFUSALS[code].message }
}
