import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { changeTokenPermissions } from '../../../src/admin/tokens.ts'
import { MERCHANT_ROUTES } from '../../../src/api/merchant-routes.ts'
import { TOKEN_SCOPES } from '../../../src/domain/tokens/token-scope.ts'
import { formatFieldMessage } from '../../../src/http/field-message.ts'
import { createAddressFilter, parseAllowedAddresses } from '../../../src/security/allowed-addresses.ts'
import { hashToken } from '../../../src/security/tokens.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

/** What a token may be used for (its scopes) and from where (its addresses). */

let fixture: ApiFixture
let accountUuid: string
beforeAll(async () => {
  fixture = await openApiFixture(MERCHANT_ROUTES, { TRILHO_BEHIND_PROXY: 'true' })
  accountUuid = await fixture.insertAccount()
})
afterAll(() => fixture?.close())

type DocumentedOperation = { operationId: string; 'x-token-scopes'?: string[] }

const { paths }: { paths: Record<string, Record<string, DocumentedOperation>> } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../openapi.json'), 'utf8'),
)
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    path: path.replaceAll(/\{\w+\}/g, () => randomUUID()),
    method: method.toUpperCase(),
    id: operation.operationId,
    allowing: operation['x-token-scopes'] ?? [],
  })),
)

describe('the scopes of a token', () => {
  test('are declared by every operation that needs a token, and by no other', () => {
    const withToken = operations.filter(({ path }) => path.startsWith('/api/'))
    expect(withToken.length).toBeGreaterThan(40)
    expect(
      operations.filter(({ path, allowing }) => path.startsWith('/api/') !== allowing.length > 0),
    ).toEqual([])
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
        TOKEN_SCOPES.map(async scope => [scope, await fixture.insertToken({ accountUuid, scopes: [scope] })]),
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
