import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventRoutes } from '../../src/api/routes/events.ts'
import { ledgerRoutes } from '../../src/api/routes/ledger.ts'
import { medRoutes } from '../../src/api/routes/meds.ts'
import { paymentRoutes } from '../../src/api/routes/payments.ts'
import { transferRoutes } from '../../src/api/routes/transfers.ts'
import { recoverDeliveries } from '../../src/wire/delivery.ts'
import { openWorld, type World } from './support/world.ts'

/** Days as people write "from ever" and "without end": PostgreSQL and JavaScript write the years beyond differently. */

let world: World
let token: string
beforeAll(async () => {
  world = await openWorld([paymentRoutes, transferRoutes, medRoutes, eventRoutes, ledgerRoutes])
  const account = await world.account()
  await world.transfer(await world.connection(account))
  token = await world.token({ accountUuid: account })
})
afterAll(() => world?.close())

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
  '%s: the first and the last %s there are find what a list without them finds',
  async (list, name) => {
    const all = await world.call('GET', `/api/v1/${list}`, { token })
    const query = `${name}_from=0001-01-01&${name}_to=9999-12-31`
    const found = await world.call('GET', `/api/v1/${list}?${query}`, { token })
    expect([all.status, found.status]).toEqual([200, 200])
    if (name === 'date') expect(found.body).toEqual(all.body)
  },
)

test.each(FILTERS)('%s: there is no %s in the year 0', async (list, name) => {
  for (const end of ['from', 'to']) {
    const { status, body } = await world.call('GET', `/api/v1/${list}?${name}_${end}=0000-12-31`, { token })
    expect([status, Object.keys(body.errors)]).toEqual([422, [`${name}_${end}`]])
  }
})

test('nothing is recovered from the year 0 on, which PostgreSQL does not know', () => {
  const accepted = (since: string) => recoverDeliveries.safeParse({ since }).success
  expect(accepted('0001-01-01T00:00:00Z')).toBe(true)
  expect(accepted('0001-01-01T00:00:00+01:00')).toBe(false)
  expect(accepted('0000-12-31T00:00:00Z')).toBe(false)
})
