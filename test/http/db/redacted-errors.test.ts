import { randomUUID } from 'node:crypto'
import { inspect } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Context } from '@temporalio/activity'
import { sweepProviderNotifications } from '../../../src/activities/provider-notifications/sweep.ts'
import type { ActivityDependencies } from '../../../src/activities/runtime/dependencies.ts'
import {
  activityInterceptorPlugin,
  redactionInterceptor,
} from '../../../src/activities/runtime/interceptors.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { sendStatement } from '../../../src/db/pipeline/query.ts'
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

/** An activity, as a worker with the interceptor executes it. */
const redacted = (activity: () => Promise<unknown>) =>
  redactionInterceptor.execute({ args: [], headers: {} }, activity)

const insert = (document: string) =>
  fixture.orm.em
    .fork()
    .execute(`insert into account (uuid, name, document, status) values (?, 'n', ?, 'NEW')`, [
      randomUUID(),
      document,
    ])

test('an error of a refused row names the constraint and quotes no value', async () => {
  await expect(insert('52998224725')).rejects.toThrow(/52998224725/)
  const failure = await failureOf(redacted(() => insert('52998224725')))
  expect(failure.message).toBe(
    'The database rejected the statement or is unavailable: 23514 account_status_check of account',
  )
  expect(`${failure.stack}${JSON.stringify(failure)}${failure.cause}`).not.toContain('52998224725')
})

test('an error at the commit quotes no value, neither in its message nor in the log', async () => {
  const written = (document: string) =>
    runInTransaction(fixture.orm, em =>
      sendStatement(em, `insert into account (uuid, name, document, status) values (?, 'n', ?, 'NEW')`, [
        randomUUID(),
        document,
      ]),
    )
  const failure = await failureOf(redacted(() => written('52998224725')))
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
    `insert into provider_notification (uuid, connection_uuid, kind, end_to_end, body, request_id, received_at)
     values (gen_random_uuid(), ?, 'payment', 'E1', ?, 'r', now() - interval '1 minute')`,
    [connection, '{}'],
  )
  const temporal = {
    client: () => insert('52998224725'),
    taskQueue: 'q',
    timeScale: 1,
  } as unknown as TemporalContext
  const { log } = fixture.dependencies
  await sweepProviderNotifications({ orm: fixture.orm, log, temporal } as ActivityDependencies)()
  const [line] = fixture.lines.filter(one =>
    one.includes('provider notification not routed; the next sweep routes it'),
  )
  expect(JSON.parse(line!).error).toMatchObject({ code: '23514', constraint: 'account_status_check' })
  expect(line).not.toContain('52998224725')
})

test('every other error and every result is unchanged', async () => {
  const bug = new RangeError('a bug')
  await expect(redacted(() => Promise.reject(bug))).rejects.toBe(bug)
  const input = { args: [1, 'two'], headers: {} }
  expect(await redactionInterceptor.execute(input, async ({ args }) => args)).toEqual([1, 'two'])
})

test('the interceptors of a worker are inside those of its other plugins, so that no trace has an error unredacted', () => {
  const tracing = () => ({})
  const options = { taskQueue: 'q', interceptors: { activity: [tracing] } }
  const [outermost, ...inner] = activityInterceptorPlugin.configureWorker(options).interceptors.activity
  expect(outermost).toBe(tracing)
  expect(inner.map(factory => factory({} as Context))).toContainEqual({ inbound: redactionInterceptor })
})
