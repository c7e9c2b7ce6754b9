import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow'
import { type DisputeState, disputeMachine } from '../../domain/disputes/dispute.ts'
import type { DisputeSnapshot } from '../contracts/disputes.ts'
import { SEARCH_ATTRIBUTES } from '../contracts/search-attributes.ts'

/** Upserts the search attributes of a dispute, and the details that the Temporal UI shows. */
export function upsertDisputeVisibility(snapshot: DisputeSnapshot, isNew: boolean): void {
  upsertSearchAttributes([
    { key: SEARCH_ATTRIBUTES.status, value: disputeMachine.statusOf(snapshot.state) },
    ...(isNew
      ? [
          { key: SEARCH_ATTRIBUTES.account, value: snapshot.accountUuid },
          { key: SEARCH_ATTRIBUTES.provider, value: snapshot.connectionUuid },
          { key: SEARCH_ATTRIBUTES.endToEnd, value: snapshot.endToEnd },
          { key: SEARCH_ATTRIBUTES.value, value: snapshot.valueCents },
        ]
      : []),
  ])
  setCurrentDetails(
    snapshot.isReplyPending
      ? 'Replied: the reply is being sent to the provider'
      : DISPUTE_STATUS_DETAILS[snapshot.state],
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
