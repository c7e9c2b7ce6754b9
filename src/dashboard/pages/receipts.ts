import { createTokenLookup } from '../../api/authorization/visitor-limit.ts'
import { checkReceipt, issueReceipt } from '../../api/operations/receipts.ts'
import { RECEIPT_CHECK_PATH } from '../../contract/receipts/receipt.ts'
import { showReceiptDocument } from '../../contract/receipts/receipt-document.ts'
import { toLoggedApiError } from '../../http/error-handler.ts'
import { renderPdf } from '../../views/pdf-document.ts'
import { SECRET_ADDRESS_HEADERS } from '../http/browser-security.ts'
import type { DashboardContext } from '../http/dashboard-context.ts'
import { handleLanguageSwitch } from '../http/language.ts'
import { createPage } from '../http/page.ts'
import type { DashboardRouter } from '../http/router.ts'
import { sendVisitorResponse } from '../http/visitor-form.ts'
import { nameFile } from './account-list.ts'

const RECEIPT_PAGES = [
  ['charges', 'PAYMENT'],
  ['transfers', 'TRANSFER'],
  ['refunds', 'REFUND'],
] as const

/** Registers the receipts that the pages of charges, transfers and refunds link to. */
export function registerReceiptFiles({ get, dashboard }: DashboardRouter): void {
  for (const [noun, kind] of RECEIPT_PAGES)
    get('money.read', `/dashboard/${noun}/:uuid/receipt.pdf`, async visit => {
      const { em, token, params, language } = visit
      const receipt = await issueReceipt(dashboard, { em: em.fork(), token, kind, uuid: params.uuid })
      const name = await nameFile(visit, { name: 'receipt', mode: receipt.mode, period: receipt.uuid })
      const body = await renderPdf(showReceiptDocument(receipt, language))
      return { kind: 'file', type: 'application/pdf', name: `${name}.pdf`, body }
    })
}

/** Registers the public page that checks a receipt. It has no session: who has the code may compare. */
export function registerReceiptCheckPage(dashboard: DashboardContext): void {
  const findByToken = createTokenLookup()
  const { orm, sealer, log, router } = dashboard
  router.koa.get(`${RECEIPT_CHECK_PATH}/:token`, async ctx => {
    ctx.set(SECRET_ADDRESS_HEADERS)
    if (handleLanguageSwitch(dashboard, ctx)) return
    try {
      const check = await findByToken(ctx, code => checkReceipt(orm.em.fork(), sealer, code))
      sendVisitorResponse(dashboard, ctx, { response: createPage('receipt-check', { check }) })
      if (!check) ctx.status = 404
    } catch (error) {
      const refusal = toLoggedApiError(ctx, error, log)
      sendVisitorResponse(dashboard, ctx, { response: createPage('pay-problem', {}), refusal })
    }
  })
}
