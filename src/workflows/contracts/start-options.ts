import { textFromCents } from '../../domain/ledger/money.ts'
import type { OrderedMoneyNoun } from '../../domain/shared/nouns.ts'
import { listCandidates, type MoneyOrder } from './orders.ts'
import { SEARCH_ATTRIBUTES } from './search-attributes.ts'
import { WORKFLOWS } from './workflows.ts'

/** What the Temporal UI shows of the workflow of each noun at its start. */
const VISIBILITY_AT_START = {
  charge: { title: 'Charge', status: 'UNDEFINED' },
  transfer: { title: 'Transfer', status: 'PROCESSING' },
  refund: { title: 'Refund', status: 'PROCESSING' },
} satisfies Record<OrderedMoneyNoun, { title: string; status: string }>

/** Attributes that a start shows besides those of its order. `provider`: a connection other than its first one. */
export type VisibleAttributes = { provider?: string; externalRef?: string | undefined }

/** Builds the start options of the workflow of a charge, transfer or refund, whoever starts it. */
export function buildMoneyWorkflowOptions(
  noun: OrderedMoneyNoun,
  input: MoneyOrder & { scheduledFor?: string } & Parameters<typeof listCandidates>[0],
  { provider = listCandidates(input)[0]!, externalRef }: VisibleAttributes = {},
) {
  const { title, status } = VISIBILITY_AT_START[noun]
  return {
    workflowId: WORKFLOWS[noun].idOf(input.uuid),
    memo: { requestId: input.requestId },
    typedSearchAttributes: [
      { key: SEARCH_ATTRIBUTES.account, value: input.accountUuid },
      { key: SEARCH_ATTRIBUTES.provider, value: provider },
      { key: SEARCH_ATTRIBUTES.status, value: input.scheduledFor ? 'PENDING' : status },
      { key: SEARCH_ATTRIBUTES.value, value: input.valueCents },
      ...(externalRef ? [{ key: SEARCH_ATTRIBUTES.externalRef, value: externalRef }] : []),
    ],
    staticSummary: `${title} of R$ ${textFromCents(input.valueCents)}`,
  }
}
