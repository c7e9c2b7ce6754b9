import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { FindPayoutOutcome, ProviderPayout } from '../../src/domain/providers/provider.ts'
import { waitUntil } from '../../src/startup/wait-until.ts'
import type { TransferInput } from '../../src/workflows/contracts/transfers.ts'
import { createTemporaryFolder } from '../support/servers.ts'
import { openActivityFixture } from './support/activity-fixture.ts'
import { createDisputeFixture } from './support/dispute-fixture.ts'
import { createPaidCharge, createUnmatchedPayment, newEndToEndId } from './support/money-fixture.ts'
import { slowDownCommits } from './support/slow-commit.ts'

/**
 * A real process that calls a provider is killed with SIGKILL; the tests check what the next one does, and how often
 * the provider was called.
 */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>
beforeAll(async () => {
  fixture = await openActivityFixture()
  folder = await createTemporaryFolder()
})
afterAll(async () => {
  await fixture?.close()
  await folder?.remove()
})

const inProcess: ProviderPayout = { status: 'in_process', cents: 500, endToEnd: '', at: null }

/** Runs an activity in a process of its own; its input is built once the process is ready. */
function sender(
  activity: 'sendTransfer' | 'sendRefund' | 'sendReturn' | 'sendDisputeReply',
  buildInput: () => object,
  preparation?: 'hanging' | 'answered',
) {
  const bank = join(folder.path, randomUUID())
  const program = join(import.meta.dirname, 'programs/sender.ts')
  const child = spawn(
    process.execPath,
    [program, fixture.databaseUrl, bank, activity, ...(preparation ? [preparation] : [])],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  let output = ''
  child.stdout.on('data', chunk => {
    output += String(chunk)
    if (output.includes('ready') && !child.stdin.writableEnded) child.stdin.end(JSON.stringify(buildInput()))
  })
  const ended = new Promise(resolve => child.once('close', resolve))
  return {
    /** The payouts that have reached the provider, by our id. */
    orders: () => (existsSync(bank) ? readFileSync(bank, 'utf8').trim().split('\n') : []),
    says: (what: string) =>
      waitUntil(async () => output.includes(what), {
        description: `the sender to say ${what}`,
        limitMs: 120_000,
      }),
    async killed() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** The provider of this process, which counts the calls that reach it. */
function openBank(find: 'not_found' | ProviderPayout, cents: number) {
  const orders: string[] = []
  const takes = async ({ id }: { id: string }) => {
    orders.push(id)
    return { kind: 'accepted' as const, payout: { ...inProcess, cents, endToEnd: `E${orders.length}` } }
  }
  const finds = async () =>
    find === 'not_found' ? ({ kind: 'not_found' } as const) : ({ kind: 'found', payout: find } as const)
  fixture.scriptProvider({ sendTransfer: takes, refund: takes, findTransfer: finds, findRefund: finds })
  return orders
}

const attempts = (uuid: string) =>
  fixture.sql('select state, sendings from attempt where subject_uuid = ?', [uuid])

type Payout = {
  key: { uuid: string; connectionUuid: string }
  /** Further input of the first call; a transfer's creates its row. */
  first: { order?: TransferInput }
}
const PAYOUTS = {
  transfer: {
    send: 'sendTransfer',
    ask: 'pollTransfer',
    cents: 500,
    async open(): Promise<Payout> {
      const order = fixture.transferInput(await fixture.createMerchant(1_000))
      return { key: { uuid: order.uuid, connectionUuid: order.candidates[0]! }, first: { order } }
    },
  },
  refund: {
    send: 'sendRefund',
    ask: 'pollRefund',
    cents: 500,
    async open(): Promise<Payout> {
      const merchant = await fixture.createMerchant(0)
      const key = { uuid: randomUUID(), connectionUuid: merchant.connectionUuid }
      const chargeUuid = await createPaidCharge(fixture, merchant)
      await fixture.records.openRefund({
        ...key,
        accountUuid: merchant.accountUuid,
        chargeUuid,
        valueCents: 500,
        fingerprint: 'f',
        requestId: 'r',
        timeScale: 1,
      })
      return { key, first: {} }
    },
  },
  return: {
    send: 'sendReturn',
    ask: 'pollReturn',
    cents: 1_000,
    async open(): Promise<Payout> {
      const merchant = await fixture.createMerchant(0)
      const uuid = await createUnmatchedPayment(fixture, merchant)
      return { key: { uuid, connectionUuid: merchant.connectionUuid }, first: {} }
    },
  },
} as const

const NOUNS = ['transfer', 'refund', 'return'] as const

test.each(NOUNS)(
  'a worker killed after a %s has reached its provider: the next worker polls it, and does not send it again',
  async noun => {
    const { send, ask, cents, open } = PAYOUTS[noun]
    const { key, first } = await open()
    const process = sender(send, () => ({ ...key, isResend: false, ...first }))
    await process.says('called')
    await process.killed()
    expect(await attempts(key.uuid)).toEqual([{ state: 'calling', sendings: 1 }])
    const orders = openBank({ ...inProcess, cents, endToEnd: newEndToEndId() }, cents)
    expect(await fixture.providers[send]({ ...key, isResend: false })).toEqual({
      kind: 'unknown',
      code: 'interrupted',
    })
    expect(await fixture.providers[ask]({ ...key, pollCount: 1 })).toEqual({ kind: 'in_process' })
    expect(process.orders()).toHaveLength(1)
    expect(orders).toEqual([])
  },
)

test.each(NOUNS)(
  'a worker killed before a %s has reached its provider: its absence is proved, and it is sent once',
  async noun => {
    const { send, ask, cents, open } = PAYOUTS[noun]
    const { key, first } = await open()
    const process = sender(send, () => ({ ...key, isResend: false, ...first }))
    await process.says('called') // Its call reaches nothing: the provider of this process does not know of it.
    await process.killed()
    const orders = openBank('not_found', cents)
    expect(await fixture.providers[ask]({ ...key, pollCount: 1 })).toMatchObject({ kind: 'not_found' })
    expect(await fixture.providers[send]({ ...key, isResend: true })).toEqual({ kind: 'in_process' })
    expect(orders).toEqual(process.orders()) // By the same id.
    expect(await attempts(key.uuid)).toEqual([{ state: 'accepted', sendings: 2 }])
  },
)

describe('a provider that carries out prepared transfers only', () => {
  const refs: (string | undefined)[] = []
  const openPreparingBank = (find: FindPayoutOutcome) => {
    refs.length = 0
    fixture.scriptProvider({
      prepareTransfer: async () => ({ kind: 'prepared', handle: { ref: 'prepared-by-the-next' } }),
      async sendTransfer(_order, handle) {
        refs.push(handle?.ref)
        return { kind: 'accepted', payout: inProcess }
      },
      async findTransfer({ handle }) {
        refs.push(`find ${handle?.ref}`)
        return find
      },
    })
  }
  afterAll(() => void fixture.scriptProvider({ prepareTransfer: undefined as never }))

  test('a worker killed while the provider prepares: the next one prepares anew, and sends once', async () => {
    const { key, first } = await PAYOUTS.transfer.open()
    const process = sender('sendTransfer', () => ({ ...key, isResend: false, ...first }), 'hanging')
    await process.says('called')
    await process.killed()
    openPreparingBank({ kind: 'not_found' })
    expect(await fixture.providers.pollTransfer({ ...key, pollCount: 1 })).toEqual({ kind: 'not_started' })
    expect(await fixture.providers.sendTransfer({ ...key, isResend: false })).toEqual({ kind: 'in_process' })
    expect(refs).toEqual(['prepared-by-the-next'])
    expect(await attempts(key.uuid)).toEqual([{ state: 'accepted', sendings: 1 }])
  })

  test('a worker killed after it has sent what was prepared: the next one polls by the same handle', async () => {
    const { key, first } = await PAYOUTS.transfer.open()
    const process = sender('sendTransfer', () => ({ ...key, isResend: false, ...first }), 'answered')
    await process.says('called')
    await process.killed()
    openPreparingBank({ kind: 'found', payout: inProcess })
    expect(await fixture.providers.sendTransfer({ ...key, isResend: false })).toMatchObject({
      kind: 'unknown',
    })
    expect(await fixture.providers.pollTransfer({ ...key, pollCount: 1 })).toEqual({ kind: 'in_process' })
    expect(refs).toEqual([expect.stringMatching(/^find prepared-by-\d+$/)])
    expect(await attempts(key.uuid)).toEqual([{ state: 'accepted', sendings: 1 }])
  })
})

test('a worker killed while the row of a transfer without a key is committed: it is never sent', async () => {
  const merchant = await fixture.createMerchant(1_000)
  const slow = await slowDownCommits(fixture, 'transfer', 8)
  const order = fixture.transferInput(merchant)
  const key = { uuid: order.uuid, connectionUuid: order.candidates[0]! }
  let acceptBefore = ''
  const process = sender('sendTransfer', () => {
    // It begins in time even where the machine stands still for a moment, and its commit ends afterwards.
    acceptBefore = new Date(Date.now() + 6_000).toISOString()
    return { ...key, isResend: false, order: { ...order, acceptBefore } }
  })
  await process.says('ready')
  const isCommitting = `select from pg_stat_activity
    where datname = current_database() and state = 'active' and wait_event = 'PgSleep'`
  await waitUntil(async () => (await fixture.sql(isCommitting)).length > 0, {
    description: 'the commit',
    limitMs: 120_000,
  })
  await process.killed()
  // PostgreSQL commits it all the same, after its caller was answered otherwise.
  const isThere = async () =>
    (await fixture.sql('select from transfer where uuid = ?', [order.uuid])).length === 1
  await waitUntil(isThere, { description: 'the row', limitMs: 120_000 })
  await slow.end()
  const orders = openBank('not_found', order.valueCents)
  expect(await fixture.providers.pollTransfer({ ...key, pollCount: 1 })).toMatchObject({ kind: 'not_found' })
  await waitUntil(async () => Date.now() > Date.parse(acceptBefore), {
    description: 'its time',
    limitMs: 120_000,
  })
  expect(await fixture.providers.sendTransfer({ ...key, isResend: true })).toMatchObject({
    code: 'not_started',
  })
  expect([...process.orders(), ...orders]).toEqual([])
  expect(await fixture.readBalances(merchant.accountUuid)).toMatchObject({ available: 1_000 })
})

test('a worker killed after a reply has reached its provider: the next worker polls it, and does not send it again', async () => {
  const merchant = await fixture.createMerchant(0)
  const { connectionUuid } = merchant
  const chargeUuid = await createPaidCharge(fixture, merchant)
  const [charge] = await fixture.sql<{ end_to_end: string }>('select end_to_end from charge where uuid = ?', [
    chargeUuid,
  ])
  const dispute = createDisputeFixture(fixture, { connectionUuid, endToEnd: charge!.end_to_end })
  await dispute.pollAnswering()
  const { order } = dispute
  const details = fixture.seal.seal({ accept: false, analysis: 'Delivered.', attachments: [] })
  expect(
    await fixture.records.storeDisputeReply({ uuid: order.uuid, details, requestId: 'r', sentBy: 'r' }),
  ).toBe('accepted')
  const process = sender('sendDisputeReply', () => order)
  await process.says('called')
  await process.killed()
  let replies = 0
  fixture.scriptProvider({
    async replyToDispute() {
      replies += 1
      return { kind: 'accepted' }
    },
  })
  expect(await fixture.providers.sendDisputeReply(order)).toMatchObject({
    kind: 'again',
    isReplyPending: true,
  })
  expect(await dispute.pollAnswering({ status: 'analysing' })).toMatchObject({
    kind: 'known',
    isReplyPending: false,
  })
  await fixture.sql(`update dispute set replying_until = now() - interval '1 second' where uuid = ?`, [
    order.uuid,
  ])
  expect(await fixture.providers.sendDisputeReply(order)).toMatchObject({ kind: 'closed' })
  expect([process.orders(), replies]).toEqual([[order.providerDisputeId], 0])
})
