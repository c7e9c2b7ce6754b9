import type {
  FindDisputeOutcome,
  ListDisputesOutcome,
  ProviderDispute,
} from '../../domain/disputes/provider-dispute.ts'

/**
 * Completes the disputes of a list one by one. One with an unreadable part is left out and recorded; no answer on one
 * means no list.
 */
export async function completeDisputes<Item>(
  items: Item[],
  complete: (item: Item) => Promise<FindDisputeOutcome>,
  recordUnreadable: (item: Item) => Promise<void>,
): Promise<ListDisputesOutcome> {
  const disputes: ProviderDispute[] = []
  for (const item of items) {
    const outcome = await complete(item)
    if (outcome.kind === 'found') disputes.push(outcome.dispute)
    if (outcome.kind !== 'no_answer') continue
    if (outcome.code !== 'unreadable_answer') return outcome
    await recordUnreadable(item)
  }
  return { kind: 'found', disputes }
}
