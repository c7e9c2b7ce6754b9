import type { Orm } from '../db/orm.ts'
import { all, askOfTheMoment, first, heardAs, NOTHING, type Question, question } from '../db/questions.ts'
import { type TokenMode, tokenHash } from '../tokens.ts'
import { refuse } from './errors.ts'
import { MOST_REMEMBERED_TOKENS, TOKEN_TRUST_MS } from './limits.ts'

/** Who calls: an API key of an account, perhaps bound to one connection. */
export type Token = {
  uuid: string
  accountUuid: string
  connectionUuid: string | null
  mode: TokenMode
  /** What it sees and touches: of simulators only, or of real providers only; all of it is for people to see. */
  reaches?: TokenMode
}

type Usable = { token: Token; expiresAtMs: number | null }
type Remembered = { readAtMs: number; found: Promise<Usable | null>; tokenUuid?: string | undefined }

/** Says who a bearer token is, or refuses with 401. */
export type Authenticate = (authorization: string | undefined) => Promise<Token>

/** What else is to be known of whoever calls, asked in the message that looks the token up; `tokenUuid` where it was known before. */
type Beside = (hash: string, tokenUuid: string | undefined) => Question<unknown>

/**
 * Looks tokens up by their SHA-256. What was read is trusted for a second at most, so a revocation, an expiry or a
 * blocked account is seen by every process within that time; requests of the same moment share one look-up.
 */
export function authenticator(
  orm: Orm,
  { beside = () => NOTHING, now = Date.now }: { beside?: Beside; now?: () => number } = {},
): Authenticate {
  const remembered = new Map<string, Remembered>()

  function found(token: string): Promise<Usable | null> {
    const hash = tokenHash(token).toString('hex')
    const known = remembered.get(hash)
    if (known && now() - known.readAtMs < TOKEN_TRUST_MS) return known.found

    const asked = all(usableToken(hash), beside(hash, known?.tokenUuid))
    const fresh: Remembered = {
      readAtMs: now(),
      found: askOfTheMoment(orm.em.fork(), asked).then(([seen]) => {
        fresh.tokenUuid = seen?.token.uuid
        return seen
      }),
    }
    remembered.delete(hash) // So that the map stays in the order of reading.
    remembered.set(hash, fresh)
    fresh.found.catch(() => remembered.get(hash) === fresh && remembered.delete(hash))
    forgetOldest(remembered)
    return fresh.found
  }

  return async authorization => {
    const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? '')?.[1]
    if (token === undefined) return unauthenticated('Bearer realm="trilho"')
    const known = await found(token)
    if (known === null || (known.expiresAtMs !== null && known.expiresAtMs <= now())) {
      return unauthenticated('Bearer realm="trilho", error="invalid_token"')
    }
    return known.token
  }
}

type FoundToken = {
  uuid: string
  account_uuid: string
  connection_uuid: string | null
  mode: TokenMode
  expires_ms: string | null
}

/** One statement finds the token and, once a minute, writes down that it was used: nothing is left for later. */
function usableToken(hash: string): Question<Usable | null> {
  const found = question(
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
    rows => rows as FoundToken[],
  )
  return heardAs(first(found), row => (row ? usable(row) : null))
}

function usable(row: FoundToken): Usable {
  return {
    token: {
      uuid: row.uuid,
      accountUuid: row.account_uuid,
      connectionUuid: row.connection_uuid,
      mode: row.mode,
      reaches: row.mode,
    },
    expiresAtMs: row.expires_ms === null ? null : Number(row.expires_ms),
  }
}

function unauthenticated(challenge: string): never {
  refuse('unauthenticated', { headers: { 'WWW-Authenticate': challenge } })
}

function forgetOldest(remembered: Map<string, Remembered>) {
  for (const hash of remembered.keys()) {
    if (remembered.size <= MOST_REMEMBERED_TOKENS) return
    remembered.delete(hash)
  }
}
