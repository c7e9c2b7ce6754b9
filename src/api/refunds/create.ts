import { z } from 'zod'
import {
  type createRefundBody,
  refundSchema,
  showAcceptedRefund,
  showRefund,
} from '../../contract/refunds/refund.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Refund } from '../../db/entities/refund.ts'
import { batchQueries, runQuery } from '../../db/pipeline/query.ts'
import type { ReadCharge } from '../../db/repositories/charges.ts'
import type { ErrorCode } from '../../domain/errors/error-catalogue.ts'
import { computeRefundableCents, refundErrorCodeOf, refundMachine } from '../../domain/refunds/refund.ts'
import { startRefundWorkflow } from '../../temporal/start.ts'
import type { WorkflowClientContext } from '../../temporal/workflow-options.ts'
import type { RefundInput } from '../../workflows/contracts/refunds.ts'
import { requireVisibleCharge } from '../charges/find.ts'
import { fail, failField } from '../http/api-error.ts'
import { UNAVAILABLE_RETRY_S } from '../limits.ts'
import type { CallerToken } from '../middleware/authenticate.ts'
import { queryAcceptanceDeadline } from '../operations/acceptance-deadline.ts'
import {
  deriveOperationUuid,
  fingerprintRequest,
  REPLAYED_HEADERS,
  requireSameRequest,
} from '../operations/idempotency.ts'
import { awaitAccepted, readOrFailNotConfirmed, startAndAwaitResult } from '../operations/start-and-wait.ts'
import { queryPayoutPause } from '../routing/pause-check.ts'

export type CreateRefundRequest = {
  body: z.output<typeof createRefundBody>
  token: CallerToken
  em: EntityManager
  idempotencyKey: string | null
  requestId: string
  chargeUuid: string
}

/** Refunds a charge in whole or in part, through the provider that received its payment (SPEC §3). */
export async function createChargeRefund(engine: WorkflowClientContext, request: CreateRefundRequest) {
  const { body, token, em, idempotencyKey: key, chargeUuid } = request
  const charge = await requireVisibleCharge(em, token, chargeUuid)
  const path = `/api/v1/payments/${chargeUuid}/refund`
  const uuid = deriveOperationUuid({ owner: token, method: 'POST', path, key })
  const fingerprint = fingerprintRequest({ body, connectionUuid: token.connectionUuid })
  const find = () => findRefundByUuid(em.fork(), uuid)
  const stored = key === null ? null : await find()
  if (stored) {
    requireSameRequest(stored, fingerprint)
    return readOrFailNotConfirmed(uuid, async () => {
      const isPending = isResponsePending(stored)
      const current = isPending ? await awaitAccepted(engine, stored, { kind: 'refund', find }) : stored
      const accepted = await storeAcceptedRefund(em, current)
      // Read after the refund, so that the charge already shows that it is being refunded.
      return respondWithRefund(accepted, await requireVisibleCharge(em.fork(), token, chargeUuid), {
        replayed: true,
      })
    })
  }
  // Validated before the workflow starts, so that nothing is stored and the key stays unused; the workflow validates
  // again.
  const code = refundErrorCodeOf(charge, new Date())
  if (code) fail(code)
  const valueCents = body.value ?? computeRefundableCents(charge)
  if (valueCents > computeRefundableCents(charge))
    failField('value', 'must not exceed what is still refundable of the charge')
  const [, takeBefore] = await runQuery(
    em,
    batchQueries(queryPayoutPause(charge.connection.uuid), queryAcceptanceDeadline()),
  )
  const order: RefundInput = {
    uuid,
    chargeUuid,
    accountUuid: charge.accountUuid,
    connectionUuid: charge.connection.uuid,
    valueCents,
    fingerprint,
    ...(key === null && { acceptBefore: takeBefore }),
    requestId: request.requestId,
    timeScale: engine.timeScale,
  }
  return startAndAwaitResult(engine, {
    uuid,
    isUnrepeatable: key === null,
    start: waitMs => startRefundWorkflow(engine, order, waitMs),
    find,
    async present(refund) {
      requireSameRequest(refund, fingerprint)
      const replayed = refund.requestId !== request.requestId
      const accepted = await storeAcceptedRefund(em, refund)
      return respondWithRefund(accepted, await requireVisibleCharge(em.fork(), token, chargeUuid), {
        replayed,
      })
    },
  })
}

function findRefundByUuid(em: EntityManager, uuid: string) {
  return em.findOne(Refund, uuid, { populate: ['movement'] })
}

function isResponsePending({ acceptedAt, state }: Refund): boolean {
  return acceptedAt == null && refundMachine.accepts(state, 'accepted')
}

/**
 * Stores that a refund is accepted, where it was not decided in time. The response and every replay with its key then
 * say accepted, whatever the outcome. The acceptance deadline is removed: the refund may be sent however late.
 */
async function storeAcceptedRefund(em: EntityManager, refund: Refund): Promise<Refund> {
  if (!isResponsePending(refund)) return refund
  const { uuid, state } = refund
  await em.nativeUpdate(
    Refund,
    { uuid, state, acceptedAt: null },
    { acceptedAt: new Date(), takeBefore: null },
  )
  return (await findRefundByUuid(em.fork(), uuid)) ?? refund
}

function respondWithRefund(refund: Refund, charge: ReadCharge, { replayed }: { replayed: boolean }) {
  const headers = replayed ? { ...REPLAYED_HEADERS } : {}
  if (refund.state !== 'failed' || refund.acceptedAt)
    return {
      status: 200 as const,
      headers,
      body: { message: 'The refund was accepted.', data: showAcceptedRefund(refund, charge) },
    }
  const code = refundErrorCode(refund)
  const data = z.encode(refundSchema, showRefund(refund, charge))
  const isRetryable = RETRYABLE_CODES.has(code)
  const retry = !replayed && isRetryable && { retryAfterS: UNAVAILABLE_RETRY_S }
  return fail(code, { data, headers, isFinalForKey: true, ...retry })
}

const RETRYABLE_CODES = new Set<ErrorCode>(['no_provider_available', 'not_taken', 'paused'])

/** Maps the failure to an error code: one that the workflow found under the row lock, or the provider's rejection. */
function refundErrorCode(refund: Refund) {
  switch (refund.failure?.code) {
    case 'refund_in_progress':
    case 'refund_med_open':
    case 'refund_period_over':
    case 'charge_not_refundable':
    case 'no_provider_available':
    case 'paused':
    case 'not_taken':
    case 'not_found_after_restore':
      return refund.failure.code
    case 'refund_above_remainder':
      return 'refund_in_progress'
    case 'insufficient_balance':
      return refund.feeCents === 0 && refund.parts.length === 0 ? 'insufficient_balance' : 'provider_rejected'
    default:
      return 'provider_rejected'
  }
}
