import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow'
import { type DisputeState, disputeMachine } from '../../domain/disputes/dispute.ts'
import type { DisputeSnapshot } from '../contracts/disputes.ts'
import { SEARCH_ATTRIBUTES } from '../contracts/search-attributes.ts'

/** What an operator finds a dispute by, and reads of it, in the Temporal UI. */
export function upsertDisputeVisibility(now: DisputeSnapshot, isNew: boolean): void {
  upsertSearchAttributes([
    { key: SEARCH_ATTRIBUTES.status, value: disputeMachine.statusOf(now.state) },
    ...(isNew
      ? [
          { key: SEARCH_ATTRIBUTES.account, value: now.accountUuid },
          { key: SEARCH_ATTRIBUTES.provider, value: now.connectionUuid },
          { key: SEARCH_ATTRIBUTES.endToEnd, value: now.endToEnd },
          { key: SEARCH_ATTRIBUTES.value, value: now.valueCents },
        ]
      : []),
  ])
  setCurrentDetails(
    now.isReplyPending
      ? 'Replied: the reply is being sent to the provider'
      : DISPUTE_STATUS_DETAILS[now.state],
  )
}

const DISPUTE_STATUS_DETAILS: Record<DisputeState, string> = {
  open: 'Open: the merchant can reply until the deadline',
  analysing: 'In analysis by the provider',
  accepted: 'Accepted: the provider is polled until it has returned the money',
  resolved: 'Accepted and closed: the provider has returned what it could',
  rejected: 'Rejected: the block is released',
  cancelled: 'Withdrawn by the payer: the block is released',
}
