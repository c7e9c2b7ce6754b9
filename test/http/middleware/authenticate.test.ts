import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { changeTokenPermissions } from '../../../src/admin/tokens.ts'
import { createAuthenticator } from '../../../src/api/authorization/authenticate.ts'
import { MERCHANT_ROUTES } from '../../../src/api/merchant-routes.ts'
import { createRateLimiter } from '../../../src/api/middleware/rate-limit.ts'
import type { Orm } from '../../../src/db/client/orm.ts'
import { TOKEN_SCOPES } from '../../../src/domain/tokens/token-scope.ts'
import { formatFieldMessage } from '../../../src/http/field-message.ts'
import { createAddressFilter, parseAllowedAddresses } from '../../../src/security/allowed-addresses.ts'
import { generateToken, hashToken } from '../../../src/security/tokens.ts'
import { openTestOrm } from '../../support/orm.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { sampleRoutes } from '../support/sample-routes.ts'

describe('authenticate', () => {
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
      expect(answer.body.message).toMatch(/not allowed for provider-scoped tokens/)
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
})

describe('read only', () => {
  /** A read-only PostgreSQL: requests are authenticated and counted without a write, so that reads are answered. */

  let fixture: ApiFixture
  let orm: Orm
  beforeAll(async () => {
    fixture = await openApiFixture([])
    const role = `reader_${randomUUID().replaceAll('-', '')}`
    await fixture.orm.em.fork().execute(
      `create role ${role} login password 'a' in role pg_read_all_data;
     alter role ${role} set default_transaction_read_only = on`,
    )
    const url = Object.assign(new URL(fixture.config.databaseUrl), { username: role, password: 'a' })
    orm = await openTestOrm({ databaseUrl: url.href })
  })
  afterAll(async () => {
    await orm?.close()
    await fixture?.close()
  })

  test('a token is looked up, and an unknown one is refused', async () => {
    const limiter = createRateLimiter(orm, { perSecond: 100, burst: 200 })
    const authenticate = createAuthenticator(orm, { batchedQuery: limiter.queryShare })
    const accountUuid = await fixture.insertAccount()
    const token = await fixture.insertToken({ accountUuid })
    expect(await authenticate(`Bearer ${token}`)).toMatchObject({ caller: { accountUuid } })
    await expect(authenticate('Bearer trl_test_unknown')).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  test('each process allows the rate of a token by itself', async () => {
    let nowMs = 0
    const limiter = createRateLimiter(orm, { perSecond: 2, burst: 200 }, () => nowMs)
    const uuid = randomUUID()
    for (const second of [1_000, 2_000]) {
      nowMs = second
      await limiter.countRequest(uuid)
      await limiter.countRequest(uuid)
      await expect(limiter.countRequest(uuid)).rejects.toMatchObject({ code: 'rate_limited' })
    }
  })
})

describe('token permissions', () => {
  /** What a token may be used for (its scopes) and from where (its addresses). */

  let fixture: ApiFixture
  let accountUuid: string
  beforeAll(async () => {
    fixture = await openApiFixture(MERCHANT_ROUTES, { TRILHO_BEHIND_PROXY: 'true' })
    accountUuid = await fixture.insertAccount()
  })
  afterAll(() => fixture?.close())

  type DocumentedOperation = { operationId: string; 'x-token-scopes'?: string[]; security?: object[] }

  const { paths }: { paths: Record<string, Record<string, DocumentedOperation>> } = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../openapi.json'), 'utf8'),
  )
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path: path.replaceAll(/\{\w+\}/g, () => randomUUID()),
      method: method.toUpperCase(),
      id: operation.operationId,
      allowing: operation['x-token-scopes'] ?? [],
      isPublic: operation.security?.length === 0,
    })),
  )

  describe('the scopes of a token', () => {
    test('are declared by every operation that needs a token, and by no other', () => {
      const withoutToken = operations.filter(({ isPublic }) => isPublic)
      expect(withoutToken.map(({ id }) => id)).toEqual(['checkReceipt', 'getLiveness', 'getReadiness'])
      expect(operations.filter(({ isPublic, allowing }) => isPublic === allowing.length > 0)).toEqual([])
    })

    test('decide on every operation: 403 without each allowing scope, and never with one of them', async () => {
      const without = await Promise.all(
        operations.map(async ({ allowing }) => {
          const scopes = TOKEN_SCOPES.filter(scope => !allowing.includes(scope))
          return fixture.insertToken({ accountUuid, scopes })
        }),
      )
      const alone = Object.fromEntries(
        await Promise.all(
          TOKEN_SCOPES.map(async scope => [
            scope,
            await fixture.insertToken({ accountUuid, scopes: [scope] }),
          ]),
        ),
      )
      for (const [index, { method, path, id, allowing }] of operations.entries()) {
        if (allowing.length === 0) continue
        // Nothing of a refused request is read, not even a malformed body.
        const raw = method === 'GET' || method === 'DELETE' ? {} : { raw: '{' }
        const refusal = await fixture.call(method, path, { token: without[index], ...raw })
        expect([id, refusal.status, refusal.body]).toEqual([
          id,
          403,
          {
            message: 'The token lacks the scope of this operation; one of data.scopes is needed.',
            code: 'insufficient_scope',
            data: { scopes: allowing },
            request_id: expect.any(String),
          },
        ])
        expect(refusal.headers.get('www-authenticate')).toBe(
          `Bearer realm="trilho", error="insufficient_scope", scope="${allowing.join(' ')}"`,
        )
        for (const scope of allowing) {
          const { status } = await fixture.call(method, path, { token: alone[scope], ...raw })
          expect([id, scope, status === 403]).toEqual([id, scope, false])
        }
      }
    })

    test('a token bound to a provider is refused under /webhooks whatever its scopes', async () => {
      const connectionUuid = await fixture.insertConnection(accountUuid)
      const bound = { accountUuid, connectionUuid, scopes: ['webhooks'] }
      const token = await fixture.insertToken(bound)
      const { body } = await fixture.call('GET', '/api/v1/webhooks', { token })
      expect(body.code).toBe('token_bound_to_provider')
      expect((await fixture.call('GET', '/api/v1/events', { token })).status).toBe(200)
      expect((await fixture.call('GET', '/api/v1/payments', { token })).body.code).toBe('insufficient_scope')
    })

    test('are all of them by default, and hold within a second of their change', async () => {
      const token = await fixture.insertToken({ accountUuid })
      const read = () => fixture.call('GET', '/api/v1/payments', { token })
      expect((await read()).status).toBe(200)
      const [{ uuid } = { uuid: '' }] = await fixture.orm.em.execute<{ uuid: string }[]>(
        'select uuid from token where hash = ?',
        [hashToken(token)],
      )
      const change = (permissions: object, owner = accountUuid) =>
        changeTokenPermissions(fixture.orm.em.fork(), {
          actor: 'ana',
          reason: 'a drill',
          uuid,
          accountUuid: owner,
          permissions,
        })
      expect(await change({ scopes: ['webhooks'] }, await fixture.insertAccount())).toBe(false)
      expect(await change({ scopes: ['webhooks'] })).toBe(true)
      await pause(1_000)
      expect((await read()).status).toBe(403)
      await expect(change({ scopes: [] })).rejects.toThrow(/token_scopes/)
      await expect(change({ scopes: ['everything'] })).rejects.toThrow(/token_scopes/)
    })
  })

  describe('the addresses of a token', () => {
    test.each([
      { list: [], from: '198.51.100.1', isAllowed: true },
      { list: ['203.0.113.7'], from: '203.0.113.7', isAllowed: true },
      { list: ['203.0.113.7'], from: '::ffff:203.0.113.7', isAllowed: true },
      { list: ['203.0.113.7'], from: '203.0.113.7:52011', isAllowed: true },
      { list: ['203.0.113.7'], from: '203.0.113.8', isAllowed: false },
      { list: ['203.0.113.0/24'], from: '203.0.113.0', isAllowed: true },
      { list: ['203.0.113.0/24'], from: '203.0.113.255', isAllowed: true },
      { list: ['203.0.113.0/24'], from: '203.0.114.0', isAllowed: false },
      { list: ['203.0.113.0/24'], from: '203.0.112.255', isAllowed: false },
      { list: ['203.0.113.4/30', '2001:db8::/48'], from: '203.0.113.8', isAllowed: false },
      { list: ['2001:db8::/48'], from: '2001:db8:0:ffff::1', isAllowed: true },
      { list: ['2001:db8::/48'], from: '[2001:db8:0:ffff::1]:443', isAllowed: true },
      { list: ['2001:db8::/48'], from: '2001:db8:1::1', isAllowed: false },
      { list: ['0.0.0.0/0'], from: '198.51.100.1', isAllowed: true },
      { list: ['0.0.0.0/0'], from: '2001:db8::1', isAllowed: false },
      { list: ['203.0.113.7'], from: 'unknown', isAllowed: false },
      { list: ['203.0.113.7'], from: '0xcb.0.113.7', isAllowed: false },
    ])('$list from $from: $isAllowed', ({ list, from, isAllowed }) => {
      expect(createAddressFilter(list)(from)).toBe(isAllowed)
    })

    test('are those that the nearest proxy reports; a refusal shows no list and is not counted', async () => {
      const allowedAddresses = ['203.0.113.0/24']
      const token = await fixture.insertToken({ accountUuid, allowedAddresses })
      const from = (forwarded: string) =>
        fixture.call('GET', '/api/v1/payments', { token, headers: { 'X-Forwarded-For': forwarded } })
      expect((await from('198.51.100.1, 203.0.113.9')).status).toBe(200)
      const refusal = await from('203.0.113.9, 198.51.100.1')
      expect(refusal.status).toBe(403)
      expect(refusal.body).toEqual({
        message: 'The token is not allowed from the address of this request.',
        code: 'address_not_allowed',
        request_id: expect.any(String),
      })
      expect(refusal.headers.has('ratelimit')).toBe(false)
    })
  })

  describe('a list of addresses', () => {
    test.each([
      { text: '', addresses: [] },
      { text: ' 203.0.113.7 ,\n2001:DB8::1;2001:db8:0::1', addresses: ['203.0.113.7', '2001:db8::1'] },
      { text: '203.0.113.7/32 2001:db8::/32', addresses: ['203.0.113.7', '2001:db8::/32'] },
      { text: '::ffff:203.0.113.7 ::ffff:203.0.113.0/120', addresses: ['203.0.113.7', '203.0.113.0/24'] },
      { text: '0.0.0.0/0', addresses: ['0.0.0.0/0'] },
    ])('$text is $addresses', ({ text, addresses }) => {
      expect(parseAllowedAddresses(text)).toEqual({ addresses, fault: null })
    })

    test.each([
      { text: '203.0.113.7 shop.example', fault: 'shop.example is neither' },
      { text: '203.0.113.7/33', fault: '203.0.113.7/33 is neither' },
      { text: '2001:db8::/129', fault: '2001:db8::/129 is neither' },
      { text: '::ffff:203.0.113.0/95', fault: 'is neither' },
      { text: '203.0.113', fault: '203.0.113 is neither' },
      { text: '010.0.0.1', fault: 'is neither' },
      { text: 'fe80::1%eth0', fault: 'is neither' },
      { text: '203.0.113.7/24', fault: '203.0.113.7/24 is in 203.0.113.0/24' },
      { text: '2001:db8::1/64', fault: '2001:db8::1/64 is in 2001:db8::/64' },
      { text: Array.from({ length: 51 }, (_, n) => `10.0.0.${n}`).join(), fault: 'at most 50 addresses' },
    ])('$text is refused: $fault', ({ text, fault }) => {
      const parsed = parseAllowedAddresses(text)
      expect(parsed.fault && formatFieldMessage(parsed.fault)).toContain(fault)
    })
  })
})
