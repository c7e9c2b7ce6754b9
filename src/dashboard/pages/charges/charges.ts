import { listCharges, requireVisibleCharge } from '../../../api/operations/charges.ts'
import { findActivePaymentLink } from '../../../api/operations/payment-links.ts'
import { listRefunds } from '../../../api/operations/refunds.ts'
import { chargesQuery, showCharge } from '../../../contract/charges/charge.ts'
import type { ReadCharge } from '../../../db/repositories/charges.ts'
import { chargeMachine } from '../../../domain/charges/charge.ts'
import { textFromCents } from '../../../domain/ledger/money.ts'
import { computeRefundableCents, refundErrorCodeOf } from '../../../domain/refunds/refund.ts'
import { PAYMENT_STATUSES } from '../../../domain/shared/payment-status.ts'
import { fail } from '../../../http/api-error.ts'
import { renderQrSvg } from '../../../views/qr-code.ts'
import type { DashboardContext } from '../../http/dashboard-context.ts'
import { createPage } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { findConnectionMode, listConnections, restrictToOneMode } from '../connections.ts'
import { listByFilters } from '../filtered-list.ts'

export const CHARGES_PATH = '/dashboard/charges'
export const PAY_PATH = '/pay'
const MAX_REFUNDS = 100

export function registerChargePages({ get, dashboard }: DashboardRouter): void {
  get('money.read', CHARGES_PATH, async visit => {
    const { em } = visit
    const { token, modes } = await restrictToOneMode(visit)
    const list = await listByFilters(visit, chargesQuery, query => listCharges(em, token, query))
    const connections = await listConnections(em, token)
    const rows = list.rows.map(row => showCharge(row, row.refunds))
    const model = { ...list, rows, connections, statuses: PAYMENT_STATUSES, moves: list.rows.some(isMoving) }
    return createPage('charges', { ...model, mode: token.mode, modes })
  })

  get('money.read', `${CHARGES_PATH}/:uuid`, visit => renderCharge(dashboard, visit))

  get('money.read', `${CHARGES_PATH}/:uuid/qr.svg`, async ({ em, token, params }) => {
    const { payload } = await requireVisibleCharge(em, token, params.uuid)
    return { kind: 'file', type: 'image/svg+xml', body: renderQrSvg(payload ?? fail('not_found')) }
  })
}

/** Renders a charge with its history, its refunds and the actions possible now. */
export async function renderCharge(dashboard: DashboardContext, visit: PageContext<'merchant'>) {
  const { token, params } = visit
  const em = visit.em.fork()
  const row = await requireVisibleCharge(em, token, params.uuid)
  const refunds = await listRefunds(em, token, row.uuid, { page: 1, per_page: MAX_REFUNDS })
  const model = {
    charge: showCharge(row, row.refunds),
    mode: await findConnectionMode(em, row.connection.uuid),
    refunds: refunds.data.map(({ refund }) => refund),
    isIssued: row.payload !== null,
    isPayable: chargeMachine.accepts(row.state, 'cancelled'),
    whyNotRefundable: refundErrorCodeOf(row, new Date()),
    refundable: computeRefundableCents(row),
    refundableText: textFromCents(computeRefundableCents(row)),
    moves: isMoving(row),
    paymentLink: await findShownLink(dashboard, visit, row.uuid),
  }
  return createPage('charge', model, `${CHARGES_PATH}/${row.uuid}`)
}

/** Finds the payment link of a charge, with its address and an address that shares it by WhatsApp. */
async function findShownLink(
  { sealer, config }: DashboardContext,
  { em }: PageContext<'merchant'>,
  chargeUuid: string,
) {
  const link = await findActivePaymentLink(em.fork(), sealer, chargeUuid)
  if (!link) return null
  const url = `${config.publicUrl}${PAY_PATH}/${link.token}`
  return { uuid: link.uuid, note: link.note, url, share: `https://wa.me/?text=${encodeURIComponent(url)}` }
}

function isMoving({ state }: ReadCharge): boolean {
  return !chargeMachine.isFinal(state) || state === 'refunding'
}
