import { keepBalanceCheck, ledgerBalance } from '../db/balance-checks.ts'
import type { EntityManager } from '../db/orm.ts'
import { type HeldBalance, isHeldBalance } from '../domain/reconciliation.ts'
import type { Provider } from '../providers/port.ts'
import { unlessToEnd } from './ending.ts'

/** Money that moves between two looks makes a difference that is none: so often it is looked at again. */
const LOOKS = 3

/**
 * Compares what a provider says it holds with the ledger and keeps the result for the operator. Null where the provider
 * does not answer: the last result stands.
 */
export async function checkBalance(
  em: EntityManager,
  { provider, providerAccountUuid }: { provider: Provider; providerAccountUuid: string },
): Promise<HeldBalance | null> {
  for (let look = 1; ; look += 1) {
    const answer = await unlessToEnd(provider.balances())
    if (answer.kind === 'no_answer') return null
    const { availableCents, blockedCents } = answer.balance
    const ledger = await ledgerBalance(em, providerAccountUuid)
    const held = { providerCents: availableCents + blockedCents, ...ledger }
    if (look < LOOKS && !isHeldBalance(held)) continue
    await keepBalanceCheck(em, { providerAccountUuid, ...held })
    return held
  }
}
