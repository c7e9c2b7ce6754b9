import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { wrap } from '@mikro-orm/core'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { Account } from '../../../src/db/entities/account.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { Movement } from '../../../src/db/entities/movement.ts'
import { User } from '../../../src/db/entities/user.ts'
import { UserTotp } from '../../../src/db/entities/user-totp.ts'
import { Delivery, Event, Webhook } from '../../../src/db/entities/webhook.ts'
import { getEntityMapper, hasLoaded, queryEntities } from '../../../src/db/pipeline/entity-mapper.ts'
import { runQuery, sendChanges } from '../../../src/db/pipeline/query.ts'
import { takeRowChanges } from '../../../src/db/pipeline/row-changes.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

/**
 * What `src/db/pipeline` takes from MikroORM's unit of work beyond its documented API, each in a test of its own: a release of
 * MikroORM that changes one of them fails here first.
 */

let fixture: ApiFixture
let accountUuid: string
let connectionUuid: string
beforeAll(async () => {
  fixture = await openApiFixture([])
  accountUuid = await fixture.insertAccount()
  connectionUuid = await fixture.insertConnection(accountUuid)
})
afterAll(() => fixture?.close())

const forkEm = () => fixture.orm.em.fork({ disableContextResolution: true })
const read = (em: ReturnType<typeof forkEm>, options: { refresh?: boolean; lazy?: boolean } = {}) =>
  runQuery(
    em,
    queryEntities(em, Connection, {
      rest: 'where r.uuid = ?',
      values: [connectionUuid],
      ...(options.refresh && { refresh: true }),
      ...(options.lazy && { lazyProperties: ['sealedCredentials'] }),
    }),
  )
const setKeyElsewhere = (key: string) =>
  forkEm().execute('update connection set collection_key = ? where uuid = ?', [key, connectionUuid])

test('a new row is one insert of what is set, with the values that PostgreSQL stores', () => {
  const em = forkEm()
  const at = new Date('2026-11-28T01:02:03.004Z')
  const movement = em.create(Movement, {
    uuid: randomUUID(),
    accountUuid,
    providerAccountUuid: randomUUID(),
    connectionUuid,
    type: 'ADJUSTMENT',
    movementType: 'IN',
    status: 'SETTLED',
    reason: null,
    valueCents: 2 ** 40,
    createdAt: at,
    updatedAt: at,
  })
  const [insert, ...others] = takeRowChanges(em)!
  expect(others).toEqual([])
  expect(insert!.sql).toMatch(/^insert into movement \([a-z_, ]+\) values \([?, ]+\)$/)
  const columns = /\((.*?)\)/.exec(insert!.sql)![1]!.split(', ')
  const stored = Object.fromEntries(columns.map((column, index) => [column, insert!.values[index]]))
  expect(stored).toMatchObject({
    uuid: movement.uuid,
    value_cents: String(2 ** 40),
    reason: null,
    created_at: at,
  })
})

test('new rows are in the order of their creation, an event before its deliveries', () => {
  const em = forkEm()
  const eventUuid = randomUUID()
  const row = {
    uuid: randomUUID(),
    webhookUuid: randomUUID(),
    eventType: 'TEST',
    status: 'PENDING',
    sweepAt: null,
  } as const
  em.create(Event, {
    uuid: eventUuid,
    accountUuid,
    connectionUuid: null,
    type: 'TEST',
    subjectUuid: accountUuid,
    sequence: 1,
    body: { a: 1 },
    ownerUuid: accountUuid,
    requestId: 'r',
    createdAt: new Date(),
  })
  em.create(Delivery, { ...row, eventUuid })
  const tables = takeRowChanges(em)!.map(({ sql }) => /insert into (\w+)/.exec(sql)![1])
  expect(tables).toEqual(['event', 'delivery'])
})

test('a changed row is one update of the changed columns by its key, and nothing is left to write', async () => {
  const em = forkEm()
  const account = await em.findOneOrFail(Account, accountUuid)
  account.name = 'Changed'
  const changes = takeRowChanges(em)!
  expect(changes).toEqual([
    {
      sql: expect.stringMatching(/update account set name = \? where uuid = \? returning 1/),
      values: ['Changed', accountUuid],
    },
  ])
  expect(takeRowChanges(em)).toEqual([])
  account.name = 'Changed again'
  expect(takeRowChanges(em)!.map(({ values }) => values)).toEqual([['Changed again', accountUuid]])
})

test('a row that was removed is left to MikroORM, with the changes before it', async () => {
  const userUuid = randomUUID()
  await forkEm().insert(User, {
    uuid: userUuid,
    accountUuid,
    email: `${userUuid}@example.com`,
    passwordHash: '$argon2id$x',
    role: 'owner',
    createdAt: new Date(),
  })
  const totp = { uuid: randomUUID(), userUuid, sealedSecret: 's', lastStep: 1, createdAt: new Date() }
  await forkEm().insert(UserTotp, totp)
  await runInTransaction(fixture.orm, async em => {
    const user = await em.findOneOrFail(User, userUuid)
    user.name = 'Ana'
    em.remove(await em.findOneOrFail(UserTotp, totp.uuid))
    expect(takeRowChanges(em)).toBeUndefined()
    await sendChanges(em)
  })
  expect(await forkEm().count(UserTotp, totp.uuid)).toBe(0)
  expect(await forkEm().findOneOrFail(User, userUuid)).toMatchObject({ name: 'Ana' })
})

test('a row read by its own statement is in the unit of work: one object, whose changes are found', async () => {
  const em = forkEm()
  expect(hasLoaded(em, Connection)).toBe(false)
  const [connection] = await read(em)
  expect(hasLoaded(em, Connection)).toBe(true)
  expect(await em.findOneOrFail(Connection, connectionUuid)).toBe(connection)
  expect(takeRowChanges(em)).toEqual([])
  connection!.fees = { ...connection!.fees, charge: { fixedCents: 7, hundredthsOfPercent: 0 } }
  const [update] = takeRowChanges(em)!
  expect(update!.sql).toMatch(
    /update connection set fees = \?, updated_at = \?|update connection set fees = \?/,
  )
})

test('a row that is loaded stays as it is, and is read anew with `refresh`, lazy columns included', async () => {
  const em = forkEm()
  const [connection] = await read(em, { lazy: true })
  const { sealedCredentials } = connection!
  expect(sealedCredentials).toEqual(expect.any(String))
  await setKeyElsewhere('elsewhere')
  expect(await read(em)).toEqual([connection])
  expect(connection!.collectionKey).not.toBe('elsewhere')
  expect((await read(em, { refresh: true }))[0]).toBe(connection)
  expect(connection).toMatchObject({ collectionKey: 'elsewhere', sealedCredentials })
  expect(takeRowChanges(em)).toEqual([])
})

test('a reference of which only the key is known is filled in', async () => {
  const em = forkEm()
  const reference = em.getReference(Connection, connectionUuid)
  expect(wrap(reference).isInitialized()).toBe(false)
  expect((await read(em))[0]).toBe(reference)
  expect(wrap(reference).isInitialized()).toBe(true)
  expect(reference.accountUuid).toBe(accountUuid)
})

test('a mapper reads each column of the entity, formulas included, and no lazy one', () => {
  const { columns } = getEntityMapper(forkEm(), Connection, 'c')
  expect(columns).toContain('c.collection_key as c_collection_key')
  expect(columns).not.toContain('sealed_credentials')
  const lazy = getEntityMapper(forkEm(), Connection, 'c', ['sealedCredentials', 'isPausedIn']).columns
  expect(lazy).toContain('c.sealed_credentials as c_sealed_credentials')
  expect(lazy).toMatch(/exists \(.*as c_is_paused_in/s)
})

test('pending changes of an entity are known before it is read', async () => {
  const em = forkEm()
  const metadata = em.getMetadata(Webhook)
  expect(em.getUnitOfWork().shouldAutoFlush(metadata)).toBe(false)
  em.create(Webhook, {
    uuid: randomUUID(),
    accountUuid,
    url: 'https://example.com',
    sealedSecret: 's',
    maskedSecret: 'm',
    events: ['PAYMENT'],
    mode: null,
    fingerprint: '',
    tokenNumber: null,
    disabledReason: null,
  })
  expect(em.getUnitOfWork().shouldAutoFlush(metadata)).toBe(true)
})
