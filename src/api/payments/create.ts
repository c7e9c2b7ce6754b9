import { z } from 'zod'
import type { Charge } from '../../db/entities/charge.ts'
import type { Connection } from '../../db/entities/connection.ts'
import type { EntityManager } from '../../db/orm.ts'
import { CAPABILITIES } from '../../domain/provider.ts'
import { type Split, sumFault } from '../../domain/split.ts'
import { openCharge } from '../../engine/lives.ts'
import type { Engine } from '../../engine/start.ts'
import type { Sealer } from '../../sealing.ts'
import { type CreatePayment, createdCharge, showCreatedCharge } from '../../wire/payment.ts'
import type { ChargeDetails, ChargeOrder } from '../../workflows/messages.ts'
import type { Token } from '../auth.ts'
import { candidatesFor } from '../candidates.ts'
import { refuse, refuseField } from '../errors.ts'
import { fingerprintOf, operationUuid, REPLAYED, requireSameRequest } from '../idempotency.ts'
import { CREATE_MS, NOT_STORED_MS, UNAVAILABLE_RETRY_S } from '../limits.ts'
import { within } from '../outage.ts'
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
  const uuid = operationUuid({ accountUuid: token.accountUuid, method: 'POST', path: PAYMENTS_PATH, key })
  const fingerprint = fingerprintOf({ body, connectionUuid: token.connectionUuid })
  const stored = key === null ? null : await findCharge(em, uuid)
  if (stored) requireSameRequest(stored, fingerprint)
  if (stored && stored.state !== 'issuing') return answer(stored, { replayed: true })

  const splits = await allowedSplits(em, { body, token })
  const candidates = await candidatesFor(em, { token, providerUuid: body.provider_uuid })
  const able = candidates.filter(one => body.value > 0 || CAPABILITIES[one.dialect].openAmount)
  if (able.length === 0) refuseField('value', 'no provider of this charge can leave the value open')
  const details: ChargeDetails = {
    ...(body.external_ref !== undefined && { externalRef: body.external_ref }),
    ...(body.final_beneficiary && { finalBeneficiary: body.final_beneficiary }),
    splits,
    fingerprint,
  }
  await begin(engine, em, {
    order: {
      uuid,
      accountUuid: token.accountUuid,
      candidates: able.map(connection => connection.uuid),
      valueCents: body.value,
      expiresInSeconds: body.expires_in,
      details: sealer.seal(details),
      requestId: request.requestId,
      timeScale: engine.timeScale,
    },
    externalRef: body.external_ref,
    first: able[0]!,
  })
  const charge = await findCharge(em.fork(), uuid)
  if (!charge) refuse('not_confirmed', { data: { uuid }, retryAfterS: UNAVAILABLE_RETRY_S })
  requireSameRequest(charge, fingerprint)
  return answer(charge, { replayed: false })
}

/** Recipients must exist and not be the charge's own account; together they may not take more than its value. */
async function allowedSplits(em: EntityManager, { body, token }: Pick<CreateRequest, 'body' | 'token'>) {
  const splits: Split[] = body.splits.map(split => ({
    type: split.type,
    amount: split.value,
    recipientAccountUuid: split.recipient_account_uuid,
  }))
  if (splits.length === 0) return splits
  const errors: Record<string, string[]> = {}
  const fault = sumFault(splits, body.value)
  if (fault) errors[fault.field] = [fault.message]
  const rows: { uuid: string }[] = await em.execute(
    'select uuid from account where uuid = any(array[?]::uuid[])',
    [splits.map(split => split.recipientAccountUuid)],
  )
  const known = new Set(rows.map(row => row.uuid))
  splits.forEach((split, index) => {
    const field = `splits.${index}.recipient_account_uuid`
    if (split.recipientAccountUuid === token.accountUuid)
      errors[field] = ["must not be the charge's own account"]
    else if (!known.has(split.recipientAccountUuid)) errors[field] = ['there is no such account']
  })
  if (Object.keys(errors).length > 0) refuse('validation_failed', { errors })
  return splits
}

type Beginning = { order: ChargeOrder; externalRef: string | undefined; first: Connection }

/**
 * Starts the life and waits until it is issued, at most 10 s; what was not even stored after 5 s is answered then.
 * Whatever interrupts the waiting, the row tells where the charge stands.
 */
async function begin(
  engine: Engine,
  em: EntityManager,
  { order, externalRef, first }: Beginning,
): Promise<void> {
  await engine.client() // Refuses here where Temporal is away: nothing has been started yet.
  const opening = openCharge(engine, order, { externalRef, provider: first.uuid, waitMs: CREATE_MS }).then(
    () => 'open' as const,
    () => 'unknown' as const,
  )
  const soon = await within(NOT_STORED_MS, opening).catch(() => 'late' as const)
  if (soon === 'late' && (await findCharge(em.fork(), order.uuid))) await opening
}

function answer(charge: Charge, { replayed }: { replayed: boolean }) {
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
