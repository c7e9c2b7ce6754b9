import {
  assignDeposit,
  findAssignmentOfDeposit,
  isDepositAssigned,
  requireAssignableCode,
} from '../../api/operations/deposit-assignments.ts'
import { createDepositReturn, isReturnOrdered, requireReturnable } from '../../api/operations/deposits.ts'
import {
  findVisibleUnmatchedPayment,
  listAccountUnmatchedPayments,
  requireVisibleUnmatchedPayment,
  UNMATCHED_OUTCOMES,
  unmatchedPaymentsQuery,
} from '../../api/operations/unmatched-payments.ts'
import type { CsvColumns } from '../../contract/shared/csv.ts'
import { assignDepositBody } from '../../contract/unmatched/deposit-assignment.ts'
import type { QrCode } from '../../db/entities/qr-code.ts'
import { readDepositAssignmentTerms } from '../../db/repositories/deposit-assignments.ts'
import { findReturnOrder, readDepositReturnTerms } from '../../db/repositories/deposit-returns.ts'
import { findCodesOfDeposit } from '../../db/repositories/qr-codes.ts'
import { computeFeeCents } from '../../domain/ledger/money.ts'
import { maskDocument } from '../../domain/pix/document.ts'
import { isDepositAssignable } from '../../domain/unmatched/deposit-assignment.ts'
import { depositReturnErrorCodeOf, isPayerReason } from '../../domain/unmatched/deposit-return.ts'
import { fail } from '../../http/api-error.ts'
import type { Confirmation } from '../http/confirmation.ts'
import { parseFormFields, readSubmissionKey } from '../http/form.ts'
import { createPage, hideDone, redirect } from '../http/page.ts'
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
 * Registers the pages of the payments that an account received without a charge to match, the return of one that the
 * account has, and its assignment to the code that its payer has paid.
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

  post('refunds.write', `${PATH}/:uuid/assign`, {
    confirm: confirmAssignment,
    async handle({ em, token, params, form, requestId }) {
      const body = parseFormFields(assignDepositBody, form)
      const idempotencyKey = readSubmissionKey(form)
      const request = { em, token, body, idempotencyKey, requestId, depositUuid: params.uuid }
      const { body: assigned } = await assignDeposit(dashboard, request)
      return redirect(`/dashboard/charges/${assigned.data.uuid}`, 'deposit_assigned')
    },
    async listFacts(visit) {
      const payment = await findPaymentOrAssignment(visit)
      // The confirmation says what became of it.
      return payment.kind === 'assigned' ? null : listPaymentFacts(visit, payment)
    },
    renderForm: renderPayment,
  })
}

type PaymentVisit = PageContext<'merchant'>

/** Renders a payment without a charge, with what became of it, and its return where the account can order it now. */
async function renderPayment(visit: PaymentVisit) {
  const { em, token } = visit
  const payment = await findPaymentOrAssignment(visit)
  if (payment.kind === 'assigned') return redirect(`/dashboard/charges/${payment.chargeUuid}`)
  const { uuid, connectionUuid, disposition } = payment
  const order = await findReturnOrder(em.fork(), uuid)
  const terms = await readDepositReturnTerms(em.fork(), uuid)
  const { accountUuid } = token
  const moves = disposition === 'held' || disposition === 'returning'
  const assignmentTerms = await readDepositAssignmentTerms(em.fork(), { uuid, accountUuid })
  const model = {
    payment,
    codes: (await findCodesOfDeposit(em.fork(), uuid)).map(presentHint),
    isAssignable: assignmentTerms !== undefined && isDepositAssignable(assignmentTerms),
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
    moves,
    ...(!moves && hideDone(visit, 'return_accepted')),
  }
  return createPage('unmatched-payment', model, `${PATH}/${uuid}`)
}

/**
 * Reads a payment without a charge, or, where it was assigned to a code, the charge that it pays. Fails with 404 where there
 * is neither. The payment is read first: the transaction that inserts an assignment removes it from the payments without a
 * charge, so that reading in the other order may find neither.
 */
async function findPaymentOrAssignment({ em, token, params }: PaymentVisit) {
  const payment = await findVisibleUnmatchedPayment(em.fork(), token, params.uuid)
  if (payment) return { kind: 'unmatched' as const, ...payment }
  const { chargeUuid } = (await findAssignmentOfDeposit(em, token, params.uuid)) ?? fail('not_found')
  return { kind: 'assigned' as const, chargeUuid }
}

/** Presents a code that a payment may have been made to: that of a charge by its charge. */
function presentHint({ uuid, txid, isSingle, description }: QrCode) {
  const path = `/dashboard/${isSingle ? 'charges' : 'qr-codes'}/${uuid}`
  return { uuid, reference: txid, description: description ?? null, path }
}

/** Lists what the return of a payment depends on. */
function listPaymentFacts(
  visit: PaymentVisit,
  { disposition }: Pick<UnmatchedRow, 'disposition'>,
): ShownFact[] {
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

async function confirmAssignment(visit: PaymentVisit): Promise<Confirmation | null> {
  const { em, token, params, form, t, f } = visit
  const depositUuid = params.uuid
  if (await isDepositAssigned(em, { token, depositUuid, idempotencyKey: readSubmissionKey(form) }))
    return null
  if (await findAssignmentOfDeposit(em, token, depositUuid)) fail('deposit_not_assignable')
  const { cents, payer, endToEnd, uuid } = await requireVisibleUnmatchedPayment(em.fork(), token, depositUuid)
  const { qr_code_uuid } = parseFormFields(assignDepositBody, form)
  const { txid, feeCents, valueCents, description, connection, isSingle } = await requireAssignableCode(
    em.fork(),
    token,
    qr_code_uuid,
  )
  const fees = valueCents == null ? Math.min(cents, computeFeeCents(cents, connection.fees.charge)) : feeCents
  const gaps = { amount: f.money(cents), reference: txid }
  return {
    title: t('held.assignAsk', gaps),
    button: t('held.assignNow', gaps),
    facts: [
      { name: 'field.value', value: gaps.amount },
      { name: 'field.payer', value: payer?.name || t('refund.unnamedPayer') },
      { name: 'field.document', value: payer?.document ? f.document(payer.document) : '–' },
      { name: 'field.end_to_end', value: endToEnd ?? '–' },
      { name: 'field.reference', value: txid },
      { name: 'field.description', value: description || '–' },
      { name: 'field.fees', value: f.money(fees) },
    ],
    means: t(isSingle ? 'held.assignChargeMeans' : 'held.assignMeans'),
    isDangerous: true,
    back: `${PATH}/${uuid}`,
  }
}
