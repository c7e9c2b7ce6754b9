import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { chargeRoutes } from '../../../src/api/charges/routes.ts'
import { pixKeyRoutes } from '../../../src/api/pix-keys/routes.ts'
import { transferRoutes } from '../../../src/api/transfers/routes.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

/** SPEC §1: all errors of a body are reported at once, those that only the database knows beside those of its format. */

let fixture: ApiFixture
let token: string
const ids: Record<string, string> = { UNKNOWN: randomUUID() }
beforeAll(async () => {
  fixture = await openApiFixture([chargeRoutes, transferRoutes, pixKeyRoutes], { TRILHO_OUTBOX: 'true' })
  const accountUuid = await fixture.insertAccount()
  token = await fixture.insertToken({ accountUuid })
  ids.OWN = accountUuid
  ids.RECIPIENT = await fixture.insertAccount()
  ids.SECOND = await fixture.insertAccount()
  ids.BLOCKED = await fixture.insertAccount('BLOCKED')
  ids.EFI = await fixture.insertConnection(accountUuid)
  ids.WOOVI = await fixture.insertConnection(accountUuid, { provider: 'PROVIDER_B', dialect: 'woovi' })
  ids.POOL = await fixture.insertConnection(accountUuid, { provider: 'PROVIDER_C', type: 'POOL' })
  ids.DEAR = await fixture.insertConnection(accountUuid, {
    provider: 'PROVIDER_D',
    chargeFee: { fixedCents: 1, hundredthsOfPercent: 0 },
  })
  await fixture.replaceDefaultProviders(accountUuid, [ids.EFI, ids.WOOVI])
})
afterAll(() => fixture?.close())

const YESTERDAY = new Date(Date.now() - 86_400_000).toISOString()
const order = { value: 1, pix_key: 'maria@example.com' }
const charged = { value: 10, type: 'PIX' }
const percent = (value: unknown, to = 'RECIPIENT') => ({
  type: 'PERCENTAGE',
  value,
  recipient_account_uuid: to,
})
const fixed = (value: unknown, to = 'RECIPIENT') => ({ ...percent(value, to), type: 'FIXED' })
const half = { ...percent(1, 'SECOND'), type: 'HALF' }

test.each([
  ['transfers', { provider_uuid: 'UNKNOWN' }, ['pix_key', 'provider_uuid', 'value']],
  ['transfers', { ...order, value: '1', provider_uuid: 'UNKNOWN' }, ['provider_uuid', 'value']],
  [
    'transfers',
    { ...order, provider_uuid: 'no uuid', scheduled_for: YESTERDAY },
    ['provider_uuid', 'scheduled_for'],
  ],
  [
    'transfers',
    { ...order, provider_uuid: 'UNKNOWN', scheduled_for: YESTERDAY },
    ['provider_uuid', 'scheduled_for'],
  ],
  [
    'transfers',
    { ...order, value: 0, provider_uuid: 'WOOVI', document: '52998224725', scheduled_for: YESTERDAY },
    ['document', 'scheduled_for', 'value'],
  ],
  ['transfers', { ...order, value: 0, provider_uuid: 'EFI', document: '1' }, ['document', 'value']],
  ['pix-keys', { provider_uuid: 'UNKNOWN' }, ['provider_uuid', 'type']],
  ['pix-keys', { type: 'EMAIL', provider_uuid: 'UNKNOWN' }, ['auth_code', 'auth_code_id', 'provider_uuid']],
  ['pix-keys/auth-code', { type: 'EMAIL', key: 'no', provider_uuid: 'UNKNOWN' }, ['key', 'provider_uuid']],
  ['pix-keys/auth-code', { type: 'EMAIL', key: 'no' }, ['key']],
  ['pix-keys/auth-code', { type: 'EMAIL', key: 'no', provider_uuid: 'POOL' }, ['key', 'provider_uuid']],
  ['pix-keys/auth-code', { key: 'no', provider_uuid: 'POOL' }, ['provider_uuid', 'type']],
  [
    'pix-keys',
    { type: 'EMAIL', auth_code_id: randomUUID(), auth_code: '1', provider_uuid: 'POOL' },
    ['auth_code', 'provider_uuid'],
  ],
  ['pix-keys', { type: 'EMAIL', auth_code: 123456 }, ['auth_code', 'auth_code_id']],
  ['pix-keys', { type: 'EMAIL', auth_code_id: 5 }, ['auth_code', 'auth_code_id']],
  ['pix-keys', { type: 'phone', provider_uuid: 5 }, ['auth_code', 'auth_code_id', 'provider_uuid']],
  ['pix-keys', { type: 'RANDOM', auth_code: 5 }, ['auth_code']],
  ['pix-keys', null, ['body']],
  ['pix-keys/auth-code', { type: 'EMAIL', key: 'no', provider_uuid: 5 }, ['key', 'provider_uuid']],
  ['pix-keys/auth-code', { type: 'EMAIL', key: 5, provider_uuid: 5 }, ['key', 'provider_uuid']],
  ['pix-keys/auth-code', null, ['body']],
  ['payments', { ...charged, splits: [percent(150), half] }, ['splits', 'splits.0.value', 'splits.1.type']],
  ['payments', { ...charged, splits: [half, fixed(11)] }, ['splits', 'splits.0.type']],
  [
    'payments',
    { ...charged, splits: [5, fixed(1), fixed('x')] },
    ['splits.0', 'splits.2.recipient_account_uuid', 'splits.2.value'],
  ],
  [
    'payments',
    { ...charged, splits: [percent(101, 'nobody')] },
    ['splits', 'splits.0.recipient_account_uuid', 'splits.0.value'],
  ],
  [
    'payments',
    { ...charged, value: '10', splits: [percent(60), percent(60, 'SECOND')] },
    ['splits', 'value'],
  ],
  [
    'payments',
    { value: 0, type: 'CARD', splits: [fixed(1, 'OWN')] },
    ['splits.0.recipient_account_uuid', 'splits.0.type', 'type', 'value'],
  ],
  ['payments', { value: 9_999_999_999.99, type: 'CARD', provider_uuid: 'DEAR' }, ['type', 'value']],
  ['payments', { value: -1, type: 'PIX', external_ref: 'a\0' }, ['external_ref', 'value']],
])('POST /%s reports every error of %j', async (path, body, fields) => {
  await fixture.orm.em.fork().execute('delete from pix_key_creation_times')
  const answer = await post(path, body)
  expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed'])
  expect(Object.keys(answer.body.errors).sort()).toEqual(fields)
})

test('a charge of value 0 is refused for its value, which was sent', async () => {
  const { status, body } = await post('payments', { ...charged, value: 0 })
  expect([status, body.errors]).toEqual([
    422,
    { value: ['must be above 0: no provider of this charge supports an open value'] },
  ])
})

test('a split that names a blocked account is refused as one that names an unknown account', async () => {
  const refused = (name: string) => post('payments', { ...charged, splits: [fixed(1, name)] })
  const [blocked, unknown] = [await refused('BLOCKED'), await refused('UNKNOWN')]
  expect([blocked.status, blocked.body.code]).toEqual([422, 'validation_failed'])
  expect(blocked.body.errors).toEqual({ 'splits.0.recipient_account_uuid': ['must be an existing account'] })
  expect(blocked.body.errors).toEqual(unknown.body.errors)
})

function post(path: string, body: unknown) {
  const named = JSON.parse(JSON.stringify(body), (_, value) => ids[value] ?? value)
  return fixture.call('POST', `/api/v1/${path}`, { token, body: named })
}

test('a filter by a PIX key that is none is refused', async () => {
  for (const key of ['123', 'maria', '***982247**']) {
    const path = `/api/v1/transfers?pix_key=${encodeURIComponent(key)}`
    const { status, body } = await fixture.call('GET', path, { token })
    expect([key, status, Object.keys(body.errors ?? {})]).toEqual([key, 422, ['pix_key']])
  }
  expect((await fixture.call('GET', '/api/v1/transfers?pix_key=maria@example.com', { token })).status).toBe(
    200,
  )
})
