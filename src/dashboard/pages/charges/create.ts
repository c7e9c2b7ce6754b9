import { createCharge } from '../../../api/operations/charges.ts'
import { createChargeBody } from '../../../contract/charges/charge.ts'
import { Connection } from '../../../db/entities/connection.ts'
import { DOCUMENT_MATCHES, PAYER_KINDS } from '../../../domain/charges/payer-restriction.ts'
import { NO_FEES } from '../../../domain/ledger/money.ts'
import type { FieldErrors } from '../../../http/validate.ts'
import {
  parseFormFields,
  readAmount,
  readMetadata,
  readNamedTexts,
  readSubmissionKey,
  readText,
} from '../../http/form.ts'
import { createPage, redirect } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { listAccountModes, listConnections, tokenWithMode } from '../connections.ts'
import { CHARGES_PATH } from './charges.ts'
import { type DueTable, presentDuePreview } from './due-facts.ts'
import {
  DEFAULT_PAYABLE_DAYS,
  DISCOUNT_ROWS,
  hasDueFields,
  readAddressFields,
  readDueFields,
} from './due-fields.ts'
import { presentSplitFields, readSplitFields } from './split-fields.ts'

const PATH = `${CHARGES_PATH}/new`

/** Validity of a charge that the form offers, in seconds: from a customer at the counter to an invoice. */
const VALIDITIES = {
  minutes: 900,
  hour: 3_600,
  day: 86_400,
  days: 259_200,
  week: 604_800,
  month: 2_592_000,
}

const PAYER_FIELDS = [
  'debtor.name',
  'debtor.document',
  'debtor.email',
  'debtor.address.street',
  'payer_kind',
  'match',
]

/** Registers the form that creates a charge. */
export function registerChargeForm({ get, post, dashboard }: DashboardRouter): void {
  get('charges.write', PATH, visit => renderChargeForm(visit))

  post('charges.write', PATH, {
    async handle(visit) {
      const { em, form, requestId } = visit
      // Without JavaScript, one more row of the splits is a page of its own.
      if (form.has('more')) return renderChargeForm(visit)
      const errors: FieldErrors = {}
      const body = parseFormFields(createChargeBody, readChargeFields(visit, errors), errors)
      if (form.has('preview') && body.due)
        return renderChargeForm(visit, presentDuePreview(visit, body.due, body.value))
      const token = await tokenWithMode(visit)
      const idempotencyKey = readSubmissionKey(form)
      const created = await createCharge(dashboard, { em, token, body, idempotencyKey, requestId })
      return redirect(`${CHARGES_PATH}/${created.body.data.uuid}/counter`)
    },
    renderForm: visit => renderChargeForm(visit),
  })
}

/** Reads the fields of the form as the body of POST /payments. */
function readChargeFields(visit: PageContext<'merchant'>, errors: FieldErrors) {
  const { form } = visit
  const beneficiary = {
    name: readText(form, 'final_beneficiary.name'),
    document: readText(form, 'final_beneficiary.document'),
  }
  const debtor = {
    name: readText(form, 'debtor.name'),
    document: readText(form, 'debtor.document'),
    email: readText(form, 'debtor.email'),
    address: readAddressFields(form),
  }
  const due = readDueFields(visit, errors)
  return {
    type: 'PIX',
    value: readAmount(visit, 'value', errors),
    external_ref: readText(form, 'external_ref'),
    provider_uuid: readText(form, 'provider_uuid'),
    expires_in: due ? undefined : Number(form.get('expires_in')),
    due,
    message: readText(form, 'message'),
    additional_info: readNamedTexts(form, 'additional_info', errors),
    metadata: readMetadata(form, errors),
    debtor: Object.values(debtor).some(Boolean) ? debtor : undefined,
    verify_sender: form.get('verify_sender') === 'yes' ? true : undefined,
    payer_kind: readText(form, 'payer_kind'),
    match: readText(form, 'match'),
    final_beneficiary: beneficiary.name || beneficiary.document ? beneficiary : undefined,
    splits: readSplitFields(visit, errors),
  }
}

/** Lists what the payer of a charge pays on top of its value at each provider; empty where none has a fee. */
async function listPayerFees(
  { em, t, f }: PageContext<'merchant'>,
  connections: { uuid: string }[],
): Promise<string[]> {
  const rows = await em.fork().find(Connection, { uuid: connections.map(({ uuid }) => uuid) })
  const isFree = rows.every(({ fees }) => f.fee(fees.charge) === f.fee(NO_FEES.charge))
  if (isFree) return []
  return connections.flatMap(({ uuid }) => {
    const row = rows.find(one => one.uuid === uuid)
    return row ? [`${t(`provider.${row.provider}`)}: ${f.fee(row.fees.charge)}`] : []
  })
}

/** Renders the form, with what a charge of its fields would cost on which day. */
async function renderChargeForm(visit: PageContext<'merchant'>, dueTable: DueTable = null) {
  const { form } = visit
  const token = await tokenWithMode(visit)
  const connections = await listConnections(visit.em, { ...token, modeScope: token.mode })
  const model = {
    connections,
    payerFees: await listPayerFees(visit, connections),
    modes: await listAccountModes(visit),
    mode: token.mode,
    validities: VALIDITIES,
    ...presentSplitFields(form),
    hasPayerFields:
      form.get('verify_sender') === 'yes' || PAYER_FIELDS.some(name => Boolean(readText(form, name))),
    payerKinds: PAYER_KINDS,
    documentMatches: DOCUMENT_MATCHES,
    hasDue: hasDueFields(form),
    discountRows: DISCOUNT_ROWS,
    defaultPayableDays: DEFAULT_PAYABLE_DAYS,
    dueTable,
  }
  return createPage('charge-form', model, PATH)
}
