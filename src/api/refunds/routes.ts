import {
  acceptedRefundResponse,
  allRefundsQuery,
  createRefundBody,
  listedRefundSchema,
  refundSchema,
  refundsQuery,
} from '../../contract/refunds/refund.ts'
import { dataResponse, pageResponse } from '../../contract/shared/fields.ts'
import type { RouteRegistrar } from '../app.ts'
import { registerRoute } from '../http/route.ts'
import { createChargeRefund, listAllRefunds, listRefunds, readVisibleRefund } from '../operations/refunds.ts'

/** Registers the refund routes: api-document.txt, POST …/refund, and the queries of SPEC §3. */
export const refundRoutes: RouteRegistrar = (router, dependencies) => {
  registerRoute(router, 'post', '/api/v1/payments/:uuid/refund', {
    isIdempotent: true,
    operationId: 'refundPayment',
    scope: 'refunds',
    summary: 'Refund a charge, whole or in part',
    description:
      'Without `value`, all that is still refundable. Possible within 90 days of the payment, one refund of a charge at a time. Answers when the provider has accepted the refund; the REFUND event says how it ends.',
    body: createRefundBody.optional(),
    // A missing value refunds everything; null is more likely a value lost by the merchant's program.
    isNullRejected: true,
    responses: {
      200: acceptedRefundResponse,
      errors: [
        'account_blocked',
        'provider_rejected',
        'charge_not_refundable',
        'refund_in_progress',
        'refund_med_open',
        'refund_period_over',
        'insufficient_balance',
        'over_limit',
        'no_provider_available',
        'not_found_after_restore',
        'paused',
        'overloaded',
        'not_started',
        'not_confirmed',
      ],
      errorData: {
        schema: refundSchema,
        codes: [
          'provider_rejected',
          'over_limit',
          'no_provider_available',
          'not_started',
          'not_found_after_restore',
        ],
        // A refund that was stored before; or none, where the request was refused at once.
        optionalCodes: [
          'charge_not_refundable',
          'refund_in_progress',
          'refund_med_open',
          'refund_period_over',
          'insufficient_balance',
          'paused',
        ],
      },
    },
    handle: ({ params, body, ...request }) =>
      createChargeRefund(dependencies, { ...request, body: body ?? {}, chargeUuid: params.uuid }),
  })

  registerRoute(router, 'get', '/api/v1/refunds', {
    operationId: 'listRefunds',
    scope: 'refunds',
    summary: 'List the refunds of all charges',
    description:
      'Newest first. Each one under its own uuid, with its charge; what a provider returned for a dispute is a refund, too.',
    query: allRefundsQuery,
    responses: { 200: pageResponse(listedRefundSchema) },
    handle: async ({ em, token, query }) => ({ body: await listAllRefunds(em, token, query) }),
  })

  registerRoute(router, 'get', '/api/v1/payments/:uuid/refunds', {
    operationId: 'listPaymentRefunds',
    scope: 'refunds',
    summary: 'List the refunds of a charge',
    description: 'Newest first. `uuid` is the charge in each one, `refund.uuid` the refund.',
    query: refundsQuery,
    responses: { 200: pageResponse(refundSchema) },
    async handle({ em, token, params, query }) {
      return { body: await listRefunds(em, token, params.uuid, query) }
    },
  })

  registerRoute(router, 'get', '/api/v1/payments/:uuid/refunds/:refund', {
    operationId: 'getPaymentRefund',
    scope: 'refunds',
    summary: 'Read a refund',
    description: '`uuid` is the charge, `refund.uuid` the refund.',
    responses: { 200: dataResponse(refundSchema) },
    async handle({ em, token, params }) {
      return {
        body: { data: await readVisibleRefund(em, token, { charge: params.uuid, refund: params.refund }) },
      }
    },
  })
}
