import { z } from 'zod'
import { receiptCheckSchema, receiptPdfQuery, receiptSchema } from '../../contract/receipts/receipt.ts'
import { showReceiptDocument } from '../../contract/receipts/receipt-document.ts'
import { dataResponse } from '../../contract/shared/fields.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { fail } from '../../http/api-error.ts'
import { renderPdf } from '../../views/pdf-document.ts'
import type { RouteRegistrar } from '../app.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { createTokenLookup } from '../authorization/visitor-limit.ts'
import { registerRoute } from '../http/route.ts'
import { PAYMENTS_PATH } from '../operations/charges.ts'
import { issueOfficialReceipt } from '../operations/official-receipts.ts'
import { checkReceipt } from '../operations/receipts.ts'
import { TRANSFERS_PATH } from '../operations/transfers.ts'

const RECEIPTS = [
  {
    path: `${PAYMENTS_PATH}/:uuid`,
    kind: 'PAYMENT',
    noun: 'the payment of a charge',
    scope: 'charges',
    operationId: 'getPaymentReceipt',
  },
  {
    path: `${TRANSFERS_PATH}/:uuid`,
    kind: 'TRANSFER',
    noun: 'a transfer',
    scope: 'transfers',
    operationId: 'getTransferReceipt',
  },
  {
    path: `${PAYMENTS_PATH}/:uuid/refunds/:refund`,
    kind: 'REFUND',
    noun: 'a refund',
    scope: 'refunds',
    operationId: 'getPaymentRefundReceipt',
  },
] as const

type ReceiptRouteRequest = {
  em: EntityManager
  token: CallerToken
  params: { uuid: string; refund?: string }
}

/** Registers the receipts of settled money, and their check without a token (SPEC §7). */
export const receiptRoutes: RouteRegistrar = (router, dependencies) => {
  for (const { path, kind, noun, scope, operationId } of RECEIPTS) {
    const issue = ({ em, token, params: { uuid, refund } }: ReceiptRouteRequest) =>
      issueOfficialReceipt(dependencies, {
        em,
        viewer: token,
        kind,
        uuid: refund ?? uuid,
        ...(refund !== undefined && { chargeUuid: uuid }),
      })

    registerRoute(router, 'get', `${path}/receipt`, {
      operationId,
      scope,
      summary: `Read the receipt of ${noun}`,
      description:
        'Once its money has settled. `official` tells whether its bank issues the PDF now; where a bank issues none, or does not answer, this service does. What went back since is in `returns`. `authentication` never changes while the secret key of the service stays.',
      responses: { 200: dataResponse(receiptSchema), errors: ['receipt_not_ready'] },
      handle: async request => ({ body: { data: (await issue(request)).receipt } }),
    })

    registerRoute(router, 'get', `${path}/receipt.pdf`, {
      operationId: `${operationId}Pdf`,
      scope,
      summary: `Read the receipt of ${noun} as a PDF`,
      description:
        "Once its money has settled. Its bank's own where that issues one, in its language; else this service's, of which equal receipts are equal bytes, at most 200 kB.",
      query: receiptPdfQuery,
      responses: { 200: 'application/pdf', errors: ['receipt_not_ready'] },
      async handle(request) {
        const { receipt, bankPdf } = await issue(request)
        return {
          body: bankPdf ?? (await renderPdf(showReceiptDocument(receipt, request.query.language))),
          headers: {
            'Content-Disposition': `attachment; filename="receipt-${receipt.uuid}.pdf"`,
            'Cache-Control': 'private, no-store',
          },
        }
      },
    })
  }

  const findByToken = createTokenLookup()
  registerRoute(router, 'get', '/api/v1/receipts/:authentication', {
    operationId: 'checkReceipt',
    summary: 'Check a receipt by its authentication code',
    description:
      'Without a token. Tells the value, the day and initials, so that whoever holds a receipt can compare them. A code that was not issued here, was altered, or is of a receipt that can no longer be checked is 404. Requests are limited per network.',
    tokens: 'none',
    params: z.object({ authentication: z.string().max(200) }),
    responses: { 200: dataResponse(receiptCheckSchema), errors: ['rate_limited'] },
    async handle({ em, params: { authentication: token }, ip }) {
      const find = (code: string) => checkReceipt(em, dependencies.sealer, code)
      const check = await findByToken({ ip, params: { token } }, find)
      return { body: { data: check ?? fail('not_found') } }
    },
  })
}
