import { randomUUID } from 'node:crypto'
import { inspect } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Dependencies } from '../../src/activities/dependencies.ts'
import { discreet } from '../../src/activities/discreet.ts'
import { sweepNotices } from '../../src/activities/notices.ts'
import { loggable } from '../../src/db/loggable.ts'
import { inTransaction } from '../../src/db/orm.ts'
import { tell } from '../../src/db/questions.ts'
import type { Engine } from '../../src/engine/start.ts'
import { openWorld, type World } from './support/world.ts'

/** What an activity's failure says stands in a history for good. */

let world: World
beforeAll(async () => {
  world = await openWorld([])
})
afterAll(() => world?.close())

const failureOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => new Error('none'),
    error => error,
  )

const insert = (document: string) =>
  world.orm.em
    .fork()
    .execute(`insert into account (uuid, name, document, status) values (?, 'n', ?, 'NEW')`, [
      randomUUID(),
      document,
    ])

test('a row that the database refuses is not quoted, and the rule that it breaks is named', async () => {
  await expect(insert('52998224725')).rejects.toThrow(/52998224725/)
  const failure = await failureOf(discreet({ insert }).insert('52998224725'))
  expect(failure.message).toBe('The database refused or was away: 23514 account_status_check of account')
  expect(`${failure.stack}${JSON.stringify(failure)}${failure.cause}`).not.toContain('52998224725')
})

test('nor is one that it refuses at the end of a transaction: neither by the failure nor by what is logged of it', async () => {
  const written = (document: string) =>
    inTransaction(world.orm, em =>
      tell(em, `insert into account (uuid, name, document, status) values (?, 'n', ?, 'NEW')`, [
        randomUUID(),
        document,
      ]),
    )
  const failure = await failureOf(discreet({ written }).written('52998224725'))
  expect(failure.message).toBe('The database refused or was away: 23514 account_status_check of account')
  expect(inspect(failure, { showHidden: true, depth: 5 })).not.toContain('52998224725')
  const bare = await written('52998224725').catch(error => error)
  expect(loggable(bare)).toMatchObject({ code: '23514', constraint: 'account_status_check' })
  expect(JSON.stringify(loggable(bare))).not.toContain('52998224725')
})

test('a log says of a notice that is not handed over which rule was broken, and quotes no row', async () => {
  const connection = await world.connection(await world.account())
  await world.orm.em.fork().execute(
    `insert into notice (uuid, connection_uuid, digest, kind, end_to_end, body, request_id, received_at)
     values (gen_random_uuid(), ?, 'x', 'payment', 'E1', '{}', 'r', now() - interval '1 minute')`,
    [connection],
  )
  const engine = { client: () => insert('52998224725'), taskQueue: 'q', timeScale: 1 } as unknown as Engine
  await sweepNotices({ orm: world.orm, log: world.dependencies.log } as Dependencies, engine)()
  const [line] = world.lines.filter(one => one.includes('notice not handed over'))
  expect(JSON.parse(line!).error).toMatchObject({ code: '23514', constraint: 'account_status_check' })
  expect(line).not.toContain('52998224725')
})

test('every other failure and every answer goes through as it is', async () => {
  const bug = new RangeError('a bug')
  const { fails, answers } = discreet({
    fails: async () => Promise.reject(bug),
    answers: async (...input: unknown[]) => input,
  })
  await expect(fails()).rejects.toBe(bug)
  expect(await answers(1, 'two')).toEqual([1, 'two'])
})
