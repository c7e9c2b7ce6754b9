import type { StatementMovement } from './rail.ts'
import type { SimulatorState } from './state.ts'

/** Lists an account's movements, without blocks, as a statement does: a PIX appears in it when look-ups show it. */
export function listListedMovements(state: SimulatorState, accountId: string): StatementMovement[] {
  return state.rail.listEntries(accountId).filter(movement => isInStatement(state, movement))
}

function isInStatement(
  { receipts, transfers, refunds, listing }: SimulatorState,
  { accountId, kind, endToEnd, direction }: StatementMovement,
): boolean {
  switch (kind) {
    case 'payment':
    case 'deposit':
      return receipts.findListed(accountId, endToEnd!) !== undefined
    case 'transfer':
      return transfers.findListedByEndToEnd(endToEnd!) !== undefined
    case 'refund':
      return listing.hideUnlisted(refunds.findByReturnId(accountId, endToEnd!)) !== undefined
    default:
      return direction !== 'none'
  }
}
