import type { RouterContext } from '@koa/router'
import { z } from 'zod'
import { createTokenLookup } from '../../../api/authorization/visitor-limit.ts'
import {
  createLinkCharge,
  PAY_PATH,
  type PaymentLinkVisit,
  visitPaymentLink,
} from '../../../api/operations/payment-links.ts'
import { uuidSchema } from '../../../contract/shared/fields.ts'
import { type ApiError, fail } from '../../../http/api-error.ts'
import { buildErrorBody, toLoggedApiError } from '../../../http/error-handler.ts'
import { getRequestDeadline } from '../../../http/request-deadline.ts'
import { renderQrSvg } from '../../../views/qr-code.ts'
import { SECRET_ADDRESS_HEADERS } from '../../http/browser-security.ts'
import type { DashboardContext } from '../../http/dashboard-context.ts'
import { forkForForm, parseFormFields, readUrlEncodedForm, requireSameOrigin } from '../../http/form.ts'
import { handleLanguageSwitch, readRequestLanguage } from '../../http/language.ts'
import { createPage, type DashboardResponse, redirect, sendResponse } from '../../http/page.ts'
import { presentPayable } from '../charges/charges.ts'
import { ANY_SITE_HEADERS, presentEmbedded, registerEmbeddedScript } from './embedded-code.ts'

const pressSchema = z.object({ once: uuidSchema })

/** Points of a press, which creates a charge at a provider. */
const PRESS_POINTS = 10

type LinkResponse = { status?: number; page: DashboardResponse; timeZone?: string; refusal?: ApiError }

/**
 * Registers the public pages of a payment link: its own, and that of a charge that it has created. They have no session: who has the
 * address may see them.
 */
export function registerPublicPaymentPage(dashboard: DashboardContext): void {
  const findByToken = createTokenLookup()
  const { koa } = dashboard.router
  registerEmbeddedScript(dashboard.router)

  for (const path of [`${PAY_PATH}/:token`, `${PAY_PATH}/:token/:charge`]) {
    koa.get(`${path}/qr.svg`, ctx => {
      ctx.set(ANY_SITE_HEADERS)
      return respond(ctx, async visit => {
        const { payload } = visit.kind === 'charge' ? presentVisit(visit) : fail('not_found')
        const body = renderQrSvg(payload ?? fail('not_found'))
        return { page: { kind: 'file', type: 'image/svg+xml', body } }
      })
    })

    koa.get(`${path}/status`, async ctx => {
      ctx.set({ ...SECRET_ADDRESS_HEADERS, ...ANY_SITE_HEADERS })
      try {
        ctx.body = presentEmbedded(await requireVisit(ctx))
      } catch (error) {
        const refusal = toLoggedApiError(ctx, error, dashboard.log)
        ctx.status = refusal.status
        ctx.body = buildErrorBody(refusal, ctx.state.requestId)
      }
    })

    koa.get(path, async ctx => {
      if (handleLanguageSwitch(dashboard, ctx)) return ctx.set(SECRET_ADDRESS_HEADERS)
      await respond(ctx, async visit => renderVisit(dashboard, ctx, visit))
    })
  }

  koa.post(`${PAY_PATH}/:token`, ctx => respond(ctx, visit => submitPress(ctx, visit), PRESS_POINTS))

  /** Creates the charge of a press and leads to its page; after a failure the button is for the same charge. */
  async function submitPress(ctx: RouterContext, visit: PaymentLinkVisit): Promise<LinkResponse> {
    requireSameOrigin(ctx.req)
    const { once: pressKey } = parseFormFields(pressSchema, await readUrlEncodedForm(ctx))
    const { link } = visit
    const path = linkPath(ctx)
    if (link.chargeUuid || (visit.kind === 'closed' && visit.reason === 'REVOKED'))
      return { page: redirect(path) }
    getRequestDeadline().markHandled()
    const press = { em: forkForForm(dashboard.orm.em), link, pressKey, requestId: ctx.state.requestId }
    try {
      const charge = await createLinkCharge(dashboard, press)
      return { page: redirect(charge && link.maxPayments !== 1 ? `${path}/${charge}` : path) }
    } catch (error) {
      const refusal = toLoggedApiError(ctx, error, dashboard.log)
      const key = refusal.details.isFinalForKey ? null : pressKey
      return { ...renderVisit(dashboard, ctx, { ...visit, kind: 'offer', pressKey: key }), refusal }
    }
  }

  async function requireVisit(ctx: RouterContext, points?: number): Promise<PaymentLinkVisit> {
    const find = (token: string) => visitPaymentLink(dashboard.orm.em.fork(), token, ctx.params.charge)
    return (await findByToken(ctx, find, points)) ?? fail('not_found')
  }

  async function respond(
    ctx: RouterContext,
    render: (visit: PaymentLinkVisit) => Promise<LinkResponse>,
    points?: number,
  ): Promise<void> {
    ctx.set(SECRET_ADDRESS_HEADERS)
    const language = readRequestLanguage(dashboard, ctx)
    try {
      const { status = 200, page, ...shown } = await render(await requireVisit(ctx, points))
      sendResponse(dashboard, ctx, { response: page, language, ...shown })
      if (ctx.status === 200) ctx.status = status
    } catch (error) {
      const refusal = toLoggedApiError(ctx, error, dashboard.log)
      sendResponse(dashboard, ctx, { response: createPage('pay-problem', {}), language, refusal })
    }
  }
}

/** Path of the page of a link, from which each of its charges is asked. */
const linkPath = ({ params }: Pick<RouterContext, 'params'>) => `${PAY_PATH}/${params.token}`

function renderVisit(
  { config, assets }: DashboardContext,
  ctx: RouterContext,
  visit: PaymentLinkVisit,
): LinkResponse {
  const { link, merchant, timeZone } = visit
  const image = `${config.publicUrl}${assets['icon.png']}`
  const shared = { mode: link.mode, linkPath: linkPath(ctx), merchant, image }
  if (visit.kind === 'closed') {
    const status = visit.reason === 'FULL' ? 200 : 410
    return { status, page: createPage('pay', { ...shared, closed: visit.reason.toLowerCase() }) }
  }
  if (visit.kind === 'charge') {
    const model = { ...shared, payable: presentVisit(visit), isOffer: !link.chargeUuid }
    return { page: createPage('pay', { ...model, qr: `${ctx.path}/qr.svg` }), timeZone }
  }
  const { pressKey } = visit
  const offer = { merchant, text: link.note ?? null, amountCents: link.valueCents }
  return { page: createPage('pay', { ...shared, offer, ...(pressKey && { once: pressKey }) }), timeZone }
}

function presentVisit({ charge, merchant, link }: PaymentLinkVisit & { kind: 'charge' }) {
  return presentPayable(charge, { merchant, text: link.note })
}
