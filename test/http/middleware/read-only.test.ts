import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createAuthenticator } from '../../../src/api/authorization/authenticate.ts'
import { createRateLimiter } from '../../../src/api/middleware/rate-limit.ts'
import type { Orm } from '../../../src/db/client/orm.ts'
import { openTestOrm } from '../../support/orm.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

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
