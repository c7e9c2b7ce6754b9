import { cancelMerchantCharge, listCharges, requireVisibleCharge } from '../../api/operations/charges.ts'
import { createChargeRefund, listRefunds } from '../../api/operations/refunds.ts'
import { chargesQuery, showCharge } from '../../contract/charges/charge.ts'
import { createRefundBody } from '../../contract/refunds/refund.ts'
import type { ReadCharge } from '../../db/repositories/charges.ts'
import { chargeMachine } from '../../domain/charges/charge.ts'
import { computeRefundableCents, refundErrorCodeOf } from '../../domain/refunds/refund.ts'
import { PAYMENT_STATUSES } from '../../domain/shared/payment-status.ts'
import { fail, failField } from '../../http/api-error.ts'
import { renderQrSvg } from '../../views/qr-code.ts'
import { AMOUNT_FORMAT_MESSAGE, normalizeAmount, parseFormFields, readSubmissionKey } from '../http/form.ts'
import { createPage, redirect } from '../http/page.ts'
import type { DashboardRouter, PageContext } from '../http/router.ts'
import type { Language } from '../i18n/translator.ts'
import { findConnectionMode, listConnections, restrictToOneMode } from './connections.ts'
import { listByFilters } from './filtered-list.ts'

const PATH = '/dashboard/charges'
const MAX_REFUNDS = 100

export function registerChargePages({ get, post, dashboard }: DashboardRouter): void {
  get('merchant', PATH, async visit => {
    const { em } = visit
    const { token, modes } = await restrictToOneMode(visit)
    const list = await listByFilters(visit, chargesQuery, query => listCharges(em, token, query))
    const connections = await listConnections(em, token)
    const rows = list.rows.map(showCharge)
    const model = { ...list, rows, connections, statuses: PAYMENT_STATUSES, moves: list.rows.some(isMoving) }
    return createPage('charges', { ...model, mode: token.mode, modes })
  })

  get('merchant', `${PATH}/:uuid`, renderCharge)

  get('merchant', `${PATH}/:uuid/qr.svg`, async ({ em, token, params }) => {
    const { payload } = await requireVisibleCharge(em, token, params.uuid)
    return { kind: 'file', type: 'image/svg+xml', body: renderQrSvg(payload ?? fail('not_found')) }
  })

  post('merchant', `${PATH}/:uuid/cancel`, {
    async handle({ em, token, params }) {
      await cancelMerchantCharge(dashboard.temporal, { em, token, uuid: params.uuid })
      return redirect(`${PATH}/${params.uuid}`, 'charge_cancelled')
    },
    renderForm: renderCharge,
  })

  post('merchant', `${PATH}/:uuid/refund`, {
    async handle({ em, token, params, form, language, requestId }) {
      const chargeUuid = params.uuid
      const value = parseRefundAmount(form.get('value'), language)
      const body = parseFormFields(createRefundBody, { value })
      const request = { em, token, body, idempotencyKey: readSubmissionKey(form), requestId, chargeUuid }
      await createChargeRefund(dashboard.temporal, request)
      return redirect(`${PATH}/${chargeUuid}`, 'refund_accepted')
    },
    renderForm: renderCharge,
  })
}

/** Renders a charge with its history, its refunds and the actions possible now. */
async function renderCharge(visit: PageContext<'merchant'>) {
  const { token, params } = visit
  const em = visit.em.fork()
  const row = await requireVisibleCharge(em, token, params.uuid)
  const refunds = await listRefunds(em, token, row.uuid, { page: 1, per_page: MAX_REFUNDS })
  const model = {
    charge: showCharge(row),
    mode: await findConnectionMode(em, row.connection.uuid),
    refunds: refunds.data.map(({ refund }) => refund),
    isIssued: row.payload !== null,
    isPayable: chargeMachine.accepts(row.state, 'cancelled'),
    whyNotRefundable: refundErrorCodeOf(row, new Date()),
    refundable: computeRefundableCents(row),
    moves: isMoving(row),
  }
  return createPage('charge', model, `${PATH}/${row.uuid}`)
}

function isMoving({ state }: ReadCharge): boolean {
  return !chargeMachine.isFinal(state) || state === 'refunding'
}

/** Parses a refund amount; empty means the whole remainder. */
function parseRefundAmount(text: string | null, language: Language): number | undefined {
  const amount = normalizeAmount(text ?? '', language) ?? failField('value', AMOUNT_FORMAT_MESSAGE)
  return amount === '' ? undefined : Number(amount)
}
