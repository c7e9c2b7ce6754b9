import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { createAuthenticator } from '../../../src/api/authorization/authenticate.ts'
import { createRateLimiter } from '../../../src/api/middleware/rate-limit.ts'
import { generateToken, hashToken } from '../../../src/security/tokens.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { sampleRoutes } from '../support/sample-routes.ts'

const HOUR = 3_600_000

let fixture: ApiFixture
beforeAll(async () => {
  fixture = await openApiFixture([sampleRoutes])
})
afterAll(() => fixture?.close())
afterEach(() => void jest.restoreAllMocks())

/** Makes two seconds pass, in which the wall clock is set back by a minute. */
function stepClockBack(): void {
  const [monotonicMs, wallMs] = [performance.now(), Date.now()]
  jest.spyOn(performance, 'now').mockReturnValue(monotonicMs + 2_000)
  jest.spyOn(Date, 'now').mockReturnValue(wallMs - 60_000)
}

const whoami = (token: string) => fixture.call('GET', '/api/v1/whoami', { token })
const statusOf = async (token: string) => (await whoami(token)).status

test('a token is trl_<mode>_ and 256 random bits; its hash and prefix do not reveal it', () => {
  const { token, hash, prefix } = generateToken('live')
  expect(token).toMatch(/^trl_live_[A-Za-z0-9_-]{43}$/)
  expect(generateToken('test').token).toMatch(/^trl_test_/)
  expect(hash).toEqual(hashToken(token))
  expect(token.startsWith(prefix)).toBe(true)
  expect(prefix.length).toBeLessThan(20)
  expect(generateToken('live').token).not.toBe(token)
})

describe('a header', () => {
  test.each([
    { name: 'absent', authorization: undefined, challenge: 'Bearer realm="trilho"' },
    { name: 'of another scheme', authorization: 'Basic YTpi', challenge: 'Bearer realm="trilho"' },
    { name: 'without a token', authorization: 'Bearer', challenge: 'Bearer realm="trilho"' },
    { name: 'with two tokens', authorization: 'Bearer a b', challenge: 'Bearer realm="trilho"' },
    {
      name: 'with an unknown token',
      authorization: `Bearer ${generateToken('live').token}`,
      challenge: 'Bearer realm="trilho", error="invalid_token"',
    },
    {
      name: 'with quotes and control characters',
      authorization: `Bearer ';drop`,
      challenge: 'Bearer realm="trilho", error="invalid_token"',
    },
  ])('$name is 401', async ({ authorization, challenge }) => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
    const answer = await fixture.call('GET', '/api/v1/whoami', { headers })
    expect([answer.status, answer.body.code]).toEqual([401, 'unauthenticated'])
    expect(answer.headers.get('www-authenticate')).toBe(challenge)
  })

  test('may spell its scheme in any case', async () => {
    const token = await fixture.insertToken({ accountUuid: await fixture.insertAccount() })
    const answer = await fixture.call('GET', '/api/v1/whoami', {
      headers: { authorization: `bearer  ${token}` },
    })
    expect(answer.status).toBe(200)
  })
})

describe('a token', () => {
  test.each([
    { name: 'fresh', row: {}, status: 200 },
    { name: 'that expires later', row: { expiresAt: new Date(Date.now() + HOUR) }, status: 200 },
    { name: 'expired', row: { expiresAt: new Date(Date.now() - 1) }, status: 401 },
    { name: 'revoked', row: { revokedAt: new Date() }, status: 401 },
  ])('$name answers $status', async ({ row, status }) => {
    const accountUuid = await fixture.insertAccount()
    expect(await statusOf(await fixture.insertToken({ accountUuid, ...row }))).toBe(status)
  })

  test('of a blocked account reads, and says so to what begins operations', async () => {
    const token = await fixture.insertToken({ accountUuid: await fixture.insertAccount('BLOCKED') })
    const { status, body } = await whoami(token)
    expect([status, body.isAccountBlocked]).toEqual([200, true])
  })

  test('identifies the caller to the route', async () => {
    const accountUuid = await fixture.insertAccount()
    const connectionUuid = await fixture.insertConnection(accountUuid)
    const { body } = await whoami(await fixture.insertToken({ accountUuid, connectionUuid, mode: 'live' }))
    expect(body).toEqual({ uuid: expect.any(String), accountUuid, connectionUuid, mode: 'live' })
  })

  test('that is revoked while in use is refused within a second', async () => {
    const token = await fixture.insertToken({ accountUuid: await fixture.insertAccount() })
    expect(await statusOf(token)).toBe(200)
    await fixture.orm.em.execute('update token set revoked_at = now() where hash = ?', [hashToken(token)])
    await pause(1_000)
    expect(await statusOf(token)).toBe(401)
  })

  test('that is revoked is refused within a second although the clock steps back', async () => {
    const authenticate = createAuthenticator(fixture.orm)
    const token = await fixture.insertToken({ accountUuid: await fixture.insertAccount() })
    await authenticate(`Bearer ${token}`)
    await fixture.orm.em.execute('update token set revoked_at = now() where hash = ?', [hashToken(token)])
    stepClockBack()
    await expect(authenticate(`Bearer ${token}`)).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  test('that has expired is refused by the wall clock', async () => {
    const authenticate = createAuthenticator(fixture.orm)
    const expiresAt = new Date(Date.now() + HOUR)
    const token = await fixture.insertToken({ accountUuid: await fixture.insertAccount(), expiresAt })
    await authenticate(`Bearer ${token}`)
    jest.spyOn(Date, 'now').mockReturnValue(expiresAt.getTime())
    await expect(authenticate(`Bearer ${token}`)).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  test('that is limited may call again although the clock steps back', async () => {
    const limiter = createRateLimiter(fixture.orm, { perSecond: 1, burst: 1 })
    const token = await fixture.insertToken({ accountUuid: await fixture.insertAccount() })
    const { uuid } = (await createAuthenticator(fixture.orm)(`Bearer ${token}`)).caller
    const countUntilLimited = async (): Promise<void> => limiter.countRequest(uuid).then(countUntilLimited)
    await expect(countUntilLimited()).rejects.toMatchObject({ code: 'rate_limited' })
    stepClockBack()
    await fixture.orm.em.execute(
      `update rate_bucket set filled_at = filled_at - interval '2 seconds' where token_uuid = ?`,
      [uuid],
    )
    await limiter.countRequest(uuid)
  })

  test('that expires while it is cached is refused immediately', async () => {
    const accountUuid = await fixture.insertAccount()
    const expiresAt = new Date(Date.now() + 1_500)
    const token = await fixture.insertToken({ accountUuid, expiresAt })
    const before = await statusOf(token)
    if (Date.now() < expiresAt.getTime()) expect(before).toBe(200)
    await pause(Math.max(0, expiresAt.getTime() - Date.now()) + 10)
    expect(await statusOf(token)).toBe(401)
  })

  test('bound to a provider cannot call routes of global tokens, whatever it sends', async () => {
    const accountUuid = await fixture.insertAccount()
    const token = await fixture.insertToken({
      accountUuid,
      connectionUuid: await fixture.insertConnection(accountUuid),
    })
    const answer = await fixture.call('PUT', '/api/v1/global', { token, raw: '{' })
    expect([answer.status, answer.body.code]).toEqual([403, 'token_bound_to_provider'])
    expect(answer.body.message).toMatch(/not allowed for provider-bound tokens/)
  })
})

describe('its last use', () => {
  const lastUse = async (token: string) => {
    const [row] = await fixture.orm.em.execute<{ at: string | null }[]>(
      'select extract(epoch from last_used_at) * 1000 as at from token where hash = ?',
      [hashToken(token)],
    )
    return row?.at === null ? null : Number(row?.at)
  }

  test('is written, at most once a minute', async () => {
    const token = await fixture.insertToken({ accountUuid: await fixture.insertAccount() })
    expect(await lastUse(token)).toBeNull()
    await whoami(token)
    const first = await lastUse(token)
    expect(first).not.toBeNull()
    await pause(1_050)
    await whoami(token)
    expect(await lastUse(token)).toBe(first)
  })

  test('is written again after a minute', async () => {
    const token = await fixture.insertToken({ accountUuid: await fixture.insertAccount() })
    await fixture.orm.em.execute(
      `update token set last_used_at = now() - interval '61 seconds' where hash = ?`,
      [hashToken(token)],
    )
    const before = await lastUse(token)
    await whoami(token)
    expect((await lastUse(token))! - before!).toBeGreaterThanOrEqual(61_000)
  })

  test('is not changed by a refused token', async () => {
    const token = await fixture.insertToken({
      accountUuid: await fixture.insertAccount(),
      revokedAt: new Date(),
    })
    await whoami(token)
    expect(await lastUse(token)).toBeNull()
  })
})
