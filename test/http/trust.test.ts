import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { inOrderOfTrust } from '../../src/db/breaker.ts'
import { openWorld, type World } from './support/world.ts'

/** SPEC §6: a connection whose breaker is open is tried last, except by the one who probes it. */

let world: World
beforeAll(async () => {
  world = await openWorld([])
})
afterAll(() => world?.close())

let a: string
let b: string
let c: string
beforeEach(async () => {
  const account = await world.account()
  const connections = await Promise.all([1, 2, 3].map(() => world.connection(account, {})))
  ;[a, b, c] = connections as [string, string, string]
})

const ordered = (...uuids: string[]) => inOrderOfTrust(world.orm.em.fork(), uuids)
const opened = (uuid: string, secondsAgo: number) =>
  world.orm.em.fork().execute(
    `insert into breaker (connection_uuid, failures, opened_at)
       values (?, array[now()], now() - ? * interval '1 second')`,
    [uuid, secondsAgo],
  )

test('connections that answer are tried in their order', async () => {
  expect(await ordered(c, a, b)).toEqual([c, a, b])
})

test('one that opened a moment ago is tried last, and none is left out', async () => {
  await opened(a, 0)
  expect(await ordered(a, b, c)).toEqual([b, c, a])
  await opened(b, 0)
  expect(await ordered(a, b, c)).toEqual([c, a, b])
})

test('after ten seconds one request probes it in its place, and the next ones do not', async () => {
  await opened(a, 11)
  const orders = await Promise.all([1, 2, 3].map(() => ordered(a, b)))
  expect(orders.filter(([first]) => first === a)).toHaveLength(1)
  expect(await ordered(a, b)).toEqual([b, a])
})

test('one that has no other beside it takes nobody’s probe', async () => {
  await opened(a, 11)
  expect(await ordered(a)).toEqual([a])
  expect(await ordered(a, b)).toEqual([a, b])
})
