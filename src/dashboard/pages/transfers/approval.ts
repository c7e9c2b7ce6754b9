import { decideTransfer } from '../../../api/operations/transfer-approvals.ts'
import { requireVisibleTransfer } from '../../../api/operations/transfers.ts'
import { rejectTransferBody } from '../../../contract/transfers/approval.ts'
import { type ApprovalVerdict, findPersonRole } from '../../../domain/approvals/approval.ts'
import { fail } from '../../../http/api-error.ts'
import type { Confirmation } from '../../http/confirmation.ts'
import { parseFormFields, readText } from '../../http/form.ts'
import { redirect } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { listReceiverFacts } from './receiver.ts'
import { readTransferFacts, renderTransfer, TRANSFERS_PAGE_PATH } from './transfers.ts'

type TransferVisit = PageContext<'merchant'>

/** Registers the forms by which a user approves or rejects a transfer that another person has ordered. */
export function registerTransferApprovalForms({ post, dashboard }: DashboardRouter): void {
  const decide = async ({ em, token, params }: TransferVisit, verdict: ApprovalVerdict, reason?: string) => {
    const { uuid } = params
    await decideTransfer(dashboard, { em, token, uuid, verdict, ...(reason && { reason }) })
    return redirect(`${TRANSFERS_PAGE_PATH}/${uuid}`, `transfer_${verdict}`)
  }

  post('transfers.write', `${TRANSFERS_PAGE_PATH}/:uuid/approve`, {
    confirm: visit => confirmVerdict(visit, 'approve'),
    handle: visit => decide(visit, 'approve'),
    listFacts: readTransferFacts,
    renderForm: renderTransfer,
  })

  post('transfers.write', `${TRANSFERS_PAGE_PATH}/:uuid/reject`, {
    confirm: visit => confirmVerdict(visit, 'reject', parseReason(visit)),
    handle: visit => decide(visit, 'reject', parseReason(visit)),
    listFacts: readTransferFacts,
    renderForm: renderTransfer,
  })
}

function parseReason({ form }: TransferVisit): string {
  return parseFormFields(rejectTransferBody, { reason: readText(form, 'reason') }, {}).reason
}

async function confirmVerdict(
  visit: TransferVisit,
  verdict: ApprovalVerdict,
  reason?: string,
): Promise<Confirmation | null> {
  const { em, token, params, session, form, t, f } = visit
  const transfer = await requireVisibleTransfer(em.fork(), token, params.uuid)
  const { state, approval, uuid, valueCents, externalRef } = transfer
  if (!approval) fail('not_waiting_for_approval')
  const role = findPersonRole(approval, session.user.email)
  // The same form once more: what it asked for is done.
  if (role === verdict && form.has('confirmed')) return null
  if (role === 'maker') fail('approver_is_maker')
  if (state !== 'held' || role === verdict) fail('not_waiting_for_approval')
  const gaps = { amount: f.money(valueCents) }
  return {
    title: t(`approvals.ask.${verdict}`, gaps),
    button: t(`approvals.now.${verdict}`, gaps),
    facts: [
      ...listReceiverFacts(visit, transfer),
      { name: 'field.value', value: gaps.amount },
      { name: 'field.external_ref', value: externalRef ?? '–' },
      { name: 'approvals.maker', value: approval.maker },
      ...(reason ? [{ name: 'field.reason', value: reason }] : []),
    ],
    means: t(`approvals.means.${verdict}`),
    isDangerous: verdict === 'reject',
    back: `${TRANSFERS_PAGE_PATH}/${uuid}`,
  }
}
