import { chargeSchema, showCharge } from '../../contract/charges/charge.ts'
import {
  createQrCodeBody,
  qrCodePaymentsQuery,
  qrCodeSchema,
  qrCodesQuery,
  showQrCode,
} from '../../contract/qr-codes/qr-code.ts'
import { dataResponse, pageResponse } from '../../contract/shared/fields.ts'
import type { RouteRegistrar } from '../app.ts'
import { registerQrPictures } from '../http/qr-pictures.ts'
import { registerRoute } from '../http/route.ts'
import { mapPage } from '../operations/pagination.ts'
import {
  collectQrCodeErrors,
  createQrCode,
  disableQrCode,
  listQrCodePayments,
  listQrCodes,
  QR_CODES_PATH,
  requireVisibleQrCode,
} from '../operations/qr-codes.ts'

export const qrCodeRoutes: RouteRegistrar = router => {
  registerRoute(router, 'post', QR_CODES_PATH, {
    isIdempotent: true,
    operationId: 'createQrCode',
    scope: 'charges',
    summary: 'Create a static QR code',
    description:
      'A code that many payers pay, with a value of yours or of theirs. No provider is called. Each PIX to it is a charge of its own, PAID from its beginning.',
    body: createQrCodeBody,
    validateSemantics: collectQrCodeErrors,
    responses: {
      201: dataResponse(qrCodeSchema),
      errors: ['account_blocked', 'reference_in_use', 'paused', 'not_confirmed'],
    },
    handle: request => createQrCode(request),
  })

  registerRoute(router, 'get', QR_CODES_PATH, {
    operationId: 'listQrCodes',
    scope: 'charges',
    summary: 'List the QR codes of the account',
    description: 'Newest first. The code of a single charge is shown by that charge.',
    query: qrCodesQuery,
    responses: { 200: pageResponse(qrCodeSchema) },
    handle: async ({ em, token, query }) => ({
      body: mapPage(await listQrCodes(em, token, query), showQrCode),
    }),
  })

  registerRoute(router, 'get', `${QR_CODES_PATH}/:uuid`, {
    operationId: 'getQrCode',
    scope: 'charges',
    summary: 'Read a QR code',
    description: 'With what it has received.',
    responses: { 200: dataResponse(qrCodeSchema) },
    handle: async ({ em, token, params }) => ({
      body: { data: showQrCode(await requireVisibleQrCode(em, token, params.uuid)) },
    }),
  })

  registerQrPictures(router, QR_CODES_PATH, {
    operationId: 'getQrCodeQr',
    summary: 'The code as a QR picture',
    description: 'Of `payload`, for printing. It never changes.',
    readPayload: async (em, token, uuid) => (await requireVisibleQrCode(em, token, uuid)).payload,
  })

  registerRoute(router, 'get', `${QR_CODES_PATH}/:uuid/payments`, {
    operationId: 'listQrCodePayments',
    scope: 'charges',
    summary: 'List the charges of a QR code',
    description: 'Newest first. Each one as its own GET shows it.',
    query: qrCodePaymentsQuery,
    responses: { 200: pageResponse(chargeSchema) },
    async handle({ em, token, params, query }) {
      const page = await listQrCodePayments(em, token, { uuid: params.uuid, query })
      return { body: mapPage(page, charge => showCharge(charge, charge.refunds)) }
    },
  })

  registerRoute(router, 'post', `${QR_CODES_PATH}/:uuid/disable`, {
    operationId: 'disableQrCode',
    scope: 'charges',
    summary: 'Disable a QR code',
    description:
      'The code can still be paid, because the banks of payers ask nobody about a static code: such a PIX becomes what `on_payment` says. A second time changes nothing.',
    responses: { 200: dataResponse(qrCodeSchema), errors: ['not_confirmed'] },
    handle: async ({ em, token, params }) => ({
      body: { data: showQrCode(await disableQrCode(em, token, params.uuid)) },
    }),
  })
}
