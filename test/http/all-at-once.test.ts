import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pixKeyRoutes } from '../../src/api/routes/pix-keys.ts'
import { transferRoutes } from '../../src/api/routes/transfers.ts'
import { openWorld, type World } from './support/world.ts'

/** SPEC §1: all failures of a body are reported at once, those that only the database knows beside those of its form. */

let world: World
let token: string
const ids: Record<string, string> = { UNKNOWN: randomUUID() }
beforeAll(async () => {
  world = await openWorld([transferRoutes, pixKeyRoutes], { TRILHO_OUTBOX: 'true' })
  const accountUuid = await world.account()
  token = await world.token({ accountUuid })
  ids.EFI = await world.connection(accountUuid)
  ids.WOOVI = await world.connection(accountUuid, { provider: 'PROVIDER_B', dialect: 'woovi' })
  ids.POOL = await world.connection(accountUuid, { provider: 'PROVIDER_C', type: 'POOL' })
  await world.defaults(accountUuid, [ids.EFI, ids.WOOVI])
})
afterAll(() => world?.close())

const YESTERDAY = new Date(Date.now() - 86_400_000).toISOString()
const sent = { value: 1, pix_key: 'maria@example.com' }

test.each([
  ['transfers', { provider_uuid: 'UNKNOWN' }, ['pix_key', 'provider_uuid', 'value']],
  ['transfers', { ...sent, value: '1', provider_uuid: 'UNKNOWN' }, ['provider_uuid', 'value']],
  [
    'transfers',
    { ...sent, provider_uuid: 'no uuid', scheduled_for: YESTERDAY },
    ['provider_uuid', 'scheduled_for'],
  ],
  [
    'transfers',
    { ...sent, provider_uuid: 'UNKNOWN', scheduled_for: YESTERDAY },
    ['provider_uuid', 'scheduled_for'],
  ],
  [
    'transfers',
    { ...sent, value: 0, provider_uuid: 'WOOVI', document: '52998224725', scheduled_for: YESTERDAY },
    ['document', 'scheduled_for', 'value'],
  ],
  ['transfers', { ...sent, value: 0, provider_uuid: 'EFI', document: '1' }, ['document', 'value']],
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
])('of POST /%s with %j', async (path, body, fields) => {
  await world.orm.em.fork().execute('delete from pix_key_tries')
  const named = Object.entries(body).map(([name, value]) => [name, ids[value as string] ?? value])
  const answer = await world.call('POST', `/api/v1/${path}`, { token, body: Object.fromEntries(named) })
  expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed'])
  expect(Object.keys(answer.body.errors).sort()).toEqual(fields)
})
