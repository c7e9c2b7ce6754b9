import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Dependencies } from '../../src/activities/dependencies.ts'
import { settleBy } from '../../src/activities/operators-word.ts'
import { devolution } from '../../src/activities/refunds.ts'
import { pixOut } from '../../src/activities/transfers.ts'
import { openWorld, type World } from './support/world.ts'

/** An operator may signal a life at any moment, by the Temporal UI too; a life that waits for an activity hears nothing else. */

let world: World
let connectionUuid: string
let transferUuid: string
beforeAll(async () => {
  world = await openWorld([])
  const accountUuid = await world.account()
  connectionUuid = await world.connection(accountUuid)
  transferUuid = await world.transfer(connectionUuid)
})
afterAll(() => world?.close())

const dependencies = () => ({ orm: world.orm, log: world.dependencies.log }) as Dependencies
const words = [
  { as: 'rejected', reason: 'not on the statement' },
  { as: 'settled', endToEnd: 'E0000000020261122120000000000000a', reason: 'on the statement' },
] as const

test.each(words)('is about nothing where no attempt was begun: $as', async word => {
  const [transfers, refunds] = [settleBy(dependencies(), pixOut), settleBy(dependencies(), devolution)]
  const nothing = { kind: 'unknown', code: 'never_begun' }
  expect(await transfers({ uuid: transferUuid, connectionUuid, word })).toEqual(nothing)
  expect(await transfers({ uuid: randomUUID(), connectionUuid, word })).toEqual(nothing)
  expect(await refunds({ uuid: randomUUID(), connectionUuid, word })).toEqual(nothing)
  const kept = await world.orm.em
    .fork()
    .execute('select state, failure from transfer where uuid = ?', [transferUuid])
  expect(kept).toEqual([{ state: 'created', failure: null }])
  expect(world.lines.filter(line => line.includes('nothing was begun'))).not.toEqual([])
})
