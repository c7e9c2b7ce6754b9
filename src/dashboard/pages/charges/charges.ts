import { canReviseCharge } from '../../../api/operations/charge-revisions.ts'
import { listCharges, requireVisibleCharge } from '../../../api/operations/charges.ts'
import { mapPage } from '../../../api/operations/pagination.ts'
import { buildLinkUrl, findActivePaymentLink } from '../../../api/operations/payment-links.ts'
import { countVisibleStates } from '../../../api/operations/visible-list.ts'
import { chargesQuery, showCharge } from '../../../contract/charges/charge.ts'
import type { CsvColumns } from '../../../contract/shared/csv.ts'
import { findOpenChargeRevision } from '../../../db/repositories/charge-revisions.ts'
import type { ReadCharge } from '../../../db/repositories/charges.ts'
import { chargeMachine, isRevisableChargeState } from '../../../domain/charges/charge.ts'
import { computeAmountDue } from '../../../domain/charges/due-amount.ts'
import { findLastOverdueDay } from '../../../domain/charges/due-periods.ts'
import type { DueTerms } from '../../../domain/charges/due-terms.ts'
import { showEndToEndId } from '../../../domain/pix/identifiers.ts'
import { computeRefundableCents, refundErrorCodeOf } from '../../../domain/refunds/refund.ts'
import { computeBrasiliaDay } from '../../../domain/shared/brasilia-day.ts'
import { PAYMENT_STATUSES, type PaymentStatus } from '../../../domain/shared/payment-status.ts'
import { MIN_TAIL_LENGTH } from '../../../domain/shared/search-text.ts'
import { fail } from '../../../http/api-error.ts'
import { renderQrSvg } from '../../../views/qr-code.ts'
import type { DashboardContext } from '../../http/dashboard-context.ts'
import { createPage, hideDone } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { encodeFacts, type ShownFact } from '../../http/shown-facts.ts'
import { formatDocument } from '../../views/formats.ts'
import { registerAccountList } from '../account-list.ts'
import { findConnectionMode } from '../connections.ts'
import { type ListTab, listStatusTabs } from '../list-controls.ts'
import { loadRelated } from '../related.ts'
import { buildStory } from '../story.ts'
import { listShownStatuses, presentChargeHistory } from './charge-history.ts'
import { presentDebit } from './debit-facts.ts'
import { isOverdue, listDueFacts, listPartTexts, presentDueTable } from './due-facts.ts'
import { formatAmountText } from './due-fields.ts'
import { listNetLines } from './net-amount.ts'
import { presentSplits } from './split-rows.ts'

export const CHARGES_PATH = '/dashboard/charges'

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
  payer_document: charge => formatDocument(charge.payment.pix.sender?.document ?? ''),
  settled_at: charge => charge.payment.pix.transaction?.settled_at,
  expires_at: charge => charge.payment.expires_at,
  due_on: charge => charge.payment.due?.on,
  paid_fine: charge => charge.payment.paid?.fine,
  paid_interest: charge => charge.payment.paid?.interest,
  paid_discount: charge => charge.payment.paid?.discount,
  paid_abatement: charge => charge.payment.paid?.abatement,
  end_to_end: charge => charge.payment.pix.transaction?.end_to_end,
  txid: charge => charge.payment.pix.txid,
  provider: charge => charge.provider.provider,
  provider_uuid: charge => charge.provider.uuid,
  uuid: charge => charge.uuid,
}

export function registerChargePages(router: DashboardRouter): void {
  const { get, dashboard } = router
  registerAccountList(router, {
    name: 'charges',
    path: CHARGES_PATH,
    searchedNoun: 'charge',
    schema: chargesQuery,
    columns: CHARGE_COLUMNS,
    sortColumns: { created_at: 'created_at', value: 'value_cents' },
    listTabs: listChargeTabs,
    list: async ({ em, token }, query, order) =>
      mapPage(await listCharges(em.fork(), token, query, order), row => ({
        ...showCharge(row, row.refunds),
        shownStatuses: listShownStatuses(row),
        moves: isMoving(row),
        isOverdue: isChargeOverdue(row),
      })),
    present: (_, rows) => ({
      statuses: PAYMENT_STATUSES,
      moves: rows.some(({ moves }) => moves),
      hasDue: rows.some(({ payment }) => payment.due),
    }),
  })

  get('money.read', `${CHARGES_PATH}/:uuid`, visit => renderCharge(dashboard, visit))

  get('money.read', `${CHARGES_PATH}/:uuid/qr.svg`, async ({ em, token, params }) => {
    const { payload } = await requireVisibleCharge(em, token, params.uuid)
    return { kind: 'file', type: 'image/svg+xml', body: renderQrSvg(payload || fail('not_found')) }
  })

  /** The page that a merchant shows to a customer at the counter: a large QR code until it is paid. */
  get('money.read', `${CHARGES_PATH}/:uuid/counter`, async ({ em, token, params, session }) => {
    const charge = await requireVisibleCharge(em.fork(), token, params.uuid)
    if (charge.debitOn != null) fail('not_found') // No customer pays it.
    const back = `${CHARGES_PATH}/${charge.uuid}`
    const model = {
      payable: presentPayable(charge, { merchant: session.account?.name ?? '', text: charge.externalRef }),
      mode: await findConnectionMode(em, charge.connection.uuid),
      qr: `${back}/qr.svg`,
      back,
      payerName: charge.movement?.sender?.name ?? null,
    }
    return createPage('counter', model, `${back}/counter`)
  })
}

/** Tabs of the list by the statuses that they select. */
const CHARGE_TABS: Record<string, PaymentStatus[]> = {
  open: ['UNDEFINED', 'PENDING'],
  paid: ['PAID'],
  refunded: ['REFUNDED', 'PARTIALLY_REFUNDED'],
  expired: ['EXPIRED'],
  failed: ['FAILED'],
}

/** Lists the tabs of the list: by status, and of the charges whose due day is over. */
async function listChargeTabs({ em, token }: PageContext<'merchant'>): Promise<ListTab[]> {
  const counts = await countVisibleStates(em.fork(), { noun: 'charge', token })
  const [open, ...others] = listStatusTabs(CHARGE_TABS, counts, chargeMachine)
  const due_to = findLastOverdueDay(computeBrasiliaDay(new Date()))
  return [
    { name: 'all', query: {} },
    open!,
    { name: 'overdue', query: { status: 'PENDING', due_to } },
    ...others,
  ]
}

/** Renders a charge with its history, its refunds and the actions possible now. */
export async function renderCharge(dashboard: DashboardContext, visit: PageContext<'merchant'>) {
  const { token, params } = visit
  const em = visit.em.fork()
  const row = await requireVisibleCharge(em, token, params.uuid)
  const paymentLink = await findShownLink(dashboard, visit, row)
  const related = await loadRelated(visit, {
    uuid: row.uuid,
    chargeUuid: row.uuid,
    attempted: { uuid: row.uuid, operations: ['issue'] },
    actionSubjects: [`charge/${row.uuid}`],
    ledgerUuid: row.uuid,
  })
  const model = {
    charge: showCharge(row, row.refunds),
    shownStatuses: listShownStatuses(row),
    history: buildStory(visit, presentChargeHistory(row.history), related),
    splits: presentSplits(row),
    net: listNetLines(row),
    mode: await findConnectionMode(em, row.connection.uuid),
    related,
    isCancellable: chargeMachine.accepts(row.state, 'cancelled'),
    isPayable: chargeMachine.accepts(row.state, 'cancelled') && row.debitOn == null,
    debit: await presentDebit(em, row),
    failedTry: row.tries.findLast(({ code }) => code !== null && code === row.failure?.code) ?? null,
    whyNotRefundable: refundErrorCodeOf(row, new Date()),
    refundable: computeRefundableCents(row),
    refundableText: formatAmountText(computeRefundableCents(row), visit.language),
    moves: isMoving(row),
    ...(row.state !== 'refunding' && hideDone(visit, 'refund_accepted')),
    paymentLink,
    due: await presentChargeDue(visit, row),
    version: encodeFacts(visit.language, listChargeFacts(visit, row, paymentLink)),
  }
  return createPage('charge', model, `${CHARGES_PATH}/${row.uuid}`)
}

/** Presents the due date of a charge: its terms, what it costs on which day, what was paid, and a text that reminds the payer. */
async function presentChargeDue(visit: PageContext<'merchant'>, row: ReadCharge) {
  const { t, f, session, em } = visit
  const { due, totalCents, payload } = row
  if (!due) return null
  const openRevision = await presentOpenRevision(visit, row.uuid)
  const today = computeBrasiliaDay(new Date())
  const isPayable = isRevisableChargeState(row.state)
  const isLate = isChargeOverdue(row)
  const reminder = t(isLate ? 'due.reminderLate' : 'due.reminder', {
    merchant: session.account?.name ?? '',
    day: f.date(due.on),
    amount: f.money(computeAmountDue(totalCents, due, today).totalCents),
  })
  return {
    facts: listDueFacts(visit, due),
    isOverdue: isLate,
    canChange: !openRevision && (await canReviseCharge(em.fork(), row)),
    openRevision,
    table: isPayable ? presentDueTable(visit, due, { cents: totalCents }) : null,
    paidParts: row.paidParts ? listPartTexts(visit, row.paidParts) : [],
    reminder: isPayable && payload ? `${reminder}\n${payload}` : null,
  }
}

/** Presents a change of a charge that its provider has not answered: what the charge would ask. */
async function presentOpenRevision(visit: PageContext<'merchant'>, chargeUuid: string) {
  const revision = await findOpenChargeRevision(visit.em.fork(), chargeUuid)
  if (!revision) return null
  const { totalCents, due, message } = revision
  const facts = [
    { name: 'field.value', value: visit.f.money(totalCents) },
    ...(due ? listDueFacts(visit, due) : []),
    ...(message ? [{ name: 'field.message', value: message }] : []),
  ]
  return { facts }
}

function isChargeOverdue({ due, state }: ReadCharge): boolean {
  return due != null && isRevisableChargeState(state) && isOverdue(due, computeBrasiliaDay(new Date()))
}

/** Finds the payment link of a charge, with its address and an address that shares it by WhatsApp. */
async function findShownLink(
  dashboard: DashboardContext,
  { em, t, f }: PageContext<'merchant'>,
  charge: ReadCharge,
) {
  const link = await findActivePaymentLink(em.fork(), charge)
  if (!link) return null
  const url = buildLinkUrl(dashboard, link)
  const { uuid, note, createdAt } = link
  // What a charge with a due date asks depends on the day.
  const isFixed = charge.totalCents > 0 && !charge.due
  const text = isFixed
    ? t('link.message', { amount: f.money(charge.totalCents), url })
    : t('link.messageOpen', { url })
  return { uuid, note, createdAt, url, share: `https://wa.me/?text=${encodeURIComponent(text)}` }
}

/** Lists what the forms of a charge's page depend on. */
function listChargeFacts(
  visit: PageContext<'merchant'>,
  row: ReadCharge,
  link: { createdAt: Date } | null,
): ShownFact[] {
  const { t, f } = visit
  return [
    { name: 'field.status', value: t(`status.${chargeMachine.statusOf(row.state)}`) },
    { name: 'refund.remains', value: f.money(computeRefundableCents(row)) },
    ...(row.due
      ? [{ name: 'field.value', value: f.money(row.totalCents) }, ...listDueFacts(visit, row.due)]
      : []),
    { name: 'link.title', value: link ? f.plainTime(link.createdAt) : '–' },
  ]
}

/** Reads what the forms of a charge's page depend on now. */
export async function readChargeFacts(visit: PageContext<'merchant'>) {
  const row = await requireVisibleCharge(visit.em.fork(), visit.token, visit.params.uuid)
  return listChargeFacts(visit, row, await findActivePaymentLink(visit.em.fork(), row))
}

function isMoving({ state }: ReadCharge): boolean {
  return !chargeMachine.isFinal(state) || state === 'refunding'
}

/** Presents what a customer sees of a charge: nothing of the account but its name and the text that the merchant chose. */
export function presentPayable(
  charge: ReadCharge,
  { merchant, text }: { merchant: string; text: string | null | undefined },
) {
  const status = charge.state === 'refunding' ? 'REFUNDING' : chargeMachine.statusOf(charge.state)
  const { due, valueCents, totalCents } = charge
  const isOpen = valueCents === 0 && totalCents === 0
  return {
    status,
    merchant,
    text: text || null,
    /** Null where the payer chooses the amount. */
    amountCents: isOpen ? null : due ? computePayableCents(charge, due) : totalCents,
    /** Included in the amount. */
    feeCents: valueCents === 0 ? 0 : totalCents - valueCents,
    /** Day on which it is due, instead of the countdown to the last moment. */
    dueOn: due?.on ?? null,
    payload: status === 'PENDING' ? charge.payload : null,
    expiresAt: charge.expiresAt ?? null,
    paidAt: charge.paidAt ?? null,
    /** End of the id of the PIX, as receipts of banks show it. */
    pixTail: charge.paidAt ? showEndToEndId(charge.endToEnd).slice(-MIN_TAIL_LENGTH) : '',
    moves: ['UNDEFINED', 'PENDING', 'PROCESSING'].includes(status),
  }
}

/** Computes what a charge with a due date costs today, or what was paid. */
function computePayableCents({ totalCents, receivedCents }: ReadCharge, due: DueTerms): number {
  if (receivedCents > 0) return receivedCents
  return computeAmountDue(totalCents, due, computeBrasiliaDay(new Date())).totalCents
}
