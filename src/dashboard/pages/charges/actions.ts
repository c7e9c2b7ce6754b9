import { findOrderedRetry, retryMerchantCharge } from '../../../api/operations/charge-revisions.ts'
import { cancelMerchantCharge, requireVisibleCharge } from '../../../api/operations/charges.ts'
import { createChargeRefund, isRefundCreated, requireRefundable } from '../../../api/operations/refunds.ts'
import { retryChargeBody } from '../../../contract/recurrences/recurrence.ts'
import { createRefundBody } from '../../../contract/refunds/refund.ts'
import { chargeMachine } from '../../../domain/charges/charge.ts'
import { computeRefundableCents } from '../../../domain/refunds/refund.ts'
import { fail, failField } from '../../../http/api-error.ts'
import type { Confirmation } from '../../http/confirmation.ts'
import { parseFormFields, readAmount, readSubmissionKey } from '../../http/form.ts'
import { redirect } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { buildReturnConfirmation } from '../payment-return.ts'
import { CHARGES_PATH, readChargeFacts, renderCharge } from './charges.ts'
import { presentDebit } from './debit-facts.ts'

/** Cancels, refunds and further debits, each after a confirmation that names the amount and the payer. */

type ChargeVisit = PageContext<'merchant'>

export function registerChargeActions({ post, dashboard }: DashboardRouter): void {
  post('charges.write', `${CHARGES_PATH}/:uuid/cancel`, {
    confirm: confirmCancellation,
    async handle({ em, token, params }) {
      const charge = await requireVisibleCharge(em.fork(), token, params.uuid)
      if (charge.state !== 'cancelled')
        await cancelMerchantCharge(dashboard.temporal, { em, token, uuid: params.uuid })
      return redirect(`${CHARGES_PATH}/${params.uuid}`, 'charge_cancelled')
    },
    listFacts: readChargeFacts,
    renderForm: visit => renderCharge(dashboard, visit),
  })

  post('refunds.write', `${CHARGES_PATH}/:uuid/refund`, {
    confirm: confirmRefund,
    async handle(visit) {
      const { em, token, params, form, requestId } = visit
      const chargeUuid = params.uuid
      const body = parseRefund(visit)
      const request = { em, token, body, idempotencyKey: readSubmissionKey(form), requestId, chargeUuid }
      await createChargeRefund(dashboard, request)
      return redirect(`${CHARGES_PATH}/${chargeUuid}`, 'refund_accepted')
    },
    listFacts: readChargeFacts,
    renderForm: visit => renderCharge(dashboard, visit),
  })

  post('charges.write', `${CHARGES_PATH}/:uuid/retry`, {
    confirm: confirmRetry,
    async handle({ em, token, params, form, requestId }) {
      const body = parseFormFields(retryChargeBody, form)
      const request = {
        em,
        token,
        uuid: params.uuid,
        body,
        idempotencyKey: readSubmissionKey(form),
        requestId,
      }
      await retryMerchantCharge(dashboard, request)
      return redirect(`${CHARGES_PATH}/${params.uuid}`, 'debit_retried')
    },
    listFacts: readChargeFacts,
    renderForm: visit => renderCharge(dashboard, visit),
  })
}

async function confirmCancellation(visit: ChargeVisit): Promise<Confirmation | null> {
  const { em, token, params, form, t, f } = visit
  const charge = await requireVisibleCharge(em.fork(), token, params.uuid)
  // The same form once more: what it asked for is done.
  if (charge.state === 'cancelled' && form.has('confirmed')) return null
  if (!chargeMachine.accepts(charge.state, 'cancelled')) fail('charge_not_cancellable')
  const amount = charge.valueCents === 0 ? t('charge.open') : f.money(charge.totalCents)
  return {
    title: t('charge.cancelAsk', { amount }),
    button: t('charge.cancelNow', { amount }),
    facts: [
      { name: 'field.value', value: amount },
      { name: 'field.external_ref', value: charge.externalRef ?? '–' },
      { name: 'field.uuid', value: charge.uuid },
    ],
    means: t(charge.debitOn == null ? 'charge.cancelMeans' : 'debit.cancelMeans'),
    isDangerous: true,
    back: `${CHARGES_PATH}/${charge.uuid}`,
  }
}

async function confirmRetry(visit: ChargeVisit): Promise<Confirmation | null> {
  const { em, token, params, form, t, f } = visit
  const { uuid } = params
  const charge = await requireVisibleCharge(em.fork(), token, uuid)
  const idempotencyKey = readSubmissionKey(form)
  if (await findOrderedRetry(em.fork(), { token, uuid, idempotencyKey })) return null
  const { on } = parseFormFields(retryChargeBody, form)
  const debit = await presentDebit(em.fork(), charge)
  if (!debit || debit.retryDays.length === 0) fail('charge_not_retryable')
  if (!debit.retryDays.includes(on)) failField('on', 'must be one of the choices')
  const gaps = { amount: f.money(charge.totalCents), day: f.date(on) }
  return {
    title: t('debit.retryAsk', gaps),
    button: t('debit.retryNow', gaps),
    facts: [
      { name: 'field.payer', value: charge.debtorName ?? '–' },
      { name: 'field.due_on', value: f.date(debit.dueOn) },
      { name: 'field.on', value: gaps.day },
    ],
    means: t('debit.retryMeans'),
    isDangerous: true,
    back: `${CHARGES_PATH}/${uuid}`,
  }
}

async function confirmRefund(visit: ChargeVisit): Promise<Confirmation | null> {
  const { em, token, params, form, f } = visit
  const idempotencyKey = readSubmissionKey(form)
  if (await isRefundCreated(em, { token, chargeUuid: params.uuid, idempotencyKey })) return null
  const charge = await requireVisibleCharge(em.fork(), token, params.uuid)
  const { description, ...refund } = parseRefund(visit)
  const cents = requireRefundable(charge, refund, f.money)
  return buildReturnConfirmation(visit, {
    cents,
    payer: charge.movement?.sender,
    facts: [
      { name: 'field.external_ref', value: charge.externalRef ?? '–' },
      ...(description ? [{ name: 'field.description', value: description }] : []),
      { name: 'refund.remains', value: f.money(computeRefundableCents(charge) - cents) },
    ],
    back: `${CHARGES_PATH}/${charge.uuid}`,
  })
}

/** Parses the refund's amount, typed or that of the button `whole`: an empty field refunds nothing; and its text for the payer. */
function parseRefund(visit: ChargeVisit) {
  const errors = {}
  const value = readAmount(visit, visit.form.has('whole') ? 'whole' : 'value', errors)
  if (value === undefined && Object.keys(errors).length === 0) failField('value', 'is required')
  return parseFormFields(
    createRefundBody,
    { value, description: visit.form.get('description') ?? '' },
    errors,
  )
}
