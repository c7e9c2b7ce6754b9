import type { Token } from '../entities/token.ts'
import { ASYNC_COMMIT, firstRow, type Query, query } from '../pipeline/query.ts'

/** A token that grants access; `expiresAtMs` is null for one that does not expire. */
export type ValidToken = Pick<Token, 'uuid' | 'accountUuid' | 'mode' | 'scopes' | 'allowedAddresses'> & {
  /** Names the token in the rows that its requests create. */
  number: number
  connectionUuid: string | null
  expiresAtMs: number | null
  isAccountBlocked: boolean
}

const VALID_TOKEN_SQL = `
  select t.uuid, t.number, t.account_uuid as "accountUuid", t.connection_uuid as "connectionUuid", t.mode,
    t.scopes, t.allowed_addresses as "allowedAddresses",
    extract(epoch from t.expires_at)::float8 * 1000 as "expiresAtMs", a.status <> 'ACTIVE' as "isAccountBlocked"
  from token t join account a on a.uuid = t.account_uuid
  where t.hash = decode(?, 'hex') and t.revoked_at is null
    and (t.expires_at is null or t.expires_at > now())`

/** Queries a valid token by its hash; the same statement updates `last_used_at` once a minute. */
export function queryTokenUse(hash: string): Query<ValidToken | undefined> {
  return queryToken(
    `with found as (${VALID_TOKEN_SQL}), used as (
       update token t set last_used_at = now() from found, ${ASYNC_COMMIT}
       where t.uuid = found.uuid and (t.last_used_at is null or t.last_used_at < now() - interval '1 minute')
     )
     select * from found`,
    hash,
  )
}

/** Queries a valid token by its hash without a write, for a PostgreSQL that is read-only. */
export function queryValidToken(hash: string): Query<ValidToken | undefined> {
  return queryToken(VALID_TOKEN_SQL, hash)
}

function queryToken(sql: string, hash: string): Query<ValidToken | undefined> {
  return firstRow(query(sql, [hash], rows => rows as ValidToken[]))
}
