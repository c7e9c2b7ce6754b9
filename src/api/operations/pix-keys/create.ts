import { type CreatePixKeyBody, isProvedType, showCreatedPixKey } from '../../../contract/pix-keys/pix-key.ts'
import { Account } from '../../../db/entities/account.ts'
import type { Connection } from '../../../db/entities/connection.ts'
import type { PixKey } from '../../../db/entities/pix-key.ts'
import { countPixKeyCreation, countPixKeys, isPixKeyRegistered } from '../../../db/repositories/pix-keys.ts'
import { MAX_KEYS_PER_TYPE } from '../../../domain/pix-keys/pix-key.ts'
import { fail } from '../../../http/api-error.ts'
import { PIX_KEY_STORED_WAIT_MS, UNAVAILABLE_RETRY_S } from '../../../http/limits.ts'
import type { Sealer } from '../../../security/sealing.ts'
import { startPixKeyWorkflow } from '../../../temporal/pix-keys.ts'
import type { PixKeyInput, PixKeyInputDetails } from '../../../workflows/contracts/pix-keys.ts'
import { requireUnpausedConnections } from '../../routing/pause-check.ts'
import {
  type CreateDependencies,
  type CreateRequest,
  createOperation,
  failStored,
  type Replay,
  remainingCreateWaitMs,
} from '../create-operation.ts'
import { choosePixKeyProvider, describeUnsupportedType } from './choose-provider.ts'
import { findPixKey } from './find.ts'
import { USED_CODE_MESSAGE, verifyAddress } from './verify-code.ts'

export const PIX_KEYS_PATH = '/api/v1/pix-keys'

type CreatePixKeyRequest = CreateRequest<CreatePixKeyBody>

/**
 * Counts a POST of a key, rejected ones included; the fourth within 60 s is 429 (SPEC §9). PostgreSQL counts, by its
 * own clock, so the limit holds for any number of processes. A 429 is not counted: a merchant who waits for
 * `Retry-After` succeeds.
 */
export async function countCreationAttempt({ token, em }: Pick<CreatePixKeyRequest, 'token' | 'em'>) {
  const retryAfterS = await countPixKeyCreation(em, token.accountUuid)
  if (retryAfterS > 0) fail('too_many_attempts', { retryAfterS })
}

/** Registers a PIX key at a provider, or replays the response of the same Idempotency-Key (SPEC §9). */
export function createPixKey(
  { temporal: context, sealer }: CreateDependencies,
  request: CreatePixKeyRequest,
) {
  const { body, token, em } = request
  const { type } = body
  return createOperation(context, request, {
    kind: 'pix_key',
    path: PIX_KEYS_PATH,
    find: uuid => findPixKey(em.fork(), uuid),
    replayWaitMs: row => (row.state === 'creating' ? remainingCreateWaitMs(row, PIX_KEY_STORED_WAIT_MS) : 0),
    storedWaitMs: PIX_KEY_STORED_WAIT_MS,
    async validate() {
      const connection = await choosePixKeyProvider(em, { token, providerUuid: body.provider_uuid, type })
      const provenKey = await validateKeyCreation(sealer, request, connection)
      requireUnpausedConnections([connection], 'in')
      return { ...provenKey, connectionUuid: connection.uuid }
    },
    start({ fingerprint, ...operation }, { key, ...validated }, waitMs) {
      const details: PixKeyInputDetails = { key, fingerprint }
      const order: PixKeyInput = { ...operation, type, ...validated, details: sealer.seal(details) }
      return startPixKeyWorkflow(context, order, waitMs)
    },
    present: respondWithPixKey,
  })
}

/** Validates a new key, its limit before its code, so that no guess is spent in vain; the workflow validates again. */
async function validateKeyCreation(
  sealer: Sealer,
  { body, token: { accountUuid }, em }: CreatePixKeyRequest,
  { isSimulated }: Connection,
): Promise<{ key: string | null; authCodeUuid?: string }> {
  const { type } = body
  if ((await countPixKeys(em, { accountUuid, type, isSimulated })) >= MAX_KEYS_PER_TYPE) fail('pix_key_limit')
  if (type === 'RANDOM') return { key: null }
  const proof = { accountUuid, authCodeId: body.auth_code_id ?? '', authCode: body.auth_code ?? '' }
  const key = isProvedType(type)
    ? await verifyAddress(em, sealer, { ...proof, type })
    : (await em.findOneOrFail(Account, accountUuid)).document
  if (await isPixKeyRegistered(em, { key, isSimulated })) fail('pix_key_taken')
  return { key, ...(isProvedType(type) && { authCodeUuid: proof.authCodeId.toLowerCase() }) }
}

/** Responds with 201 or the reason of a rejection; 503 while the outcome is unknown, which the workflow polls. */
function respondWithPixKey(row: PixKey, replay: Replay) {
  const { headers } = replay
  if (row.state === 'creating') fail('pix_key_unknown', { headers, retryAfterS: UNAVAILABLE_RETRY_S })
  if (row.state !== 'refused') return { status: 201 as const, headers, body: showCreatedPixKey(row) }
  return failPixKeyCreation(row, replay)
}

function failPixKeyCreation({ type, connection, failure }: PixKey, replay: Replay): never {
  switch (failure?.code) {
    case 'auth_code_used':
      return failStored('validation_failed', replay, { errors: { auth_code_id: [USED_CODE_MESSAGE] } })
    case 'key_taken':
      return failStored('pix_key_taken', replay)
    case 'key_unsupported':
      return failStored('key_not_supported', replay, {
        errors: { type: [describeUnsupportedType(connection, type)] },
      })
    case 'pix_key_taken':
    case 'pix_key_limit':
    case 'no_provider_available':
    case 'paused':
      return failStored(failure.code, replay)
    default:
      return failStored('provider_rejected', replay, { data: { type, is_active: false, error: failure } })
  }
}
