import type { EntityManager } from '../../db/client/orm.ts'
import { readLedgerBalance, storeBalanceCheck } from '../../db/repositories/balance-checks.ts'
import {
  type BalanceComparison,
  isBalanceExplained,
} from '../../domain/reconciliation/statement-comparison.ts'
import type { Provider } from '../../providers/port.ts'
import { raceCancellation } from '../runtime/cancellation.ts'

/** Number of comparisons: money that moves between the two reads looks like a difference. */
const MAX_COMPARISONS = 3

/**
 * Compares the balance at a provider with the ledger and stores the result for the operator. Returns null where the
 * provider does not answer; the last stored result then stays.
 */
export async function checkBalance(
  em: EntityManager,
  { provider, providerAccountUuid }: { provider: Provider; providerAccountUuid: string },
): Promise<BalanceComparison | null> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await raceCancellation(provider.balances())
    if (answer.kind === 'no_answer') return null
    const { availableCents, blockedCents } = answer.balance
    const ledger = await readLedgerBalance(em, providerAccountUuid)
    const balances = { providerCents: availableCents + blockedCents, ...ledger }
    if (attempt < MAX_COMPARISONS && !isBalanceExplained(balances)) continue
    await storeBalanceCheck(em, { providerAccountUuid, ...balances })
    return balances
  }
}
