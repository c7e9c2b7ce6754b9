import { type RequestCodeBody, showRequestedCode } from '../../contract/pix-keys/pix-key.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { AuthCode } from '../../db/entities/pix-key.ts'
import { canReachChannel, type MessengerSettings } from '../../messaging/settings.ts'
import type { Sealer } from '../../security/sealing.ts'
import { startVerificationCodeWorkflow } from '../../temporal/pix-keys.ts'
import type { WorkflowClientContext } from '../../temporal/workflow-options.ts'
import type { VerificationCodeInputDetails } from '../../workflows/contracts/pix-keys.ts'
import { fail } from '../http/api-error.ts'
import { UNAVAILABLE_RETRY_S } from '../limits.ts'
import type { CallerToken } from '../middleware/authenticate.ts'
import {
  deriveOperationUuid,
  fingerprintRequest,
  REPLAYED_HEADERS,
  requireSameRequest,
} from '../operations/idempotency.ts'
import { startAndAwaitResult } from '../operations/start-and-wait.ts'
import { requirePixKeyProvider } from './choose-provider.ts'

export const AUTH_CODES_PATH = '/api/v1/pix-keys/auth-code'

export type AuthCodeRequest = {
  body: RequestCodeBody
  token: CallerToken
  em: EntityManager
  idempotencyKey: string | null
  requestId: string
}

/** Sends a six-digit verification code to an address, or replays the response of the same Idempotency-Key (SPEC §9). */
export async function requestAuthCode(
  {
    engine,
    sealer,
    messengers,
  }: { engine: WorkflowClientContext; sealer: Sealer; messengers: MessengerSettings },
  { body, token, em, idempotencyKey: key, requestId }: AuthCodeRequest,
) {
  const { accountUuid, connectionUuid } = token
  const uuid = deriveOperationUuid({ owner: token, method: 'POST', path: AUTH_CODES_PATH, key })
  const fingerprint = fingerprintRequest({ body, connectionUuid })
  const stored = key === null ? null : await em.findOne(AuthCode, uuid)
  if (stored) return respondWithAuthCode(stored, { fingerprint, requestId: null })
  await requirePixKeyProvider(em, { token, providerUuid: body.provider_uuid, type: body.type })
  if (!canReachChannel(body.type, messengers))
    fail('code_undeliverable', { retryAfterS: UNAVAILABLE_RETRY_S })
  const details: VerificationCodeInputDetails = { address: body.key, fingerprint }
  const order = {
    uuid,
    accountUuid,
    type: body.type,
    details: sealer.seal(details),
    requestId,
    timeScale: engine.timeScale,
  }
  return startAndAwaitResult(engine, {
    uuid,
    start: waitMs => startVerificationCodeWorkflow(engine, order, waitMs),
    find: () => em.fork().findOne(AuthCode, uuid),
    present: row => respondWithAuthCode(row, { fingerprint, requestId }),
  })
}

/** Responds with the code request; marked as replayed where another request stored it. */
function respondWithAuthCode(row: AuthCode, request: { fingerprint: string; requestId: string | null }) {
  requireSameRequest(row, request.fingerprint)
  const headers = row.requestId === request.requestId ? {} : { ...REPLAYED_HEADERS }
  return { body: showRequestedCode(row), headers }
}
