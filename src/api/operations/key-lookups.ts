import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import { maskParty } from '../../contract/ledger/movement.ts'
import {
  type keyLookupSchema,
  type LookUpKeyBody,
  maskKey,
  showKeyLookup,
  showLookupBudget,
} from '../../contract/pix-keys/key-lookup.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Connection } from '../../db/entities/connection.ts'
import { KeyLookup } from '../../db/entities/key-lookup.ts'
import { batchQueries, runAsyncCommit, runQuery, sendChanges } from '../../db/pipeline/query.ts'
import { orderByCircuitState } from '../../db/repositories/circuit-breaker.ts'
import { queryLookupBudget, queryLookupCount } from '../../db/repositories/key-lookups.ts'
import { detectPixKeyType } from '../../domain/pix-keys/key-format.ts'
import { LOOKUP_VALIDITY_MS, matchDocument, matchName } from '../../domain/pix-keys/key-look-up.ts'
import { refillBudget } from '../../domain/pix-keys/look-up-budget.ts'
import { PROVIDER_CAPABILITIES } from '../../domain/providers/capabilities.ts'
import { fail } from '../../http/api-error.ts'
import { KEY_LOOKUP_WAIT_MS, UNAVAILABLE_RETRY_S } from '../../http/limits.ts'
import { getRequestDeadline } from '../../http/request-deadline.ts'
import type { FieldErrors } from '../../http/validate.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { visibilityFilter } from '../authorization/visibility.ts'
import {
  collectProviderErrors,
  type InvalidBodyRequest,
  queryCandidates,
} from '../routing/provider-candidates.ts'
import { findKeyAnswer, type KeyAnswerDependencies, queryKnownAnswer } from './key-answers.ts'
import type { KeyAnswer, KeyOwnerAnswer } from './provider-lookups.ts'
import { orderAuthorOf, writeDirectly } from './user-acts.ts'

/** Looking up the owner of a key for an account: whether it may, what is stored of it, and what its caller is shown. */

/** The answer to a look-up as it is sealed in its row, for as long as a transfer may name it. */
export type SealedLookup = KeyOwnerAnswer & { key: string }

/**
 * Looks a key up for a token: counts the look-up, asks a provider unless the answer is known, and stores the account's own row, whatever
 * the answer. The API calls the provider itself, because a look-up moves nothing and no workflow repeats it. Fails with 404, 409, 422, 429
 * or 503 where no owner can be shown.
 */
export async function lookUpPixKey(
  dependencies: KeyAnswerDependencies,
  request: LookUpRequest,
): Promise<z.output<typeof keyLookupSchema>> {
  const { em, token, body } = request
  if (token.isAccountBlocked) fail('account_blocked')
  const { pix_key: key, provider_uuid: providerUuid } = body
  const [connections, knownAnswer, waitS] = await runAsyncCommit(
    em,
    batchQueries(
      queryCandidates(em, { token, providerUuid }),
      queryKnownAnswer(dependencies, { key, isSimulated: token.mode === 'test' }),
      queryLookupCount({ accountUuid: token.accountUuid, tokenUuid: token.uuid }),
    ),
  )
  const capable = selectLookUpConnections(connections)
  if (capable.length === 0) failUnsupported()
  if (waitS > 0) fail('too_many_lookups', { retryAfterS: waitS })
  const answered = knownAnswer
    ? { candidates: capable, answer: knownAnswer }
    : await askForAnswer(dependencies, em, { key, capable })
  const { answer } = answered
  const { lookup, connection, budget } = await storeLookup(dependencies, request, answered)
  requireFound(answer)
  return showKeyLookup(lookup, {
    key,
    connection,
    budget: showLookupBudget(budget && refillBudget(budget, Date.now()), answer.cost),
  })
}

/** An answer, and the connections that could look its key up. */
type AnsweredLookup = { candidates: Connection[]; answer: KeyAnswer }

/** Asks the providers of the connections, those first whose circuit breaker is closed. */
async function askForAnswer(
  dependencies: KeyAnswerDependencies,
  em: EntityManager,
  { key, capable }: { key: string; capable: Connection[] },
): Promise<AnsweredLookup> {
  const order = await orderByCircuitState(
    em,
    capable.map(({ uuid }) => uuid),
  )
  const candidates = order.map(uuid => capable.find(one => one.uuid === uuid)!)
  getRequestDeadline().extendBy(KEY_LOOKUP_WAIT_MS)
  return { candidates, answer: await findKeyAnswer(dependencies, { key, candidates }) }
}

/**
 * Stores the account's row of a look-up, and reads the budget that is left. What binds a payment to it is stored only where this account's
 * provider account has answered.
 */
function storeLookup(
  { sealer }: Pick<KeyAnswerDependencies, 'sealer'>,
  { em, token, body, requestId }: LookUpRequest,
  { candidates, answer }: AnsweredLookup,
) {
  const { pix_key: key, document, name } = body
  const connection =
    candidates.find(one => one.providerAccountUuid === answer.providerAccountUuid) ?? candidates[0]!
  const { providerAccountUuid, isSimulated } = connection
  const uuid = randomUUID()
  const at = new Date()
  const author = orderAuthorOf(token)
  const found = answer.answer && { owner: answer.answer.owner, ...ownEndToEnd(answer, connection) }
  const act = { token, action: 'key_lookup', subject: `key-lookup/${uuid}` } as const
  return writeDirectly(em, { ids: { uuid }, act }, async tx => {
    const lookup = tx.create(KeyLookup, {
      uuid,
      accountUuid: token.accountUuid,
      connection: tx.getReference(Connection, connection.uuid),
      providerAccountUuid,
      isSimulated,
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
    })
    await sendChanges(tx)
    return { lookup, connection, budget: await runQuery(tx, queryLookupBudget(providerAccountUuid)) }
  })
}

type LookUpRequest = { em: EntityManager; token: CallerToken; body: LookUpKeyBody; requestId: string }

/** The id of a look-up binds one payment, of the account that asked for it: an answer that was known binds none. */
function ownEndToEnd(
  { answer, cost, providerAccountUuid }: KeyAnswer,
  connection: Connection,
): Pick<KeyOwnerAnswer, 'endToEnd'> {
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

/** Finds a look-up that found its key and that the token may see. */
export function findVisibleLookup(
  em: EntityManager,
  token: CallerToken,
  uuid: string,
): Promise<KeyLookup | null> {
  const filter = { $and: [visibilityFilter(token), { uuid, outcome: 'found' as const }] }
  return em.findOne(KeyLookup, filter, { populate: ['connection'] })
}
