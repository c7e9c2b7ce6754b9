import { z } from 'zod'
import {
  type AllRefundsQuery,
  type createRefundBody,
  refundSchema,
  type refundsQuery,
  showAcceptedRefund,
  showListedRefund,
  showRefund,
} from '../../contract/refunds/refund.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { readInSnapshot } from '../../db/client/transaction.ts'
import { Refund } from '../../db/entities/refund.ts'
import type { ReadCharge } from '../../db/repositories/charges.ts'
import { type ReadRefund, readRefunds } from '../../db/repositories/refunds.ts'
import { joinConditions } from '../../db/sql-conditions.ts'
import { textFromCents } from '../../domain/ledger/money.ts'
import { computeRefundableCents, refundErrorCodeOf, refundMachine } from '../../domain/refunds/refund.ts'
import { fail, failField } from '../../http/api-error.ts'
import { startMoneyWorkflow } from '../../temporal/start.ts'
import type { RefundInput, RefundInputDetails } from '../../workflows/contracts/refunds.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { type Viewer, visibilityConditions } from '../authorization/visibility.ts'
import { requireVisibleCharge } from './charges.ts'
import {
  type CreateDependencies,
  type CreateRequest,
  createOperation,
  failStored,
  isOperationCreated,
  type Replay,
  remainingCreateWaitMs,
  requirePayoutPossible,
} from './create-operation.ts'
import { buildCreationConditions, mapPage, readEntityPage } from './pagination.ts'
import { listVisibleRows } from './visible-list.ts'

/** Lists one page of the refunds of all charges that a token may see, newest first. */
export async function listAllRefunds(em: EntityManager, token: CallerToken, query: AllRefundsQuery) {
  const page = await listVisibleRows(em, {
    noun: 'refund',
    token,
    query,
    states: query.status?.flatMap(refundMachine.statesShowing),
    filters: [
      query.provider_uuid !== undefined && ['connection_uuid = ?', query.provider_uuid],
      query.end_to_end !== undefined && ['end_to_end = ?', query.end_to_end],
      query.charge_uuid !== undefined && ['charge_uuid = ?', query.charge_uuid],
      ...buildCreationConditions(query),
    ],
    read: rows => readRefunds(em, rows),
  })
  return mapPage(page, showListedRefund)
}

/** Reads a refund of any charge that a token may see, or fails with 404. */
export async function requireVisibleRefund(
  em: EntityManager,
  token: Viewer,
  uuid: string,
): Promise<ReadRefund> {
  const conditions = joinConditions(...visibilityConditions(token), ['uuid = ?', uuid])
  const [refund] = await readRefunds(em, { ...conditions, isFiltered: true, limit: 1, offset: 0 })
  return refund ?? fail('not_found')
}

/** Lists one page of the refunds of one charge, newest first. */
export function listRefunds(
  requestEm: EntityManager,
  token: CallerToken,
  chargeUuid: string,
  query: z.output<typeof refundsQuery>,
) {
  return readInSnapshot(requestEm, async em => {
    const charge = await requireVisibleCharge(em, token, chargeUuid)
    const page = await readEntityPage(em, Refund, {
      name: `refunds of ${charge.uuid}`,
      query,
      filter: { chargeUuid: charge.uuid },
      populate: ['movement'],
    })
    return mapPage(page, refund => showRefund(refund, charge))
  })
}

export function readVisibleRefund(
  requestEm: EntityManager,
  token: CallerToken,
  of: { charge: string; refund: string },
) {
  return readInSnapshot(requestEm, async em => {
    const charge = await requireVisibleCharge(em, token, of.charge)
    const refund = await em.findOne(
      Refund,
      { uuid: of.refund, chargeUuid: charge.uuid },
      { populate: ['movement'] },
    )
    return showRefund(refund ?? fail('not_found'), charge)
  })
}

/** Tests whether a request with this Idempotency-Key has created its refund. */
export function isRefundCreated(
  em: EntityManager,
  { chargeUuid, ...request }: { token: CallerToken; chargeUuid: string; idempotencyKey: string },
): Promise<boolean> {
  const path = refundPath(chargeUuid)
  return isOperationCreated({ ...request, path }, uuid => findRefundByUuid(em.fork(), uuid))
}

const refundPath = (chargeUuid: string) => `/api/v1/payments/${chargeUuid}/refund`

type CreateRefundRequest = CreateRequest<z.output<typeof createRefundBody>> & { chargeUuid: string }

/** Refunds a charge in whole or in part, through the provider that received its payment (SPEC §3). */
export async function createChargeRefund(
  { temporal: context, sealer }: CreateDependencies,
  request: CreateRefundRequest,
) {
  const { body, token, em, idempotencyKey, chargeUuid } = request
  // Read before the refund is looked for: a charge that already shows this refund is then not validated for it.
  const charge = await requireVisibleCharge(em, token, chargeUuid)
  return createOperation(context, request, {
    noun: 'refund',
    path: refundPath(chargeUuid),
    isPayout: true,
    idsOf: uuid => ({ uuid: chargeUuid, refund: { uuid } }),
    find: uuid => findRefundByUuid(em.fork(), uuid),
    replayWaitMs: refund => (isResponsePending(refund) ? remainingCreateWaitMs(refund) : 0),
    // The workflow validates again.
    async validate() {
      const valueCents = requireRefundable(charge, body)
      return { valueCents, acceptBefore: await requirePayoutPossible(em, charge.connection.uuid) }
    },
    start(operation, { valueCents, acceptBefore }, waitMs) {
      const { description } = body
      const details: RefundInputDetails | undefined = description ? { description } : undefined
      const order: RefundInput = {
        ...operation,
        chargeUuid,
        connectionUuid: charge.connection.uuid,
        valueCents,
        ...(details && { details: sealer.seal(details) }),
        ...(idempotencyKey === null && { acceptBefore }),
      }
      return startMoneyWorkflow(context, 'refund', order, { waitMs })
    },
    async present(refund, replay) {
      const acceptedRefund = await storeAcceptedRefund(em, refund)
      // Read after the refund, so that the charge already shows that it is being refunded.
      return respondWithRefund(
        acceptedRefund,
        await requireVisibleCharge(em.fork(), token, chargeUuid),
        replay,
      )
    },
  })
}

/** Returns the amount of a refund in centavos, or fails where the charge does not allow it now. */
export function requireRefundable(
  charge: ReadCharge,
  body: z.output<typeof createRefundBody>,
  formatAmount: (cents: number) => string = textFromCents,
): number {
  const code = refundErrorCodeOf(charge, new Date())
  if (code) fail(code)
  const refundableCents = computeRefundableCents(charge)
  const valueCents = body.value ?? refundableCents
  if (valueCents > refundableCents)
    failField('value', {
      text: 'must not exceed {most}, which is still refundable of the charge',
      gaps: { most: formatAmount(refundableCents) },
    })
  return valueCents
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
    { acceptedAt: new Date(), acceptBefore: null },
  )
  return (await findRefundByUuid(em.fork(), uuid)) ?? refund
}

function respondWithRefund(refund: Refund, charge: ReadCharge, replay: Replay) {
  if (refund.state !== 'failed' || refund.acceptedAt)
    return {
      status: 200 as const,
      headers: replay.headers,
      body: { message: 'The refund was accepted.', data: showAcceptedRefund(refund, charge) },
    }
  return failStored(refundErrorCode(refund), replay, {
    data: z.encode(refundSchema, showRefund(refund, charge)),
  })
}

/** Maps the failure to an error code: one that the workflow found under the row lock, or the provider's rejection. */
function refundErrorCode(refund: Refund) {
  switch (refund.failure?.code) {
    case 'refund_in_progress':
    case 'refund_med_open':
    case 'refund_period_over':
    case 'charge_not_refundable':
    case 'over_limit':
    case 'no_provider_available':
    case 'paused':
    case 'not_started':
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
