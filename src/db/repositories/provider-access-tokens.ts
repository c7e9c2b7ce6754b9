import type { EntityManager } from '../client/orm.ts'
import { batchQueries, firstRow, query, runQuery } from '../pipeline/query.ts'

/** The access tokens that all processes share (table `provider_access_token`); one process at a time requests the next one. */

export type TokenLease = {
  /** A hash of what the token is bound to. */
  uuid: string
  providerAccountUuid: string
  /** Names the process that requests the token. */
  leaseUuid: string
  leaseMs: number
  /** Digest of a token that the provider has refused: it does not count as a token. */
  refusedDigest: Buffer | null
}

export type StoredAccessToken = { sealedToken: string; renewInMs: number }

/**
 * Finds the token, and where there is none takes the lease to request it, unless another process has it: one round trip. The token
 * that is replaced is removed at once, so that no process reads it again.
 */
export async function findTokenOrLease(
  em: EntityManager,
  { uuid, providerAccountUuid, leaseUuid, leaseMs, refusedDigest }: TokenLease,
): Promise<{ token: StoredAccessToken | undefined; isLeased: boolean }> {
  const lease = firstRow(
    query(
      `insert into provider_access_token as t (uuid, provider_account_uuid, lease_uuid, leased_until)
       values (?, ?, ?, clock_timestamp() + ?::float8 * interval '1 ms')
       on conflict (uuid) do update set lease_uuid = excluded.lease_uuid, leased_until = excluded.leased_until,
         sealed_token = null, token_digest = null, renew_at = null
       where t.leased_until <= clock_timestamp()
         and (t.renew_at is null or t.renew_at <= clock_timestamp() or t.token_digest = ?)
       returning t.uuid`,
      [uuid, providerAccountUuid, leaseUuid, leaseMs, refusedDigest],
      rows => rows,
    ),
  )
  const token = firstRow(
    query(
      `select sealed_token as "sealedToken", extract(epoch from renew_at - clock_timestamp())::float8 * 1000 as "renewInMs"
       from provider_access_token
       where uuid = ? and renew_at > clock_timestamp() and token_digest is distinct from ?`,
      [uuid, refusedDigest],
      rows => rows as StoredAccessToken[],
    ),
  )
  const [leased, found] = await runQuery(em, batchQueries(lease, token))
  return { token: found, isLeased: leased !== undefined }
}

type IssuedTokenRow = Pick<TokenLease, 'uuid' | 'leaseUuid'> & StoredAccessToken & { digest: Buffer }

/**
 * Stores the token that a leaseholder has received, and ends its lease; a process that has lost the lease stores nothing. Deletes the
 * rows of credentials that have not been used for a day.
 */
export async function storeAccessToken(
  em: EntityManager,
  { uuid, leaseUuid, sealedToken, digest, renewInMs }: IssuedTokenRow,
): Promise<void> {
  const store = query(
    `update provider_access_token set sealed_token = ?, token_digest = ?,
       renew_at = clock_timestamp() + ?::float8 * interval '1 ms', leased_until = clock_timestamp()
     where uuid = ? and lease_uuid = ?`,
    [sealedToken, digest, renewInMs, uuid, leaseUuid],
    () => undefined,
  )
  const prune = query(
    `delete from provider_access_token where greatest(renew_at, leased_until) < now() - interval '1 day'`,
    [],
    () => undefined,
  )
  await runQuery(em, batchQueries(store, prune))
}

/** Ends a lease without a token: the next process may request one at once. */
export async function endTokenLease(
  em: EntityManager,
  { uuid, leaseUuid }: Pick<TokenLease, 'uuid' | 'leaseUuid'>,
): Promise<void> {
  await runQuery(
    em,
    query(
      'update provider_access_token set leased_until = clock_timestamp() where uuid = ? and lease_uuid = ?',
      [uuid, leaseUuid],
      () => undefined,
    ),
  )
}
