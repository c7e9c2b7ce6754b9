import { readAccountOptions } from '../../account-options.ts'
import type { SimulatedDispute } from '../../disputes.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { SimulatorState } from '../../state.ts'
import * as presenters from './dispute-presenters.ts'
import * as errors from './errors.ts'
import { findWooviFile } from './files.ts'
import { buildWooviListPage } from './list-page.ts'
import { evidenceBody, parseWooviBody } from './schemas.ts'

type WooviDisputeHandlers = Record<
  'list' | 'show' | 'addEvidence' | 'showRecovery' | 'listByRecovery' | 'listReports' | 'listSolicitations',
  (call: SimulatedCall) => SimulatedResponse
>

/**
 * Creates the handlers of `/dispute`, which find a dispute by its PIX, and of its funds recovery, `/funds-recovery`. Evidence
 * is sent by the dispute's id.
 */
export function createWooviDisputeHandlers(state: SimulatorState): WooviDisputeHandlers {
  const { disputes, now, store } = state
  const respondWithDispute = (
    { account, params }: SimulatedCall,
    present: (dispute: SimulatedDispute) => object,
    buildAbsence: () => SimulatedResponse,
  ): SimulatedResponse => {
    const dispute = disputes.find(account.id, params.id!)
    return dispute ? { status: 200, body: present(dispute) } : buildAbsence()
  }

  const respondWithRecovery = (
    call: SimulatedCall,
    present: (dispute: SimulatedDispute) => object,
  ): SimulatedResponse => {
    const { funds_recovery: recovery } = readAccountOptions(call.account)
    if (recovery === 'refused') return errors.recoveryScopeMissing()
    if (recovery === 'absent') return errors.recoveryNotFound()
    return respondWithDispute(call, present, errors.recoveryNotFound)
  }

  return {
    list: call =>
      buildWooviListPage(call, {
        field: 'disputes',
        between: range => disputes.listBetween(call.account.id, range),
        present: presenters.presentListedDispute,
      }),
    show: call => {
      const dispute = disputes.find(call.account.id, call.params.id!)
      const isFound =
        readAccountOptions(call.account).finds_dispute_by_id || dispute?.endToEnd === call.params.id
      return dispute && isFound
        ? { status: 200, body: { dispute: presenters.presentWooviDispute(dispute) } }
        : errors.disputeNotFound()
    },
    /** Adds evidence, as often as the caller likes before the deadline; Woovi has no field for agreement. */
    addEvidence: ({ account, params, body }) => {
      const parsed = parseWooviBody(evidenceBody, body)
      if ('refusal' in parsed) return parsed.refusal
      const { documents } = parsed.value
      const fileIds = documents.flatMap(({ fileId }) => fileId ?? [])
      if (fileIds.some(id => !findWooviFile(store, account.id, id))) return errors.evidenceFileUnknown()
      const text = documents.map(({ description }) => description).join('\n')
      const dispute = disputes.find(account.id, params.id!)
      const result = dispute
        ? disputes.reply(dispute, { accept: null, text, documents }, { allowsRepeat: true })
        : 'no_such_dispute'
      switch (result) {
        case 'accepted': {
          const createdAt = now().toISOString()
          return { status: 200, body: { documents: documents.map(document => ({ ...document, createdAt })) } }
        }
        case 'no_such_dispute':
          return errors.disputeNotFound()
        case 'already_replied':
        case 'too_late':
          return errors.disputeTooLate()
        default:
          return result satisfies never
      }
    },
    showRecovery: call => respondWithRecovery(call, presenters.presentFundsRecovery),
    listByRecovery: call =>
      respondWithRecovery(call, dispute => [presenters.presentRecoveryDispute(dispute)]),
    listReports: call => respondWithRecovery(call, dispute => [presenters.presentInfractionReport(dispute)]),
    listSolicitations: call => respondWithRecovery(call, dispute => listRefundSolicitations(state, dispute)),
  }
}

function listRefundSolicitations({ refunds, returns }: SimulatorState, dispute: SimulatedDispute): object[] {
  if (dispute.status !== 'agreed') return []
  const allReturns =
    dispute.side === 'received' ? refunds.listByReceipt(dispute) : returns.listReturns(dispute)
  const disputeReturns = allReturns.filter(({ nature }) => nature !== 'ORIGINAL')
  return disputeReturns.length > 0
    ? disputeReturns.map(pixReturn => presenters.presentRefundSolicitation(dispute, pixReturn))
    : [presenters.presentRefundSolicitation(dispute, null)]
}
