import type { RouterContext } from '@koa/router'
import { createTokenLookup } from '../../api/authorization/visitor-limit.ts'
import { issueOfficialReceipt } from '../../api/operations/official-receipts.ts'
import { checkReceipt, issueReceipt, openSharedReceipt } from '../../api/operations/receipts.ts'
import { RECEIPT_CHECK_PATH, SHARED_RECEIPT_PATH } from '../../contract/receipts/receipt.ts'
import { showReceiptDocument } from '../../contract/receipts/receipt-document.ts'
import { toLoggedApiError } from '../../http/error-handler.ts'
import { renderPdf } from '../../views/pdf-document.ts'
import { SECRET_ADDRESS_HEADERS } from '../http/browser-security.ts'
import type { DashboardContext } from '../http/dashboard-context.ts'
import { handleLanguageSwitch, readRequestLanguage } from '../http/language.ts'
import { createPage, type DashboardResponse } from '../http/page.ts'
import type { PageContext } from '../http/page-context.ts'
import type { DashboardRouter } from '../http/router.ts'
import { sendVisitorResponse } from '../http/visitor-form.ts'
import { nameFile } from './account-list.ts'

const RECEIPT_PAGES = [
  ['charges', 'PAYMENT', 'charge.one'],
  ['transfers', 'TRANSFER', 'transfer.one'],
  ['refunds', 'REFUND', 'refund.one'],
] as const

/** Registers the receipts that the pages of charges, transfers and refunds link to: the file, and the page that shares it. */
export function registerReceipts({ get, dashboard }: DashboardRouter): void {
  for (const [noun, kind, name] of RECEIPT_PAGES) {
    const requestOf = ({ em, token: viewer, params: { uuid } }: PageContext<'merchant'>) => ({
      em: em.fork(),
      viewer,
      kind,
      uuid,
    })

    get('money.read', `/dashboard/${noun}/:uuid/receipt`, async visit =>
      createPage('receipt', {
        receipt: await issueReceipt(dashboard, requestOf(visit)),
        object: { path: `/dashboard/${noun}/${visit.params.uuid}`, name },
      }),
    )

    get('money.read', `/dashboard/${noun}/:uuid/receipt.pdf`, async visit => {
      const { language } = visit
      const { receipt, bankPdf } = await issueOfficialReceipt(dashboard, requestOf(visit))
      const fileName = await nameFile(visit, { name: 'receipt', mode: receipt.mode, period: receipt.uuid })
      const body = bankPdf ?? (await renderPdf(showReceiptDocument(receipt, language)))
      return { kind: 'file', type: 'application/pdf', name: `${fileName}.pdf`, body }
    })
  }
}

/** Points of a request that makes a PDF: as many requests of a page take less time. */
const PDF_POINTS = 10

/**
 * Registers the public pages of receipts: one checks a code, the other is the file of a receipt that was shared. They have no session:
 * who has the address may read.
 */
export function registerPublicReceipts(dashboard: DashboardContext): void {
  const { orm, sealer, log, router } = dashboard
  const findByToken = createTokenLookup()

  /** Serves what `respond` makes of a request; null: no receipt has the code. */
  const serve = (path: string, respond: (ctx: RouterContext) => Promise<DashboardResponse | null>) =>
    router.koa.get(path, async ctx => {
      ctx.set(SECRET_ADDRESS_HEADERS)
      if (handleLanguageSwitch(dashboard, ctx)) return
      try {
        const response = await respond(ctx)
        sendVisitorResponse(dashboard, ctx, {
          response: response ?? createPage('receipt-check', { check: null }),
        })
        if (!response) ctx.status = 404
      } catch (error) {
        const refusal = toLoggedApiError(ctx, error, log)
        sendVisitorResponse(dashboard, ctx, { response: createPage('pay-problem', {}), refusal })
      }
    })

  serve(`${RECEIPT_CHECK_PATH}/:token`, async ctx => {
    const check = await findByToken(ctx, code => checkReceipt(orm.em.fork(), sealer, code))
    return check && createPage('receipt-check', { check })
  })

  serve(`${SHARED_RECEIPT_PATH}/:token`, async ctx => {
    const open = (code: string) => openSharedReceipt(dashboard, orm.em.fork(), code)
    const receipt = await findByToken(ctx, open, PDF_POINTS)
    if (!receipt) return null
    const body = await renderPdf(showReceiptDocument(receipt, readRequestLanguage(dashboard, ctx)))
    return { kind: 'file', type: 'application/pdf', name: `receipt-${receipt.uuid}.pdf`, body }
  })
}
