import { z } from 'zod'
import { readAccountOptions } from '../../account-options.ts'
import type { SimulatedDispute } from '../../disputes.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { SimulatorState } from '../../state.ts'
import * as presenters from './dispute-presenters.ts'
import * as errors from './errors.ts'
import { findWooviFile } from './files.ts'
import { buildWooviListPage } from './list-page.ts'
import { evidenceBody, parseWooviBody, recoveryBody } from './schemas.ts'

type WooviDisputeHandlers = Record<
  | 'list'
  | 'show'
  | 'addEvidence'
  | 'requestRecovery'
  | 'cancelRecovery'
  | 'showRecovery'
  | 'listByRecovery'
  | 'listReports'
  | 'listSolicitations',
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

  const refuseRecovery = ({ account }: SimulatedCall): SimulatedResponse | undefined => {
    const { funds_recovery: recovery } = readAccountOptions(account)
    if (recovery === 'refused') return errors.recoveryScopeMissing()
    return recovery === 'absent' ? errors.recoveryNotFound() : undefined
  }

  const respondWithRecovery = (
    call: SimulatedCall,
    present: (dispute: SimulatedDispute) => object,
  ): SimulatedResponse => refuseRecovery(call) ?? respondWithDispute(call, present, errors.recoveryNotFound)

  const presentRecovery = (dispute: SimulatedDispute) => {
    const solicitations = listRefundSolicitations(state, dispute)
    const isRefunded = solicitations.every(({ status }) => status === 'CLOSED')
    return presenters.presentFundsRecovery(dispute, presenters.listRecoveryStages(dispute, isRefunded))
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
    requestRecovery: call => {
      const refusal = refuseRecovery(call)
      if (refusal) return refusal
      const parsed = recoveryBody.safeParse(call.body)
      if (!parsed.success) return errors.recoveryInvalid(z.flattenError(parsed.error).fieldErrors)
      const { transactionEndToEndId: endToEnd, situationType, details } = parsed.data
      const situation = situationType === 'UNKNOWN' ? 'OTHER' : situationType
      const result = disputes.request(call.account.id, { endToEnd, situation, details })
      switch (result.kind) {
        case 'opened': {
          const dispute = disputes.find(call.account.id, result.id)!
          return { status: 201, body: presenters.presentFundsRecovery(dispute, ['CREATED']) }
        }
        case 'already_disputed':
          return errors.recoveryExists(endToEnd)
        default:
          return errors.recoveredTransactionNotFound()
      }
    },
    cancelRecovery: call => {
      const refusal = refuseRecovery(call)
      if (refusal) return refusal
      const { account, params } = call
      const dispute = disputes.find(account.id, params.id!)
      if (dispute?.side !== 'requested' || dispute.id !== params.id) return errors.recoveryNotFound()
      const { status } = presentRecovery(dispute)
      if (status === 'COMPLETED' || status === 'CANCELLED') return errors.recoveryEnded(status)
      // What was agreed goes on at other banks, which return it.
      if (dispute.status === 'agreed') return errors.recoveryCancelRefused()
      disputes.decide(dispute.id, 'cancelled')
      return { status: 200, body: presentRecovery(disputes.find(account.id, dispute.id)!) }
    },
    showRecovery: call => respondWithRecovery(call, presentRecovery),
    listByRecovery: call =>
      respondWithRecovery(call, dispute => [presenters.presentRecoveryDispute(dispute)]),
    listReports: call => respondWithRecovery(call, dispute => [presenters.presentInfractionReport(dispute)]),
    listSolicitations: call => respondWithRecovery(call, dispute => listRefundSolicitations(state, dispute)),
  }
}

/** Lists what recipients return by a dispute: a simulated one by refunds of its own, which may be under way. */
function listRefundSolicitations({ disputes, refunds, returns }: SimulatorState, dispute: SimulatedDispute) {
  if (dispute.status !== 'agreed') return []
  const received = disputes.listById(dispute.id).find(({ side }) => side === 'received')
  const allReturns = received ? refunds.listByReceipt(received) : returns.listReturns(dispute)
  const disputeReturns = allReturns.filter(({ nature }) => nature !== 'ORIGINAL')
  return disputeReturns.length > 0
    ? disputeReturns.map(pixReturn => presenters.presentRefundSolicitation(dispute, pixReturn))
    : [presenters.presentRefundSolicitation(dispute, null)]
}
