import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Dependencies } from '../../src/activities/dependencies.ts'
import { askBy } from '../../src/activities/sending.ts'
import { sendTransfer } from '../../src/activities/transfer-records.ts'
import { pixOut } from '../../src/activities/transfers.ts'
import { bookOpeningBalance } from '../../src/admin/connections.ts'
import { Connection } from '../../src/db/entities/connection.ts'
import { type Orm, openOrm } from '../../src/db/orm.ts'
import type { Sending } from '../../src/domain/provider.ts'
import type { TransferOrder } from '../../src/workflows/messages.ts'
import { type Heard, listenTo } from './support/wire.ts'
import { openWorld, type World } from './support/world.ts'

/** What PostgreSQL hears of a transfer, from its order to its settlement. */

let world: World
let orm: Orm
let wire: Heard
let accountUuid: string
let connectionUuid: string
let told: Sending['status']
/** How many messages PostgreSQL had heard when the connection to the provider was opened. */
const opened: number[] = []
beforeAll(async () => {
  world = await openWorld([])
  accountUuid = await world.account()
  connectionUuid = await world.connection(accountUuid)
  const em = world.orm.em.fork()
  await bookOpeningBalance(em, await em.findOneOrFail(Connection, connectionUuid), 1_000)
  orm = await openOrm({ databaseUrl: world.config.databaseUrl, poolSize: 1 })
  wire = await listenTo(orm)
})
afterAll(async () => {
  await orm?.close()
  await world?.close()
})
beforeEach(() => {
  told = 'in_process'
  opened.length = 0
  wire.forget()
})

/** All that a sending reaches for; its provider says what the test has it say. */
function dependencies(): Dependencies {
  const sending = () => ({
    status: told,
    endToEnd: `E${randomUUID()}`,
    at: null,
    receiver: null,
    returns: [],
  })
  const provider = {
    openAhead: () => opened.push(wire.messages.length),
    sendTransfer: async () => ({ kind: 'accepted', sending: sending() }),
    findTransfer: async () => ({ kind: 'found', sending: sending() }),
  }
  const sealer = { open: JSON.parse, seal: JSON.stringify }
  return { orm, sealer, providers: { providerFor: () => provider }, timeScale: 1 } as never
}

function newOrder(valueCents: number): TransferOrder {
  const details = JSON.stringify({ pixKey: 'maria@example.com', fingerprint: 'f' })
  return {
    ...{ uuid: randomUUID(), accountUuid, candidates: [connectionUuid], valueCents, details },
    ...{ requestId: 'r', timeScale: 1 },
  }
}

const send = (order: TransferOrder) =>
  sendTransfer(dependencies())({ uuid: order.uuid, connectionUuid, again: false, order })

test('before the call all that is read and locked is one message, in the order of locks, and all that is written another', async () => {
  await send(newOrder(300))
  const [locks, writes, ...kept] = wire.messages
  expect(locks).toMatch(
    /^begin; .* from transfer\s.* for no key update; .* from connection\s.* for no key update; .* from balance\s.* for update; /s,
  )
  expect(writes).toMatch(/^insert into "[^"]+" .*insert into "transfer".*insert into posting.*commit$/s)
  expect(writes).not.toContain('update "transfer"') // Its row is written whole.
  expect(kept).toHaveLength(2)
})

test('the connection to the provider is opened once the sending is decided, while it is written down', async () => {
  await send(newOrder(100))
  expect(opened).toEqual([1])
})

test('what the balances do not cover is held of nothing, and no provider hears of it', async () => {
  expect(await send(newOrder(1_000_000))).toMatchObject({ kind: 'rejected', code: 'insufficient_balance' })
  expect(opened).toEqual([])
  expect(wire.messages).toHaveLength(2) // What it is answered is asked in the message that keeps it.
  expect(wire.messages.at(-1)).toMatch(/insert into "transfer".* from event e join delivery .*; commit$/s)
})

test('a sending that is repeated finds the row, and sends nothing again', async () => {
  const order = newOrder(100)
  expect(await send(order)).toEqual({ kind: 'in_process' })
  expect(await send(order)).toEqual({ kind: 'in_process' })
})

test('an event and its deliveries are one statement, and a settlement two messages behind its question', async () => {
  const order = newOrder(100)
  await send(order)
  await world.orm.em.execute(
    `insert into webhook (uuid, account_uuid, url, sealed_token, masked_token, events, status, previous_tokens, sequence, fingerprint, created_at)
     values (gen_random_uuid(), ?, 'https://example.com', '', '', '{TRANSFER}', 'ACTIVE', '[]', 0, 'f', now())`,
    [accountUuid],
  )
  told = 'settled'
  wire.forget()
  const asked = await askBy(dependencies(), pixOut)({ uuid: order.uuid, connectionUuid, asked: 0 })
  expect(asked).toMatchObject({ kind: 'settled', deliveries: [expect.any(String)] })
  expect(wire.messages).toHaveLength(3)
  expect(wire.messages.at(-1)).toMatch(/insert into posting.* from event e join delivery .*; commit$/s)
  const events = await world.orm.em.execute(
    `select e.type, e.sequence, e.body ->> 'status' as status, count(d.uuid)::int as deliveries
     from event e left join delivery d on d.event_uuid = e.uuid where e.life_uuid = ? group by e.uuid order by e.type`,
    [order.uuid],
  )
  expect(events).toEqual([
    { type: 'PIX_TRANSACTION', sequence: 1, status: 'SETTLED', deliveries: 0 },
    { type: 'TRANSFER', sequence: 1, status: 'PAID', deliveries: 1 },
  ])
})
