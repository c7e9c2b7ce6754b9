import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Orm } from '../../db/client/orm.ts'
import { mapQuery, type Query } from '../../db/pipeline/query.ts'
import {
  claimKeyAnswer,
  type KeyAnswerRequest,
  querySharedAnswer,
  type StoredKeyAnswer,
  storeKeyAnswer,
} from '../../db/repositories/key-lookups.ts'
import { ANSWER_VALIDITY_MS } from '../../domain/pix-keys/key-look-up.ts'
import { KEY_LOOKUP_WAIT_MS } from '../../http/limits.ts'
import type { ProviderRegistry } from '../../providers/registry.ts'
import type { Sealer } from '../../security/sealing.ts'
import {
  type KeyAnswer,
  type KeyOwnerAnswer,
  type KeyRequest,
  lookUpAtProviders,
} from './provider-lookups.ts'

/** The answers about keys that all accounts share: one call for parallel callers, and none while an answer is known. */

export type KeyAnswerDependencies = { orm: Orm; sealer: Sealer; providers?: ProviderRegistry }

/** Time between two looks at the answer that another process is asking for, in ms. */
const FOLLOW_INTERVAL_MS = 100

const UNANSWERED = { outcome: 'no_answer', answer: null, retryAfterS: null, cost: 0 } as const

/** Queries the answer about a key that is known, for whatever account; undefined where a provider would have to be asked. */
export function queryKnownAnswer(
  { sealer }: Pick<KeyAnswerDependencies, 'sealer'>,
  { key, isSimulated }: { key: string; isSimulated: boolean },
): Query<KeyAnswer | undefined> {
  const stored = querySharedAnswer({ isSimulated, keyMac: sealer.mac(key) })
  return mapQuery(stored, answer => answer && openAnswer(sealer, answer))
}

/** An answer that was known takes nothing of a budget. */
function openAnswer(sealer: Sealer, { sealedAnswer, ...rest }: StoredKeyAnswer): KeyAnswer {
  const answer = sealedAnswer === null ? null : sealer.open<KeyOwnerAnswer>(sealedAnswer)
  return { ...rest, answer, cost: 0 }
}

/**
 * Returns the answer about a key that is known, waits for the one that another caller asks for, or asks the providers: parallel look-ups
 * of a key make one call, whose cost only its caller has.
 */
export async function findKeyAnswer(
  dependencies: KeyAnswerDependencies,
  request: KeyRequest,
): Promise<KeyAnswer> {
  const { orm, sealer } = dependencies
  const { isSimulated, providerAccountUuid } = request.candidates[0]!
  const claim = { claim: randomUUID(), isSimulated, keyMac: sealer.mac(request.key), providerAccountUuid }
  const giveUpAtMs = performance.now() + KEY_LOOKUP_WAIT_MS
  do {
    const stored = await claimKeyAnswer(orm.em.fork(), claim)
    if (stored === 'claimed') return askAndStore(dependencies, request, claim)
    if (stored !== 'asking') return openAnswer(sealer, stored)
    await sleep(FOLLOW_INTERVAL_MS)
  } while (performance.now() < giveUpAtMs)
  return { ...UNANSWERED, providerAccountUuid }
}

async function askAndStore(
  dependencies: KeyAnswerDependencies,
  request: KeyRequest,
  { claim, providerAccountUuid }: KeyAnswerRequest,
): Promise<KeyAnswer> {
  const { orm, sealer } = dependencies
  try {
    const answer = await lookUpAtProviders(dependencies, request)
    await store(answer)
    return answer
  } catch (error) {
    await store({ ...UNANSWERED, providerAccountUuid })
    throw error
  }

  function store({ answer, cost: _, ...stored }: KeyAnswer): Promise<void> {
    const sealedAnswer = answer && sealer.seal(answer)
    return storeKeyAnswer(
      orm.em.fork(),
      claim,
      { ...stored, sealedAnswer },
      ANSWER_VALIDITY_MS[stored.outcome],
    )
  }
}
