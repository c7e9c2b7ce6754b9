import type { DictSituation, SimulatedDispute } from '../../disputes.ts'
import type { SimulatedRefund } from '../../refunds.ts'
import type { SimulatedReturn } from '../../returns.ts'

/** How Woovi writes a dispute, and the Central Bank's records of the funds recovery behind it. */

/** In lists and by its id a dispute is IN_REVIEW or CREATED; its notice says OPENED ("Payload de Disputa criada"). */
const DISPUTE_STATUS = {
  open: 'CREATED',
  replied: 'CREATED',
  agreed: 'ACCEPTED',
  disagreed: 'REJECTED',
  cancelled: 'CANCELED',
} as const satisfies Record<SimulatedDispute['status'], string>

const DISPUTE_REASON: Record<DictSituation, string> = {
  SCAM: 'Golpe',
  ACCOUNT_TAKEOVER: 'Invasão de conta',
  COERCION: 'Coação',
  FRAUDULENT_ACCESS: 'Acesso fraudulento',
  OTHER: 'Outro',
}

/** "Payload GET de Disputa": of a MED it shows these fields and no more. */
export function presentWooviDispute(med: SimulatedDispute) {
  return { type: 'MED', status: DISPUTE_STATUS[med.status], endToEndId: med.endToEnd, id: med.id }
}

/** As it is listed. */
export function presentListedDispute(med: SimulatedDispute) {
  return {
    ...presentWooviDispute(med),
    value: med.cents,
    disputeReason: DISPUTE_REASON[med.situation],
    createdAt: med.openedAt,
    updatedAt: med.changedAt,
  }
}

/** As a notice tells it. */
export function presentNotifiedDispute(med: SimulatedDispute) {
  return {
    ...presentWooviDispute(med),
    status: med.status === 'open' ? 'OPENED' : DISPUTE_STATUS[med.status],
    value: med.cents,
    disputeReason: DISPUTE_REASON[med.situation],
  }
}

/** Under its funds recovery. */
export function presentRecoveryDispute(med: SimulatedDispute) {
  return {
    ...presentListedDispute(med),
    fundsRecoveryId: med.id,
    sentOrReceived: med.side === 'requested' ? 'SENT' : 'RECEIVED',
    situationType: med.situation,
  }
}

const RECOVERY_STATUS = {
  open: 'AWAITING_ANALYSIS',
  replied: 'AWAITING_ANALYSIS',
  agreed: 'REFUNDING',
  disagreed: 'COMPLETED',
  cancelled: 'CANCELLED',
} as const satisfies Record<SimulatedDispute['status'], string>

export function presentFundsRecovery(med: SimulatedDispute) {
  return {
    rootTransactionId: med.endToEnd,
    situationType: med.situation,
    reportDetails: DISPUTE_REASON[med.situation],
    dictId: med.id,
    status: RECOVERY_STATUS[med.status],
    direction: med.side === 'requested' ? 'SENT' : 'RECEIVED',
    creationTime: med.openedAt,
    lastModified: med.changedAt,
    createdAt: med.openedAt,
    updatedAt: med.changedAt,
  }
}

/** What came of the wish for the money: one solicitation a return, open while that is on its way. */
export function presentRefundSolicitation(
  med: SimulatedDispute,
  given: SimulatedRefund | SimulatedReturn | null,
) {
  const asked = {
    bacenRefundId: given?.returnId ?? med.id,
    fundsRecoveryId: med.id,
    endToEndId: med.endToEnd,
    refundReason: 'FRAUD',
    refundAmount: med.cents,
  }
  const status = given === null ? 'rejected' : 'status' in given ? given.status : 'settled'
  switch (status) {
    case 'in_process':
      return { ...asked, status: 'OPEN' }
    case 'rejected':
      return { ...asked, status: 'CLOSED', analysisResult: 'REJECTED', rejectionReason: 'NO_BALANCE' }
    case 'settled':
      return {
        ...asked,
        status: 'CLOSED',
        EffectiveRefundedAmount: given!.cents,
        analysisResult: given!.cents < med.cents ? 'PARTIALLY_ACCEPTED' : 'TOTALLY_ACCEPTED',
        refundTransactionId: given!.returnId,
        refundedAt: 'at' in given! ? given.at : given!.settledAt,
      }
  }
}
