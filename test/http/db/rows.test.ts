import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { defineEntity, type EntityClass, OptimisticLockError } from '@mikro-orm/core'
import { MikroORM } from '@mikro-orm/postgresql'
import { PostgresDialect } from 'kysely'
import { transitionAttempt } from '../../../src/activities/shared/transition.ts'
import { requireDurability, UnsafeDatabase } from '../../../src/db/client/durability.ts'
import type { EntityManager, Orm } from '../../../src/db/client/orm.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { Attempt } from '../../../src/db/entities/attempt.ts'
import { Charge } from '../../../src/db/entities/charge.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { Movement } from '../../../src/db/entities/movement.ts'
import { PartyType } from '../../../src/db/entities/party.ts'
import { ProviderNotification } from '../../../src/db/entities/provider-notification.ts'
import { Transfer } from '../../../src/db/entities/transfer.ts'
import { findLockedRow, lockRow } from '../../../src/db/locks.ts'
import { queryEntities } from '../../../src/db/pipeline/entity-mapper.ts'
import { PipelinedPool } from '../../../src/db/pipeline/pool.ts'
import { batchQueries, constantQuery, noQuery, runQuery } from '../../../src/db/pipeline/query.ts'
import { findAttempts, queryAttemptByReference } from '../../../src/db/repositories/attempts.ts'
import { queryConnectionToCall } from '../../../src/db/repositories/connections.ts'
import { storeProviderNotifications } from '../../../src/db/repositories/provider-notifications.ts'
import { referenceOf } from '../../../src/domain/pix/identifiers.ts'
import type { Party } from '../../../src/domain/pix/party.ts'
import { createTestDatabase } from '../../support/database.ts'
import { openTestOrm } from '../../support/orm.ts'
import { startPostgres } from '../../support/postgres.ts'
import { PROGRAM_ENVIRONMENT } from '../../support/program-environment.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createFullAccount } from '../support/full-account.ts'

describe('party column', () => {
  describe('the column of a party', () => {
    const party = new PartyType()
    const known: Party = {
      name: 'Maria Souza',
      document: '52998224725',
      account_number: '1234567',
      account_agency: '0001',
      bank: { code: '001', name: 'Banco A', ispb: '00000000' },
      account_type: 'PAYMENT',
    }
    const unknown: Party = {
      name: '',
      document: '',
      account_number: '',
      account_agency: '',
      account_type: 'CHECKING',
      bank: { code: '', name: '', ispb: '' },
    }

    test.each([
      ['all texts', known],
      ['unknown texts', unknown],
      ['some texts of the bank', { ...unknown, bank: { ...unknown.bank, ispb: '99999004' } }],
    ])('gives %s back, as text and as the object of PostgreSQL', (_, value) => {
      const column = party.convertToDatabaseValue(value)!
      expect(party.convertToJSValue(column)).toEqual(value)
      expect(party.convertToJSValue(JSON.parse(column))).toEqual(value)
    })

    test('has no unknown text', () => {
      expect(party.convertToDatabaseValue(unknown)).toBe('{"account_type":"CHECKING"}')
    })
  })
})

describe('optimistic locks', () => {
  /** MikroORM's checks of what PostgreSQL reports, which an entity with a version column would rely on. */

  const schema = defineEntity({
    name: 'Note',
    properties: p => ({ uuid: p.uuid().primary(), text: p.text(), version: p.integer().version() }),
  })
  class Note extends schema.class {}
  schema.setClass(Note)

  let orm: MikroORM
  let uuid: string
  beforeAll(async () => {
    const connectionString = await createTestDatabase()
    const pool = new PipelinedPool({ connectionString })
    const driverOptions = () => new PostgresDialect({ pool })
    orm = await MikroORM.init({ clientUrl: connectionString, entities: [Note], driverOptions })
    await orm.em.fork().execute('create table note (uuid uuid primary key, text text, version int default 1)')
    const em = orm.em.fork()
    uuid = em.create(Note, { uuid: randomUUID(), text: 'first' }).uuid
    await em.flush()
  })
  afterAll(() => orm?.close())

  const read = async () => {
    const em = orm.em.fork()
    return { em, note: await em.findOneOrFail(Note, uuid) }
  }

  test('the second of two concurrent changes of a versioned row fails', async () => {
    const [one, two] = [await read(), await read()]
    one.note.text = 'one'
    two.note.text = 'two'
    await one.em.flush()
    await expect(two.em.flush()).rejects.toThrow(OptimisticLockError)
    expect((await read()).note).toMatchObject({ text: 'one', version: 2 })
  })

  test('a change of a versioned row that has vanished fails, by a flush and at the end of a transaction', async () => {
    const lost = await read()
    await orm.em.fork().execute('delete from note where uuid = ?', [uuid])
    lost.note.text = 'late'
    await expect(lost.em.flush()).rejects.toThrow(OptimisticLockError)

    const ended = runInTransaction(orm, async em => {
      const note = em.create(Note, { uuid: randomUUID(), text: 'first' })
      await em.flush()
      await em.execute('delete from note where uuid = ?', [note.uuid])
      note.text = 'late'
      return constantQuery('accepted')
    })
    await expect(ended).rejects.toThrow(OptimisticLockError)
  })
})

describe('durability', () => {
  /** A process whose database may lose commits. */

  let postgres: Awaited<ReturnType<typeof startPostgres>>
  let orm: Orm
  beforeAll(async () => {
    postgres = await startPostgres({})
    orm = await openTestOrm({ databaseUrl: postgres.url })
  })
  afterAll(async () => {
    await orm?.close()
    await postgres?.stop()
  })

  const databaseOf = (url: string) => new URL(url).pathname.slice(1)
  const alter = (what: string, setting: string) => orm.em.fork().execute(`alter ${what} set ${setting}`)
  async function check(): Promise<string> {
    const fresh = await openTestOrm({ databaseUrl: postgres.url })
    try {
      return await requireDurability(fresh, { isAllowed: false, warn: () => {} }).then(
        () => 'safe',
        error => `${error.name}: ${error.message}`,
      )
    } finally {
      await fresh.close()
    }
  }

  test('a server with the settings of an installation is accepted', async () => {
    expect(await check()).toBe('safe')
  })

  test.each(['on', 'local', 'remote_write', 'remote_apply'])(
    'synchronous_commit = %s is accepted',
    async value => {
      await alter('role current_user', `synchronous_commit = ${value}`)
      expect(await check()).toBe('safe')
      await orm.em.fork().execute('alter role current_user reset synchronous_commit')
    },
  )

  test('synchronous_commit = off of the role or the database is refused', async () => {
    for (const what of ['role current_user', `database "${databaseOf(postgres.url)}"`]) {
      await alter(what, 'synchronous_commit = off')
      expect(await check()).toMatch(
        /^UnsafeDatabase: PostgreSQL runs with synchronous_commit = off and may lose/,
      )
      await orm.em.fork().execute(`alter ${what} reset synchronous_commit`)
    }
    expect(await check()).toBe('safe')
  })

  test('a server without durability is refused with every such setting; where it is allowed, that is a warning', async () => {
    const forgetful = await openTestOrm({ databaseUrl: await createTestDatabase() })
    const warnings: string[] = []
    const warn = (message: string) => void warnings.push(message)
    await expect(requireDurability(forgetful, { isAllowed: false, warn })).rejects.toThrow(UnsafeDatabase)
    expect(warnings).toEqual([])
    await requireDurability(forgetful, { isAllowed: true, warn })
    expect(warnings).toEqual([
      expect.stringMatching(/fsync = off, full_page_writes = off, synchronous_commit = off/),
    ])
    await forgetful.close()
  })

  test('the API prints one line and exits with 1', async () => {
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, '../../../src/server.ts')],
      {
        env: {
          ...PROGRAM_ENVIRONMENT,
          DATABASE_URL: await createTestDatabase(),
          TEMPORAL_ADDRESS: '127.0.0.1:1',
          PORT: '0',
          TRILHO_SECRET_KEY: `a:${randomBytes(32).toString('base64')}`,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    const said: string[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => said.push(String(chunk)))
    const [code] = await once(child, 'close')
    expect(code).toBe(1)
    expect(said.join('').trim().split('\n')).toEqual([expect.stringContaining('synchronous_commit = off')])
  })
})

describe('row statements', () => {
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
})
