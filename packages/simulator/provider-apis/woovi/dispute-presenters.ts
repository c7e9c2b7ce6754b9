import type { DictSituation, SimulatedDispute } from '../../disputes.ts'
import type { SimulatedRefund } from '../../refunds.ts'
import type { SimulatedReturn } from '../../returns.ts'

/** Statuses in lists and look-ups; the notification of a new dispute has OPENED ("Payload de Disputa criada"). */
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

/** Presents a dispute in a look-up, which has only these fields of a MED ("Payload GET de Disputa"). */
export function presentWooviDispute(dispute: SimulatedDispute) {
  return { type: 'MED', status: DISPUTE_STATUS[dispute.status], endToEndId: dispute.endToEnd, id: dispute.id }
}

export function presentListedDispute(dispute: SimulatedDispute) {
  return {
    ...presentWooviDispute(dispute),
    value: dispute.cents,
    disputeReason: DISPUTE_REASON[dispute.situation],
    createdAt: dispute.openedAt,
    updatedAt: dispute.changedAt,
  }
}

export function presentNotifiedDispute(dispute: SimulatedDispute) {
  return {
    ...presentWooviDispute(dispute),
    status: dispute.status === 'open' ? 'OPENED' : DISPUTE_STATUS[dispute.status],
    value: dispute.cents,
    disputeReason: DISPUTE_REASON[dispute.situation],
  }
}

export function presentRecoveryDispute(dispute: SimulatedDispute) {
  return {
    ...presentListedDispute(dispute),
    fundsRecoveryId: dispute.id,
    sentOrReceived: dispute.side === 'requested' ? 'SENT' : 'RECEIVED',
    situationType: dispute.situation,
  }
}

const ANALYSIS_RESULTS: Partial<Record<SimulatedDispute['status'], string>> = {
  agreed: 'AGREED',
  disagreed: 'DISAGREED',
}

/** Presents the infraction report, which has the decision of a closed dispute. */
export function presentInfractionReport(dispute: SimulatedDispute) {
  const analysisResult = ANALYSIS_RESULTS[dispute.status]
  return {
    transactionId: dispute.endToEnd,
    status: analysisResult ? 'CLOSED' : 'ACKNOWLEDGED',
    ...(analysisResult ? { analysisResult } : {}),
    creationTime: dispute.openedAt,
    lastModified: dispute.changedAt,
  }
}

const RECOVERY_STAGES = {
  open: ['CREATED', 'TRACKED', 'AWAITING_ANALYSIS'],
  replied: ['CREATED', 'TRACKED', 'AWAITING_ANALYSIS'],
  agreed: ['CREATED', 'TRACKED', 'AWAITING_ANALYSIS', 'ANALYSED', 'REFUNDING'],
  disagreed: ['CREATED', 'TRACKED', 'AWAITING_ANALYSIS', 'COMPLETED'],
  cancelled: ['CREATED', 'CANCELLED'],
} as const satisfies Record<SimulatedDispute['status'], readonly string[]>

/** Lists the stages of a recovery; `isRefunded`: nothing more is returned. */
export function listRecoveryStages({ status }: SimulatedDispute, isRefunded: boolean): string[] {
  return [...RECOVERY_STAGES[status], ...(status === 'agreed' && isRefunded ? ['COMPLETED'] : [])]
}

/** Presents a recovery at the last of its stages, with the others as events; one that was just created has none yet. */
export function presentFundsRecovery(dispute: SimulatedDispute, stages: string[]) {
  return {
    rootTransactionId: dispute.endToEnd,
    situationType: dispute.situation,
    reportDetails: dispute.details ?? DISPUTE_REASON[dispute.situation],
    dictId: dispute.id,
    status: stages.at(-1),
    direction: dispute.side === 'requested' ? 'SENT' : 'RECEIVED',
    events: stages
      .slice(1)
      .map(event => ({ id: `${dispute.id}/${event}`, event, timestamp: dispute.changedAt })),
    creationTime: dispute.openedAt,
    lastModified: dispute.changedAt,
    createdAt: dispute.openedAt,
    updatedAt: dispute.changedAt,
  }
}

/** Presents the refund solicitation of a return, open until the return settles; `pixReturn` null: without balance. */
export function presentRefundSolicitation(
  dispute: SimulatedDispute,
  pixReturn: SimulatedRefund | SimulatedReturn | null,
) {
  const solicitation = {
    bacenRefundId: pixReturn?.returnId ?? dispute.id,
    fundsRecoveryId: dispute.id,
    endToEndId: dispute.endToEnd,
    refundReason: 'FRAUD',
    refundAmount: dispute.cents,
  }
  const status = pixReturn === null ? 'rejected' : 'status' in pixReturn ? pixReturn.status : 'settled'
  switch (status) {
    case 'in_process':
      return { ...solicitation, status: 'OPEN' }
    case 'rejected':
      return { ...solicitation, status: 'CLOSED', analysisResult: 'REJECTED', rejectionReason: 'NO_BALANCE' }
    case 'settled':
      return {
        ...solicitation,
        status: 'CLOSED',
        EffectiveRefundedAmount: pixReturn!.cents,
        analysisResult: pixReturn!.cents < dispute.cents ? 'PARTIALLY_ACCEPTED' : 'TOTALLY_ACCEPTED',
        refundTransactionId: pixReturn!.returnId,
        refundedAt: 'at' in pixReturn! ? pixReturn.at : pixReturn!.settledAt,
      }
  }
}
