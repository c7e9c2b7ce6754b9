import type { Med, Situation } from '../../meds.ts'
import type { Refund } from '../../refunds.ts'
import type { Returned } from '../../returns.ts'

/** How Woovi writes a dispute, and the Central Bank's records of the funds recovery behind it. */

/** In lists and by its id a dispute is IN_REVIEW or CREATED; its notice says OPENED ("Payload de Disputa criada"). */
const STATUS = {
  open: 'CREATED',
  replied: 'CREATED',
  agreed: 'ACCEPTED',
  disagreed: 'REJECTED',
  cancelled: 'CANCELED',
} as const satisfies Record<Med['status'], string>

const REASON: Record<Situation, string> = {
  SCAM: 'Golpe',
  ACCOUNT_TAKEOVER: 'Invasão de conta',
  COERCION: 'Coação',
  FRAUDULENT_ACCESS: 'Acesso fraudulento',
  OTHER: 'Outro',
}

/** "Payload GET de Disputa": of a MED it shows these fields and no more. */
export function disputeOf(med: Med) {
  return { type: 'MED', status: STATUS[med.status], endToEndId: med.endToEnd, id: med.id }
}

/** As it is listed. */
export function listedDisputeOf(med: Med) {
  return {
    ...disputeOf(med),
    value: med.cents,
    disputeReason: REASON[med.situation],
    createdAt: med.openedAt,
    updatedAt: med.changedAt,
  }
}

/** As a notice tells it. */
export function toldDisputeOf(med: Med) {
  return {
    ...disputeOf(med),
    status: med.status === 'open' ? 'OPENED' : STATUS[med.status],
    value: med.cents,
    disputeReason: REASON[med.situation],
  }
}

/** Under its funds recovery. */
export function recoveryDisputeOf(med: Med) {
  return {
    ...listedDisputeOf(med),
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
} as const satisfies Record<Med['status'], string>

export function recoveryOf(med: Med) {
  return {
    rootTransactionId: med.endToEnd,
    situationType: med.situation,
    reportDetails: REASON[med.situation],
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
export function solicitationOf(med: Med, given: Refund | Returned | null) {
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
