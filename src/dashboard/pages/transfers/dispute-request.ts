import {
  createDisputeRequest,
  isDisputeRequested,
  validateDisputeRequest,
} from '../../../api/operations/dispute-requests.ts'
import { requestDisputeBody } from '../../../contract/disputes/dispute.ts'
import type { Confirmation } from '../../http/confirmation.ts'
import { parseFormFields, readSubmissionKey, readText } from '../../http/form.ts'
import { redirect } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { DISPUTES_PAGE_PATH } from '../disputes.ts'
import { listReceiverFacts } from './receiver.ts'
import { readTransferFacts, renderTransfer, TRANSFERS_PAGE_PATH } from './transfers.ts'

type TransferVisit = PageContext<'merchant'>

/** Registers the form that asks for the money of a transfer back, after a confirmation that names its receiver. */
export function registerDisputeRequest({ post, dashboard }: DashboardRouter): void {
  post('disputes.write', `${TRANSFERS_PAGE_PATH}/:uuid/dispute`, {
    confirm: confirmRequest,
    async handle(visit) {
      const { em, token, form, requestId } = visit
      const request = {
        em,
        token,
        body: parseRequest(visit),
        idempotencyKey: readSubmissionKey(form),
        requestId,
      }
      const requested = await createDisputeRequest(dashboard, request)
      return redirect(`${DISPUTES_PAGE_PATH}/${requested.body.data.uuid}`, 'dispute_requested')
    },
    listFacts: readTransferFacts,
    renderForm: renderTransfer,
  })
}

async function confirmRequest(visit: TransferVisit): Promise<Confirmation | null> {
  const { em, token, form, params, t, f } = visit
  if (await isDisputeRequested(em.fork(), { token, idempotencyKey: readSubmissionKey(form) })) return null
  // A transfer that the person may not see is absent, whatever the form says.
  const transfer = await validateDisputeRequest({ em: em.fork(), token }, params.uuid)
  const { dispute_type: type } = parseRequest(visit)
  const gaps = { amount: f.money(transfer.valueCents) }
  return {
    title: t('dispute.askTitle', gaps),
    button: t('dispute.askNow', gaps),
    facts: [
      ...listReceiverFacts(visit, transfer),
      { name: 'field.value', value: gaps.amount },
      { name: 'field.dispute_type', value: t(`dispute.${type}`) },
    ],
    means: t('dispute.askMeans'),
    isDangerous: true,
    back: `${TRANSFERS_PAGE_PATH}/${transfer.uuid}`,
  }
}

/** Parses the form as the body of POST /meds. */
function parseRequest({ form, params }: TransferVisit) {
  const fields = {
    transfer_uuid: params.uuid,
    dispute_type: readText(form, 'dispute_type'),
    details: readText(form, 'details')?.replaceAll('\r\n', '\n'),
  }
  return parseFormFields(requestDisputeBody, fields, {})
}
