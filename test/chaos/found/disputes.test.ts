import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { setAside } from '../../../src/activities/unmatched.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { inTransaction } from '../../../src/db/orm.ts'
import type { IncomingPix } from '../../../src/domain/provider.ts'
import { openBooks } from '../support/books.ts'
import { disputeOf } from '../support/dispute.ts'

/** What reading the code found in the lives of disputes, each as small as it can be told. */

let books: Awaited<ReturnType<typeof openBooks>>
beforeAll(async () => {
  books = await openBooks()
})
afterAll(() => books?.close())

const endToEndId = (letter: 'E' | 'D') => `${letter}${randomUUID().replaceAll('-', '').slice(1)}`

/** An account with so much, and a deposit of R$ 10.00 more, whose payer disputes it as told. */
async function disputed(ownCents: number, at: string) {
  const merchant = await books.merchant(ownCents)
  const { connectionUuid } = merchant
  const payment = { endToEnd: endToEndId('E'), txid: '', cents: 1_000, status: 'settled', at } as IncomingPix
  await inTransaction(books.orm, async em => {
    const connection = await em.findOneOrFail(Connection, connectionUuid)
    return setAside(em, { connection, payment, reason: 'deposit', requestId: 'r' })
  })
  return { merchant, ...disputeOf(books, { connectionUuid, endToEnd: payment.endToEnd }) }
}

test('a dispute opens in the week of a change of clocks, whatever time zone the server has', async () => {
  const [row] = await books.sql<{ name: string }>('select current_database() as name')
  await books.sql(`alter database "${row!.name}" set timezone = 'America/New_York'`)
  await books.orm.close()
  await books.orm.connect()
  const [set] = await books.sql<{ zone: string }>(`select current_setting('TimeZone') as zone`)
  expect(set!.zone).toBe('America/New_York')
  const openedAt = '2026-03-05T12:00:00Z'
  const dispute = await disputed(0, openedAt)
  expect(await dispute.told({ openedAt })).toMatchObject({ kind: 'known', state: 'open' })
})

test('money that comes back from a transfer repays what the service has lent, as that of a refund does', async () => {
  const at = new Date().toISOString()
  const { merchant, told } = await disputed(1_000, at)
  const order = books.transferOrder(merchant, { valueCents: 2_000 })
  const key = { uuid: order.uuid, connectionUuid: merchant.connectionUuid }
  await books.records.storeTransfer(order)
  const onItsWay = { status: 'in_process', endToEnd: endToEndId('E'), at: null } as const
  books.provider({ sendTransfer: async () => ({ kind: 'accepted', sending: onItsWay }) })
  await books.providers.sendTransfer({ ...key, again: false })
  const returned = { id: randomUUID(), endToEnd: endToEndId('D'), cents: 1_000, at }
  await told({ status: 'agreed', returns: [returned], closed: true })
  expect(await books.balances(merchant.accountUuid)).toMatchObject({ provisioned: 2_000, shortfall: -1_000 })

  const refused = { ...onItsWay, status: 'rejected', code: 'AC03' } as const
  books.provider({ findTransfer: async () => ({ kind: 'found', sending: refused }) })
  expect(await books.providers.askTransfer({ ...key, asked: 1 })).toMatchObject({ kind: 'rejected' })
  expect(await books.balances(merchant.accountUuid)).toEqual({ available: 1_000, outside: -1_000 })
})
