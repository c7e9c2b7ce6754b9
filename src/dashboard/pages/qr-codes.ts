import { mapPage } from '../../api/operations/pagination.ts'
import {
  createQrCode,
  disableQrCode,
  listQrCodePayments,
  listQrCodes,
  requireVisibleQrCode,
} from '../../api/operations/qr-codes.ts'
import { showCharge } from '../../contract/charges/charge.ts'
import { createQrCodeBody, qrCodesQuery, showQrCode } from '../../contract/qr-codes/qr-code.ts'
import type { CsvColumns } from '../../contract/shared/csv.ts'
import type { QrCode } from '../../db/entities/qr-code.ts'
import { readReceiverName } from '../../db/repositories/connections.ts'
import { QR_CODE_PAYMENT_POLICIES, QR_CODE_STATUSES } from '../../domain/qr-codes/qr-code.ts'
import type { FieldErrors } from '../../http/validate.ts'
import { renderQrPng, renderQrSvg } from '../../views/qr-code.ts'
import type { Confirmation } from '../http/confirmation.ts'
import { parseFormFields, readAmount, readSubmissionKey, readText } from '../http/form.ts'
import { createPage, redirect } from '../http/page.ts'
import type { PageContext } from '../http/page-context.ts'
import type { DashboardRouter } from '../http/router.ts'
import type { ShownFact } from '../http/shown-facts.ts'
import { encodeFacts } from '../http/shown-facts.ts'
import { registerAccountList } from './account-list.ts'
import { findConnectionMode, listAccountModes, listConnections, tokenWithMode } from './connections.ts'
import { loadRelated } from './related.ts'

const PATH = '/dashboard/qr-codes'
/** Charges that the page of a code shows; the list of charges has all. */
const SHOWN_PAYMENTS = 10

type MerchantVisit = PageContext<'merchant'>

/** Columns of the list as CSV. */
const QR_CODE_COLUMNS: CsvColumns<ReturnType<typeof showQrCode>> = {
  created_at: code => code.created_at,
  status: code => code.status,
  value: code => code.value,
  fees: code => code.fees,
  total_value: code => code.total_value,
  reference: code => code.reference,
  description: code => code.description,
  external_ref: code => code.external_ref,
  received_count: code => code.received.count,
  received_value: code => code.received.value,
  payload: code => code.payload,
  provider: code => code.provider.provider,
  provider_uuid: code => code.provider.uuid,
  uuid: code => code.uuid,
}

export function registerQrCodePages(router: DashboardRouter): void {
  const { get, post } = router
  registerAccountList(router, {
    name: 'qr-codes',
    path: PATH,
    schema: qrCodesQuery,
    columns: QR_CODE_COLUMNS,
    list: async ({ em, token }, query) => mapPage(await listQrCodes(em.fork(), token, query), showQrCode),
    present: () => ({ statuses: QR_CODE_STATUSES }),
  })

  // Before the pages of a code: `new` is no identifier.
  get('charges.write', `${PATH}/new`, renderQrCodeForm)
  post('charges.write', `${PATH}/new`, {
    async handle(visit) {
      const { em, form, requestId } = visit
      const errors: FieldErrors = {}
      const body = parseFormFields(createQrCodeBody, readQrCodeFields(visit, errors), errors)
      const token = await tokenWithMode(visit)
      const idempotencyKey = readSubmissionKey(form)
      const created = await createQrCode({ em, token, body, idempotencyKey, requestId })
      return redirect(`${PATH}/${created.body.data.uuid}`, 'qr_code_created')
    },
    renderForm: renderQrCodeForm,
  })

  get('money.read', `${PATH}/:uuid`, renderQrCode)

  for (const [name, type, render] of [
    ['qr.svg', 'image/svg+xml', renderQrSvg],
    ['qr.png', 'image/png', renderQrPng],
  ] as const)
    get('money.read', `${PATH}/:uuid/${name}`, async ({ em, token, params }) => {
      const { payload } = await requireVisibleQrCode(em, token, params.uuid)
      return { kind: 'file', type, body: render(payload) }
    })

  /** The card that a merchant prints for the counter. */
  get('money.read', `${PATH}/:uuid/card`, async ({ em, token, params }) => {
    const code = await requireVisibleQrCode(em, token, params.uuid)
    const back = `${PATH}/${code.uuid}`
    const model = {
      code: showQrCode(code),
      receiver: await readReceiverName(em.fork(), code.connection, code.accountUuid),
      mode: await findConnectionMode(em, code.connection.uuid),
      back,
    }
    return createPage('qr-code-card', model, `${back}/card`)
  })

  post('charges.write', `${PATH}/:uuid/disable`, {
    confirm: confirmDisabling,
    async handle({ em, token, params }) {
      await disableQrCode(em, token, params.uuid)
      return redirect(`${PATH}/${params.uuid}`, 'qr_code_disabled')
    },
    async listFacts(visit) {
      const code = await requireVisibleQrCode(visit.em.fork(), visit.token, visit.params.uuid)
      return listQrCodeFacts(visit, code)
    },
    renderForm: renderQrCode,
  })
}

/** Reads the fields of the form as the body of POST /qr-codes. */
function readQrCodeFields(visit: MerchantVisit, errors: FieldErrors) {
  const { form } = visit
  return {
    value: readText(form, 'value') === undefined ? 0 : readAmount(visit, 'value', errors),
    reference: readText(form, 'reference'),
    description: readText(form, 'description'),
    external_ref: readText(form, 'external_ref'),
    provider_uuid: readText(form, 'provider_uuid'),
    on_payment: form.get('on_payment') ?? undefined,
  }
}

async function renderQrCodeForm(visit: MerchantVisit) {
  const token = await tokenWithMode(visit)
  const model = {
    connections: await listConnections(visit.em, { ...token, modeScope: token.mode }),
    modes: await listAccountModes(visit),
    mode: token.mode,
    policies: QR_CODE_PAYMENT_POLICIES,
  }
  return createPage('qr-code-form', model, `${PATH}/new`)
}

/** Renders a code with its totals and its newest charges. */
async function renderQrCode(visit: MerchantVisit) {
  const { em, token, params } = visit
  const code = await requireVisibleQrCode(em.fork(), token, params.uuid)
  const { uuid } = code
  const query = { per_page: SHOWN_PAYMENTS, cursor: '', time_zone: 'UTC' }
  const payments = await listQrCodePayments(em.fork(), token, { uuid, query })
  const model = {
    code: showQrCode(code),
    payments: payments.data.map(charge => showCharge(charge, charge.refunds)),
    mode: await findConnectionMode(em, code.connection.uuid),
    related: await loadRelated(visit, { uuid, ledgerUuid: null, actionSubjects: [`qr-code/${uuid}`] }),
    version: encodeFacts(visit.language, listQrCodeFacts(visit, code)),
  }
  return createPage('qr-code', model, `${PATH}/${uuid}`)
}

/** Lists what the form of a code's page depends on. */
function listQrCodeFacts({ t }: MerchantVisit, { status }: QrCode): ShownFact[] {
  return [{ name: 'field.status', value: t(`status.${status}`) }]
}

async function confirmDisabling(visit: MerchantVisit): Promise<Confirmation | null> {
  const { em, token, params, form, t, f } = visit
  const code = showQrCode(await requireVisibleQrCode(em.fork(), token, params.uuid))
  // The same form once more: what it asked for is done.
  if (code.status === 'DISABLED' && form.has('confirmed')) return null
  return {
    title: t('qrCode.disableAsk', { reference: code.reference }),
    button: t('qrCode.disableNow'),
    facts: [
      { name: 'field.value', value: code.value === 0 ? t('charge.open') : f.money(code.total_value) },
      { name: 'field.reference', value: code.reference },
      { name: 'field.on_payment', value: t(`qrCode.${code.on_payment}`) },
    ],
    means: t('qrCode.disableMeans'),
    isDangerous: true,
    back: `${PATH}/${params.uuid}`,
  }
}
