import { z } from 'zod'
import type { ReadCharge } from '../../db/charges.ts'
import type { EntityManager } from '../../db/orm.ts'
import { openCharge } from '../../engine/begin.ts'
import type { Engine } from '../../engine/start.ts'
import type { Sealer } from '../../sealing.ts'
import { type CreatePayment, createdCharge, showCreatedCharge } from '../../wire/payment.ts'
import type { ChargeDetails, ChargeOrder } from '../../workflows/messages.ts'
import type { Token } from '../auth.ts'
import { beginLife, joinStored, orNotConfirmed } from '../begin.ts'
import { refuse } from '../errors.ts'
import { fingerprintOf, operationUuid, REPLAYED, requireSameRequest } from '../idempotency.ts'
import { CREATE_MS, UNAVAILABLE_RETRY_S } from '../limits.ts'
import { allowed } from './allowed.ts'
import { findCharge } from './find.ts'

export const PAYMENTS_PATH = '/api/v1/payments'

export type CreateRequest = {
  body: CreatePayment
  token: Token
  em: EntityManager
  idempotencyKey: string | null
  requestId: string
}

/** Creates a charge, or answers again what the same key made before (SPEC §1, §2). */
export async function createCharge(
  { engine, sealer }: { engine: Engine; sealer: Sealer },
  request: CreateRequest,
) {
  const { body, token, em, idempotencyKey: key } = request
  const uuid = operationUuid({ by: token, method: 'POST', path: PAYMENTS_PATH, key })
  const fingerprint = fingerprintOf({ body, connectionUuid: token.connectionUuid })
  const find = () => findCharge(em.fork(), uuid)
  const stored = key === null ? null : await find()
  if (stored) {
    requireSameRequest(stored, fingerprint)
    if (stored.state !== 'issuing') return answer(stored, { replayed: true })
    // It was allowed when it was taken: whatever was paused or changed since, its payload is waited for.
    await joinStored(engine, { kind: 'charge', uuid, waitMs: CREATE_MS })
    return orNotConfirmed(uuid, async () => answer((await find()) ?? stored, { replayed: true }))
  }
  const { splits, candidates } = await allowed({ em, token }, body)
  const details: ChargeDetails = {
    ...(body.external_ref !== undefined && { externalRef: body.external_ref }),
    ...(body.final_beneficiary && { finalBeneficiary: body.final_beneficiary }),
    splits,
    fingerprint,
  }
  const order: ChargeOrder = {
    uuid,
    accountUuid: token.accountUuid,
    candidates,
    valueCents: body.value,
    expiresInSeconds: body.expires_in,
    details: sealer.seal(details),
    requestId: request.requestId,
    timeScale: engine.timeScale,
  }
  const seen = { externalRef: body.external_ref, provider: candidates[0]! }
  return beginLife(engine, {
    uuid,
    start: waitMs => openCharge(engine, order, { ...seen, waitMs }),
    find,
    tell(charge) {
      requireSameRequest(charge, fingerprint)
      // Of parallel requests with one key, one began the life; the others joined it.
      return answer(charge, { replayed: charge.requestId !== request.requestId })
    },
  })
}

function answer(charge: ReadCharge, { replayed }: { replayed: boolean }) {
  const headers = replayed ? { ...REPLAYED } : {}
  if (charge.state === 'issuing')
    refuse('issuing', { data: { uuid: charge.uuid }, retryAfterS: UNAVAILABLE_RETRY_S, headers })
  if (charge.state === 'failed')
    refuse(charge.failure?.code ?? 'no_provider_available', {
      data: z.encode(createdCharge, showCreatedCharge(charge)),
      headers,
      // A stored FAILED is final for its key: only a new request is worth trying again.
      ...(!replayed &&
        charge.failure?.code === 'no_provider_available' && { retryAfterS: UNAVAILABLE_RETRY_S }),
    })
  return { status: 201 as const, body: { data: showCreatedCharge(charge) }, headers }
}
