import type { RouterContext } from '@koa/router'
import { createTokenLookup } from '../../../api/authorization/visitor-limit.ts'
import { visitPaymentLink } from '../../../api/operations/payment-links.ts'
import { fail } from '../../../http/api-error.ts'
import { toLoggedApiError } from '../../../http/error-handler.ts'
import { renderQrSvg } from '../../../views/qr-code.ts'
import { SECRET_ADDRESS_HEADERS } from '../../http/browser-security.ts'
import type { DashboardContext } from '../../http/dashboard-context.ts'
import { handleLanguageSwitch, readRequestLanguage } from '../../http/language.ts'
import { createPage, type DashboardResponse, sendResponse } from '../../http/page.ts'
import { PAY_PATH, presentPayable } from '../charges/charges.ts'
import { findConnectionMode } from '../connections.ts'

/** Registers the public page of a payment link. It has no session: who has the address may see it. */
export function registerPublicPaymentPage(dashboard: DashboardContext): void {
  const findByToken = createTokenLookup()
  const { koa } = dashboard.router

  koa.get(`${PAY_PATH}/:token`, async ctx => {
    if (handleLanguageSwitch(dashboard, ctx)) return ctx.set(SECRET_ADDRESS_HEADERS)
    await respond(ctx, async link => {
      if (link.kind === 'revoked')
        return { status: 410, page: createPage('pay', { payable: null, qr: null }) }
      const { merchant, timeZone, note, charge } = link
      const mode = await findConnectionMode(dashboard.orm.em.fork(), charge.connection.uuid)
      const payable = presentPayable(charge, { merchant, text: note })
      const qr = `${PAY_PATH}/${ctx.params.token}/qr.svg`
      return { status: 200, page: createPage('pay', { payable, qr, mode }), timeZone }
    })
  })

  koa.get(`${PAY_PATH}/:token/qr.svg`, ctx =>
    respond(ctx, async link => {
      const payload =
        link.kind === 'active' ? presentPayable(link.charge, { merchant: '', text: null }).payload : null
      const body = renderQrSvg(payload ?? fail('not_found'))
      return { status: 200, page: { kind: 'file', type: 'image/svg+xml', body } }
    }),
  )

  async function respond(
    ctx: RouterContext,
    render: (
      link: PaymentLinkVisit,
    ) => Promise<{ status: number; page: DashboardResponse; timeZone?: string }>,
  ): Promise<void> {
    ctx.set(SECRET_ADDRESS_HEADERS)
    const language = readRequestLanguage(dashboard, ctx)
    try {
      const link = await findByToken(ctx, token => visitPaymentLink(dashboard.orm.em.fork(), token))
      const { status, page, timeZone } = await render(link ?? fail('not_found'))
      sendResponse(dashboard, ctx, { response: page, language, timeZone })
      if (ctx.status === 200) ctx.status = status
    } catch (error) {
      const refusal = toLoggedApiError(ctx, error, dashboard.log)
      sendResponse(dashboard, ctx, { response: createPage('pay-problem', {}), language, refusal })
    }
  }
}

type PaymentLinkVisit = NonNullable<Awaited<ReturnType<typeof visitPaymentLink>>>
