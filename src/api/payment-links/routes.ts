import {
  createPaymentLinkBody,
  paymentLinkSchema,
  paymentLinksQuery,
} from '../../contract/payment-links/payment-link.ts'
import { dataResponse, pageResponse } from '../../contract/shared/fields.ts'
import type { RouteRegistrar } from '../app.ts'
import { registerRoute } from '../http/route.ts'
import { collectChargeErrors } from '../operations/charges.ts'
import {
  createPaymentLink,
  listPaymentLinks,
  PAYMENT_LINKS_PATH,
  readPaymentLink,
  revokePaymentLink,
} from '../operations/payment-links.ts'

export const paymentLinkRoutes: RouteRegistrar = (router, dependencies) => {
  registerRoute(router, 'post', PAYMENT_LINKS_PATH, {
    isIdempotent: true,
    operationId: 'createPaymentLink',
    scope: 'charges',
    summary: 'Create a payment link',
    description:
      'For a charge: its page. For a value: a page whose button creates a charge for the payer, as `POST /payments` would, as often as `max_payments` and until `expires_at` allow. The charges have the events of any charge.',
    body: createPaymentLinkBody,
    async validateSemantics(request) {
      return Object(request.body).charge_uuid === undefined ? collectChargeErrors(request) : {}
    },
    responses: {
      201: dataResponse(paymentLinkSchema),
      errors: ['account_blocked', 'not_found', 'payment_link_exists', 'paused', 'not_confirmed'],
    },
    handle: request => createPaymentLink(dependencies, request),
  })

  registerRoute(router, 'get', PAYMENT_LINKS_PATH, {
    operationId: 'listPaymentLinks',
    scope: 'charges',
    summary: 'List payment links',
    description: 'Newest first. Each one as its own GET shows it.',
    query: paymentLinksQuery,
    responses: { 200: pageResponse(paymentLinkSchema) },
    handle: async ({ em, token, query }) => ({
      body: await listPaymentLinks(dependencies, { em, token, query }),
    }),
  })

  registerRoute(router, 'get', `${PAYMENT_LINKS_PATH}/:uuid`, {
    operationId: 'getPaymentLink',
    scope: 'charges',
    summary: 'Read a payment link',
    description: 'With its address and what takes its places.',
    responses: { 200: dataResponse(paymentLinkSchema) },
    handle: async ({ em, token, params: { uuid } }) => ({
      body: { data: await readPaymentLink(dependencies, { em, token, uuid }) },
    }),
  })

  registerRoute(router, 'post', `${PAYMENT_LINKS_PATH}/:uuid/revoke`, {
    operationId: 'revokePaymentLink',
    scope: 'charges',
    summary: 'Revoke a payment link',
    description:
      'Its page says so, and creates no further charge. Charges that exist stay: who has a code can still pay it. A second time changes nothing.',
    responses: { 200: dataResponse(paymentLinkSchema), errors: ['not_confirmed'] },
    async handle({ em, token, params: { uuid } }) {
      await revokePaymentLink({ em, token, uuid })
      return { body: { data: await readPaymentLink(dependencies, { em: em.fork(), token, uuid }) } }
    },
  })
}
