import { type CreatePixKeyBody, isProvedType, showCreatedPixKey } from '../../contract/pix-keys/pix-key.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Account } from '../../db/entities/account.ts'
import type { Connection } from '../../db/entities/connection.ts'
import type { PixKey } from '../../db/entities/pix-key.ts'
import { countPixKeys, isPixKeyRegistered } from '../../db/repositories/pix-keys.ts'
import { MAX_KEYS_PER_TYPE } from '../../domain/pix-keys/pix-key.ts'
import type { Sealer } from '../../security/sealing.ts'
import { startPixKeyWorkflow } from '../../temporal/pix-keys.ts'
import type { WorkflowClientContext } from '../../temporal/workflow-options.ts'
import type { PixKeyInput, PixKeyInputDetails } from '../../workflows/contracts/pix-keys.ts'
import { type ApiErrorDetails, fail } from '../http/api-error.ts'
import { UNAVAILABLE_RETRY_S } from '../limits.ts'
import type { CallerToken } from '../middleware/authenticate.ts'
import {
  deriveOperationUuid,
  fingerprintRequest,
  REPLAYED_HEADERS,
  requireSameRequest,
} from '../operations/idempotency.ts'
import {
  awaitAccepted,
  readOrFailNotConfirmed,
  startAndAwaitResult,
  validateUnlessStarted,
} from '../operations/start-and-wait.ts'
import { requireUnpausedConnections } from '../routing/pause-check.ts'
import { choosePixKeyProvider, formatUnsupportedMessage } from './choose-provider.ts'
import { findPixKey } from './find.ts'
import { USED_CODE_MESSAGE, verifyAddress } from './verify-code.ts'

export const PIX_KEYS_PATH = '/api/v1/pix-keys'

type PixKeyDependencies = { engine: WorkflowClientContext; sealer: Sealer }
export type CreatePixKeyRequest = {
  body: CreatePixKeyBody
  token: CallerToken
  em: EntityManager
  idempotencyKey: string | null
  requestId: string
}

/** Registers a PIX key at a provider, or replays the response of the same Idempotency-Key (SPEC §9). */
export async function createPixKey(dependencies: PixKeyDependencies, request: CreatePixKeyRequest) {
  const { engine, sealer } = dependencies
  const { body, token, em, idempotencyKey: key, requestId } = request
  const { accountUuid, connectionUuid } = token
  const uuid = deriveOperationUuid({ owner: token, method: 'POST', path: PIX_KEYS_PATH, key })
  const fingerprint = fingerprintRequest({ body, connectionUuid })
  const find = () => findPixKey(em.fork(), uuid)
  const stored = key === null ? null : await find()
  if (stored) {
    requireSameRequest(stored, fingerprint)
    const isPending = stored.state === 'creating'
    return readOrFailNotConfirmed(uuid, async () => {
      const current = isPending ? await awaitAccepted(engine, stored, { kind: 'pix_key', find }) : stored
      return respondWithPixKey(current, { replayed: true })
    })
  }
  const connection = await choosePixKeyProvider(em, {
    token,
    providerUuid: body.provider_uuid,
    type: body.type,
  })
  const provenKey = await validateUnlessStarted(
    validatePixKey(sealer, request, connection),
    key === null ? null : find,
  )
  if (!provenKey) return createPixKey(dependencies, request)
  requireUnpausedConnections([connection], 'in')
  const details: PixKeyInputDetails = { key: provenKey.key, fingerprint }
  const order: PixKeyInput = {
    uuid,
    accountUuid,
    connectionUuid: connection.uuid,
    type: body.type,
    ...(provenKey.authCodeUuid !== undefined && { authCodeUuid: provenKey.authCodeUuid }),
    details: sealer.seal(details),
    requestId,
    timeScale: engine.timeScale,
  }
  return startAndAwaitResult(engine, {
    uuid,
    start: waitMs => startPixKeyWorkflow(engine, order, waitMs),
    find,
    present(row) {
      requireSameRequest(row, fingerprint)
      return respondWithPixKey(row, { replayed: row.requestId !== requestId })
    },
  })
}

/**
 * Validates a new key and returns its text and the code that proves it. A failure here stores nothing and uses no
 * code; the workflow validates again under the account's row lock. The limit is checked first, so that no code guess
 * is spent on a key that cannot be registered.
 */
async function validatePixKey(
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

/**
 * Responds with 201 for a registered key, with the reason for a rejected one, and with 503 while the outcome is
 * unknown: the workflow polls until it is known.
 */
function respondWithPixKey(row: PixKey, { replayed }: { replayed: boolean }) {
  const headers = replayed ? { ...REPLAYED_HEADERS } : {}
  if (row.state === 'creating') fail('pix_key_unknown', { headers, retryAfterS: UNAVAILABLE_RETRY_S })
  if (row.state !== 'refused') return { status: 201 as const, headers, body: showCreatedPixKey(row) }
  const retry = !replayed && { retryAfterS: UNAVAILABLE_RETRY_S }
  return failPixKeyCreation(row, { headers, isFinalForKey: true }, retry)
}

function failPixKeyCreation(row: PixKey, final: ApiErrorDetails, retry: ApiErrorDetails | false): never {
  const { type, connection, failure } = row
  switch (failure?.code) {
    case 'auth_code_used':
      return fail('validation_failed', { ...final, errors: { auth_code_id: [USED_CODE_MESSAGE] } })
    case 'key_taken':
    case 'pix_key_taken':
      return fail('pix_key_taken', final)
    case 'pix_key_limit':
      return fail('pix_key_limit', final)
    case 'key_unsupported':
      return fail('key_not_supported', {
        ...final,
        errors: { type: [formatUnsupportedMessage(connection, type)] },
      })
    case 'no_provider_available':
    case 'paused':
      return fail(failure.code, { ...final, ...retry })
    default:
      return fail('provider_rejected', { ...final, data: { type, is_active: false, error: failure } })
  }
}
