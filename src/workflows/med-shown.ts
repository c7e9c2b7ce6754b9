import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow'
import type { MedNow } from '../activities/meds.ts'
import { med as life, type MedState } from '../domain/med.ts'
import { ATTRIBUTES } from './ids.ts'

/** What an operator finds a dispute by, and reads of it, in the Temporal UI. */
export function showOperator(now: MedNow, isNew: boolean): void {
  upsertSearchAttributes([
    { key: ATTRIBUTES.status, value: life.shows(now.state) },
    ...(isNew
      ? [
          { key: ATTRIBUTES.account, value: now.accountUuid },
          { key: ATTRIBUTES.provider, value: now.connectionUuid },
          { key: ATTRIBUTES.endToEnd, value: now.endToEnd },
          { key: ATTRIBUTES.value, value: now.valueCents },
        ]
      : []),
  ])
  setCurrentDetails(now.replyWanted ? 'Answered: the provider is told' : SENTENCES[now.state])
}

const SENTENCES: Record<MedState, string> = {
  open: 'Open: the merchant may answer until the deadline',
  analysing: 'Being analysed by the provider',
  accepted: 'Agreed: the provider returns the money, and is asked until it has',
  resolved: 'Agreed and over: the provider has returned what it could',
  rejected: 'Rejected: the money is the account’s again',
  cancelled: 'Withdrawn by the payer: the money is the account’s again',
}
