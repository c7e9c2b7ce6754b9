import type { EntityManager } from '../db/client/orm.ts'
import { Connection } from '../db/entities/connection.ts'
import { readLedgerBalance, sumUnbookedCents } from '../db/repositories/balance-checks.ts'
import { findListingConnection, listProviderAccountUuids } from '../db/repositories/connections.ts'
import type { LedgerViolation } from '../db/repositories/ledger-rules.ts'
import type { ProviderRegistry } from '../providers/registry.ts'

/**
 * Compares the balance that each provider reports with the sum of all buckets but `outside` at its account. Payments in
 * progress are differences until they settle: repeat the check before acting on it. `only`: these provider accounts;
 * all by default.
 */
export async function checkProviderBalances(
  em: EntityManager,
  providers: ProviderRegistry,
  only?: readonly string[],
): Promise<LedgerViolation[]> {
  const violations: LedgerViolation[] = []
  for (const providerAccountUuid of only ?? (await listProviderAccountUuids(em))) {
    const uuid = await findListingConnection(em, providerAccountUuid)
    const connection =
      uuid === undefined ? null : await em.findOne(Connection, uuid, { populate: ['sealedCredentials'] })
    if (!connection) continue // It was withdrawn since the provider accounts were listed.
    const providerCents = await readProviderCents(providers, connection)
    const { ledgerCents, movingCents } = await readLedgerBalance(em, providerAccountUuid)
    if (providerCents !== ledgerCents)
      violations.push({
        rule: 'provider_agrees',
        where: `${connection.provider}/${providerAccountUuid}`,
        detail: [
          `ledger ${ledgerCents}, provider ${providerCents ?? 'does not answer'}`,
          ...(movingCents > 0 ? [`in progress ${movingCents}`] : []),
          ...(await sumUnbookedCents(em, providerAccountUuid)).map(
            ({ why, direction, cents, count }) =>
              `${[why, direction].join(' ').trim()}: ${cents} in ${count}`,
          ),
        ].join('; '),
      })
  }
  return violations
}

/** Reads the balance; null where the provider does not answer or the credentials cannot be read. */
async function readProviderCents(providers: ProviderRegistry, connection: Connection) {
  try {
    const balances = await providers.providerFor(connection).balances()
    return balances.kind === 'found' ? balances.balance.availableCents + balances.balance.blockedCents : null
  } catch {
    return null
  }
}
