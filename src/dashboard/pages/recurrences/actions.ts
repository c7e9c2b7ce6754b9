import {
  cancelMerchantRecurrence,
  chargeRecurrence,
  isCycleChargeCreated,
  requireVisibleRecurrence,
  validateCycleCharge,
} from '../../../api/operations/recurrences.ts'
import { chargeRecurrenceBody } from '../../../contract/recurrences/recurrence.ts'
import { recurrenceMachine } from '../../../domain/recurrences/recurrence.ts'
import { fail } from '../../../http/api-error.ts'
import type { FieldErrors } from '../../../http/validate.ts'
import type { Confirmation } from '../../http/confirmation.ts'
import { parseFormFields, readAmount, readSubmissionKey, readText } from '../../http/form.ts'
import { redirect } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { CHARGES_PATH } from '../charges/charges.ts'
import { RECURRENCES_PAGE_PATH, readRecurrenceFacts, renderRecurrence } from './recurrences.ts'

/** Cancels a recurrence, and debits its payer for a cycle, each after a confirmation that names the payer. */

type RecurrenceVisit = PageContext<'merchant'>

export function registerRecurrenceActions({ post, dashboard }: DashboardRouter): void {
  post('charges.write', `${RECURRENCES_PAGE_PATH}/:uuid/cancel`, {
    confirm: confirmCancellation,
    async handle({ em, token, params: { uuid } }) {
      const { row } = await requireVisibleRecurrence(em.fork(), token, uuid)
      if (row.state !== 'cancelled') await cancelMerchantRecurrence(dashboard.temporal, { em, token, uuid })
      return redirect(`${RECURRENCES_PAGE_PATH}/${uuid}`, 'recurrence_cancelled')
    },
    listFacts: readRecurrenceFacts,
    renderForm: renderRecurrence,
  })

  post('charges.write', `${RECURRENCES_PAGE_PATH}/:uuid/charge`, {
    confirm: confirmCharge,
    async handle(visit) {
      const { em, token, params, form, requestId } = visit
      const request = {
        em,
        token,
        body: parseCharge(visit),
        idempotencyKey: readSubmissionKey(form),
        requestId,
      }
      const created = await chargeRecurrence(dashboard, { ...request, uuid: params.uuid })
      return redirect(`${CHARGES_PATH}/${created.body.data.uuid}`, 'debit_created')
    },
    listFacts: readRecurrenceFacts,
    renderForm: renderRecurrence,
  })
}

async function confirmCancellation(visit: RecurrenceVisit): Promise<Confirmation | null> {
  const { em, token, params, form, t } = visit
  const { row } = await requireVisibleRecurrence(em.fork(), token, params.uuid)
  // The same form once more: what it asked for is done.
  if (row.state === 'cancelled' && form.has('confirmed')) return null
  if (!recurrenceMachine.accepts(row.state, 'cancelled')) fail('recurrence_not_cancellable')
  return {
    title: t('recurrence.cancelAsk', { payer: row.debtorName }),
    button: t('recurrence.cancelNow'),
    facts: [
      { name: 'field.payer', value: row.debtorName },
      { name: 'field.contract', value: row.contract },
      { name: 'field.uuid', value: row.uuid },
    ],
    means: t('recurrence.cancelMeans'),
    isDangerous: true,
    back: `${RECURRENCES_PAGE_PATH}/${row.uuid}`,
  }
}

async function confirmCharge(visit: RecurrenceVisit): Promise<Confirmation | null> {
  const { em, token, params, form, t, f } = visit
  const { uuid } = params
  const { row } = await requireVisibleRecurrence(em.fork(), token, uuid)
  const idempotencyKey = readSubmissionKey(form)
  if (await isCycleChargeCreated(em.fork(), { token, uuid, idempotencyKey })) return null
  const body = parseCharge(visit)
  const { valueCents, feeCents, dueOn, cycle } = await validateCycleCharge(
    { em: em.fork(), token },
    { uuid, body },
  )
  const gaps = { amount: f.money(valueCents + feeCents), payer: row.debtorName }
  return {
    title: t('recurrence.chargeAsk', gaps),
    button: t('recurrence.chargeNow', gaps),
    facts: [
      { name: 'field.payer', value: row.debtorName },
      { name: 'field.document', value: f.document(row.debtorDocument) },
      { name: 'field.due_on', value: f.date(dueOn) },
      { name: 'recurrence.cycle', value: f.number(cycle) },
      { name: 'field.contract', value: row.contract },
    ],
    means: t('recurrence.chargeMeans'),
    isDangerous: true,
    back: `${RECURRENCES_PAGE_PATH}/${uuid}`,
  }
}

/** Parses the form as the body of POST /recurrences/{uuid}/charges. */
function parseCharge(visit: RecurrenceVisit) {
  const { form } = visit
  const errors: FieldErrors = {}
  const fields = {
    value: readAmount(visit, 'value', errors),
    due_on: readText(form, 'due_on'),
    message: readText(form, 'message'),
    external_ref: readText(form, 'external_ref'),
  }
  return parseFormFields(chargeRecurrenceBody, fields, errors)
}
