import {
  chargeSchema,
  chargesQuery,
  createChargeBody,
  createdChargeSchema,
  showCharge,
} from '../../contract/charges/charge.ts'
import { reviseChargeBody } from '../../contract/charges/due.ts'
import { retryChargeBody } from '../../contract/recurrences/recurrence.ts'
import { dataResponse, pageResponse } from '../../contract/shared/fields.ts'
import type { RouteRegistrar } from '../app.ts'
import { registerQrPictures } from '../http/qr-pictures.ts'
import { registerRoute } from '../http/route.ts'
import { retryMerchantCharge, reviseMerchantCharge } from '../operations/charge-revisions.ts'
import {
  cancelMerchantCharge,
  collectChargeErrors,
  createCharge,
  listCharges,
  PAYMENTS_PATH,
  requireVisibleCharge,
} from '../operations/charges.ts'

export const chargeRoutes: RouteRegistrar = (router, dependencies) => {
  registerRoute(router, 'post', PAYMENTS_PATH, {
    isIdempotent: true,
    operationId: 'createPayment',
    scope: 'charges',
    summary: 'Create a charge',
    description:
      'Answers when a provider has issued the payload. Send an `Idempotency-Key`: a repeated request then gets the same answer and never a second charge.',
    body: createChargeBody,
    validateSemantics: collectChargeErrors,
    responses: {
      201: dataResponse(createdChargeSchema),
      errors: [
        'account_blocked',
        'provider_rejected',
        'no_provider_available',
        'not_found_after_restore',
        'paused',
        'overloaded',
        'issuing',
        'not_confirmed',
      ],
      errorData: {
        schema: createdChargeSchema,
        codes: ['provider_rejected', 'no_provider_available', 'not_found_after_restore'],
      },
    },
    handle: request => createCharge(dependencies, request),
  })

  registerRoute(router, 'get', PAYMENTS_PATH, {
    operationId: 'listPayments',
    scope: 'charges',
    summary: 'List charges',
    description: 'Newest first. Each one as its own GET shows it.',
    query: chargesQuery,
    responses: { 200: pageResponse(chargeSchema) },
    async handle({ em, token, query }) {
      const { data, meta } = await listCharges(em, token, query)
      return { body: { data: data.map(charge => showCharge(charge, charge.refunds)), meta } }
    },
  })

  registerRoute(router, 'get', `${PAYMENTS_PATH}/:uuid`, {
    operationId: 'getPayment',
    scope: 'charges',
    summary: 'Read a charge',
    description: 'With its refunds and the history of its statuses.',
    responses: { 200: dataResponse(chargeSchema) },
    async handle({ em, token, params }) {
      const charge = await requireVisibleCharge(em, token, params.uuid)
      return { body: { data: showCharge(charge, charge.refunds) } }
    },
  })

  registerQrPictures(router, PAYMENTS_PATH, {
    operationId: 'getPaymentQr',
    summary: 'The payload as a QR picture',
    description: 'Of `payment.payload`; 404 while no provider has issued one.',
    readPayload: async (em, token, uuid) => (await requireVisibleCharge(em, token, uuid)).payload,
  })

  registerRoute(router, 'patch', `${PAYMENTS_PATH}/:uuid`, {
    isIdempotent: true,
    operationId: 'revisePayment',
    scope: 'charges',
    summary: 'Change a PENDING charge with a due date',
    description:
      'At its provider first, then here; only what is named changes. Without an answer of the provider the charge stays as it is, and the provider is asked until the result is known. A payment that has started wins.',
    body: reviseChargeBody,
    responses: {
      200: dataResponse(chargeSchema),
      errors: [
        'account_blocked',
        'charge_not_revisable',
        'revision_in_progress',
        'revision_unknown',
        'not_confirmed',
      ],
    },
    async handle({ em, token, params, body, idempotencyKey, requestId }) {
      const { charge, headers } = await reviseMerchantCharge(dependencies, {
        em,
        token,
        uuid: params.uuid,
        body,
        idempotencyKey,
        requestId,
      })
      return { body: { data: showCharge(charge, charge.refunds) }, headers }
    },
  })

  registerRoute(router, 'post', `${PAYMENTS_PATH}/:uuid/retry`, {
    isIdempotent: true,
    operationId: 'retryPayment',
    scope: 'charges',
    summary: 'Try a failed debit of a recurrence again',
    description:
      'On a later day, where the recurrence allows retries: three at most, within seven days after the due day. Answers when its provider has accepted the retry, which `payment.tries` then shows.',
    body: retryChargeBody,
    responses: {
      200: dataResponse(chargeSchema),
      errors: [
        'account_blocked',
        'charge_not_retryable',
        'revision_in_progress',
        'revision_unknown',
        'not_confirmed',
      ],
    },
    async handle({ em, token, params, body, idempotencyKey, requestId }) {
      const { charge, headers } = await retryMerchantCharge(dependencies, {
        em,
        token,
        uuid: params.uuid,
        body,
        idempotencyKey,
        requestId,
      })
      return { body: { data: showCharge(charge, charge.refunds) }, headers }
    },
  })

  registerRoute(router, 'post', `${PAYMENTS_PATH}/:uuid/cancel`, {
    operationId: 'cancelPayment',
    scope: 'charges',
    summary: 'Cancel a PENDING charge',
    description:
      'At its provider first, then here. Without an answer of the provider the charge stays PENDING, and the provider is asked until the result is known.',
    responses: {
      200: dataResponse(chargeSchema),
      errors: ['charge_not_cancellable', 'cancellation_unknown', 'not_confirmed'],
    },
    async handle({ em, token, params }) {
      const { temporal } = dependencies
      const charge = await cancelMerchantCharge(temporal, { em, token, uuid: params.uuid })
      return { body: { data: showCharge(charge, charge.refunds) } }
    },
  })
}
