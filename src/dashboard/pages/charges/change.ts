import { isDeepStrictEqual } from 'node:util'
import {
  canReviseCharge,
  findOrderedRevision,
  reviseMerchantCharge,
} from '../../../api/operations/charge-revisions.ts'
import { requireVisibleCharge } from '../../../api/operations/charges.ts'
import { showCharge } from '../../../contract/charges/charge.ts'
import {
  type ReviseChargeBody,
  reviseChargeBody,
  showDue,
  toDueTerms,
} from '../../../contract/charges/due.ts'
import type { ReadCharge } from '../../../db/repositories/charges.ts'
import type { DueTerms } from '../../../domain/charges/due-terms.ts'
import { fail, failField } from '../../../http/api-error.ts'
import type { FieldErrors } from '../../../http/validate.ts'
import { parseFormFields, readAmount, readSubmissionKey, readText } from '../../http/form.ts'
import { createPage, redirect } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { encodeFacts } from '../../http/shown-facts.ts'
import { findConnectionMode } from '../connections.ts'
import { CHARGES_PATH, readChargeFacts, renderCharge } from './charges.ts'
import { type DueTable, presentDuePreview, presentDueTable } from './due-facts.ts'
import { DISCOUNT_ROWS, formatAmountText, listDueFieldTexts, readDueFields } from './due-fields.ts'

type ChargeVisit = PageContext<'merchant'>

/** Registers the form that changes what a charge with a due date asks. */
export function registerChargeChange({ get, post, dashboard }: DashboardRouter): void {
  const path = `${CHARGES_PATH}/:uuid/change`
  const listFacts = (visit: ChargeVisit) => readChargeFacts(visit)
  const render = async (visit: ChargeVisit, dueTable: DueTable = null) =>
    renderChangeForm(visit, { dueTable, version: encodeFacts(visit.language, await listFacts(visit)) })

  get('charges.write', path, async visit => {
    const { params } = visit
    return (await findRevisableCharge(visit)) ? render(visit) : redirect(`${CHARGES_PATH}/${params.uuid}`)
  })

  post('charges.write', path, {
    async handle(visit) {
      const { em, token, params, form, requestId } = visit
      if (await isChangeCarriedOut(visit)) return redirect(`${CHARGES_PATH}/${params.uuid}`, 'charge_revised')
      const charge = await requireRevisableCharge(visit)
      const { fields, valueCents } = readChange(visit, charge)
      if (form.has('preview') && !fields.due)
        return render(visit, presentDueTable(visit, charge.due, { cents: valueCents }))
      if (Object.keys(fields).length === 0) failField('value', 'must change, or the due date, or the message')
      const body = parseFormFields(reviseChargeBody, fields)
      if (form.has('preview') && body.due)
        return render(visit, presentDuePreview(visit, body.due, valueCents))
      const idempotencyKey = readSubmissionKey(form)
      const request = { em, token, uuid: params.uuid, body, idempotencyKey, requestId }
      await reviseMerchantCharge(dashboard, request)
      return redirect(`${CHARGES_PATH}/${params.uuid}`, 'charge_revised')
    },
    // A form that was carried out is answered as it was: the charge is no longer as its page showed it.
    listFacts: async visit => ((await findRevisionOfForm(visit)) ? null : listFacts(visit)),
    renderForm: async visit =>
      (await findRevisableCharge(visit)) ? render(visit) : renderCharge(dashboard, visit),
  })
}

async function findRevisableCharge({ em, token, params }: ChargeVisit) {
  const charge = await requireVisibleCharge(em.fork(), token, params.uuid)
  return hasTerms(charge) && (await canReviseCharge(em.fork(), charge)) ? charge : null
}

async function requireRevisableCharge(visit: ChargeVisit) {
  return (await findRevisableCharge(visit)) ?? fail('charge_not_revisable')
}

function hasTerms<Charge extends ReadCharge>(charge: Charge): charge is Charge & { due: DueTerms } {
  return charge.due != null
}

/** Finds the revision that this form has ordered before and that was carried out, or changed nothing; a preview orders none. */
async function findRevisionOfForm({ em, token, params, form }: ChargeVisit) {
  if (form.has('preview')) return null
  const idempotencyKey = readSubmissionKey(form)
  const revision = await findOrderedRevision(em.fork(), { token, uuid: params.uuid, idempotencyKey })
  return revision?.status === 'revised' || revision?.status === 'unchanged' ? revision : null
}

/** Tells whether the form was carried out before as it is now. Fails with 422 where it was with other values. */
async function isChangeCarriedOut(visit: ChargeVisit): Promise<boolean> {
  const revision = await findRevisionOfForm(visit)
  if (!revision) return false
  const { body } = readChangeForm(visit)
  const { value, due, message = revision.message } = body
  const isSame =
    value === revision.valueCents &&
    revision.due != null &&
    hasSameTerms(due, revision.due) &&
    message === revision.message
  return isSame || fail('idempotency_key_reused', { isFinalForKey: true })
}

/** Reads the form as the fields of PATCH /payments/{uuid}. */
function readChangeForm(visit: ChargeVisit) {
  const errors: FieldErrors = {}
  const fields = {
    value: readAmount(visit, 'value', errors),
    due: readDueFields(visit, errors),
    message: readText(visit.form, 'message'),
  }
  return { fields, body: parseFormFields(reviseChargeBody, fields, errors) }
}

function hasSameTerms(due: ReviseChargeBody['due'], terms: DueTerms): boolean {
  return !due || isDeepStrictEqual(showDue(toDueTerms(due)), showDue(terms))
}

/**
 * Reads what differs from the charge, as the fields of PATCH /payments/{uuid}, and the value that the charge would have. An unchanged due day
 * that is over would be refused.
 */
function readChange(visit: ChargeVisit, charge: ReadCharge & { due: DueTerms }) {
  const { fields, body } = readChangeForm(visit)
  const { value, due, message } = body
  const isEmptied = visit.form.has('message') && message === undefined
  if (isEmptied && charge.message) failField('message', 'cannot be removed')
  const changed = {
    ...(value !== charge.valueCents && { value: fields.value }),
    ...(!hasSameTerms(due, charge.due) && { due: fields.due }),
    ...(message !== undefined && message !== charge.message && { message: fields.message }),
  }
  return { fields: changed, valueCents: value ?? charge.valueCents }
}

async function renderChangeForm(
  visit: ChargeVisit,
  { dueTable, version }: { dueTable: DueTable; version: string },
) {
  const charge = await requireRevisableCharge(visit)
  const { uuid, valueCents, message, due } = charge
  const back = `${CHARGES_PATH}/${uuid}`
  const model = {
    charge: showCharge(charge, charge.refunds),
    mode: await findConnectionMode(visit.em.fork(), charge.connection.uuid),
    values: {
      value: formatAmountText(valueCents, visit.language),
      message: message ?? '',
      ...listDueFieldTexts(showDue(due), visit.language),
    },
    discountRows: DISCOUNT_ROWS,
    dueTable,
    version,
    back,
  }
  return createPage('charge-change', model, `${back}/change`)
}
