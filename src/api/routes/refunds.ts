import { Refund } from '../../db/entities/refund.ts'
import { inSnapshot } from '../../db/orm.ts'
import type { Engine } from '../../engine/start.ts'
import {
  createRefund,
  refundAnswer,
  refundedAnswer,
  refundPage,
  refundsQuery,
  showRefund,
} from '../../wire/refund.ts'
import type { Routes } from '../app.ts'
import { refuse } from '../errors.ts'
import { newestFirst, pageOf } from '../pagination.ts'
import { chargeOf } from '../payments/find.ts'
import { createRefundOf } from '../refunds/create.ts'
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
    summary: 'Refund a charge, whole or in part',
    body: createRefund.optional(),
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
    handle: ({ em: outside, token, params, query }) =>
      inSnapshot(outside, async em => {
        const charge = await chargeOf(em, token, params.uuid)
        const [rows, total] = await em.findAndCount(
          Refund,
          { chargeUuid: charge.uuid },
          { populate: ['movement'], ...newestFirst(query) },
        )
        return { body: pageOf({ ...query, total, rows: rows.map(refund => showRefund(refund, charge)) }) }
      }),
  })

  route(router, {
    method: 'get',
    path: '/api/v1/payments/:uuid/refunds/:refund',
    summary: 'Read a refund',
    answers: { 200: refundAnswer },
    handle: ({ em: outside, token, params }) =>
      inSnapshot(outside, async em => {
        const charge = await chargeOf(em, token, params.uuid)
        const refund = await em.findOne(
          Refund,
          { uuid: params.refund, chargeUuid: charge.uuid },
          { populate: ['movement'] },
        )
        return { body: { data: showRefund(refund ?? refuse('not_found'), charge) } }
      }),
  })
}
