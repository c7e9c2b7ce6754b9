import { z } from 'zod'
import {
  type CreateChargeBody,
  createdChargeSchema,
  showCreatedCharge,
} from '../../../contract/charges/charge.ts'
import type { ReadCharge } from '../../../db/repositories/charges.ts'
import { fail } from '../../../http/api-error.ts'
import { REQUEST_DEADLINE_MS, UNAVAILABLE_RETRY_S } from '../../../http/limits.ts'
import { startMoneyWorkflow } from '../../../temporal/start.ts'
import type { ChargeInput, ChargeInputDetails } from '../../../workflows/contracts/charges.ts'
import {
  type CreateDependencies,
  type CreateRequest,
  createOperation,
  failStored,
  type Replay,
} from '../create-operation.ts'
import { findCharge } from './find.ts'
import { validateCreateCharge } from './validate-create.ts'

export const PAYMENTS_PATH = '/api/v1/payments'

/** Creates a charge, or replays the response of the same Idempotency-Key (SPEC §1, §2). */
export function createCharge(
  { temporal: context, sealer }: CreateDependencies,
  request: CreateRequest<CreateChargeBody>,
) {
  const { body, token, em } = request
  return createOperation(context, request, {
    kind: 'charge',
    path: PAYMENTS_PATH,
    find: uuid => findCharge(em.fork(), uuid),
    replayWaitMs: ({ state }) => (state === 'issuing' ? REQUEST_DEADLINE_MS : 0),
    validate: () => validateCreateCharge({ em, token }, body),
    start({ fingerprint, ...operation }, { splits, candidates }, waitMs) {
      const details: ChargeInputDetails = {
        ...(body.external_ref !== undefined && { externalRef: body.external_ref }),
        ...(body.final_beneficiary && { finalBeneficiary: body.final_beneficiary }),
        splits,
        fingerprint,
      }
      const order: ChargeInput = {
        ...operation,
        candidates,
        valueCents: body.value,
        expiresInSeconds: body.expires_in,
        details: sealer.seal(details),
      }
      return startMoneyWorkflow(context, 'charge', order, { externalRef: body.external_ref, waitMs })
    },
    present: respondWithCharge,
  })
}

function respondWithCharge(charge: ReadCharge, replay: Replay) {
  const { headers } = replay
  if (charge.state === 'issuing')
    fail('issuing', { data: { uuid: charge.uuid }, retryAfterS: UNAVAILABLE_RETRY_S, headers })
  if (charge.state === 'failed')
    failStored(charge.failure?.code ?? 'no_provider_available', replay, {
      data: z.encode(createdChargeSchema, showCreatedCharge(charge)),
    })
  return { status: 201 as const, body: { data: showCreatedCharge(charge) }, headers }
}
