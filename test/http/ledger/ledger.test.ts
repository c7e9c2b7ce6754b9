import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { createMovement } from '../../../src/activities/ledger/movements.ts'
import { ledgerRoutes } from '../../../src/api/ledger/routes.ts'
import type { EntityManager } from '../../../src/db/client/orm.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import type { Movement } from '../../../src/db/entities/movement.ts'
import { type MovementLegs, writePostings } from '../../../src/db/ledger/post.ts'
import {
  depositLegs,
  type Leg,
  transferHeldLegs,
  transferSettledLegs,
} from '../../../src/domain/ledger/legs.ts'
import { MAX_CENTS } from '../../../src/domain/ledger/money.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { bookingSql } from '../support/row-inserters.ts'

describe('ledger', () => {
  /** SPEC §7: how a statement shows its lines. */

  const PATH = '/api/v1/ledger'

  let fixture: ApiFixture
  beforeAll(async () => {
    fixture = await openApiFixture([ledgerRoutes])
  })
  afterAll(() => fixture?.close())

  /** Money received through a connection and available. */
  async function deposit(connectionUuid: string, cents = 100): Promise<string> {
    const uuid = randomUUID()
    await fixture.orm.em.execute(
      `with made as (
       insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
         status, settled_at, created_at, updated_at)
       select ?, account_uuid, provider_account_uuid, uuid, 'EXTERNAL_TRANSFER', 'IN', ?, 'SETTLED', now(), now(), now()
       from connection where uuid = ? returning *) ${bookingSql()}`,
      [uuid, cents, connectionUuid],
    )
    return uuid
  }

  test('a line may exceed the largest amount: a transfer of that amount with its fee', async () => {
    const accountUuid = await fixture.insertAccount()
    await deposit(await fixture.insertConnection(accountUuid), MAX_CENTS + 25)
    const { status, body } = await fixture.call('GET', PATH, {
      token: await fixture.insertToken({ accountUuid }),
    })
    expect(status).toBe(200)
    expect(body.data).toMatchObject([{ value: 10_000_000_000.24, balance: '10000000000.24' }])
  })

  const linesOf = async (token: string, query = '') =>
    (await fixture.call('GET', PATH + query, { token })).body.data.map(
      (line: { uuid: string; provider: { uuid: string } }) => [line.uuid, line.provider.uuid],
    )

  test('a connection of another account lists none of the caller’s lines, though both use one provider account', async () => {
    const accountUuid = await fixture.insertAccount()
    const providerAccountUuid = await fixture.insertProviderAccount({ accountUuid })
    const ownConnection = await fixture.insertConnection(accountUuid, { providerAccountUuid })
    const shared = { providerAccountUuid, type: 'POOL' as const }
    const foreign = await fixture.insertConnection(await fixture.insertAccount(), shared)
    const movement = await deposit(ownConnection)
    const token = await fixture.insertToken({ accountUuid })
    expect(await linesOf(token, `?provider_uuid=${ownConnection}`)).toEqual([[movement, ownConnection]])
    expect(await linesOf(token, `?provider_uuid=${foreign}`)).toEqual([])
  })

  test('lines of two connections at one provider account name the requested one, else their own', async () => {
    const accountUuid = await fixture.insertAccount()
    const providerAccountUuid = await fixture.insertProviderAccount({ accountUuid })
    const elder = await fixture.insertConnection(accountUuid, { providerAccountUuid, createdAt: new Date(0) })
    const younger = await fixture.insertConnection(accountUuid, { providerAccountUuid })
    const pool = { providerAccountUuid, type: 'POOL' as const }
    const payer = await fixture.insertConnection(await fixture.insertAccount(), pool)
    const [first, second, shared] = [await deposit(elder), await deposit(younger), await deposit(younger)]
    // A split of what another account's charge received.
    await fixture.orm.em.execute('update movement set connection_uuid = ? where uuid = ?', [payer, shared])
    const [token, bound] = [
      await fixture.insertToken({ accountUuid }),
      await fixture.insertToken({ accountUuid, connectionUuid: younger }),
    ]
    const all = [shared, second, first]
    expect(await linesOf(token)).toEqual([
      [shared, elder],
      [second, younger],
      [first, elder],
    ])
    expect(await linesOf(bound)).toEqual(all.map(uuid => [uuid, younger]))
    expect(await linesOf(token, `?provider_uuid=${younger}`)).toEqual(all.map(uuid => [uuid, younger]))
  })
})

describe('postings', () => {
  /** Postings change balances and carry each bucket's balance after them; PostgreSQL refuses invalid ones. */

  let fixture: ApiFixture
  let accountUuid: string
  let otherUuid: string
  let place: { accountUuid: string; providerAccountUuid: string; connectionUuid: string }
  beforeAll(async () => {
    fixture = await openApiFixture([])
  })
  afterAll(() => fixture?.close())
  beforeEach(async () => {
    accountUuid = await fixture.insertAccount()
    otherUuid = await fixture.insertAccount()
    const connectionUuid = await fixture.insertConnection(accountUuid)
    const [{ at }] = await sql<[{ at: string }]>(
      'select provider_account_uuid as at from connection where uuid = ?',
      [connectionUuid],
    )
    place = { accountUuid, providerAccountUuid: at, connectionUuid }
  })

  const sql = <Rows extends object[]>(text: string, values: unknown[]) =>
    fixture.orm.em.fork({ disableContextResolution: true }).execute<Rows>(text, values)
  const moved = (em: EntityManager, legs: Leg[]): Movement => {
    const { cents = 1, to } = legs.find(({ type }) => type === undefined) ?? {}
    return createMovement(em, new Date(), {
      ...place,
      type: 'EXTERNAL_TRANSFER',
      status: 'PENDING',
      movementType: to?.bucket === 'available' ? 'IN' : 'OUT',
      valueCents: cents,
    })
  }
  const inCents = (valueCents: number, feeCents = 0) => ({ valueCents, feeCents })
  /** One leg per movement, posted together. */
  const booked = (...all: MovementLegs['legs'][]) =>
    runInTransaction(fixture.orm, async em => {
      const entries = all.map(legs => ({ movementUuid: moved(em, legs).uuid, legs }))
      await em.flush()
      const { providerAccountUuid } = place
      await writePostings(
        em,
        entries.map(entry => ({ ...entry, providerAccountUuid })),
      )
    })
  const postings = (of = accountUuid) =>
    sql(
      'select bucket, cents::int, balance_cents::int as after from posting where account_uuid = ? order by id',
      [of],
    )
  const balances = (of = accountUuid) =>
    sql('select bucket, cents::int from balance where account_uuid = ? and cents <> 0 order by bucket', [of])

  test('each posting has its bucket’s balance after it, also within one movement', async () => {
    await booked(
      depositLegs(accountUuid, 100),
      transferHeldLegs(accountUuid, inCents(30)),
      transferHeldLegs(accountUuid, inCents(50)),
    )
    expect(await postings()).toEqual([
      { bucket: 'outside', cents: -100, after: -100 },
      { bucket: 'available', cents: 100, after: 100 },
      { bucket: 'available', cents: -30, after: 70 },
      { bucket: 'provisioned', cents: 30, after: 30 },
      { bucket: 'available', cents: -50, after: 20 },
      { bucket: 'provisioned', cents: 50, after: 80 },
    ])
    await booked(transferHeldLegs(accountUuid, inCents(20)))
    expect((await postings()).slice(-2)).toEqual([
      { bucket: 'available', cents: -20, after: 0 },
      { bucket: 'provisioned', cents: 20, after: 100 },
    ])
    expect(await balances()).toEqual([
      { bucket: 'outside', cents: -100 },
      { bucket: 'provisioned', cents: 100 },
    ])
  })

  test('a fee has postings of its own; no value becomes a fee, and no fee leaves', async () => {
    await booked(depositLegs(accountUuid, 100), transferHeldLegs(accountUuid, inCents(30, 2)))
    await booked(transferSettledLegs(accountUuid, inCents(30, 2)))
    const typed = await sql(
      'select type, bucket, cents::int from posting where account_uuid = ? order by id',
      [accountUuid],
    )
    expect(typed.slice(2)).toEqual([
      { type: 'EXTERNAL_TRANSFER', bucket: 'available', cents: -30 },
      { type: 'EXTERNAL_TRANSFER', bucket: 'provisioned', cents: 30 },
      { type: 'FEE', bucket: 'available', cents: -2 },
      { type: 'FEE', bucket: 'provisioned', cents: 2 },
      { type: 'EXTERNAL_TRANSFER', bucket: 'provisioned', cents: -30 },
      { type: 'EXTERNAL_TRANSFER', bucket: 'outside', cents: 30 },
      { type: 'FEE', bucket: 'provisioned', cents: -2 },
      { type: 'FEE', bucket: 'fee', cents: 2 },
    ])
    const to = (bucket: Leg['to']['bucket'], type?: 'FEE') => ({
      cents: 1,
      from: { accountUuid, bucket: 'available' as const },
      to: { accountUuid, bucket },
      ...(type && { type }),
    })
    for (const leg of [to('fee'), to('outside', 'FEE')])
      await expect(booked([leg])).rejects.toMatchObject({ constraint: 'posting_fee' })
    await expect(
      sql(
        `insert into posting (movement_uuid, account_uuid, provider_account_uuid, type, bucket, cents, balance_cents)
       select movement_uuid, account_uuid, provider_account_uuid, leg.type, 'available', leg.cents, 0
       from (select * from posting where account_uuid = ? limit 1) p
       cross join (values ('FEE', 1), ('HOLD', -1)) as leg (type, cents)`,
        [accountUuid],
      ),
    ).rejects.toThrow(/do not add up to zero/)
  })

  test('a PIX has one line, in its own value', async () => {
    await booked(depositLegs(accountUuid, 100))
    const [{ movement }] = await sql<[{ movement: string }]>(
      'select movement_uuid as movement from posting where account_uuid = ? limit 1',
      [accountUuid],
    )
    const bookedAgain = (cents: number) =>
      runInTransaction(fixture.orm, em =>
        writePostings(em, [
          {
            movementUuid: movement,
            providerAccountUuid: place.providerAccountUuid,
            legs: depositLegs(accountUuid, cents),
          },
        ]),
      )
    await expect(bookedAgain(100)).rejects.toMatchObject({ constraint: 'posting_pix_once' })
    await expect(bookedAgain(60)).rejects.toMatchObject({ constraint: 'posting_pix_value' })
  })

  test('a movement that would leave a bucket below zero is refused as a whole', async () => {
    await booked(depositLegs(accountUuid, 100))
    const before = [await postings(), await balances()]
    const tooMuch = booked(
      transferHeldLegs(accountUuid, inCents(60)),
      transferHeldLegs(accountUuid, inCents(41)),
    )
    await expect(tooMuch).rejects.toMatchObject({ constraint: 'balance_covered' })
    expect([await postings(), await balances()]).toEqual(before)
  })

  test('nothing is posted for an account without a connection there', async () => {
    await expect(booked(depositLegs(accountUuid, 5), depositLegs(otherUuid, 5))).rejects.toMatchObject({
      code: '23502',
      column: 'balance_cents',
    })
    expect([...(await postings()), ...(await postings(otherUuid)), ...(await balances())]).toEqual([])
  })

  test('concurrent postings are all kept', async () => {
    await booked(depositLegs(accountUuid, 1_000))
    await Promise.all(Array.from({ length: 20 }, () => booked(transferHeldLegs(accountUuid, inCents(10)))))
    expect(await balances()).toEqual([
      { bucket: 'available', cents: 800 },
      { bucket: 'outside', cents: -1_000 },
      { bucket: 'provisioned', cents: 200 },
    ])
    const held = (await postings()).slice(2) as { bucket: string; after: number }[]
    const after = held.filter(({ bucket }) => bucket === 'provisioned').map(one => one.after)
    expect(after).toEqual(Array.from({ length: 20 }, (_, place) => (place + 1) * 10))
  })
})
