import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { discreet } from '../../src/activities/discreet.ts'
import { openWorld, type World } from './support/world.ts'

/** What an activity's failure says stands in a history for good. */

let world: World
beforeAll(async () => {
  world = await openWorld([])
})
afterAll(() => world?.close())

test('a row that the database refuses is not quoted, and the rule that it breaks is named', async () => {
  const insert = (document: string) =>
    world.orm.em
      .fork()
      .execute(`insert into account (uuid, name, document, status) values (?, 'n', ?, 'NEW')`, [
        randomUUID(),
        document,
      ])
  await expect(insert('52998224725')).rejects.toThrow(/52998224725/)
  const failure: Error = await discreet({ insert })
    .insert('52998224725')
    .then(
      () => new Error('none'),
      error => error,
    )
  expect(failure.message).toBe('The database refused or was away: 23514 account_status_check of account')
  expect(`${failure.stack}${JSON.stringify(failure)}${failure.cause}`).not.toContain('52998224725')
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
