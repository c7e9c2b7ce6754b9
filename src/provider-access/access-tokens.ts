import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Orm } from '../db/client/orm.ts'
import {
  endTokenLease,
  findTokenOrLease,
  storeAccessToken,
} from '../db/repositories/provider-access-tokens.ts'
import { uuidFromHash } from '../domain/pix/identifiers.ts'
import type { UnreachableResult } from '../domain/providers/provider.ts'
import type { SharedAccount, ShareToken, TakeTurn, TokenOutcome } from '../providers/shared-access.ts'
import { type Sealer, sha256 } from '../security/sealing.ts'
import type { AskPostgres } from './postgres-limit.ts'

/** Interval at which a process looks whether another one has stored a token, in milliseconds. */
const POLL_INTERVAL_MS = 150

/**
 * How long a process waits for another one's request, beyond the limit of that request, in milliseconds: the lease of a process that
 * was killed ends before.
 */
const WAIT_MARGIN_MS = 1_000

const NO_TOKEN: UnreachableResult = {
  kind: 'unreachable',
  code: 'no_token',
  message: 'another process requests the access token and has none yet',
}
const PACED_TOKEN: UnreachableResult = {
  kind: 'unreachable',
  code: 'no_token',
  message: 'no access token was requested: the last requests brought none that the provider accepts',
}

type TokenSharing = {
  orm: Orm
  sealer: Pick<Sealer, 'seal' | 'open'>
  askPostgres: AskPostgres
  account: SharedAccount
  takeTurn: TakeTurn
}

/**
 * Creates the function that shares the access tokens of one provider account among all processes (`ShareToken`). One process at a time
 * requests a token, under a lease in PostgreSQL that ends with the limit of the request, so that it survives no crash; the others wait for
 * the row. Where PostgreSQL does not answer, or holds a token that no key of this process opens, the process requests its own.
 */
export function createTokenSharing({
  orm,
  sealer,
  askPostgres,
  account,
  takeTurn,
}: TokenSharing): ShareToken {
  const { providerAccountUuid, tokenPace, timeoutMs } = account
  const openToken = (sealed: string) => sealer.open<string>(sealed)

  return async ({ client, refusedToken, requestToken }) => {
    const lease = {
      uuid: uuidFromHash(sha256(JSON.stringify([providerAccountUuid, ...client]))),
      providerAccountUuid,
      leaseUuid: randomUUID(),
      leaseMs: timeoutMs,
      refusedDigest: refusedToken === undefined ? null : sha256(refusedToken),
    }
    const waitUntilMs = performance.now() + timeoutMs + WAIT_MARGIN_MS
    for (;;) {
      const state = await askPostgres(async () => {
        const { token, isLeased } = await findTokenOrLease(orm.em.fork(), lease)
        return { isLeased, token: token && { ...token, text: openToken(token.sealedToken) } }
      })
      if (!state) return requestToken()
      const { token, isLeased } = state
      if (token) return { kind: 'token', text: token.text, renewInMs: token.renewInMs }
      if (isLeased) return requestUnderLease(lease, requestToken)
      if (performance.now() > waitUntilMs) return NO_TOKEN
      await sleep(POLL_INTERVAL_MS)
    }
  }

  async function requestUnderLease(
    lease: { uuid: string; leaseUuid: string },
    requestToken: () => Promise<TokenOutcome>,
  ): Promise<TokenOutcome> {
    const isPaced = tokenPace !== undefined && (await takeTurn('token', tokenPace, 0)) === null
    const outcome = isPaced ? PACED_TOKEN : await requestToken()
    await askPostgres(() => {
      const em = orm.em.fork()
      if (outcome.kind !== 'token') return endTokenLease(em, lease)
      const { text, renewInMs } = outcome
      const sealedToken = sealer.seal(text)
      return storeAccessToken(em, { ...lease, sealedToken, digest: sha256(text), renewInMs })
    })
    return outcome
  }
}
