import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Sending } from '../../src/domain/provider.ts'
import { waitUntil } from '../../src/local/waiting.ts'
import type { TransferOrder } from '../../src/workflows/messages.ts'
import { temporaryFolder } from '../support/servers.ts'
import { openBooks } from './support/books.ts'
import { disputeOf } from './support/dispute.ts'
import { slowCommits } from './support/slow-commit.ts'
import { endToEnd, paidCharge, unmatched } from './support/standing.ts'

/** A real process that calls a bank is killed with SIGKILL; what the next one does, and how often the bank was called. */

let books: Awaited<ReturnType<typeof openBooks>>
let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  books = await openBooks()
  folder = await temporaryFolder()
})
afterAll(async () => {
  await books?.close()
  await folder?.remove()
})

const inProcess: Sending = { status: 'in_process', endToEnd: '', at: null }

/** Runs an activity in a process of its own. */
function sender(activity: 'sendTransfer' | 'sendRefund' | 'sendReturn' | 'sendMedReply', input: object) {
  const bank = join(folder.path, randomUUID())
  const program = join(import.meta.dirname, 'programs/sender.ts')
  const child = spawn(process.execPath, [program, books.databaseUrl, bank, activity, JSON.stringify(input)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', chunk => {
    output += String(chunk)
  })
  const ended = new Promise(resolve => child.once('close', resolve))
  return {
    /** The orders that have reached the bank, by our id. */
    orders: () => (existsSync(bank) ? readFileSync(bank, 'utf8').trim().split('\n') : []),
    says: (what: string) =>
      waitUntil(async () => output.includes(what), { what: `the sender to say ${what}`, limitMs: 30_000 }),
    async killed() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** The bank of this process, which counts what reaches it. */
function bankHere(find: 'not_found' | Sending) {
  const orders: string[] = []
  const takes = async ({ id }: { id: string }) => {
    orders.push(id)
    return { kind: 'accepted' as const, sending: { ...inProcess, endToEnd: `E${orders.length}` } }
  }
  const finds = async () =>
    find === 'not_found' ? ({ kind: 'not_found' } as const) : ({ kind: 'found', sending: find } as const)
  books.provider({ sendTransfer: takes, refund: takes, findTransfer: finds, findRefund: finds })
  return orders
}

const attempts = (uuid: string) =>
  books.sql('select state, sendings from attempt where subject_uuid = ?', [uuid])

type Payout = {
  key: { uuid: string; connectionUuid: string }
  /** What the first sending is told besides; a transfer's writes its row. */
  first: { order?: TransferOrder }
}
const PAYOUTS = {
  transfer: {
    send: 'sendTransfer',
    ask: 'askTransfer',
    async open(): Promise<Payout> {
      const order = books.transferOrder(await books.merchant(1_000))
      return { key: { uuid: order.uuid, connectionUuid: order.candidates[0]! }, first: { order } }
    },
  },
  refund: {
    send: 'sendRefund',
    ask: 'askRefund',
    async open(): Promise<Payout> {
      const merchant = await books.merchant(0)
      const key = { uuid: randomUUID(), connectionUuid: merchant.connectionUuid }
      const chargeUuid = await paidCharge(books, merchant)
      await books.records.openRefund({
        ...{ ...key, accountUuid: merchant.accountUuid, chargeUuid, valueCents: 500 },
        ...{ fingerprint: 'f', requestId: 'r', timeScale: 1 },
      })
      return { key, first: {} }
    },
  },
  return: {
    send: 'sendReturn',
    ask: 'askReturn',
    async open(): Promise<Payout> {
      const merchant = await books.merchant(0)
      const uuid = await unmatched(books, merchant)
      return { key: { uuid, connectionUuid: merchant.connectionUuid }, first: {} }
    },
  },
} as const

const NOUNS = ['transfer', 'refund', 'return'] as const

test.each(NOUNS)(
  'a worker killed after a %s has reached its provider: it is asked about, and not sent again',
  async noun => {
    const { send, ask, open } = PAYOUTS[noun]
    const { key, first } = await open()
    const process = sender(send, { ...key, again: false, ...first })
    await process.says('called')
    await process.killed()
    expect(await attempts(key.uuid)).toEqual([{ state: 'calling', sendings: 1 }])
    const orders = bankHere({ ...inProcess, endToEnd: endToEnd() })
    expect(await books.providers[send]({ ...key, again: false })).toEqual({
      ...{ kind: 'unknown', code: 'interrupted' },
    })
    expect(await books.providers[ask]({ ...key, asked: 1 })).toEqual({ kind: 'in_process' })
    expect(process.orders()).toHaveLength(1)
    expect(orders).toEqual([])
  },
)

test.each(NOUNS)(
  'a worker killed before a %s has reached its provider: its absence is proved, and it is sent once',
  async noun => {
    const { send, ask, open } = PAYOUTS[noun]
    const { key, first } = await open()
    const process = sender(send, { ...key, again: false, ...first })
    await process.says('called') // What it has written reaches nobody: the bank of this process knows nothing of it.
    await process.killed()
    const orders = bankHere('not_found')
    expect(await books.providers[ask]({ ...key, asked: 1 })).toMatchObject({ kind: 'absent' })
    expect(await books.providers[send]({ ...key, again: true })).toEqual({ kind: 'in_process' })
    expect(orders).toEqual(process.orders()) // By the same id.
    expect(await attempts(key.uuid)).toEqual([{ state: 'accepted', sendings: 2 }])
  },
)
test('a worker killed while the row of a transfer without a key is committed: it is never sent', async () => {
  const merchant = await books.merchant(1_000)
  const slow = await slowCommits(books, 'transfer', 4)
  const takeBefore = new Date(Date.now() + 3_000).toISOString()
  const order = books.transferOrder(merchant, { takeBefore })
  const key = { uuid: order.uuid, connectionUuid: order.candidates[0]! }
  const process = sender('sendTransfer', { ...key, again: false, order })
  await process.says('ready')
  const isCommitting = `select from pg_stat_activity where state = 'active' and wait_event = 'PgSleep'`
  await waitUntil(async () => (await books.sql(isCommitting)).length > 0, {
    what: 'the commit',
    limitMs: 10_000,
  })
  await process.killed()
  // PostgreSQL commits it all the same, when its caller has been told otherwise.
  const isThere = async () =>
    (await books.sql('select from transfer where uuid = ?', [order.uuid])).length === 1
  await waitUntil(isThere, { what: 'the row', limitMs: 15_000 })
  await slow.end()
  const orders = bankHere('not_found')
  expect(await books.providers.askTransfer({ ...key, asked: 1 })).toMatchObject({ kind: 'absent' })
  await waitUntil(async () => Date.now() > Date.parse(takeBefore), { what: 'its time', limitMs: 10_000 })
  expect(await books.providers.sendTransfer({ ...key, again: true })).toMatchObject({ code: 'not_taken' })
  expect([...process.orders(), ...orders]).toEqual([])
  expect(await books.balances(merchant.accountUuid)).toMatchObject({ available: 1_000 })
})

test('a worker killed after a reply has reached its provider: it is asked about, and not told again', async () => {
  const merchant = await books.merchant(0)
  const { connectionUuid } = merchant
  const chargeUuid = await paidCharge(books, merchant)
  const [charge] = await books.sql<{ end_to_end: string }>('select end_to_end from charge where uuid = ?', [
    chargeUuid,
  ])
  const dispute = disputeOf(books, { connectionUuid, endToEnd: charge!.end_to_end })
  await dispute.told()
  const { order } = dispute
  const details = books.seal.seal({ accept: false, analysis: 'Delivered.', attachments: [] })
  expect(await books.records.takeMedReply({ uuid: order.uuid, details, requestId: 'r' })).toBe('taken')
  const process = sender('sendMedReply', order)
  await process.says('called')
  await process.killed()
  let replies = 0
  books.provider({
    async replyMed() {
      replies += 1
      return { kind: 'accepted' }
    },
  })
  expect(await books.providers.sendMedReply(order)).toMatchObject({ kind: 'again', replyWanted: true })
  expect(await dispute.told({ status: 'analysing' })).toMatchObject({ kind: 'known', replyWanted: false })
  await books.sql(`update med set replying_until = now() - interval '1 second' where uuid = ?`, [order.uuid])
  expect(await books.providers.sendMedReply(order)).toMatchObject({ kind: 'over' })
  expect([process.orders(), replies]).toEqual([[order.providerMedId], 0])
})
