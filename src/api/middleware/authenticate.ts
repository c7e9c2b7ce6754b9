import type { Orm } from '../../db/client/orm.ts'
import {
  batchQueries,
  firstRow,
  mapQuery,
  noQuery,
  type Query,
  query,
  runAsyncCommit,
} from '../../db/pipeline/query.ts'
import { hashToken, type TokenMode } from '../../security/tokens.ts'
import { fail } from '../http/api-error.ts'
import { MAX_CACHED_TOKENS, TOKEN_CACHE_MS } from '../limits.ts'

/** Who calls: an API key of an account, perhaps bound to one connection. */
export type CallerToken = {
  uuid: string
  accountUuid: string
  connectionUuid: string | null
  mode: TokenMode
  /** What it sees and touches: of simulators only, or of real providers only; all of it is for people to see. */
  modeScope?: TokenMode
}

type ValidToken = { token: CallerToken; expiresAtMs: number | null }
type CachedToken = { readAtMs: number; lookup: Promise<ValidToken | null>; tokenUuid?: string | undefined }

/** Says who a bearer token is, or refuses with 401. */
export type Authenticator = (authorization: string | undefined) => Promise<CallerToken>

/** What else is to be known of whoever calls, asked in the message that looks the token up; `tokenUuid` where it was known before. */
type BatchedQueryFactory = (hash: string, tokenUuid: string | undefined) => Query<unknown>

/**
 * Looks tokens up by their SHA-256. What was read is trusted for a second at most, so a revocation, an expiry or a
 * blocked account is seen by every process within that time; requests of the same moment share one look-up.
 */
export function createAuthenticator(
  orm: Orm,
  {
    batchedQuery: beside = () => noQuery,
    now = Date.now,
  }: { batchedQuery?: BatchedQueryFactory; now?: () => number } = {},
): Authenticator {
  const remembered = new Map<string, CachedToken>()

  function found(token: string): Promise<ValidToken | null> {
    const hash = hashToken(token).toString('hex')
    const known = remembered.get(hash)
    if (known && now() - known.readAtMs < TOKEN_CACHE_MS) return known.lookup

    const asked = batchQueries(queryValidToken(hash), beside(hash, known?.tokenUuid))
    const fresh: CachedToken = {
      readAtMs: now(),
      lookup: runAsyncCommit(orm.em.fork(), asked).then(([seen]) => {
        fresh.tokenUuid = seen?.token.uuid
        return seen
      }),
    }
    remembered.delete(hash) // So that the map stays in the order of reading.
    remembered.set(hash, fresh)
    fresh.lookup.catch(() => remembered.get(hash) === fresh && remembered.delete(hash))
    evictOldestTokens(remembered)
    return fresh.lookup
  }

  return async authorization => {
    const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? '')?.[1]
    if (token === undefined) return failUnauthenticated('Bearer realm="trilho"')
    const known = await found(token)
    if (known === null || (known.expiresAtMs !== null && known.expiresAtMs <= now())) {
      return failUnauthenticated('Bearer realm="trilho", error="invalid_token"')
    }
    return known.token
  }
}

type TokenLookupRow = {
  uuid: string
  account_uuid: string
  connection_uuid: string | null
  mode: TokenMode
  expires_ms: string | null
}

/** One statement finds the token and, once a minute, writes down that it was used: nothing is left for later. */
function queryValidToken(hash: string): Query<ValidToken | null> {
  const found = query(
    `with found as (
       select t.uuid, t.account_uuid, t.connection_uuid, t.mode, extract(epoch from t.expires_at) * 1000 as expires_ms
       from token t join account a on a.uuid = t.account_uuid
       where t.hash = decode(?, 'hex') and t.revoked_at is null and a.status = 'ACTIVE'
         and (t.expires_at is null or t.expires_at > now())
     ), used as (
       update token t set last_used_at = now() from found
       where t.uuid = found.uuid and (t.last_used_at is null or t.last_used_at < now() - interval '1 minute')
     )
     select * from found`,
    [hash],
    rows => rows as TokenLookupRow[],
  )
  return mapQuery(firstRow(found), row => (row ? toValidToken(row) : null))
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

function evictOldestTokens(remembered: Map<string, CachedToken>) {
  for (const hash of remembered.keys()) {
    if (remembered.size <= MAX_CACHED_TOKENS) return
    remembered.delete(hash)
  }
}
