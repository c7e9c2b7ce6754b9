import { AuthCode } from '../../db/entities/pix-key.ts'
import type { EntityManager } from '../../db/orm.ts'
import { beginAuthCode } from '../../engine/keys.ts'
import type { Engine } from '../../engine/start.ts'
import { canReach, type MessengerSettings } from '../../messengers/settings.ts'
import type { Sealer } from '../../sealing.ts'
import { type RequestCode, showRequestedCode } from '../../wire/pix-key.ts'
import type { AuthCodeDetails } from '../../workflows/key-messages.ts'
import type { Token } from '../auth.ts'
import { beginLife } from '../begin.ts'
import { refuse } from '../errors.ts'
import { fingerprintOf, operationUuid, REPLAYED, requireSameRequest } from '../idempotency.ts'
import { UNAVAILABLE_RETRY_S } from '../limits.ts'
import { requireMaker } from './makers.ts'

export const CODES_PATH = '/api/v1/pix-keys/auth-code'

export type CodeRequest = {
  body: RequestCode
  token: Token
  em: EntityManager
  idempotencyKey: string | null
  requestId: string
}

/** Has six digits sent to an address, or answers again what the same key of idempotency did before (SPEC §9). */
export async function requestCode(
  { engine, sealer, messengers }: { engine: Engine; sealer: Sealer; messengers: MessengerSettings },
  { body, token, em, idempotencyKey: key, requestId }: CodeRequest,
) {
  const { accountUuid, connectionUuid } = token
  const uuid = operationUuid({ by: token, method: 'POST', path: CODES_PATH, key })
  const fingerprint = fingerprintOf({ body, connectionUuid })
  const stored = key === null ? null : await em.findOne(AuthCode, uuid)
  if (stored) return answer(stored, { fingerprint, requestId: null })
  await requireMaker(em, { token, providerUuid: body.provider_uuid, type: body.type })
  if (!canReach(body.type, messengers)) refuse('code_undeliverable', { retryAfterS: UNAVAILABLE_RETRY_S })
  const details: AuthCodeDetails = { address: body.key, fingerprint }
  const order = {
    uuid,
    accountUuid,
    type: body.type,
    details: sealer.seal(details),
    requestId,
    timeScale: engine.timeScale,
  }
  return beginLife(engine, {
    uuid,
    start: waitMs => beginAuthCode(engine, order, waitMs),
    find: () => em.fork().findOne(AuthCode, uuid),
    tell: row => answer(row, { fingerprint, requestId }),
  })
}

/** What another request has stored is answered again. */
function answer(row: AuthCode, request: { fingerprint: string; requestId: string | null }) {
  requireSameRequest(row, request.fingerprint)
  const headers = row.requestId === request.requestId ? {} : { ...REPLAYED }
  return { body: showRequestedCode(row), headers }
}
