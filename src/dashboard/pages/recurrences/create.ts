import { createRecurrence } from '../../../api/operations/recurrences.ts'
import { createRecurrenceBody } from '../../../contract/recurrences/recurrence.ts'
import { CHARGE_GENERATIONS, FREQUENCIES, RETRY_POLICIES } from '../../../domain/recurrences/recurrence.ts'
import { computeBrasiliaDay, computeBrasiliaDayEnd } from '../../../domain/shared/brasilia-day.ts'
import type { FieldErrors } from '../../../http/validate.ts'
import { parseFormFields, readAmount, readMetadata, readSubmissionKey, readText } from '../../http/form.ts'
import { createPage, redirect } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { presentSplitFields, readSplitFields } from '../charges/split-fields.ts'
import { listAccountModes, listConnections, tokenWithMode } from '../connections.ts'
import { RECURRENCES_PAGE_PATH } from './recurrences.ts'

const PATH = `${RECURRENCES_PAGE_PATH}/new`

/** Journeys that the form offers: the others have a first charge. */
const OFFERED_JOURNEYS = ['QR', 'REQUEST'] as const

/** Registers the form that creates a recurrence. */
export function registerRecurrenceForm({ get, post, dashboard }: DashboardRouter): void {
  get('charges.write', PATH, renderRecurrenceForm)

  post('charges.write', PATH, {
    async handle(visit) {
      const { em, form, requestId } = visit
      // Without JavaScript, one more row of the splits is a page of its own.
      if (form.has('more')) return renderRecurrenceForm(visit)
      const errors: FieldErrors = {}
      const body = parseFormFields(createRecurrenceBody, readRecurrenceFields(visit, errors), errors)
      const token = await tokenWithMode(visit)
      const request = { em, token, body, idempotencyKey: readSubmissionKey(form), requestId }
      const created = await createRecurrence(dashboard, request)
      return redirect(`${RECURRENCES_PAGE_PATH}/${created.body.data.uuid}`, 'recurrence_created')
    },
    renderForm: renderRecurrenceForm,
  })
}

/** Reads the fields of the form as the body of POST /recurrences. */
function readRecurrenceFields(visit: PageContext<'merchant'>, errors: FieldErrors) {
  const { form } = visit
  const account = {
    ispb: readText(form, 'payer_account.ispb'),
    agency: readText(form, 'payer_account.agency'),
    account: readText(form, 'payer_account.account'),
  }
  const requestEnd = readText(form, 'request_expires_at')
  const daysBefore = readText(form, 'days_before')
  return {
    value: readAmount(visit, 'value', errors),
    minimum_value: readAmount(visit, 'minimum_value', errors),
    frequency: form.get('frequency') ?? undefined,
    starts_on: readText(form, 'starts_on'),
    ends_on: readText(form, 'ends_on'),
    contract: readText(form, 'contract'),
    subject: readText(form, 'subject'),
    debtor: {
      name: readText(form, 'debtor.name'),
      document: readText(form, 'debtor.document')?.replaceAll(/[.\-/\s]/g, ''),
    },
    retry_policy: form.get('retry_policy') ?? undefined,
    journey: form.get('journey') ?? undefined,
    payer_account: Object.values(account).some(Boolean) ? account : undefined,
    request_expires_at: requestEnd && readDayEnd(requestEnd),
    generate: readText(form, 'generate'),
    days_before: daysBefore === undefined ? undefined : Number(daysBefore),
    splits: readSplitFields(visit, errors),
    external_ref: readText(form, 'external_ref'),
    metadata: readMetadata(form, errors),
    provider_uuid: readText(form, 'provider_uuid'),
  }
}

/** Reads a day as its end in Brasília; what is no day stays as it is. */
function readDayEnd(text: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))
    ? computeBrasiliaDayEnd(text).toISOString()
    : text
}

async function renderRecurrenceForm(visit: PageContext<'merchant'>) {
  const token = await tokenWithMode(visit)
  const model = {
    connections: await listConnections(visit.em, { ...token, modeScope: token.mode }),
    modes: await listAccountModes(visit),
    mode: token.mode,
    today: computeBrasiliaDay(new Date()),
    frequencies: FREQUENCIES,
    journeys: OFFERED_JOURNEYS,
    retryPolicies: RETRY_POLICIES,
    generations: CHARGE_GENERATIONS,
    ...presentSplitFields(visit.form),
    hasRequest: ['payer_account.ispb', 'payer_account.account', 'request_expires_at'].some(name =>
      readText(visit.form, name),
    ),
  }
  return createPage('recurrence-form', model, PATH)
}
