import type { Orm } from '../../db/client/orm.ts'
import type { Connection } from '../../db/entities/connection.ts'
import { runQuery } from '../../db/pipeline/query.ts'
import { queryConnectionToCall } from '../../db/repositories/connections.ts'
import { type StoredKeyAnswer, spendLookupBudget } from '../../db/repositories/key-lookups.ts'
import type { LookUpKeyOutcome } from '../../domain/pix-keys/key-look-up.ts'
import { computeBudgetWaitS, LOOKUP_COSTS } from '../../domain/pix-keys/look-up-budget.ts'
import type { Party } from '../../domain/providers/provider.ts'
import { KEY_LOOKUP_WAIT_MS } from '../../http/limits.ts'
import type { ProviderRegistry } from '../../providers/registry.ts'
import { refreshLookupBudget } from './lookup-budgets.ts'

/** Looking a key up at the providers: which of them is asked, what it takes of its budget, and what its outcome means. */

/** A key, and the connections that may be asked for its owner, in order. */
export type KeyRequest = { key: string; candidates: Connection[] }

/** The owner of a key as a provider reports it. `endToEnd`: the id by which the provider binds a payment to the look-up. */
export type KeyOwnerAnswer = { owner: Party; endToEnd?: string }

/** The answer about a key. `cost`: tokens that it took of the budget; 0 where it was known. */
export type KeyAnswer = Omit<StoredKeyAnswer, 'sealedAnswer'> & {
  answer: KeyOwnerAnswer | null
  cost: number
}

/** Seconds after which a look-up that the provider has refused for its budget is allowed again, where no budget says it. */
const REFUSED_RETRY_S = 60
/** Another provider is asked only while this time is left of the wait for an answer, in ms. */
const MIN_TO_ASK_MS = 2_000

/**
 * Asks the providers in turn until one answers. DICT is one: what one of them does not find, none finds. A provider without budget is not
 * asked.
 */
export async function lookUpAtProviders(
  { orm, providers }: { orm: Orm; providers?: ProviderRegistry },
  { key, candidates }: KeyRequest,
): Promise<KeyAnswer> {
  const lastStartAtMs = performance.now() + KEY_LOOKUP_WAIT_MS - MIN_TO_ASK_MS
  let retryAfterS: number | null = null
  for (const { uuid, providerAccountUuid } of candidates) {
    if (performance.now() > lastStartAtMs) break
    const em = orm.em.fork()
    const provider = requireRegistry(providers).providerFor(
      (await runQuery(em, queryConnectionToCall(em, uuid)))!,
    )
    const budget = await refreshLookupBudget(em, provider, { providerAccountUuid })
    const waitS = budget ? computeBudgetWaitS(budget, Date.now()) : 0
    if (waitS > 0) {
      retryAfterS = Math.min(waitS, retryAfterS ?? waitS)
      continue
    }
    const outcome = await provider.lookUpKey!(key)
    const cost = computeCost(outcome)
    if (cost > 0) await spendLookupBudget(em, providerAccountUuid, cost)
    switch (outcome.kind) {
      case 'found': {
        const { owner, endToEnd } = outcome
        const answer = { owner, ...(endToEnd && { endToEnd }) }
        return { outcome: 'found', answer, providerAccountUuid, retryAfterS: null, cost }
      }
      case 'not_found':
      case 'refused':
        return { outcome: outcome.kind, answer: null, providerAccountUuid, retryAfterS: null, cost }
      case 'no_answer':
        if (outcome.code === 'rate_limited') retryAfterS ??= REFUSED_RETRY_S
    }
  }
  const { providerAccountUuid } = candidates[0]!
  return { outcome: 'no_answer', answer: null, providerAccountUuid, retryAfterS, cost: 0 }
}

/** A look-up that provably did not reach DICT takes nothing; one without an answer may have taken the most. */
function computeCost(outcome: LookUpKeyOutcome): number {
  const isUnprocessed = outcome.kind === 'no_answer' && outcome.isUnprocessed
  return isUnprocessed ? 0 : LOOKUP_COSTS[outcome.kind]
}

function requireRegistry(providers: ProviderRegistry | undefined): ProviderRegistry {
  if (!providers) throw new Error('this process reaches no provider')
  return providers
}
