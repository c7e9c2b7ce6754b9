import type { RouterContext } from '@koa/router'
import { visitPaymentLink } from '../../../api/operations/payment-links.ts'
import { type ApiError, fail } from '../../../http/api-error.ts'
import { toLoggedApiError } from '../../../http/error-handler.ts'
import { renderQrSvg } from '../../../views/qr-code.ts'
import { SECRET_ADDRESS_HEADERS } from '../../http/browser-security.ts'
import type { DashboardContext } from '../../http/dashboard-context.ts'
import { handleLanguageSwitch, readRequestLanguage } from '../../http/language.ts'
import { createPage, type DashboardResponse, sendResponse } from '../../http/page.ts'
import { createVisitorLimit } from '../../http/visitor-limit.ts'
import { PAY_PATH } from '../charges/charges.ts'
import { presentPayable } from '../charges/payable.ts'

/** Points of a request, and of one with an unknown token, which is a guess or a mistake. */
const REQUEST_POINTS = 1
const UNKNOWN_TOKEN_POINTS = 20

/** Registers the public page of a payment link. It has no session: who has the address may see it. */
export function registerPublicPaymentPage(dashboard: DashboardContext): void {
  const limit = createVisitorLimit()
  const { koa } = dashboard.router

  koa.get(`${PAY_PATH}/:token`, async ctx => {
    if (handleLanguageSwitch(dashboard, ctx)) return ctx.set(SECRET_ADDRESS_HEADERS)
    await respond(ctx, async token => {
      const visit = await requireLink(ctx, token)
      if (visit.kind === 'revoked')
        return { status: 410, page: createPage('pay', { payable: null, qr: null }) }
      const { merchant, timeZone, note, charge } = visit
      const model = {
        payable: presentPayable(charge, { merchant, text: note }),
        qr: `${PAY_PATH}/${token}/qr.svg`,
      }
      return { status: 200, page: createPage('pay', model), timeZone }
    })
  })

  koa.get(`${PAY_PATH}/:token/qr.svg`, ctx =>
    respond(ctx, async token => {
      const visit = await requireLink(ctx, token)
      const payload =
        visit.kind === 'active' ? presentPayable(visit.charge, { merchant: '', text: null }).payload : null
      const body = renderQrSvg(payload ?? fail('not_found'))
      return { status: 200, page: { kind: 'file', type: 'image/svg+xml', body } }
    }),
  )

  async function requireLink(ctx: RouterContext, token: string) {
    limit.take(ctx.ip, REQUEST_POINTS)
    const visit = await visitPaymentLink(dashboard.orm.em.fork(), token)
    if (visit) return visit
    limit.take(ctx.ip, UNKNOWN_TOKEN_POINTS)
    return fail('not_found')
  }

  async function respond(
    ctx: RouterContext,
    handle: (token: string) => Promise<{ status: number; page: DashboardResponse; timeZone?: string }>,
  ): Promise<void> {
    ctx.set(SECRET_ADDRESS_HEADERS)
    const language = readRequestLanguage(dashboard, ctx)
    try {
      const { status, page, timeZone } = await handle(String(ctx.params.token))
      sendResponse(dashboard, ctx, { response: page, language, timeZone })
      if (ctx.status === 200) ctx.status = status
    } catch (error) {
      const refusal: ApiError = toLoggedApiError(ctx, error, dashboard.log)
      sendResponse(dashboard, ctx, { response: createPage('pay-problem', {}), language, refusal })
    }
  }
}
