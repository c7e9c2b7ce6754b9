import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { chargeRoutes } from '../../../src/api/charges/routes.ts'
import { disputeRoutes } from '../../../src/api/disputes/routes.ts'
import { eventRoutes } from '../../../src/api/events/routes.ts'
import { ledgerRoutes } from '../../../src/api/ledger/routes.ts'
import { transferRoutes } from '../../../src/api/transfers/routes.ts'
import { recoverDeliveriesBody } from '../../../src/contract/webhooks/webhook-delivery.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

/** Dates for "from the beginning" and "without end": PostgreSQL and JavaScript write such years differently. */

let fixture: ApiFixture
let token: string
beforeAll(async () => {
  fixture = await openApiFixture([chargeRoutes, transferRoutes, disputeRoutes, eventRoutes, ledgerRoutes])
  const account = await fixture.insertAccount()
  await fixture.insertTransfer(await fixture.insertConnection(account))
  token = await fixture.insertToken({ accountUuid: account })
})
afterAll(() => fixture?.close())

const FILTERS = [
  ['payments', 'date'],
  ['payments', 'payment_date'],
  ['transfers', 'date'],
  ['transfers', 'transfer_date'],
  ['meds', 'date'],
  ['events', 'date'],
  ['ledger', 'date'],
] as const

test.each(FILTERS)(
  '%s: the earliest and the latest %s find the same as a list without them',
  async (list, name) => {
    const all = await fixture.call('GET', `/api/v1/${list}`, { token })
    const query = `${name}_from=0001-01-01&${name}_to=9999-12-31`
    const response = await fixture.call('GET', `/api/v1/${list}?${query}`, { token })
    expect([all.status, response.status]).toEqual([200, 200])
    if (name === 'date') expect(response.body).toEqual(all.body)
  },
)

test.each(FILTERS)('%s: a %s in the year 0 is refused', async (list, name) => {
  for (const end of ['from', 'to']) {
    const { status, body } = await fixture.call('GET', `/api/v1/${list}?${name}_${end}=0000-12-31`, { token })
    expect([status, Object.keys(body.errors)]).toEqual([422, [`${name}_${end}`]])
  }
})

test.each(FILTERS)(
  '%s: a last %s before the first one is refused, and an equal one is not',
  async (list, name) => {
    const read = (to: string) =>
      fixture.call('GET', `/api/v1/${list}?${name}_from=2026-03-02&${name}_to=${to}`, { token })
    const { status, body } = await read('2026-03-01')
    expect([status, body.errors]).toEqual([422, { [`${name}_to`]: ['must not be before the first day'] }])
    expect((await read('2026-03-02')).status).toBe(200)
  },
)

test('recovery from the year 0, which PostgreSQL does not know, is refused', () => {
  const accepted = (since: string) => recoverDeliveriesBody.safeParse({ since }).success
  expect(accepted('0001-01-01T00:00:00Z')).toBe(true)
  expect(accepted('0001-01-01T00:00:00+01:00')).toBe(false)
  expect(accepted('0000-12-31T00:00:00Z')).toBe(false)
})
