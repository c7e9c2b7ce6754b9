import type { Engine } from '../../engine/start.ts'
import { createRefund, refundAnswer, refundedAnswer, refundPage, refundsQuery } from '../../wire/refund.ts'
import type { Routes } from '../app.ts'
import { createRefundOf } from '../refunds/create.ts'
import { listRefunds, refundOf } from '../refunds/find.ts'
import { route } from '../route.ts'

/** api-document.txt, POST …/refund, and the look-ups of SPEC §3. */
export const refundRoutes: Routes = (router, { temporal, config }) => {
  const engine: Engine = {
    client: temporal,
    taskQueue: config.temporal.taskQueue,
    timeScale: config.timeScale,
  }

  route(router, {
    method: 'post',
    path: '/api/v1/payments/:uuid/refund',
    isKeyed: true,
    summary: 'Refund a charge, whole or in part',
    body: createRefund.optional(),
    refusesNull: true, // No value refunds everything: null is more likely a value that got lost.
    answers: {
      200: refundedAnswer,
      errors: [
        'provider_rejected',
        'charge_not_refundable',
        'refund_in_progress',
        'refund_med_open',
        'refund_period_over',
        'insufficient_balance',
        'idempotency_key_reused',
        'no_provider_available',
        'not_found_after_restore',
        'paused',
        'not_taken',
        'not_confirmed',
      ],
    },
    handle: ({ params, body, ...request }) =>
      createRefundOf(engine, { ...request, body: body ?? {}, chargeUuid: params.uuid }),
  })

  route(router, {
    method: 'get',
    path: '/api/v1/payments/:uuid/refunds',
    summary: 'List the refunds of a charge',
    query: refundsQuery,
    answers: { 200: refundPage },
    async handle({ em, token, params, query }) {
      return { body: await listRefunds(em, token, params.uuid, query) }
    },
  })

  route(router, {
    method: 'get',
    path: '/api/v1/payments/:uuid/refunds/:refund',
    summary: 'Read a refund',
    answers: { 200: refundAnswer },
    async handle({ em, token, params }) {
      return { body: { data: await refundOf(em, token, { charge: params.uuid, refund: params.refund }) } }
    },
  })
}
