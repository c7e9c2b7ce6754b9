import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { EntityClass } from '@mikro-orm/core'
import { transitionAttempt } from '../../../src/activities/shared/transition.ts'
import type { EntityManager } from '../../../src/db/client/orm.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { Attempt } from '../../../src/db/entities/attempt.ts'
import { Charge } from '../../../src/db/entities/charge.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { Movement } from '../../../src/db/entities/movement.ts'
import { ProviderNotification } from '../../../src/db/entities/provider-notification.ts'
import { Transfer } from '../../../src/db/entities/transfer.ts'
import { findLockedRow, lockRow } from '../../../src/db/locks.ts'
import { queryEntities } from '../../../src/db/pipeline/entity-mapper.ts'
import { batchQueries, noQuery, runQuery } from '../../../src/db/pipeline/query.ts'
import { findAttempts, queryAttemptByReference } from '../../../src/db/repositories/attempts.ts'
import { queryConnectionToCall } from '../../../src/db/repositories/connections.ts'
import { storeProviderNotifications } from '../../../src/db/repositories/provider-notifications.ts'
import { referenceOf } from '../../../src/domain/pix/identifiers.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createFullAccount } from '../support/full-account.ts'

/** Rows that every money step reads, by statements of our own: they equal what the unit of work would have loaded. */

let fixture: ApiFixture
let connection: string
let other: string
let attempt: { operation: 'transfer'; subjectUuid: string; providerAccountUuid: string }
beforeAll(async () => {
  fixture = await openApiFixture([])
  await createFullAccount(fixture)
  const accountUuid = await fixture.insertAccount()
  connection = await fixture.insertConnection(accountUuid)
  const { providerAccountUuid } = await em().findOneOrFail(Connection, connection)
  other = await fixture.insertConnection(accountUuid, { providerAccountUuid })
  attempt = {
    operation: 'transfer',
    subjectUuid: randomUUID(),
    providerAccountUuid,
  }
  const writing = em()
  createAttempt(writing, 0, connection)
  await writing.flush()
  await runQuery(em(), storeProviderNotifications(em(), connection, [notificationItem()]))
})
afterAll(() => fixture?.close())

const em = () => fixture.orm.em.fork({ disableContextResolution: true })
const createAttempt = (writing: EntityManager, position: number, connectionUuid: string) =>
  writing.create(Attempt, {
    ...attempt,
    uuid: randomUUID(),
    connectionUuid,
    position,
    state: 'calling',
  })
const notificationItem = (
  changes: Partial<Parameters<typeof storeProviderNotifications>[2][number]> = {},
) => ({
  uuid: randomUUID(),
  kind: 'payment' as const,
  reference: null,
  endToEnd: null,
  body: `{"what?": "it's \\"so\\" \\\\ ? ção 💸"}`,
  requestId: 'r',
  ...changes,
})

const KINDS: EntityClass<{ uuid: string }>[] = [
  Charge,
  Transfer,
  Movement,
  Attempt,
  ProviderNotification,
  Connection,
]
test.each(KINDS.map(kind => [kind.name, kind] as const))(
  'each %s equals what the unit of work loads, and no value of it changes',
  async (_, kind) => {
    const [asking, reading] = [em(), em()]
    const expected = await asking.find(kind, {}, { orderBy: { uuid: 'asc' } })
    expect(expected.length).toBeGreaterThan(0)
    const found = await runQuery(
      reading,
      queryEntities(reading, kind, { rest: 'order by r.uuid', values: [] }),
    )
    const stored = (one: object) => asking.getComparator().prepareEntity(one)
    expect(found.map(stored)).toEqual(expected.map(stored))
    reading.getUnitOfWork().computeChangeSets()
    expect(reading.getUnitOfWork().getChangeSets()).toEqual([])
  },
)

test('a connection to call is loaded with its lazy columns, and nothing is left to write', async () => {
  const reading = em()
  const populate = ['sealedCredentials', 'isDistrusted'] as const
  const expected = await em().findOneOrFail(Connection, connection, { populate })
  const [found, unknown] = await runQuery(
    reading,
    batchQueries(queryConnectionToCall(reading, connection), queryConnectionToCall(reading, randomUUID())),
  )
  expect({ ...found }).toEqual({ ...expected })
  reading.getUnitOfWork().computeChangeSets()
  expect(reading.getUnitOfWork().getChangeSets()).toEqual([])
  expect(unknown).toBeUndefined()
})

describe('a row locked by its own statement', () => {
  test('can only be locked within a transaction', async () => {
    await expect(findLockedRow(em(), Connection, connection, noQuery)).rejects.toThrow('transaction')
  })

  test('keeps the changes of this unit of work', async () => {
    await runInTransaction(fixture.orm, async tx => {
      const [first] = await lockRow(tx, Connection, connection, noQuery)
      first.collectionKey = 'changed'
      const [again] = await lockRow(tx, Connection, connection, noQuery)
      expect(again).toBe(first)
      expect(again.collectionKey).toBe('changed')
    })
    expect(await em().findOneOrFail(Connection, connection)).toMatchObject({ collectionKey: 'changed' })
  })

  test('has its current values, although it was loaded before', async () => {
    await runInTransaction(fixture.orm, async tx => {
      const known = await tx.findOneOrFail(Connection, connection)
      await em().execute(`update connection set collection_key = 'meanwhile' where uuid = ?`, [connection])
      expect((await lockRow(tx, Connection, connection, noQuery))[0]).toBe(known)
      expect(known.collectionKey).toBe('meanwhile')
    })
  })

  test('that does not exist is null, or an error where it is required', async () => {
    const unknown = randomUUID()
    await runInTransaction(fixture.orm, async tx => {
      expect(await findLockedRow(tx, Connection, unknown, noQuery)).toEqual([null, []])
      await expect(lockRow(tx, Connection, unknown, noQuery)).rejects.toThrow(`no Connection ${unknown}`)
    })
  })
})

test('attempts include those of this unit of work, in their order, with its changes', async () => {
  const writing = em()
  const [first] = await findAttempts(writing, attempt)
  transitionAttempt(first!, 'refused')
  await writing.flush() // Of an operation one attempt is live.
  const second = createAttempt(writing, 1, other)
  first!.code = 'changed'
  const all = await findAttempts(writing, attempt)
  expect(all).toEqual([first, second])
  expect(first!.code).toBe('changed')
})

test('a notification’s attempt is found by its reference through an index', async () => {
  const { providerAccountUuid } = attempt
  await em().execute(
    `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position, state,
       created_at, updated_at)
     select gen_random_uuid(), 'transfer', gen_random_uuid(), ?, ?, 0, 'settled', now(), now()
     from generate_series(1, 3000)`,
    [connection, providerAccountUuid],
  )
  await em().execute('analyze attempt')
  const { statements } = queryAttemptByReference(em(), {
    reference: referenceOf(attempt.subjectUuid),
    providerAccountUuid,
  })
  const plan: object[] = await em().execute(`explain (generic_plan) ${statements[0]!.sql}`)
  expect(plan.map(line => Object.values(line)[0]).join('\n')).toMatch('attempt_once')
})

describe('a provider notification', () => {
  const keep = (...items: ReturnType<typeof notificationItem>[]) =>
    runQuery(em(), storeProviderNotifications(em(), connection, items))

  test('is stored once and unchanged, and returned until a workflow has processed it', async () => {
    const one = notificationItem()
    const twin = notificationItem({ uuid: one.uuid })
    const kept = await keep(one, twin)
    expect(kept).toHaveLength(1)
    expect(kept[0]).toMatchObject({ uuid: one.uuid, body: one.body, kind: 'payment', routedAt: null })
    expect((await keep(twin)).map(({ uuid }) => uuid)).toEqual([one.uuid])
    await em().execute('update provider_notification set routed_at = now() where uuid = ?', [one.uuid])
    expect(await keep(twin)).toEqual([])
    expect(await keep()).toEqual([])
  })

  test('stored twice concurrently exists once, and is returned to one of the two', async () => {
    const one = notificationItem()
    const twins = [one, notificationItem({ uuid: one.uuid })]
    const answers = await Promise.all(twins.map(one => keep(one)))
    const uuids = new Set(answers.flat().map(({ uuid }) => uuid))
    expect(uuids.size).toBe(1)
  })
})
