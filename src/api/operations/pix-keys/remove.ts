import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../../../db/client/orm.ts'
import { Connection } from '../../../db/entities/connection.ts'
import type { PixKey } from '../../../db/entities/pix-key.ts'
import { isPixKeyInUse } from '../../../db/repositories/pix-keys.ts'
import { normalizePixKey } from '../../../domain/pix-keys/key-format.ts'
import { fail } from '../../../http/api-error.ts'
import { PIX_KEY_STORED_WAIT_MS, UNAVAILABLE_RETRY_S } from '../../../http/limits.ts'
import { startPixKeyRemovalWorkflow } from '../../../temporal/pix-keys.ts'
import type { TemporalContext } from '../../../temporal/workflow-options.ts'
import type { CallerToken } from '../../authorization/authenticate.ts'
import { connectionScopeOf } from '../../authorization/scope.ts'
import { startAndAwaitResult } from '../start-and-wait.ts'
import { findPixKey, requireVisiblePixKey } from './find.ts'

export type RemovePixKeyRequest = { key: string; token: CallerToken; em: EntityManager; requestId: string }

export async function removePixKey(
  context: TemporalContext,
  { key, token, em, requestId }: RemovePixKeyRequest,
): Promise<void> {
  await requireNotCollectionKey(em, token, key)
  const { uuid, accountUuid, connection, ...row } = await requireVisiblePixKey(em, token, key)
  if (await isPixKeyInUse(em, row)) fail('key_in_use')
  const removal = { uuid, accountUuid, connectionUuid: connection.uuid, requestId }
  await startAndAwaitResult(context, {
    uuid,
    start: waitMs => startPixKeyRemovalWorkflow(context, removal, { updateId: randomUUID(), waitMs }),
    find: () => findPixKey(em.fork(), uuid),
    isStarted: ({ state }) => state !== 'active',
    storedWaitMs: PIX_KEY_STORED_WAIT_MS,
    present: requireRemoved,
  })
}

/** Returns if the key is removed; else fails with the reason, or with `pix_key_unknown` while it is unknown. */
function requireRemoved({ state, type, failure }: PixKey): void {
  if (state === 'removed') return
  const why = state === 'active' ? failure?.code : undefined
  if (why === undefined) fail('pix_key_unknown', { retryAfterS: UNAVAILABLE_RETRY_S })
  if (why === 'key_in_use') fail(why)
  if (why === 'no_provider_available') fail(why, { retryAfterS: UNAVAILABLE_RETRY_S })
  fail('provider_rejected', { data: { type, error: failure } })
}

/** Fails where one of the account's connections collects by this key, whichever provider registered it (SPEC §6). */
async function requireNotCollectionKey(em: EntityManager, token: CallerToken, key: string) {
  const collecting = await em.count(Connection, {
    accountUuid: token.accountUuid,
    collectionKey: normalizePixKey(key),
    isSimulated: token.mode === 'test',
    ...connectionScopeOf(token),
  })
  if (collecting > 0) fail('key_in_use')
}
