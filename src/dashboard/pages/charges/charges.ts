import { listCharges, requireVisibleCharge } from '../../../api/operations/charges.ts'
import { mapPage } from '../../../api/operations/pagination.ts'
import { findActivePaymentLink } from '../../../api/operations/payment-links.ts'
import { chargesQuery, showCharge } from '../../../contract/charges/charge.ts'
import type { CsvColumns } from '../../../contract/shared/csv.ts'
import type { ReadCharge } from '../../../db/repositories/charges.ts'
import { chargeMachine } from '../../../domain/charges/charge.ts'
import { textFromCents } from '../../../domain/ledger/money.ts'
import { computeRefundableCents, refundErrorCodeOf } from '../../../domain/refunds/refund.ts'
import { PAYMENT_STATUSES } from '../../../domain/shared/payment-status.ts'
import { fail } from '../../../http/api-error.ts'
import { renderQrSvg } from '../../../views/qr-code.ts'
import { phrasesOf } from '../../http/confirmation.ts'
import type { DashboardContext } from '../../http/dashboard-context.ts'
import { createPage } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { encodeFacts, type ShownFact } from '../../http/shown-facts.ts'
import { findConnectionMode, listConnections, restrictToOneMode } from '../connections.ts'
import { listByFilters } from '../filtered-list.ts'
import { createListFiles, nameFileByMode } from '../list-file.ts'
import { loadRelated } from '../related.ts'

export const CHARGES_PATH = '/dashboard/charges'
export const PAY_PATH = '/pay'

/** Columns of the list as CSV. */
const CHARGE_COLUMNS: CsvColumns<ReturnType<typeof showCharge>> = {
  created_at: charge => charge.created_at,
  status: charge => charge.status,
  value: charge => charge.value,
  fees: charge => charge.fees,
  total_value: charge => charge.total_value,
  refunded_value: charge => charge.refunded_value,
  net_value: charge => charge.net_value,
  external_ref: charge => charge.external_ref,
  payer_name: charge => charge.payment.pix.sender?.name,
  payer_document: charge => charge.payment.pix.sender?.document,
  settled_at: charge => charge.payment.pix.transaction?.settled_at,
  expires_at: charge => charge.payment.expires_at,
  end_to_end: charge => charge.payment.pix.transaction?.end_to_end,
  txid: charge => charge.payment.pix.txid,
  provider: charge => charge.provider.provider,
  provider_uuid: charge => charge.provider.uuid,
  uuid: charge => charge.uuid,
}

export function registerChargePages({ get, dashboard }: DashboardRouter): void {
  const openListFile = createListFiles()

  get('money.read', CHARGES_PATH, async visit => {
    const { em } = visit
    const { token, modes } = await restrictToOneMode(visit)
    const list = await listByFilters(visit, chargesQuery, query => listCharges(em, token, query))
    const connections = await listConnections(em, token)
    const rows = list.rows.map(row => showCharge(row, row.refunds))
    const model = { ...list, rows, connections, statuses: PAYMENT_STATUSES, moves: list.rows.some(isMoving) }
    return createPage('charges', { ...model, mode: token.mode, modes, file: `${CHARGES_PATH}/charges.csv` })
  })

  get('money.read', `${CHARGES_PATH}/charges.csv`, async visit => {
    const { token } = await restrictToOneMode(visit)
    return openListFile(visit, {
      name: nameFileByMode('charges', token.mode),
      columns: CHARGE_COLUMNS,
      schema: chargesQuery,
      list: async query =>
        mapPage(await listCharges(visit.em.fork(), token, query), row => showCharge(row, row.refunds)),
    })
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
  const paymentLink = await findShownLink(dashboard, visit, row)
  const model = {
    charge: showCharge(row, row.refunds),
    mode: await findConnectionMode(em, row.connection.uuid),
    related: await loadRelated(visit, {
      uuid: row.uuid,
      chargeUuid: row.uuid,
      attempted: { uuid: row.uuid, operations: ['issue'] },
      actionSubjects: [`charge/${row.uuid}`],
      ledgerUuid: row.uuid,
    }),
    isIssued: row.payload !== null,
    isPayable: chargeMachine.accepts(row.state, 'cancelled'),
    whyNotRefundable: refundErrorCodeOf(row, new Date()),
    refundable: computeRefundableCents(row),
    refundableText: textFromCents(computeRefundableCents(row)),
    moves: isMoving(row),
    paymentLink,
    version: encodeFacts(visit.language, listChargeFacts(visit, row, paymentLink)),
  }
  return createPage('charge', model, `${CHARGES_PATH}/${row.uuid}`)
}

/** Finds the payment link of a charge, with its address and an address that shares it by WhatsApp. */
async function findShownLink(
  { sealer, config }: DashboardContext,
  { em }: PageContext<'merchant'>,
  charge: ReadCharge,
) {
  const link = await findActivePaymentLink(em.fork(), sealer, charge)
  if (!link) return null
  const url = `${config.publicUrl}${PAY_PATH}/${link.token}`
  const { uuid, note, createdAt } = link
  return { uuid, note, createdAt, url, share: `https://wa.me/?text=${encodeURIComponent(url)}` }
}

/** Lists what the forms of a charge's page depend on. */
function listChargeFacts(
  visit: PageContext<'merchant'>,
  row: ReadCharge,
  link: { createdAt: Date } | null,
): ShownFact[] {
  const { t, f } = phrasesOf(visit)
  return [
    { name: 'field.status', value: t(`status.${chargeMachine.statusOf(row.state)}`) },
    { name: 'refund.remains', value: f.money(computeRefundableCents(row)) },
    { name: 'link.title', value: link ? f.plainTime(link.createdAt) : '–' },
  ]
}

/** Reads what the forms of a charge's page depend on now. */
export async function readChargeFacts(dashboard: DashboardContext, visit: PageContext<'merchant'>) {
  const row = await requireVisibleCharge(visit.em.fork(), visit.token, visit.params.uuid)
  return listChargeFacts(visit, row, await findActivePaymentLink(visit.em.fork(), dashboard.sealer, row))
}

function isMoving({ state }: ReadCharge): boolean {
  return !chargeMachine.isFinal(state) || state === 'refunding'
}
