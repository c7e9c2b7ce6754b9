import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { maskParty } from '../../contract/ledger/movement.ts'
import {
  type keyLookupSchema,
  type LookUpKeyBody,
  maskKey,
  showKeyLookup,
  showLookupBudget,
} from '../../contract/pix-keys/key-lookup.ts'
import type { EntityManager, Orm } from '../../db/client/orm.ts'
import { Connection } from '../../db/entities/connection.ts'
import { KeyLookup } from '../../db/entities/key-lookup.ts'
import { runQuery } from '../../db/pipeline/query.ts'
import { orderByCircuitState } from '../../db/repositories/circuit-breaker.ts'
import { queryConnectionToCall } from '../../db/repositories/connections.ts'
import {
  claimKeyAnswer,
  countKeyLookup,
  findLookupBudget,
  type KeyAnswerRequest,
  type StoredKeyAnswer,
  spendLookupBudget,
  storeKeyAnswer,
} from '../../db/repositories/key-lookups.ts'
import type { Party } from '../../domain/pix/party.ts'
import { detectPixKeyType } from '../../domain/pix-keys/key-format.ts'
import {
  ANSWER_VALIDITY_MS,
  LOOKUP_VALIDITY_MS,
  type LookUpKeyOutcome,
  matchDocument,
  matchName,
} from '../../domain/pix-keys/key-look-up.ts'
import { computeBudgetWaitS, LOOKUP_COSTS, refillBudget } from '../../domain/pix-keys/look-up-budget.ts'
import { PROVIDER_CAPABILITIES } from '../../domain/providers/provider.ts'
import { fail } from '../../http/api-error.ts'
import { KEY_LOOKUP_WAIT_MS, UNAVAILABLE_RETRY_S } from '../../http/limits.ts'
import { getRequestDeadline } from '../../http/request-deadline.ts'
import type { FieldErrors } from '../../http/validate.ts'
import type { ProviderRegistry } from '../../providers/registry.ts'
import type { Sealer } from '../../security/sealing.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { visibilityFilter } from '../authorization/visibility.ts'
import {
  collectProviderErrors,
  findCandidates,
  type InvalidBodyRequest,
} from '../routing/provider-candidates.ts'
import { refreshLookupBudget } from './lookup-budgets.ts'
import { orderAuthorOf, writeDirectly } from './user-acts.ts'

/** The answer to a look-up as it is sealed in its row, for as long as a transfer may name it. */
export type SealedLookup = { key: string; owner: Party; endToEnd?: string }
type SealedAnswer = Omit<SealedLookup, 'key'>

/** The connection that is to answer, and how the key is named in PostgreSQL. */
type KeyRequest = { key: string; candidates: Connection[] }
type KeyAnswer = Omit<StoredKeyAnswer, 'sealedAnswer'> & { answer: SealedAnswer | null; cost: number }

type LookupDependencies = { orm: Orm; sealer: Sealer; providers?: ProviderRegistry }

/** Time between two looks at the answer that another process is asking for, in ms. */
const FOLLOW_INTERVAL_MS = 100

/**
 * Looks a key up for a token: counts the look-up, asks a provider unless the answer is known, and stores the account's own row, whatever
 * the answer. The API calls the provider itself, because a look-up moves nothing and no workflow repeats it. Fails with 404, 409, 422, 429
 * or 503 where no owner can be shown.
 */
export async function lookUpPixKey(
  dependencies: LookupDependencies,
  { em, token, body, requestId }: LookUpRequest,
): Promise<z.output<typeof keyLookupSchema>> {
  if (token.isAccountBlocked) fail('account_blocked')
  const { pix_key: key, provider_uuid: providerUuid } = body
  const capable = selectLookUpConnections(await findCandidates(em, { token, providerUuid }))
  if (capable.length === 0) failUnsupported()
  const order = await orderByCircuitState(
    em,
    capable.map(({ uuid }) => uuid),
  )
  const candidates = order.map(uuid => capable.find(one => one.uuid === uuid)!)
  const waitS = await countKeyLookup(em, { accountUuid: token.accountUuid, tokenUuid: token.uuid })
  if (waitS > 0) fail('too_many_lookups', { retryAfterS: waitS })
  getRequestDeadline().extendBy(KEY_LOOKUP_WAIT_MS)
  const answer = await findAnswer(dependencies, { key, candidates })
  const lookup = await storeLookup(dependencies, { em, token, body, requestId }, { candidates, answer })
  requireFound(answer)
  const budget = await findLookupBudget(em.fork(), lookup.connection.providerAccountUuid)
  return showKeyLookup(lookup, {
    key,
    budget: showLookupBudget(budget && refillBudget(budget, Date.now()), answer.cost),
  })
}

/**
 * Returns the answer about a key that is known, waits for the one that another caller asks for, or asks the providers: parallel look-ups
 * of a key make one call, whose cost only its caller has.
 */
async function findAnswer(dependencies: LookupDependencies, request: KeyRequest): Promise<KeyAnswer> {
  const { orm, sealer } = dependencies
  const { isSimulated, providerAccountUuid } = request.candidates[0]!
  const claim = { claim: randomUUID(), isSimulated, keyMac: sealer.mac(request.key), providerAccountUuid }
  const giveUpAtMs = performance.now() + KEY_LOOKUP_WAIT_MS
  do {
    const stored = await claimKeyAnswer(orm.em.fork(), claim)
    if (stored === 'claimed') return askAndStore(dependencies, request, claim)
    if (stored !== 'asking') {
      const { sealedAnswer, ...rest } = stored
      return {
        ...rest,
        answer: sealedAnswer === null ? null : sealer.open<SealedAnswer>(sealedAnswer),
        cost: 0,
      }
    }
    await sleep(FOLLOW_INTERVAL_MS)
  } while (performance.now() < giveUpAtMs)
  return { ...UNANSWERED, providerAccountUuid }
}

async function askAndStore(
  dependencies: LookupDependencies,
  request: KeyRequest,
  { claim, providerAccountUuid }: KeyAnswerRequest,
): Promise<KeyAnswer> {
  const { orm, sealer } = dependencies
  try {
    const answer = await askProviders(dependencies, request)
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

/** Stores the account's row of a look-up. What binds a payment to it is stored only where this account's provider account has answered. */
function storeLookup(
  { sealer }: Pick<LookupDependencies, 'sealer'>,
  { em, token, body, requestId }: LookUpRequest,
  { candidates, answer }: { candidates: Connection[]; answer: KeyAnswer },
): Promise<KeyLookup> {
  const { pix_key: key, document, name } = body
  const connection =
    candidates.find(one => one.providerAccountUuid === answer.providerAccountUuid) ?? candidates[0]!
  const uuid = randomUUID()
  const at = new Date()
  const author = orderAuthorOf(token)
  const found = answer.answer && { owner: answer.answer.owner, ...ownEndToEnd(answer, connection) }
  const act = { token, action: 'key_lookup', subject: `key-lookup/${uuid}` } as const
  return writeDirectly(em, { ids: { uuid }, act }, async tx =>
    tx.create(KeyLookup, {
      uuid,
      accountUuid: token.accountUuid,
      connection: await tx.findOneOrFail(Connection, connection.uuid),
      providerAccountUuid: connection.providerAccountUuid,
      isSimulated: connection.isSimulated,
      type: detectPixKeyType(key)!,
      shownKey: maskKey(key),
      outcome: answer.outcome,
      sealedAnswer: found && sealer.seal({ key, ...found } satisfies SealedLookup),
      receiver: found && maskParty(found.owner),
      documentMatch: found ? matchDocument(document, { key, owner: found.owner }) : 'UNKNOWN',
      nameMatch: found ? matchName(name, found.owner) : 'UNKNOWN',
      tokenNumber: author.tokenNumber ?? null,
      userUuid: author.userUuid ?? null,
      requestId,
      createdAt: at,
      updatedAt: at,
      expiresAt: new Date(at.getTime() + LOOKUP_VALIDITY_MS),
    }),
  )
}

type LookUpRequest = { em: EntityManager; token: CallerToken; body: LookUpKeyBody; requestId: string }

const UNANSWERED = { outcome: 'no_answer', answer: null, retryAfterS: null, cost: 0 } as const

/** The id of a look-up binds one payment, of the account that asked for it: an answer that was known binds none. */
function ownEndToEnd(
  { answer, cost, providerAccountUuid }: KeyAnswer,
  connection: Connection,
): Pick<SealedAnswer, 'endToEnd'> {
  const isOwn = cost > 0 && providerAccountUuid === connection.providerAccountUuid
  return isOwn && answer?.endToEnd ? { endToEnd: answer.endToEnd } : {}
}

function selectLookUpConnections(candidates: Connection[]): Connection[] {
  return candidates.filter(({ dialect }) => PROVIDER_CAPABILITIES[dialect].canLookUpKey)
}

const UNSUPPORTED_MESSAGE = 'looks up no PIX keys of others'

function failUnsupported(): never {
  fail('lookup_not_supported', { errors: { provider_uuid: [UNSUPPORTED_MESSAGE] } })
}

/** Collects the errors of the provider in a body that its schema has rejected. */
export function collectLookupProviderErrors(request: InvalidBodyRequest) {
  return collectProviderErrors(request, (candidates): FieldErrors => {
    const isUnsupported = selectLookUpConnections(candidates).length === 0
    return isUnsupported ? { provider_uuid: [UNSUPPORTED_MESSAGE] } : {}
  })
}

/** Fails unless the look-up found an owner. */
function requireFound({ outcome, retryAfterS }: KeyAnswer): void {
  if (outcome === 'not_found') fail('key_not_registered')
  if (outcome === 'refused') fail('key_blocked_for_fraud')
  if (outcome !== 'no_answer') return
  if (retryAfterS !== null) fail('lookup_budget_low', { retryAfterS })
  fail('no_provider_available', { retryAfterS: UNAVAILABLE_RETRY_S })
}

/** Seconds after which a look-up that the provider has refused for its budget is allowed again, where no budget says it. */
const REFUSED_RETRY_S = 60
/** Another provider is asked only while this time is left of the wait for an answer, in ms. */
const MIN_TO_ASK_MS = 2_000

/**
 * Asks the providers in turn until one answers. DICT is one: what one of them does not find, none finds. A provider without budget is not
 * asked.
 */
async function askProviders(
  { orm, providers }: LookupDependencies,
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

/** Finds a look-up that found its key and that the token may see. */
export function findVisibleLookup(
  em: EntityManager,
  token: CallerToken,
  uuid: string,
): Promise<KeyLookup | null> {
  const filter = { $and: [visibilityFilter(token), { uuid, outcome: 'found' as const }] }
  return em.findOne(KeyLookup, filter, { populate: ['connection'] })
}
