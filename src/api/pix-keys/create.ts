import { Account } from '../../db/entities/account.ts'
import type { Connection } from '../../db/entities/connection.ts'
import type { PixKey } from '../../db/entities/pix-key.ts'
import type { EntityManager } from '../../db/orm.ts'
import { countedKeys, isTaken } from '../../db/pix-keys.ts'
import { MOST_KEYS_OF_A_TYPE } from '../../domain/pix-key.ts'
import { beginPixKey } from '../../engine/keys.ts'
import type { Engine } from '../../engine/start.ts'
import type { Sealer } from '../../sealing.ts'
import { type CreatePixKey, isProved, showCreatedPixKey } from '../../wire/pix-key.ts'
import type { PixKeyDetails, PixKeyOrder } from '../../workflows/key-messages.ts'
import type { Token } from '../auth.ts'
import { beginLife, joinSent, orNotConfirmed, unlessBegun } from '../begin.ts'
import { type RefusalMore, refuse } from '../errors.ts'
import { fingerprintOf, operationUuid, REPLAYED, requireSameRequest } from '../idempotency.ts'
import { UNAVAILABLE_RETRY_S } from '../limits.ts'
import { unpaused } from '../paused.ts'
import { findPixKey } from './find.ts'
import { makerOf, unsupportedMessage } from './makers.ts'
import { provedAddress, USED_CODE } from './proof.ts'

export const PIX_KEYS_PATH = '/api/v1/pix-keys'

type Means = { engine: Engine; sealer: Sealer }
export type KeyRequest = {
  body: CreatePixKey
  token: Token
  em: EntityManager
  idempotencyKey: string | null
  requestId: string
}

/** Has a provider make a key, or answers again what the same key of idempotency made before (SPEC §9). */
export async function createPixKey(means: Means, request: KeyRequest) {
  const { engine, sealer } = means
  const { body, token, em, idempotencyKey: key, requestId } = request
  const { accountUuid, connectionUuid } = token
  const uuid = operationUuid({ by: token, method: 'POST', path: PIX_KEYS_PATH, key })
  const fingerprint = fingerprintOf({ body, connectionUuid })
  const find = () => findPixKey(em.fork(), uuid)
  const stored = key === null ? null : await find()
  if (stored) {
    requireSameRequest(stored, fingerprint)
    const waits = stored.state === 'creating'
    return orNotConfirmed(uuid, async () => {
      const now = waits ? await joinSent(engine, stored, { kind: 'pix_key', find }) : stored
      return answer(now, { replayed: true })
    })
  }
  const maker = await makerOf(em, { token, providerUuid: body.provider_uuid, type: body.type })
  const proved = await unlessBegun(allowedKey(sealer, request, maker), key === null ? null : find)
  if (!proved) return createPixKey(means, request)
  unpaused([maker], 'in')
  const details: PixKeyDetails = { key: proved.key, fingerprint }
  const order: PixKeyOrder = {
    uuid,
    accountUuid,
    connectionUuid: maker.uuid,
    type: body.type,
    ...(proved.authCodeUuid !== undefined && { authCodeUuid: proved.authCodeUuid }),
    details: sealer.seal(details),
    requestId,
    timeScale: engine.timeScale,
  }
  return beginLife(engine, {
    uuid,
    start: waitMs => beginPixKey(engine, order, waitMs),
    find,
    tell(row) {
      requireSameRequest(row, fingerprint)
      return answer(row, { replayed: row.requestId !== requestId })
    },
  })
}

/**
 * The key that may be asked for, with the code that proves it. Refused here, nothing is stored and no code is used; the
 * life decides again under the account's lock. The limit comes first: a code is not guessed at for nothing.
 */
async function allowedKey(
  sealer: Sealer,
  { body, token: { accountUuid }, em }: KeyRequest,
  { isSimulated }: Connection,
): Promise<{ key: string | null; authCodeUuid?: string }> {
  const { type } = body
  if ((await countedKeys(em, { accountUuid, type, isSimulated })) >= MOST_KEYS_OF_A_TYPE)
    refuse('pix_key_limit')
  if (type === 'RANDOM') return { key: null }
  const proof = { accountUuid, authCodeId: body.auth_code_id ?? '', authCode: body.auth_code ?? '' }
  const key = isProved(type)
    ? await provedAddress(em, sealer, { ...proof, type })
    : (await em.findOneOrFail(Account, accountUuid)).document
  if (await isTaken(em, { key, isSimulated })) refuse('pix_key_taken')
  return { key, ...(isProved(type) && { authCodeUuid: proof.authCodeId.toLowerCase() }) }
}

/** Made: 201. Not made: why not. Neither yet: 503, and it is asked about until known. */
function answer(row: PixKey, { replayed }: { replayed: boolean }) {
  const headers = replayed ? { ...REPLAYED } : {}
  if (row.state === 'creating') refuse('pix_key_unknown', { headers, retryAfterS: UNAVAILABLE_RETRY_S })
  if (row.state !== 'refused') return { status: 201 as const, headers, body: showCreatedPixKey(row) }
  const retry = !replayed && { retryAfterS: UNAVAILABLE_RETRY_S }
  return refuseMade(row, { headers, isKept: true }, retry)
}

function refuseMade(row: PixKey, kept: RefusalMore, retry: RefusalMore | false): never {
  const { type, connection, failure } = row
  switch (failure?.code) {
    case 'auth_code_used':
      return refuse('validation_failed', { ...kept, errors: { auth_code_id: [USED_CODE] } })
    case 'key_taken':
    case 'pix_key_taken':
      return refuse('pix_key_taken', kept)
    case 'pix_key_limit':
      return refuse('pix_key_limit', kept)
    case 'key_unsupported':
      return refuse('key_not_supported', {
        ...kept,
        errors: { type: [unsupportedMessage(connection, type)] },
      })
    case 'no_provider_available':
    case 'paused':
      return refuse(failure.code, { ...kept, ...retry })
    default:
      return refuse('provider_rejected', { ...kept, data: { type, is_active: false, error: failure } })
  }
}
