import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PaymentLinkVisit } from '../../../api/operations/payment-links.ts'
import { reaisFromCents } from '../../../domain/ledger/money.ts'
import { sha256 } from '../../../security/sealing.ts'
import type { ServerRouter } from '../../http/dashboard-context.ts'
import { presentPayable } from '../charges/charges.ts'

/** The code of a payment link on the pages of merchants: a web component, and what it reads. */

/** Headers of what pages of any site may read: it is public to whoever has the address of the link, and takes no cookie. */
export const ANY_SITE_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
} as const

const SCRIPT_PATH = '/embed/v1/trilho-pix.js'

/** Registers the script of the web component. Its address stays: pages of merchants have it. */
export function registerEmbeddedScript({ koa }: ServerRouter): void {
  const script = readFileSync(join(import.meta.dirname, '../../assets/trilho-pix.js'))
  const etag = `"${sha256(script).toString('base64url').slice(0, 16)}"`
  koa.get(SCRIPT_PATH, ctx => {
    ctx.set({ ...ANY_SITE_HEADERS, 'Cache-Control': 'public, max-age=3600', ETag: etag })
    ctx.type = 'js'
    if (ctx.get('If-None-Match').includes(etag)) ctx.status = 304
    else ctx.body = script
  })
}

/** Presents what the page of a link shows, for the web component: amounts in reais, times in ISO 8601. */
export function presentEmbedded(visit: PaymentLinkVisit) {
  const { link, merchant } = visit
  const shared = { merchant, message: link.note ?? null, is_test: link.mode === 'test' }
  if (visit.kind === 'closed') return { ...shared, status: 'CLOSED', amount: null }
  if (visit.kind === 'offer') return { ...shared, status: 'OFFER', amount: reaisFromCents(link.valueCents!) }
  const { status, amountCents, payload, expiresAt, paidAt } = presentPayable(visit.charge, {
    merchant,
    text: link.note,
  })
  return {
    ...shared,
    status,
    amount: amountCents === null ? null : reaisFromCents(amountCents),
    payload,
    expires_at: expiresAt,
    paid_at: paidAt,
  }
}
