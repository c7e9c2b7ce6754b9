import { defineSearchAttributeKey } from '@temporalio/common'

/** Search attributes by which an operator finds workflows in the Temporal UI. */
export const SEARCH_ATTRIBUTES = {
  account: defineSearchAttributeKey('TrilhoAccount', 'KEYWORD'),
  provider: defineSearchAttributeKey('TrilhoProvider', 'KEYWORD'),
  status: defineSearchAttributeKey('TrilhoStatus', 'KEYWORD'),
  externalRef: defineSearchAttributeKey('TrilhoExternalRef', 'KEYWORD'),
  /** `unknown` where the outcome of a payout has been unknown for ten minutes. */
  outcome: defineSearchAttributeKey('TrilhoOutcome', 'KEYWORD'),
  endToEnd: defineSearchAttributeKey('TrilhoEndToEnd', 'KEYWORD'),
  value: defineSearchAttributeKey('TrilhoValueCents', 'INT'),
}
