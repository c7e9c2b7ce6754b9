import { setTimeout as sleep } from 'node:timers/promises'
import { showLookupBudget } from '../../contract/pix-keys/key-lookup.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import type { Connection } from '../../db/entities/connection.ts'
import { runQuery } from '../../db/pipeline/query.ts'
import { queryConnectionToCall } from '../../db/repositories/connections.ts'
import {
  findConnectionBudgets,
  queryLookupBudget,
  storeLookupBudget,
} from '../../db/repositories/key-lookups.ts'
import {
  BUDGET_VALIDITY_MS,
  type BudgetAt,
  computeBudgetWaitS,
  LOOKUP_COSTS,
  refillBudget,
} from '../../domain/pix-keys/look-up-budget.ts'
import type { Provider } from '../../providers/port.ts'
import type { ProviderRegistry } from '../../providers/registry.ts'

/** The budgets of look-ups: read from the provider once a minute at most, and computed in between. */

/** Longest wait for a provider's report, in ms: a look-up or a read of the provider goes on without it. */
const MAX_BUDGET_WAIT_MS = 1_500

/**
 * Reads the budget of a connection's provider account, as it is now. Its provider is asked where the last report is older than a minute;
 * without an answer the computed one is returned, undefined where none is known.
 */
export async function refreshLookupBudget(
  em: EntityManager,
  provider: Provider,
  { providerAccountUuid }: Pick<Connection, 'providerAccountUuid'>,
): Promise<BudgetAt | undefined> {
  const known = await runQuery(em, queryLookupBudget(providerAccountUuid))
  const nowMs = Date.now()
  if (known && nowMs - known.readAtMs < BUDGET_VALIDITY_MS) return refillBudget(known, nowMs)
  const answer = await Promise.race([provider.findLookUpBudget?.(), sleep(MAX_BUDGET_WAIT_MS)])
  if (answer?.kind !== 'found') return known && refillBudget(known, nowMs)
  // As of before the request: what was spent meanwhile is in its answer, or is counted once more.
  await storeLookupBudget(em, providerAccountUuid, answer.budget, nowMs)
  return { ...answer.budget, atMs: nowMs }
}

/** Reads the budget that a provider shows; null where its API tells none, or has not answered yet. */
export async function readLookupBudget(
  { providers }: { providers?: ProviderRegistry },
  em: EntityManager,
  connectionUuid: string,
) {
  const connection = await runQuery(em, queryConnectionToCall(em, connectionUuid))
  if (!connection || !providers) return null
  const provider = providers.providerFor(connection)
  if (!provider.findLookUpBudget) return null
  return showLookupBudget(await refreshLookupBudget(em, provider, connection), LOOKUP_COSTS.found)
}

/**
 * Lists the budgets that are known of connections, by the connection's uuid, as they are now. No provider is asked: `readAt` is when it
 * last told. `waitS`: seconds until a look-up may be made.
 */
export async function listKnownBudgets(em: EntityManager, connectionUuids: string[]) {
  const rows = await findConnectionBudgets(em, connectionUuids)
  const nowMs = Date.now()
  return new Map(
    [...rows].map(([connectionUuid, row]) => {
      const { capacity, refillPerMinute, left } = refillBudget(row, nowMs)
      const [readAt, waitS] = [new Date(row.readAtMs), computeBudgetWaitS(row, nowMs)]
      return [connectionUuid, { capacity, refillPerMinute, left: Math.floor(left), readAt, waitS }]
    }),
  )
}
