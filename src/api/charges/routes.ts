import {
  chargeSchema,
  chargesQuery,
  createChargeBody,
  createdChargeSchema,
  showCharge,
} from '../../contract/charges/charge.ts'
import { dataResponse, pageResponse } from '../../contract/shared/fields.ts'
import type { ReadCharge } from '../../db/repositories/charges.ts'
import { fail } from '../../http/api-error.ts'
import { renderQrPng, renderQrSvg } from '../../views/qr-code.ts'
import type { RouteRegistrar } from '../app.ts'
import { registerRoute } from '../http/route.ts'
import { cancelMerchantCharge } from '../operations/charges/cancel.ts'
import { createCharge, PAYMENTS_PATH } from '../operations/charges/create.ts'
import { listCharges, requireVisibleCharge } from '../operations/charges/find.ts'
import { collectChargeErrors } from '../operations/charges/validate-create.ts'

export const chargeRoutes: RouteRegistrar = (router, dependencies) => {
  registerRoute(router, 'post', PAYMENTS_PATH, {
    isIdempotent: true,
    summary: 'Create a charge',
    description:
      'Answers when a provider has issued the payload. Send an `Idempotency-Key`: a repeated request then gets the same answer and never a second charge.',
    body: createChargeBody,
    validateSemantics: collectChargeErrors,
    responses: {
      201: dataResponse(createdChargeSchema),
      errors: [
        'provider_rejected',
        'idempotency_key_reused',
        'no_provider_available',
        'not_found_after_restore',
        'paused',
        'issuing',
        'not_confirmed',
      ],
    },
    handle: request => createCharge(dependencies, request),
  })

  registerRoute(router, 'get', PAYMENTS_PATH, {
    summary: 'List charges',
    query: chargesQuery,
    responses: { 200: pageResponse(chargeSchema) },
    async handle({ em, token, query }) {
      const { data, meta } = await listCharges(em, token, query)
      return { body: { data: data.map(showCharge), meta } }
    },
  })

  registerRoute(router, 'get', `${PAYMENTS_PATH}/:uuid`, {
    summary: 'Read a charge',
    responses: { 200: dataResponse(chargeSchema) },
    async handle({ em, token, params }) {
      return { body: { data: showCharge(await requireVisibleCharge(em, token, params.uuid)) } }
    },
  })

  registerRoute(router, 'get', `${PAYMENTS_PATH}/:uuid/qr.svg`, {
    summary: 'The payload as a QR picture (SVG)',
    responses: { 200: 'image/svg+xml' },
    async handle({ em, token, params }) {
      return { body: renderQrSvg(requirePayload(await requireVisibleCharge(em, token, params.uuid))) }
    },
  })

  registerRoute(router, 'get', `${PAYMENTS_PATH}/:uuid/qr.png`, {
    summary: 'The payload as a QR picture (PNG)',
    responses: { 200: 'image/png' },
    async handle({ em, token, params }) {
      return { body: renderQrPng(requirePayload(await requireVisibleCharge(em, token, params.uuid))) }
    },
  })

  registerRoute(router, 'post', `${PAYMENTS_PATH}/:uuid/cancel`, {
    summary: 'Cancel a PENDING charge',
    responses: {
      200: dataResponse(chargeSchema),
      errors: ['charge_not_cancellable', 'cancellation_unknown', 'not_confirmed'],
    },
    async handle({ em, token, params }) {
      const { temporal } = dependencies
      const charge = await cancelMerchantCharge(temporal, { em, token, uuid: params.uuid })
      return { body: { data: showCharge(charge) } }
    },
  })
}

/** Returns the PIX payload of a charge; fails where no provider has issued it, so that there is no QR code. */
function requirePayload(charge: ReadCharge): string {
  return charge.payload ?? fail('not_found')
}
