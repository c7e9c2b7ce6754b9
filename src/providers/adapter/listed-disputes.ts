import type {
  FindDisputeOutcome,
  ListDisputesOutcome,
  ProviderDispute,
} from '../../domain/disputes/provider-dispute.ts'
import { isConnectFailure } from '../../domain/providers/provider.ts'
import { isTransportCode } from '../../domain/providers/transport-code.ts'

/**
 * Completes the disputes of a list one by one; one that cannot be completed never hides the others. Where the provider
 * answered and the answer explains nothing, the dispute is left out and recorded, so that its period is listed again.
 * Where it gave no answer, the list is incomplete; where no request can be made, the rest is not attempted.
 */
export async function completeDisputes<Item>(
  items: Item[],
  complete: (item: Item) => Promise<FindDisputeOutcome>,
  recordUnexplained: (item: Item) => Promise<void>,
): Promise<ListDisputesOutcome> {
  const disputes: ProviderDispute[] = []
  let incompleteCode: string | undefined
  for (const item of items) {
    const outcome = await complete(item)
    if (outcome.kind === 'found') disputes.push(outcome.dispute)
    if (outcome.kind !== 'no_answer') continue
    if (isTransportCode(outcome.code)) incompleteCode = outcome.code
    else await recordUnexplained(item)
    if (isConnectFailure(outcome)) break
  }
  return { kind: 'found', disputes, ...(incompleteCode !== undefined && { incompleteCode }) }
}
