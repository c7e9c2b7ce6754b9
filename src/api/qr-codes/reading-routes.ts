import { codeReadingSchema, readCodeBody, showCodeReading } from '../../contract/qr-codes/code-reading.ts'
import { dataResponse } from '../../contract/shared/fields.ts'
import { fail } from '../../http/api-error.ts'
import type { RouteRegistrar } from '../app.ts'
import { registerRoute } from '../http/route.ts'
import { CODE_READINGS_PATH, findVisibleCodeReading, readPaymentCode } from '../operations/code-readings.ts'

export const codeReadingRoutes: RouteRegistrar = (router, dependencies) => {
  registerRoute(router, 'post', CODE_READINGS_PATH, {
    operationId: 'readQrCode',
    scope: 'transfers',
    summary: 'Read a PIX code before it is paid',
    description:
      'Checks the code and reads the charge at the bank of its receiver, whose signature is verified. Nothing is paid. What the code says may change until it is paid: that bank is asked again then.',
    body: readCodeBody,
    responses: {
      200: dataResponse(codeReadingSchema),
      errors: ['qr_invalid', 'qr_unreadable', 'not_confirmed'],
    },
    handle: async request => ({
      body: { data: showCodeReading(await readPaymentCode(dependencies, request)) },
    }),
  })

  registerRoute(router, 'get', `${CODE_READINGS_PATH}/:reading`, {
    operationId: 'getCodeReading',
    scope: 'transfers',
    summary: 'Read what was read of a PIX code',
    description: 'As it was read then, for thirty days.',
    responses: { 200: dataResponse(codeReadingSchema) },
    handle: async ({ em, token, params }) => ({
      body: {
        data: showCodeReading((await findVisibleCodeReading(em, token, params.reading)) ?? fail('not_found')),
      },
    }),
  })
}
