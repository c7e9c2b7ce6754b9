import { createdChargeSchema } from '../../contract/charges/charge.ts'
import {
  chargeRecurrenceBody,
  createRecurrenceBody,
  recurrenceSchema,
  recurrencesQuery,
  showRecurrence,
} from '../../contract/recurrences/recurrence.ts'
import { dataResponse, pageResponse } from '../../contract/shared/fields.ts'
import type { RouteRegistrar } from '../app.ts'
import { registerQrPictures } from '../http/qr-pictures.ts'
import { registerRoute } from '../http/route.ts'
import {
  cancelMerchantRecurrence,
  chargeRecurrence,
  createRecurrence,
  listRecurrences,
  RECURRENCES_PATH,
  requireVisibleRecurrence,
} from '../operations/recurrences.ts'

export const recurrenceRoutes: RouteRegistrar = (router, dependencies) => {
  registerRoute(router, 'post', RECURRENCES_PATH, {
    isIdempotent: true,
    operationId: 'createRecurrence',
    scope: 'charges',
    summary: 'Create a recurrence',
    description:
      'Pix Automático: the payer authorizes it once in their bank, and is then debited each cycle. Answers when a provider has created it; a RECURRENCE event tells what the payer has decided.',
    body: createRecurrenceBody,
    responses: {
      201: dataResponse(recurrenceSchema),
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
        schema: recurrenceSchema,
        codes: ['provider_rejected', 'no_provider_available', 'not_found_after_restore'],
      },
    },
    handle: request => createRecurrence(dependencies, request),
  })

  registerRoute(router, 'get', RECURRENCES_PATH, {
    operationId: 'listRecurrences',
    scope: 'charges',
    summary: 'List recurrences',
    description: 'Newest first. Each one as its own GET shows it.',
    query: recurrencesQuery,
    responses: { 200: pageResponse(recurrenceSchema) },
    async handle({ em, token, query }) {
      const { data, meta } = await listRecurrences(em, token, query)
      return { body: { data: data.map(row => showRecurrence(row, row)), meta } }
    },
  })

  registerRoute(router, 'get', `${RECURRENCES_PATH}/:uuid`, {
    operationId: 'getRecurrence',
    scope: 'charges',
    summary: 'Read a recurrence',
    description: 'With its next charge and the history of its statuses.',
    responses: { 200: dataResponse(recurrenceSchema) },
    async handle({ em, token, params }) {
      const { row, isPastDue } = await requireVisibleRecurrence(em, token, params.uuid)
      return { body: { data: showRecurrence(row, { isPastDue }) } }
    },
  })

  registerQrPictures(router, RECURRENCES_PATH, {
    operationId: 'getRecurrenceQr',
    summary: 'The payload of a recurrence as a QR picture',
    description: 'Of `payload`; 404 of the journey REQUEST, and while the provider does not show one.',
    readPayload: async (em, token, uuid) => (await requireVisibleRecurrence(em, token, uuid)).row.payload,
  })

  registerRoute(router, 'post', `${RECURRENCES_PATH}/:uuid/cancel`, {
    operationId: 'cancelRecurrence',
    scope: 'charges',
    summary: 'Cancel a recurrence',
    description:
      'At its provider first, then here; its debits that are not made yet are cancelled with it. Without an answer of the provider it stays as it is, and the provider is asked until the result is known.',
    responses: {
      200: dataResponse(recurrenceSchema),
      errors: ['recurrence_not_cancellable', 'cancellation_unknown', 'not_confirmed'],
    },
    async handle({ em, token, params }) {
      const { row, isPastDue } = await cancelMerchantRecurrence(dependencies.temporal, {
        em,
        token,
        uuid: params.uuid,
      })
      return { body: { data: showRecurrence(row, { isPastDue }) } }
    },
  })

  registerRoute(router, 'post', `${RECURRENCES_PATH}/:uuid/charges`, {
    isIdempotent: true,
    operationId: 'chargeRecurrence',
    scope: 'charges',
    summary: 'Create the charge of a cycle',
    description:
      'Of an ACTIVE recurrence, 2 to 10 days before its due day; a cycle has one charge. Answers when the provider has made the debit. A PAYMENT event tells how it ends.',
    body: chargeRecurrenceBody,
    responses: {
      201: dataResponse(createdChargeSchema),
      errors: [
        'account_blocked',
        'recurrence_not_active',
        'cycle_already_charged',
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
        optionalCodes: ['recurrence_not_active', 'cycle_already_charged'],
      },
    },
    handle: request => chargeRecurrence(dependencies, { ...request, uuid: request.params.uuid }),
  })
}
