import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { pollPayout } from '../../../src/activities/payouts/send.ts'
import type { ActivityDependencies } from '../../../src/activities/runtime/dependencies.ts'
import { openTransfer, sendTransfer } from '../../../src/activities/transfers/activities.ts'
import { transferPayout } from '../../../src/activities/transfers/transfer-payout.ts'
import { postOpeningBalance } from '../../../src/admin/connections.ts'
import { transferRoutes } from '../../../src/api/transfers/routes.ts'
import type { Orm } from '../../../src/db/client/orm.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { runQuery } from '../../../src/db/pipeline/query.ts'
import { queryTransferPreconditions } from '../../../src/db/repositories/transfers.ts'
import { NO_LIMITS } from '../../../src/domain/limits/account-limits.ts'
import type { ProviderPayout } from '../../../src/domain/providers/provider.ts'
import type { TransferInput } from '../../../src/workflows/contracts/transfers.ts'
import { keyDestination } from '../../support/transfer-destinations.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { type CapturedMessages, openCapturedOrm } from '../support/postgres-messages.ts'

describe('external refs', () => {
  /** SPEC §4, `unique_external_ref`, beside §9: a simulated transfer uses up no reference of a real one. */

  let fixture: ApiFixture
  let accountUuid: string
  const connections = { test: '', live: '' }
  beforeAll(async () => {
    fixture = await openApiFixture([transferRoutes])
    accountUuid = await fixture.insertAccount()
    await fixture.orm.em.execute('update account set unique_external_ref = true where uuid = ?', [
      accountUuid,
    ])
    connections.test = await fixture.insertConnection(accountUuid)
    connections.live = await fixture.insertConnection(accountUuid, { isSimulated: false })
    await fixture.replaceDefaultProviders(accountUuid, Object.values(connections))
  })
  afterAll(() => fixture?.close())

  /** The result of a transfer whose row is written now. */
  function open(mode: 'test' | 'live', externalRef: string): Promise<string> {
    const order = {
      uuid: randomUUID(),
      accountUuid,
      candidates: [connections[mode]],
      valueCents: 100,
      details: '',
      requestId: 'r',
      timeScale: 1,
    }
    const details = { destination: keyDestination('maria@example.com'), externalRef, fingerprint: 'f' }
    return runInTransaction(fixture.orm, async em => {
      const loaded = await runQuery(em, queryTransferPreconditions(em, order))
      const { transfer } = await openTransfer(em, order, details, loaded)
      return transfer.failure?.code ?? transfer.state
    })
  }

  test('a reference is unique per mode, at the request and at the row', async () => {
    const codeOf = async (mode: 'test' | 'live') => {
      const token = await fixture.insertToken({ accountUuid, mode })
      const body = { value: 1, pix_key: 'maria@example.com', external_ref: 'pedido 7' }
      return (await fixture.call('POST', '/api/v1/transfers', { token, body })).body.code
    }
    const acceptedCode = 'unavailable' // Allowed: what is missing here is Temporal.
    expect(await open('test', 'pedido 7')).toBe('created')
    expect([await codeOf('test'), await codeOf('live')]).toEqual(['external_ref_in_use', acceptedCode])
    expect([await open('live', 'pedido 7'), await codeOf('live')]).toEqual(['created', 'external_ref_in_use'])
    expect([await open('test', 'pedido 7'), await open('live', 'pedido 7')]).toEqual([
      'external_ref_in_use',
      'external_ref_in_use',
    ])
    expect([await codeOf('test'), await codeOf('live')]).toEqual([
      'external_ref_in_use',
      'external_ref_in_use',
    ])
  })
})

describe('first attempt messages', () => {
  /** The round trips to PostgreSQL of a transfer, from its request to its settlement. */

  let fixture: ApiFixture
  let orm: Orm
  let messages: CapturedMessages
  let closeOrm: () => Promise<void>
  let accountUuid: string
  let connectionUuid: string
  let sendingStatus: ProviderPayout['status']
  /** How many round trips had begun when the connection to the provider was opened. */
  const opened: number[] = []
  beforeAll(async () => {
    fixture = await openApiFixture([])
    accountUuid = await fixture.insertAccount()
    connectionUuid = await fixture.insertConnection(accountUuid)
    const em = fixture.orm.em.fork()
    await postOpeningBalance(em, await em.findOneOrFail(Connection, connectionUuid), 1_000)
    ;({ orm, captured: messages, close: closeOrm } = await openCapturedOrm(fixture.config.databaseUrl))
  })
  afterAll(async () => {
    await closeOrm?.()
    await fixture?.close()
  })
  beforeEach(() => {
    sendingStatus = 'in_process'
    opened.length = 0
    messages.forget()
  })

  /** The value of the last order that the provider has received. */
  let orderedCents = 0

  /** The dependencies of a payout activity; the test scripts its provider. */
  function dependencies(): ActivityDependencies {
    const payout = () => ({
      status: sendingStatus,
      cents: orderedCents,
      endToEnd: `E${randomUUID()}`,
      at: null,
      receiver: null,
      returns: [],
    })
    const provider = {
      preconnect: () => opened.push(messages.messages.length),
      sendTransfer: async ({ cents }: { cents: number }) => {
        orderedCents = cents
        return { kind: 'accepted', payout: payout() }
      },
      findTransfer: async () => ({ kind: 'found', payout: payout() }),
    }
    const sealer = { open: JSON.parse, seal: JSON.stringify }
    return { orm, sealer, providers: { providerFor: () => provider }, timeScale: 1 } as never
  }

  function newOrder(valueCents: number): TransferInput {
    const details = JSON.stringify({ destination: keyDestination('maria@example.com'), fingerprint: 'f' })
    return {
      uuid: randomUUID(),
      accountUuid,
      candidates: [connectionUuid],
      valueCents,
      details,
      requestId: 'r',
      timeScale: 1,
    }
  }

  const send = (order: TransferInput) =>
    sendTransfer(dependencies())({ uuid: order.uuid, connectionUuid, isResend: false, order })

  test('a call is stored in two round trips before it and two after it: one reads and locks, one writes', async () => {
    await send(newOrder(300))
    expect(messages.messages).toEqual([
      expect.stringMatching(
        /^begin; .* from transfer\s.* for no key update; .* from connection\s.* for no key update; .* from balance\s.* for update; /s,
      ),
      // Each row is written once, with every column.
      expect.stringMatching(
        /^insert into movement [^;]*; insert into transfer [^;]*; with leg .*insert into posting [^;]*; insert into attempt [^;]*; commit$/s,
      ),
      expect.stringMatching(
        /^begin; .* from transfer\s.* for no key update; .* from connection\s.* for no key update; /s,
      ),
      expect.stringMatching(/^[^;]* update transfer set [^;]*; [^;]* update attempt set [^;]*; commit$/s),
    ])
  })

  test('without limits of the account it has one statement more, in the round trip that reads and locks', async () => {
    await send(newOrder(100))
    const [read = '', ...others] = messages.messages
    expect(read.match(/from account_limits/g)).toHaveLength(1)
    expect(read).toMatch(/from balance\s.* for update; .* from account_limits\s.* for no key update/s)
    expect(others.join()).not.toMatch(/limit_usage|account_limits/)
  })

  test('with limits it has at most two round trips more', async () => {
    const limited = await fixture.insertAccount()
    const connection = await fixture.insertConnection(limited)
    const em = fixture.orm.em.fork()
    await postOpeningBalance(em, await em.findOneOrFail(Connection, connection), 1_000)
    await fixture.orm.em.execute('insert into account_limits (account_uuid, limits) values (?, ?::jsonb)', [
      limited,
      JSON.stringify({ ...NO_LIMITS, perDayCents: 500 }),
    ])
    messages.forget()
    const order = { ...newOrder(100), accountUuid: limited, candidates: [connection] }
    const { uuid } = order
    await sendTransfer(dependencies())({ uuid, connectionUuid: connection, isResend: false, order })
    expect(messages.messages.length).toBeLessThanOrEqual(6)
    expect(messages.messages.join().match(/limit_usage/g)!.length).toBeGreaterThan(0)
  })

  test('the provider’s connection is opened once the attempt is decided, while the row is being written', async () => {
    await send(newOrder(100))
    expect(opened).toHaveLength(1)
    expect(opened[0]).toBeLessThanOrEqual(messages.messages.findIndex(text => text.endsWith('commit')))
  })

  test('an amount beyond the balance holds nothing, and no provider is called', async () => {
    expect(await send(newOrder(1_000_000))).toMatchObject({ kind: 'rejected', code: 'insufficient_balance' })
    expect(opened).toEqual([])
    expect(messages.messages).toHaveLength(2) // The data of its response is read in the round trip of the commit.
    expect(messages.messages.at(-1)).toMatch(/ from event e join delivery .*; commit$/s)
  })

  test('a repeated attempt finds the row, and calls no provider', async () => {
    const order = newOrder(100)
    expect(await send(order)).toEqual({ kind: 'in_process' })
    expect(await send(order)).toEqual({ kind: 'in_process' })
  })

  test('an event and its deliveries are one statement, and a settlement is two round trips after its poll', async () => {
    const order = newOrder(100)
    await send(order)
    await fixture.orm.em.execute(
      `insert into webhook (uuid, account_uuid, url, sealed_secret, masked_secret, events, status, previous_secrets, sequence, fingerprint, created_at)
     values (gen_random_uuid(), ?, 'https://example.com', '', '', '{TRANSFER}', 'ACTIVE', '[]', 0, 'f', now())`,
      [accountUuid],
    )
    sendingStatus = 'settled'
    messages.forget()
    const asked = await pollPayout(
      dependencies(),
      transferPayout,
    )({ uuid: order.uuid, connectionUuid, pollCount: 0 })
    expect(asked).toMatchObject({ kind: 'settled', deliveries: [expect.any(String)] })
    expect(messages.messages).toHaveLength(3)
    expect(messages.messages.at(-1)).toMatch(
      / with leg .*insert into posting.* from event e join delivery .*; commit$/s,
    )
    const events = await fixture.orm.em.execute<object[]>(
      `select e.type, e.sequence, e.body, count(d.uuid)::int as deliveries
     from event e left join delivery d on d.event_uuid = e.uuid where e.owner_uuid = ? group by e.uuid order by e.type`,
      [order.uuid],
    )
    expect(events).toMatchObject([
      {
        type: 'PIX_TRANSACTION',
        sequence: 1,
        deliveries: 0,
        body: { status: 'SETTLED', transfer_uuid: order.uuid },
      },
      { type: 'TRANSFER', sequence: 1, deliveries: 1, body: { status: 'PAID', uuid: order.uuid } },
    ])
  })
})
