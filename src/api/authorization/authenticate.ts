import type { Orm } from '../../db/client/orm.ts'
import { batchQueries, noQuery, type Query, runAsyncCommit, runQuery } from '../../db/pipeline/query.ts'
import { queryTokenUse, queryValidToken, type ValidToken } from '../../db/repositories/tokens.ts'
import { fail } from '../../http/api-error.ts'
import { MAX_CACHED_TOKENS, TOKEN_CACHE_MS } from '../../http/limits.ts'
import { isReadOnlyRefusal } from '../../http/outage.ts'
import { type AddressFilter, createAddressFilter } from '../../security/allowed-addresses.ts'
import { hashToken, type TokenMode } from '../../security/tokens.ts'

/** The authenticated API token of an account, perhaps bound to one connection. */
export type CallerToken = {
  uuid: string
  /** Names the token in the rows that its requests create. Absent for the dashboard. */
  number?: number
  /** E-mail of the user of the dashboard, by whom each act is recorded. Absent for an API token. */
  author?: string
  accountUuid: string
  connectionUuid: string | null
  mode: TokenMode
  /** Mode that the token's queries are restricted to. Absent for the dashboard, where a person may see both. */
  modeScope?: TokenMode
  /** The account is blocked: `createOperation` starts nothing new for it. */
  isAccountBlocked?: true
}

/** The token of a request, with what it may be used for and from where. */
export type AuthenticatedToken = {
  caller: CallerToken
  scopes: ValidToken['scopes']
  isAllowedFrom: AddressFilter
}

type CachedToken = {
  /** By a monotonic clock. */
  readAtMs: number
  lookup: Promise<(AuthenticatedToken & { expiresAtMs: number | null }) | undefined>
  tokenUuid?: string | undefined
}

/** Authenticates a bearer token, or fails with 401. */
export type Authenticator = (authorization: string | undefined) => Promise<AuthenticatedToken>

/** Query that is sent with the token lookup in one round trip; `tokenUuid` where an earlier lookup found it. */
type BatchedQueryFactory = (hash: string, tokenUuid: string | undefined) => Query<unknown>

/**
 * Creates the authenticator, which looks tokens up by their SHA-256. A result is cached for at most a second, so every
 * process sees a revocation, an expiry or a blocked account within that time. Concurrent requests share one lookup.
 * `now` is a monotonic clock in ms, so that a step of the wall clock does not extend that time.
 */
export function createAuthenticator(
  orm: Orm,
  {
    batchedQuery = () => noQuery,
    now = () => performance.now(),
  }: { batchedQuery?: BatchedQueryFactory; now?: () => number } = {},
): Authenticator {
  const cache = new Map<string, CachedToken>()

  function lookUpToken(token: string): CachedToken['lookup'] {
    const hash = hashToken(token).toString('hex')
    const cached = cache.get(hash)
    if (cached && now() - cached.readAtMs < TOKEN_CACHE_MS) return cached.lookup

    const queries = batchQueries(queryTokenUse(hash), batchedQuery(hash, cached?.tokenUuid))
    const entry: CachedToken = {
      readAtMs: now(),
      lookup: runAsyncCommit(orm.em.fork(), queries)
        .then(([validToken]) => validToken)
        .catch(error => {
          if (!isReadOnlyRefusal(error)) throw error
          return runQuery(orm.em.fork(), queryValidToken(hash))
        })
        .then(validToken => {
          entry.tokenUuid = validToken?.uuid
          return validToken && toAuthenticatedToken(validToken)
        }),
    }
    cache.delete(hash) // Keeps the map ordered by time of reading, for eviction.
    cache.set(hash, entry)
    entry.lookup.catch(() => cache.get(hash) === entry && cache.delete(hash))
    evictOldest(cache, MAX_CACHED_TOKENS)
    return entry.lookup
  }

  return async authorization => {
    const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? '')?.[1]
    if (token === undefined) return failUnauthenticated('Bearer realm="trilho"')
    const validToken = await lookUpToken(token)
    if (!validToken || (validToken.expiresAtMs !== null && validToken.expiresAtMs <= Date.now())) {
      return failUnauthenticated('Bearer realm="trilho", error="invalid_token"')
    }
    return validToken
  }
}

function toAuthenticatedToken(token: ValidToken) {
  const { scopes, allowedAddresses, expiresAtMs, isAccountBlocked, ...caller } = token
  return {
    caller: {
      ...caller,
      modeScope: caller.mode,
      ...(isAccountBlocked && { isAccountBlocked: true as const }),
    },
    scopes,
    isAllowedFrom: createAddressFilter(allowedAddresses),
    expiresAtMs,
  }
}

function failUnauthenticated(challenge: string): never {
  fail('unauthenticated', { headers: { 'WWW-Authenticate': challenge } })
}

/** Removes the first entries of a map until it has at most `maxSize`. */
export function evictOldest(cache: Map<string, unknown>, maxSize: number) {
  for (const key of cache.keys()) {
    if (cache.size <= maxSize) return
    cache.delete(key)
  }
}
