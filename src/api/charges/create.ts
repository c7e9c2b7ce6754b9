import { z } from 'zod'
import {
  type CreateChargeBody,
  createdChargeSchema,
  showCreatedCharge,
} from '../../contract/charges/charge.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import type { ReadCharge } from '../../db/repositories/charges.ts'
import type { Sealer } from '../../security/sealing.ts'
import { startChargeWorkflow } from '../../temporal/start.ts'
import type { WorkflowClientContext } from '../../temporal/workflow-options.ts'
import type { ChargeInput, ChargeInputDetails } from '../../workflows/contracts/charges.ts'
import { fail } from '../http/api-error.ts'
import { CREATE_WAIT_MS, UNAVAILABLE_RETRY_S } from '../limits.ts'
import type { CallerToken } from '../middleware/authenticate.ts'
import {
  deriveOperationUuid,
  fingerprintRequest,
  REPLAYED_HEADERS,
  requireSameRequest,
} from '../operations/idempotency.ts'
import {
  awaitStoredOutcome,
  readOrFailNotConfirmed,
  startAndAwaitResult,
} from '../operations/start-and-wait.ts'
import { findCharge } from './find.ts'
import { validateCreateCharge } from './validate-create.ts'

export const PAYMENTS_PATH = '/api/v1/payments'

export type CreateChargeRequest = {
  body: CreateChargeBody
  token: CallerToken
  em: EntityManager
  idempotencyKey: string | null
  requestId: string
}

/** Creates a charge, or replays the response of the same Idempotency-Key (SPEC §1, §2). */
export async function createCharge(
  { engine, sealer }: { engine: WorkflowClientContext; sealer: Sealer },
  request: CreateChargeRequest,
) {
  const { body, token, em, idempotencyKey: key } = request
  const uuid = deriveOperationUuid({ owner: token, method: 'POST', path: PAYMENTS_PATH, key })
  const fingerprint = fingerprintRequest({ body, connectionUuid: token.connectionUuid })
  const find = () => findCharge(em.fork(), uuid)
  const stored = key === null ? null : await find()
  if (stored) {
    requireSameRequest(stored, fingerprint)
    if (stored.state !== 'issuing') return respondWithCharge(stored, { replayed: true })
    // Not validated again: the charge was allowed when the workflow accepted it, so its payload is awaited even if a
    // provider was paused or changed since.
    await awaitStoredOutcome(engine, { kind: 'charge', uuid, waitMs: CREATE_WAIT_MS })
    return readOrFailNotConfirmed(uuid, async () =>
      respondWithCharge((await find()) ?? stored, { replayed: true }),
    )
  }
  const { splits, candidates } = await validateCreateCharge({ em, token }, body)
  const details: ChargeInputDetails = {
    ...(body.external_ref !== undefined && { externalRef: body.external_ref }),
    ...(body.final_beneficiary && { finalBeneficiary: body.final_beneficiary }),
    splits,
    fingerprint,
  }
  const order: ChargeInput = {
    uuid,
    accountUuid: token.accountUuid,
    candidates,
    valueCents: body.value,
    expiresInSeconds: body.expires_in,
    details: sealer.seal(details),
    requestId: request.requestId,
    timeScale: engine.timeScale,
  }
  const searchAttributes = { externalRef: body.external_ref, provider: candidates[0]! }
  return startAndAwaitResult(engine, {
    uuid,
    start: waitMs => startChargeWorkflow(engine, order, { ...searchAttributes, waitMs }),
    find,
    present(charge) {
      requireSameRequest(charge, fingerprint)
      // Of parallel requests with one key, one started the workflow; the others joined its update.
      return respondWithCharge(charge, { replayed: charge.requestId !== request.requestId })
    },
  })
}

function respondWithCharge(charge: ReadCharge, { replayed }: { replayed: boolean }) {
  const headers = replayed ? { ...REPLAYED_HEADERS } : {}
  if (charge.state === 'issuing')
    fail('issuing', { data: { uuid: charge.uuid }, retryAfterS: UNAVAILABLE_RETRY_S, headers })
  if (charge.state === 'failed')
    fail(charge.failure?.code ?? 'no_provider_available', {
      data: z.encode(createdChargeSchema, showCreatedCharge(charge)),
      headers,
      // A stored FAILED is the final response of its key: only a request with a new key is worth a retry.
      ...(!replayed &&
        charge.failure?.code === 'no_provider_available' && { retryAfterS: UNAVAILABLE_RETRY_S }),
    })
  return { status: 201 as const, body: { data: showCreatedCharge(charge) }, headers }
}
