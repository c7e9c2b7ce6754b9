import { randomUUID } from 'node:crypto'
import {
  type CreatePixKeyBody,
  isProvedType,
  type PixKeysQuery,
  type RequestCodeBody,
  showCreatedPixKey,
  showRequestedCode,
} from '../../contract/pix-keys/pix-key.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Account } from '../../db/entities/account.ts'
import { Connection } from '../../db/entities/connection.ts'
import { AuthCode, PixKey } from '../../db/entities/pix-key.ts'
import { countAuthCodeRequest } from '../../db/repositories/auth-codes.ts'
import {
  countPixKeyCreation,
  countPixKeys,
  isPixKeyInUse,
  isPixKeyRegistered,
} from '../../db/repositories/pix-keys.ts'
import { normalizePixKey } from '../../domain/pix-keys/key-format.ts'
import { LISTED_KEY_STATES, MAX_KEYS_PER_TYPE, type PixKeyType } from '../../domain/pix-keys/pix-key.ts'
import { PROVIDER_CAPABILITIES } from '../../domain/providers/capabilities.ts'
import { fail, failField } from '../../http/api-error.ts'
import type { FieldMessage } from '../../http/field-message.ts'
import { PIX_KEY_STORED_WAIT_MS, UNAVAILABLE_RETRY_S } from '../../http/limits.ts'
import type { FieldErrors } from '../../http/validate.ts'
import { canReachChannel, type MessengerSettings } from '../../messaging/settings.ts'
import { type Sealer, sha256 } from '../../security/sealing.ts'
import {
  startAuthCodeWorkflow,
  startPixKeyRemovalWorkflow,
  startPixKeyWorkflow,
} from '../../temporal/start.ts'
import type { TemporalContext } from '../../temporal/workflow-options.ts'
import type {
  AuthCodeInput,
  AuthCodeInputDetails,
  PixKeyInput,
  PixKeyInputDetails,
} from '../../workflows/contracts/pix-keys.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { visibleConnections } from '../authorization/visibility.ts'
import {
  collectProviderErrors,
  findCandidates,
  type InvalidBodyRequest,
  requireUnpausedConnections,
} from '../routing/provider-candidates.ts'
import { USED_CODE_MESSAGE, verifyAddress } from './auth-codes.ts'
import {
  type CreateDependencies,
  type CreateRequest,
  createOperation,
  failStored,
  isOperationCreated,
  type Replay,
  remainingCreateWaitMs,
} from './create-operation.ts'
import { readEntityPage } from './pagination.ts'
import { startAndAwaitResult } from './start-and-wait.ts'

function findPixKey(em: EntityManager, uuid: string) {
  return em.findOne(PixKey, uuid, { populate: ['connection'] })
}

/** Reads a key that a token may see, by its text or by its uuid, which no response shows; or fails with 404. */
export async function requireVisiblePixKey(
  em: EntityManager,
  token: CallerToken,
  id: { key: string } | { uuid: string },
) {
  const where = {
    ...('key' in id ? { key: normalizePixKey(id.key) } : id),
    ...buildPixKeyVisibilityFilter(token),
  }
  return (await em.findOne(PixKey, where, { populate: ['connection'] })) ?? fail('not_found')
}

/** Returns whether a key of the account was removed, and is not registered again. */
export async function isPixKeyRemoved(em: EntityManager, token: CallerToken, key: string): Promise<boolean> {
  const { accountUuid } = token
  const normalized = normalizePixKey(key)
  const [registered, removed] = await Promise.all([
    em.count(PixKey, { key: normalized, ...buildPixKeyVisibilityFilter(token) }),
    em.fork().count(PixKey, { key: normalized, accountUuid, state: 'removed' }),
  ])
  return registered === 0 && removed > 0
}

/** Lists one page of the keys that a token may see, newest first. */
export function listPixKeys(em: EntityManager, token: CallerToken, query: PixKeysQuery) {
  const filter = { ...buildPixKeyVisibilityFilter(token), ...(query.type && { type: { $in: query.type } }) }
  return readEntityPage(em, PixKey, { name: 'pix-key', query, filter, populate: ['connection'] })
}

/** Builds the filter of visible keys. Simulated keys are separate: the same text may exist again as a real key. */
function buildPixKeyVisibilityFilter(token: CallerToken) {
  return {
    accountUuid: token.accountUuid,
    isSimulated: token.mode === 'test',
    state: { $in: [...LISTED_KEY_STATES] },
    ...(token.connectionUuid !== null && { connection: token.connectionUuid }),
  }
}

type PixKeyProviderRequest = { token: CallerToken; providerUuid: string | undefined; type: PixKeyType }

/** Chooses the connection that registers a key: the token's, else the named one, else the first of the defaults. */
async function choosePixKeyProvider(em: EntityManager, { type, ...providerRequest }: PixKeyProviderRequest) {
  const [first] = await findCandidates(em, providerRequest)
  const reason = unsuitableReason(first!, type)
  if (reason === 'pool') failField('provider_uuid', describePool(first!))
  if (reason === 'unsupported')
    fail('key_not_supported', { errors: { type: [describeUnsupportedType(first!, type)] } })
  return first!
}

/** Fails where no provider can register such a key, so that no code is sent in vain; POST /pix-keys chooses one. */
async function requirePixKeyProvider(em: EntityManager, { type, ...providerRequest }: PixKeyProviderRequest) {
  const capable = (await findCandidates(em, providerRequest)).filter(
    one => unsuitableReason(one, type) === null,
  )
  if (capable.length === 0) await choosePixKeyProvider(em, { type, ...providerRequest })
  else requireUnpausedConnections(capable, 'in')
}

/** Collects the provider errors of a body that its schema has rejected, so that all errors are sent at once. */
export function collectPixKeyProviderErrors(request: InvalidBodyRequest) {
  return collectProviderErrors(request, ([first]) => collectPoolErrors([first!]))
}

/** Collects the provider errors of a rejected code request, for which any default is enough. */
export function collectCodeProviderErrors(request: InvalidBodyRequest) {
  return collectProviderErrors(request, collectPoolErrors)
}

function collectPoolErrors(connections: Connection[]): FieldErrors {
  const errors: FieldErrors = {}
  if (connections.every(isPool)) errors.provider_uuid = [describePool(connections[0]!)]
  return errors
}

function isPool({ type }: Connection): boolean {
  return type !== 'NOMINAL'
}

function unsuitableReason(connection: Connection, type: PixKeyType): 'pool' | 'unsupported' | null {
  if (isPool(connection)) return 'pool'
  return PROVIDER_CAPABILITIES[connection.dialect].creatableKeyTypes.includes(type) ? null : 'unsupported'
}

function describePool({ provider }: Connection): FieldMessage {
  return {
    text: "must be a NOMINAL provider: {provider} is a POOL, whose account is the service's",
    gaps: { provider },
  }
}

function describeUnsupportedType({ provider, dialect }: Connection, type: PixKeyType): FieldMessage {
  const capable = PROVIDER_CAPABILITIES[dialect].creatableKeyTypes.filter(one => one !== type)
  return {
    text: 'must be a type that {provider} supports for this account ({types}), not {type}',
    gaps: { provider, type, types: capable.join(', ') },
  }
}

export const PIX_KEYS_PATH = '/api/v1/pix-keys'

type CreatePixKeyRequest = CreateRequest<CreatePixKeyBody>

/**
 * Counts a POST of a key, rejected ones included; the fourth within 60 s is 429 (SPEC §9). PostgreSQL counts, by its
 * own clock, so the limit holds for any number of processes. Not counted: a 429, and the repeat of a request whose key is
 * stored, so that a merchant who waits for `Retry-After`, or repeats an unclear request, gets its outcome.
 */
export async function countCreationAttempt({
  token,
  em,
  idempotencyKey,
}: Pick<CreatePixKeyRequest, 'token' | 'em' | 'idempotencyKey'>): Promise<void> {
  if (idempotencyKey !== null) {
    const request = { token, path: PIX_KEYS_PATH, idempotencyKey }
    if (await isOperationCreated(request, uuid => findPixKey(em.fork(), uuid))) return
  }
  const retryAfterS = await countPixKeyCreation(em, token.accountUuid)
  if (retryAfterS > 0) fail('too_many_attempts', { retryAfterS })
}

/** Registers a PIX key at a provider, or replays the response of the same Idempotency-Key (SPEC §9). */
export function createPixKey(
  { temporal: context, sealer }: CreateDependencies,
  request: CreatePixKeyRequest,
) {
  const { body, token, em } = request
  const { type } = body
  return createOperation(context, request, {
    noun: 'pix_key',
    path: PIX_KEYS_PATH,
    find: uuid => findPixKey(em.fork(), uuid),
    replayWaitMs: row => (row.state === 'creating' ? remainingCreateWaitMs(row, PIX_KEY_STORED_WAIT_MS) : 0),
    storedWaitMs: PIX_KEY_STORED_WAIT_MS,
    async validate() {
      const connection = await choosePixKeyProvider(em, { token, providerUuid: body.provider_uuid, type })
      const provenKey = await validateKeyCreation(sealer, request, connection)
      requireUnpausedConnections([connection], 'in')
      return { ...provenKey, connectionUuid: connection.uuid }
    },
    start({ fingerprint, ...operation }, { key, ...validated }, waitMs) {
      const details: PixKeyInputDetails = { key, fingerprint }
      const order: PixKeyInput = { ...operation, type, ...validated, details: sealer.seal(details) }
      return startPixKeyWorkflow(context, order, waitMs)
    },
    present: respondWithPixKey,
  })
}

/** Validates a new key, its limit before its code, so that no guess is spent in vain; the workflow validates again. */
async function validateKeyCreation(
  sealer: Sealer,
  { body, token: { accountUuid }, em }: CreatePixKeyRequest,
  { isSimulated }: Connection,
): Promise<{ key: string | null; authCodeUuid?: string }> {
  const { type } = body
  if ((await countPixKeys(em, { accountUuid, type, isSimulated })) >= MAX_KEYS_PER_TYPE) fail('pix_key_limit')
  if (type === 'RANDOM') return { key: null }
  const proof = {
    accountUuid,
    isSimulated,
    authCodeId: body.auth_code_id ?? '',
    authCode: body.auth_code ?? '',
  }
  const key = isProvedType(type)
    ? await verifyAddress(em, sealer, { ...proof, type })
    : (await em.findOneOrFail(Account, accountUuid)).document
  if (await isPixKeyRegistered(em, { key, isSimulated })) fail('pix_key_already_registered')
  return { key, ...(isProvedType(type) && { authCodeUuid: proof.authCodeId.toLowerCase() }) }
}

/** Responds with 201 or the reason of a rejection; 503 while the outcome is unknown, which the workflow polls. */
function respondWithPixKey(row: PixKey, replay: Replay) {
  const { headers } = replay
  if (row.state === 'creating') fail('pix_key_unknown', { headers, retryAfterS: UNAVAILABLE_RETRY_S })
  if (row.state !== 'refused') return { status: 201 as const, headers, body: showCreatedPixKey(row) }
  return failPixKeyCreation(row, replay)
}

function failPixKeyCreation({ type, connection, failure }: PixKey, replay: Replay): never {
  switch (failure?.code) {
    case 'auth_code_used':
      return failStored('validation_failed', replay, { errors: { auth_code_id: [USED_CODE_MESSAGE] } })
    case 'key_already_registered':
      return failStored('pix_key_already_registered', replay)
    case 'key_unsupported':
      return failStored('key_not_supported', replay, {
        errors: { type: [describeUnsupportedType(connection, type)] },
      })
    case 'pix_key_already_registered':
    case 'pix_key_limit':
    case 'no_provider_available':
    case 'paused':
      return failStored(failure.code, replay)
    default:
      return failStored('provider_rejected', replay, { data: { type, is_active: false, error: failure } })
  }
}

type RemovePixKeyRequest = { key: string; token: CallerToken; em: EntityManager; requestId: string }

export async function removePixKey(
  context: TemporalContext,
  { key, token, em, requestId }: RemovePixKeyRequest,
): Promise<void> {
  await requireNotCollectionKey(em, token, key)
  const { uuid, accountUuid, connection, ...row } = await requireVisiblePixKey(em, token, { key })
  if (await isPixKeyInUse(em, row)) fail('key_in_use')
  const removal = { uuid, accountUuid, connectionUuid: connection.uuid, requestId }
  await startAndAwaitResult(context, {
    em,
    ids: { uuid },
    act: { token, action: 'pix_key_remove', subject: `pix-key/${uuid}/removal` },
    start: waitMs => startPixKeyRemovalWorkflow(context, removal, { updateId: randomUUID(), waitMs }),
    find: () => findPixKey(em.fork(), uuid),
    isStarted: ({ state }) => state !== 'active',
    storedWaitMs: PIX_KEY_STORED_WAIT_MS,
    present: requireRemoved,
  })
}

/** Returns if the key is removed; else fails with the reason, or with `pix_key_unknown` while it is unknown. */
function requireRemoved({ state, type, failure }: PixKey): void {
  if (state === 'removed') return
  const failureCode = state === 'active' ? failure?.code : undefined
  if (failureCode === undefined) fail('pix_key_unknown', { retryAfterS: UNAVAILABLE_RETRY_S })
  if (failureCode === 'key_in_use') fail(failureCode)
  if (failureCode === 'no_provider_available') fail(failureCode, { retryAfterS: UNAVAILABLE_RETRY_S })
  fail('provider_rejected', { data: { type, error: failure } })
}

/** Fails where one of the account's connections collects by this key, whichever provider registered it (SPEC §6). */
async function requireNotCollectionKey(em: EntityManager, token: CallerToken, key: string) {
  const collecting = await em.count(Connection, {
    accountUuid: token.accountUuid,
    collectionKey: normalizePixKey(key),
    isSimulated: token.mode === 'test',
    ...visibleConnections(token),
  })
  if (collecting > 0) fail('key_in_use')
}

export const AUTH_CODES_PATH = '/api/v1/pix-keys/auth-code'

type RequestCodeDependencies = CreateDependencies & { config: { messengers: MessengerSettings } }

/**
 * Sends a six-digit auth code to an address, or replays the response of the same Idempotency-Key (SPEC §9). The code
 * of a test token is kept in the outbox instead.
 */
export function requestAuthCode(
  { temporal: context, sealer, config }: RequestCodeDependencies,
  request: CreateRequest<RequestCodeBody>,
) {
  const { body, token, em } = request
  const { type } = body
  const isSimulated = token.mode === 'test'
  return createOperation(context, request, {
    noun: 'auth_code',
    path: AUTH_CODES_PATH,
    find: uuid => em.fork().findOne(AuthCode, uuid),
    async validate(uuid) {
      await requirePixKeyProvider(em, { token, providerUuid: body.provider_uuid, type })
      if (!isSimulated && !canReachChannel(type, config.messengers))
        fail('code_undeliverable', { retryAfterS: UNAVAILABLE_RETRY_S })
      await countCodeRequest(request, { uuid, isSimulated })
    },
    start({ fingerprint, ...operation }, _, waitMs) {
      const details: AuthCodeInputDetails = { address: body.key, fingerprint }
      const order: AuthCodeInput = { ...operation, type, isSimulated, details: sealer.seal(details) }
      return startAuthCodeWorkflow(context, order, waitMs)
    },
    present: (row, { headers }) => ({ body: showRequestedCode(row), headers }),
  })
}

/**
 * Counts a new code before it is requested; the sixth of an account within 60 s, and of an address within an hour, is 429 (SPEC
 * §9). A repeat with the same Idempotency-Key sends nothing and does not count; neither does a 429.
 */
async function countCodeRequest(
  { body, token: { accountUuid }, em }: CreateRequest<RequestCodeBody>,
  { uuid, isSimulated }: { uuid: string; isSimulated: boolean },
): Promise<void> {
  const addressHash = isSimulated ? null : sha256(body.key)
  const retryAfterS = await countAuthCodeRequest(em, { uuid, accountUuid, addressHash })
  if (retryAfterS > 0) fail('too_many_attempts', { retryAfterS })
}
