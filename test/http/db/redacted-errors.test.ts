import { randomUUID } from 'node:crypto'
import { inspect } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sweepProviderNotifications } from '../../../src/activities/provider-notifications/sweep.ts'
import type { ActivityDependencies } from '../../../src/activities/runtime/dependencies.ts'
import { redactErrors } from '../../../src/activities/runtime/redact-errors.ts'
import { runInTransaction } from '../../../src/db/client/orm.ts'
import { enqueueStatement } from '../../../src/db/pipeline/query.ts'
import { redactError } from '../../../src/db/redact-error.ts'
import type { TemporalContext } from '../../../src/temporal/workflow-options.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

/** An activity's error message stays in a history for good. */

let fixture: ApiFixture
beforeAll(async () => {
  fixture = await openApiFixture([])
})
afterAll(() => fixture?.close())

const failureOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => new Error('none'),
    error => error,
  )

const insert = (document: string) =>
  fixture.orm.em
    .fork()
    .execute(`insert into account (uuid, name, document, status) values (?, 'n', ?, 'NEW')`, [
      randomUUID(),
      document,
    ])

test('an error of a refused row names the constraint and quotes no value', async () => {
  await expect(insert('52998224725')).rejects.toThrow(/52998224725/)
  const failure = await failureOf(redactErrors({ insert }).insert('52998224725'))
  expect(failure.message).toBe(
    'The database rejected the statement or is unavailable: 23514 account_status_check of account',
  )
  expect(`${failure.stack}${JSON.stringify(failure)}${failure.cause}`).not.toContain('52998224725')
})

test('an error at the commit quotes no value, neither in its message nor in the log', async () => {
  const written = (document: string) =>
    runInTransaction(fixture.orm, em =>
      enqueueStatement(em, `insert into account (uuid, name, document, status) values (?, 'n', ?, 'NEW')`, [
        randomUUID(),
        document,
      ]),
    )
  const failure = await failureOf(redactErrors({ written }).written('52998224725'))
  expect(failure.message).toBe(
    'The database rejected the statement or is unavailable: 23514 account_status_check of account',
  )
  expect(inspect(failure, { showHidden: true, depth: 5 })).not.toContain('52998224725')
  const bare = await written('52998224725').catch(error => error)
  expect(redactError(bare)).toMatchObject({ code: '23514', constraint: 'account_status_check' })
  expect(JSON.stringify(redactError(bare))).not.toContain('52998224725')
})

test('a log line of a notification that is not routed names the constraint and quotes no value', async () => {
  const connection = await fixture.insertConnection(await fixture.insertAccount())
  await fixture.orm.em.fork().execute(
    `insert into provider_notification (uuid, connection_uuid, digest, kind, end_to_end, body, request_id, received_at)
     values (gen_random_uuid(), ?, 'x', 'payment', 'E1', '{}', 'r', now() - interval '1 minute')`,
    [connection],
  )
  const temporal = {
    client: () => insert('52998224725'),
    taskQueue: 'q',
    timeScale: 1,
  } as unknown as TemporalContext
  await sweepProviderNotifications(
    { orm: fixture.orm, log: fixture.dependencies.log } as ActivityDependencies,
    temporal,
  )()
  const [line] = fixture.lines.filter(one =>
    one.includes('provider notification not routed; the next sweep routes it'),
  )
  expect(JSON.parse(line!).error).toMatchObject({ code: '23514', constraint: 'account_status_check' })
  expect(line).not.toContain('52998224725')
})

test('every other error and every result is unchanged', async () => {
  const bug = new RangeError('a bug')
  const { fails, answers } = redactErrors({
    fails: async () => Promise.reject(bug),
    answers: async (...input: unknown[]) => input,
  })
  await expect(fails()).rejects.toBe(bug)
  expect(await answers(1, 'two')).toEqual([1, 'two'])
})
