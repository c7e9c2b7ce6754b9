import { createDepositReturn, isReturnOrdered, requireReturnable } from '../../api/operations/deposits.ts'
import {
  listAccountUnmatchedPayments,
  requireVisibleUnmatchedPayment,
  UNMATCHED_OUTCOMES,
  unmatchedPaymentsQuery,
} from '../../api/operations/unmatched-payments.ts'
import type { CsvColumns } from '../../contract/shared/csv.ts'
import type { QrCode } from '../../db/entities/qr-code.ts'
import { findReturnOrder, readDepositReturnTerms } from '../../db/repositories/deposit-returns.ts'
import { findCodesOfDeposit } from '../../db/repositories/qr-codes.ts'
import { maskDocument } from '../../domain/pix/document.ts'
import { depositReturnErrorCodeOf, isPayerReason } from '../../domain/unmatched/deposit-return.ts'
import type { Confirmation } from '../http/confirmation.ts'
import { readSubmissionKey } from '../http/form.ts'
import { createPage, redirect } from '../http/page.ts'
import type { PageContext } from '../http/page-context.ts'
import type { DashboardRouter } from '../http/router.ts'
import { encodeFacts, type ShownFact } from '../http/shown-facts.ts'
import { registerAccountList } from './account-list.ts'
import { findConnectionMode } from './connections.ts'
import { buildReturnConfirmation } from './payment-return.ts'
import { loadRelated } from './related.ts'

const PATH = '/dashboard/unmatched'

type UnmatchedRow = Awaited<ReturnType<typeof listAccountUnmatchedPayments>>['data'][number]

/** Columns of the list as CSV. */
const UNMATCHED_COLUMNS: CsvColumns<UnmatchedRow> = {
  created_at: one => one.createdAt,
  disposition: one => one.disposition,
  value: one => one.cents,
  reason: one => one.reason,
  payer_name: one => one.payer?.name,
  payer_document: one => maskDocument(one.payer?.document ?? ''),
  settled_at: one => one.settledAt,
  end_to_end: one => one.endToEnd,
  charge_uuid: one => one.chargeUuid,
  provider: one => one.provider,
  uuid: one => one.uuid,
}

/**
 * Registers the pages of the payments that an account received without a charge to match, and the return of one that the
 * account has.
 */
export function registerUnmatchedPages(router: DashboardRouter): void {
  const { get, post, dashboard } = router
  registerAccountList(router, {
    name: 'unmatched',
    path: PATH,
    schema: unmatchedPaymentsQuery,
    columns: UNMATCHED_COLUMNS,
    list: ({ em, token }, query) => listAccountUnmatchedPayments(em.fork(), token, query),
    present: () => ({ outcomes: UNMATCHED_OUTCOMES }),
  })

  get('money.read', `${PATH}/:uuid`, renderPayment)

  post('refunds.write', `${PATH}/:uuid/return`, {
    confirm: confirmReturn,
    async handle({ em, token, params, form, requestId }) {
      const idempotencyKey = readSubmissionKey(form)
      const request = { em, token, body: {}, idempotencyKey, requestId, depositUuid: params.uuid }
      await createDepositReturn(dashboard, request)
      return redirect(`${PATH}/${params.uuid}`, 'return_accepted')
    },
    listFacts: readPaymentFacts,
    renderForm: renderPayment,
  })
}

type PaymentVisit = PageContext<'merchant'>

/** Renders a payment without a charge, with what became of it, and its return where the account can order it now. */
async function renderPayment(visit: PaymentVisit) {
  const { em, token, params } = visit
  const payment = await requireVisibleUnmatchedPayment(em.fork(), token, params.uuid)
  const { uuid, connectionUuid, disposition } = payment
  const order = await findReturnOrder(em.fork(), uuid)
  const terms = await readDepositReturnTerms(em.fork(), uuid)
  const model = {
    payment,
    codes: (await findCodesOfDeposit(em.fork(), uuid)).map(presentHint),
    mode: connectionUuid ? await findConnectionMode(em, connectionUuid) : 'live',
    related: await loadRelated(visit, {
      uuid: order?.uuid,
      movementUuid: uuid,
      attempted: { uuid, operations: ['return'] },
      actionSubjects: [`return/${uuid}`],
      ledgerUuid: uuid,
    }),
    isOrdered: order?.heldAt != null && order.failure == null,
    failure: order?.failure ?? null,
    whyNotReturnable: terms ? depositReturnErrorCodeOf(terms, new Date()) : 'deposit_not_returnable',
    version: encodeFacts(visit.language, listPaymentFacts(visit, payment)),
    isReviewed: disposition === 'not_returned' && isPayerReason(payment.reason),
    moves: disposition === 'held' || disposition === 'returning',
  }
  return createPage('unmatched-payment', model, `${PATH}/${uuid}`)
}

/** Presents a code that a payment may have been made to: that of a charge by its charge. */
function presentHint({ uuid, txid, isSingle }: QrCode) {
  return { reference: txid, path: `/dashboard/${isSingle ? 'charges' : 'qr-codes'}/${uuid}` }
}

/** Lists what the return of a payment depends on. */
function listPaymentFacts(visit: PaymentVisit, { disposition }: UnmatchedRow): ShownFact[] {
  const { t } = visit
  return [{ name: 'field.status', value: t(`disposition.${disposition ?? 'credited'}`) }]
}

async function readPaymentFacts(visit: PaymentVisit) {
  const { em, token, params } = visit
  return listPaymentFacts(visit, await requireVisibleUnmatchedPayment(em.fork(), token, params.uuid))
}

async function confirmReturn(visit: PaymentVisit): Promise<Confirmation | null> {
  const { em, token, params, form } = visit
  const depositUuid = params.uuid
  if (await isReturnOrdered(em, { token, depositUuid, idempotencyKey: readSubmissionKey(form) })) return null
  const { cents, payer, endToEnd, uuid } = await requireVisibleUnmatchedPayment(em.fork(), token, depositUuid)
  await requireReturnable(em.fork(), uuid)
  const facts = [{ name: 'field.end_to_end', value: endToEnd ?? '–' }]
  return buildReturnConfirmation(visit, { cents, payer, facts, back: `${PATH}/${uuid}` })
}
