import { randomUUID } from 'node:crypto'
import { Connection } from '../../db/entities/connection.ts'
import type { PixKey } from '../../db/entities/pix-key.ts'
import type { EntityManager } from '../../db/orm.ts'
import { isInUse } from '../../db/pix-keys.ts'
import { normalizedPixKey } from '../../domain/pix-key.ts'
import { beginRemoval } from '../../engine/keys.ts'
import type { Engine } from '../../engine/start.ts'
import type { Token } from '../auth.ts'
import { beginLife } from '../begin.ts'
import { refuse } from '../errors.ts'
import { UNAVAILABLE_RETRY_S } from '../limits.ts'
import { connectionsSeenBy } from '../visible.ts'
import { findPixKey, pixKeyOf } from './find.ts'

export type RemovalRequest = { key: string; token: Token; em: EntityManager; requestId: string }

/** Has its provider remove a key; resolves when it is gone. */
export async function removePixKey(
  engine: Engine,
  { key, token, em, requestId }: RemovalRequest,
): Promise<void> {
  await requireNotCollecting(em, token, key)
  const { uuid, accountUuid, connection, ...row } = await pixKeyOf(em, token, key)
  if (await isInUse(em, row)) refuse('key_in_use')
  const removal = { uuid, accountUuid, connectionUuid: connection.uuid, requestId }
  await beginLife(engine, {
    uuid,
    start: waitMs => beginRemoval(engine, removal, { updateId: randomUUID(), waitMs }),
    find: () => findPixKey(em.fork(), uuid),
    isBegun: ({ state }) => state !== 'active',
    tell: requireRemoved,
  })
}

/** Gone; or why it stays; or neither is known yet. */
function requireRemoved({ state, type, failure }: PixKey): void {
  if (state === 'removed') return
  const why = state === 'active' ? failure?.code : undefined
  if (why === undefined) refuse('pix_key_unknown', { retryAfterS: UNAVAILABLE_RETRY_S })
  if (why === 'key_in_use') refuse(why)
  if (why === 'no_provider_available') refuse(why, { retryAfterS: UNAVAILABLE_RETRY_S })
  refuse('provider_rejected', { data: { type, error: failure } })
}

/** SPEC §6: the key that collects for one of the account's connections stays, whoever made it. */
async function requireNotCollecting(em: EntityManager, token: Token, key: string) {
  const collecting = await em.count(Connection, {
    accountUuid: token.accountUuid,
    collectionKey: normalizedPixKey(key),
    isSimulated: token.mode === 'test',
    ...connectionsSeenBy(token),
  })
  if (collecting > 0) refuse('key_in_use')
}
