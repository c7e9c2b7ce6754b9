import type { ReadCharge } from '../../db/charges.ts'
import type { Engine } from '../../engine/start.ts'
import {
  chargeAnswer,
  chargePage,
  createdChargeAnswer,
  createPayment,
  paymentsQuery,
  showCharge,
} from '../../wire/payment.ts'
import type { Routes } from '../app.ts'
import { refuse } from '../errors.ts'
import { alsoWrong } from '../payments/allowed.ts'
import { cancelCharge } from '../payments/cancel.ts'
import { createCharge, PAYMENTS_PATH } from '../payments/create.ts'
import { chargeOf, listCharges } from '../payments/find.ts'
import { qrPng, qrSvg } from '../payments/qr.ts'
import { route } from '../route.ts'

/** api-document.txt, Charges. */
export const paymentRoutes: Routes = (router, { temporal, config, sealer }) => {
  const engine: Engine = {
    client: temporal,
    taskQueue: config.temporal.taskQueue,
    timeScale: config.timeScale,
  }

  route(router, {
    method: 'post',
    path: PAYMENTS_PATH,
    isKeyed: true,
    summary: 'Create a charge',
    description:
      'Answers when a provider has issued the payload. Send an `Idempotency-Key`: a repeated request then gets the same answer and never a second charge.',
    body: createPayment,
    alsoWrong,
    answers: {
      201: createdChargeAnswer,
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
    handle: request => createCharge({ engine, sealer }, request),
  })

  route(router, {
    method: 'get',
    path: PAYMENTS_PATH,
    summary: 'List charges',
    query: paymentsQuery,
    answers: { 200: chargePage },
    async handle({ em, token, query }) {
      const { data, meta } = await listCharges(em, token, query)
      return { body: { data: data.map(showCharge), meta } }
    },
  })

  route(router, {
    method: 'get',
    path: `${PAYMENTS_PATH}/:uuid`,
    summary: 'Read a charge',
    answers: { 200: chargeAnswer },
    async handle({ em, token, params }) {
      return { body: { data: showCharge(await chargeOf(em, token, params.uuid)) } }
    },
  })

  route(router, {
    method: 'get',
    path: `${PAYMENTS_PATH}/:uuid/qr.svg`,
    summary: 'The payload as a QR picture (SVG)',
    answers: { 200: 'image/svg+xml' },
    async handle({ em, token, params }) {
      return { body: qrSvg(payloadOf(await chargeOf(em, token, params.uuid))) }
    },
  })

  route(router, {
    method: 'get',
    path: `${PAYMENTS_PATH}/:uuid/qr.png`,
    summary: 'The payload as a QR picture (PNG)',
    answers: { 200: 'image/png' },
    async handle({ em, token, params }) {
      return { body: qrPng(payloadOf(await chargeOf(em, token, params.uuid))) }
    },
  })

  route(router, {
    method: 'post',
    path: `${PAYMENTS_PATH}/:uuid/cancel`,
    summary: 'Cancel a PENDING charge',
    answers: {
      200: chargeAnswer,
      errors: ['charge_not_cancellable', 'cancellation_unknown', 'not_confirmed'],
    },
    async handle({ em, token, params }) {
      return { body: { data: showCharge(await cancelCharge(engine, { em, token, uuid: params.uuid })) } }
    },
  })
}

/** A charge that nobody could issue has no picture. */
function payloadOf(charge: ReadCharge): string {
  return charge.payload ?? refuse('not_found')
}
