import type { FinalState, Violation } from '../final-state.ts'

/** An undocumented answer is no refusal, and an undocumented item is no money: both are stored instead. */
export function checkUndocumentedAnswers(world: FinalState): Violation[] {
  return [
    ...findRefusedAndMoved(world),
    ...findUndocumentedItemsCredited(world),
    ...findUndocumentedItemsNotStored(world),
  ]
}

const DEFINITE_FAILURES = new Set(['rejected', 'unreachable'])

/** An attempt that counts as refused, or as never sent, moved no money at its provider account. */
function findRefusedAndMoved({ attempts, lines }: FinalState): Violation[] {
  const sent = new Set(
    lines
      .filter(({ kind, id }) => id !== null && (kind === 'transfer' || kind === 'refund'))
      .map(({ providerAccount, id }) => `${providerAccount} ${id}`),
  )
  return attempts
    .filter(({ state }) => DEFINITE_FAILURES.has(state))
    .filter(({ providerAccount, reference }) => sent.has(`${providerAccount} ${reference}`))
    .map(({ uuid, operation, state, providerAccount }) => ({
      rule: 'refused_and_moved',
      where: `attempt ${uuid}`,
      detail: `${operation} is ${state}, and ${providerAccount} moved the money`,
    }))
}

function findUndocumentedItemsCredited({ movements, undocumentedItems: oddItems }: FinalState): Violation[] {
  const odd = new Set(oddItems.flatMap(({ id }) => [id, id.replace('E', 'D')]))
  return movements
    .filter(({ endToEnd }) => endToEnd !== null && odd.has(endToEnd))
    .map(({ uuid, endToEnd }) => ({
      rule: 'odd_item_credited',
      where: `movement ${uuid}`,
      detail: `${endToEnd} is of no documented shape`,
    }))
}

/** Items listed after the last kill are stored for the operator. */
function findUndocumentedItemsNotStored({
  undocumentedItems: oddItems,
  unexplainedAnswers: kept,
}: FinalState): Violation[] {
  return oddItems
    .filter(({ id, mustBeKept }) => mustBeKept && !kept.some(body => body.includes(id)))
    .map(({ id, providerAccount }) => ({
      rule: 'odd_item_not_kept',
      where: `item ${id}`,
      detail: `listed by ${providerAccount}, in no unexplained answer`,
    }))
}
