import type { Orm } from '../../db/client/orm.ts'
import {
  batchQueries,
  firstRow,
  mapQuery,
  noQuery,
  type Query,
  query,
  runAsyncCommit,
  runQuery,
} from '../../db/pipeline/query.ts'
import { hashToken, type TokenMode } from '../../security/tokens.ts'
import { fail } from '../http/api-error.ts'
import { isReadOnlyRefusal } from '../http/outage.ts'
import { MAX_CACHED_TOKENS, TOKEN_CACHE_MS } from '../limits.ts'

/** The authenticated API token of an account, perhaps bound to one connection. */
export type CallerToken = {
  uuid: string
  accountUuid: string
  connectionUuid: string | null
  mode: TokenMode
  /** Mode that the token's queries are restricted to. Absent for the dashboard, where a person may see both. */
  modeScope?: TokenMode
}

type ValidToken = { token: CallerToken; expiresAtMs: number | null }
type CachedToken = { readAtMs: number; lookup: Promise<ValidToken | null>; tokenUuid?: string | undefined }

/** Authenticates a bearer token, or fails with 401. */
export type Authenticator = (authorization: string | undefined) => Promise<CallerToken>

/** Query that is sent with the token lookup in one message; `tokenUuid` where an earlier lookup found it. */
type BatchedQueryFactory = (hash: string, tokenUuid: string | undefined) => Query<unknown>

/**
 * Creates the authenticator, which looks tokens up by their SHA-256. A result is cached for at most a second, so every
 * process sees a revocation, an expiry or a blocked account within that time. Concurrent requests share one lookup.
 */
export function createAuthenticator(
  orm: Orm,
  {
    batchedQuery = () => noQuery,
    now = Date.now,
  }: { batchedQuery?: BatchedQueryFactory; now?: () => number } = {},
): Authenticator {
  const cache = new Map<string, CachedToken>()

  function lookUpToken(token: string): Promise<ValidToken | null> {
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
          entry.tokenUuid = validToken?.token.uuid
          return validToken
        }),
    }
    cache.delete(hash) // Keeps the map ordered by time of reading, for eviction.
    cache.set(hash, entry)
    entry.lookup.catch(() => cache.get(hash) === entry && cache.delete(hash))
    evictOldestTokens(cache)
    return entry.lookup
  }

  return async authorization => {
    const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? '')?.[1]
    if (token === undefined) return failUnauthenticated('Bearer realm="trilho"')
    const validToken = await lookUpToken(token)
    if (validToken === null || (validToken.expiresAtMs !== null && validToken.expiresAtMs <= now())) {
      return failUnauthenticated('Bearer realm="trilho", error="invalid_token"')
    }
    return validToken.token
  }
}

type TokenLookupRow = {
  uuid: string
  account_uuid: string
  connection_uuid: string | null
  mode: TokenMode
  expires_ms: string | null
}

const VALID_TOKEN_SQL = `
  select t.uuid, t.account_uuid, t.connection_uuid, t.mode, extract(epoch from t.expires_at) * 1000 as expires_ms
  from token t join account a on a.uuid = t.account_uuid
  where t.hash = decode(?, 'hex') and t.revoked_at is null and a.status = 'ACTIVE'
    and (t.expires_at is null or t.expires_at > now())`

/** Queries a valid token; the same statement updates `last_used_at` once a minute. */
function queryTokenUse(hash: string): Query<ValidToken | null> {
  return queryToken(
    `with found as (${VALID_TOKEN_SQL}), used as (
       update token t set last_used_at = now() from found
       where t.uuid = found.uuid and (t.last_used_at is null or t.last_used_at < now() - interval '1 minute')
     )
     select * from found`,
    hash,
  )
}

/** Queries a valid token without a write, for a PostgreSQL that is read-only. */
function queryValidToken(hash: string): Query<ValidToken | null> {
  return queryToken(VALID_TOKEN_SQL, hash)
}

function queryToken(sql: string, hash: string): Query<ValidToken | null> {
  const tokenQuery = query(sql, [hash], rows => rows as TokenLookupRow[])
  return mapQuery(firstRow(tokenQuery), row => (row ? toValidToken(row) : null))
}

function toValidToken(row: TokenLookupRow): ValidToken {
  return {
    token: {
      uuid: row.uuid,
      accountUuid: row.account_uuid,
      connectionUuid: row.connection_uuid,
      mode: row.mode,
      modeScope: row.mode,
    },
    expiresAtMs: row.expires_ms === null ? null : Number(row.expires_ms),
  }
}

function failUnauthenticated(challenge: string): never {
  fail('unauthenticated', { headers: { 'WWW-Authenticate': challenge } })
}

function evictOldestTokens(cache: Map<string, CachedToken>) {
  for (const hash of cache.keys()) {
    if (cache.size <= MAX_CACHED_TOKENS) return
    cache.delete(hash)
  }
}
