import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFile, rename, rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { SEARCH_ATTRIBUTES } from '../../src/workflows/contracts/search-attributes.ts'
import {
  type ApiResource,
  createPayoutActions,
  type PayoutActions,
  randomPixKey,
} from '../api/support/payout-actions.ts'
import { pollUntil } from '../api/support/poll-until.ts'
import { type Merchant, openTestStack, type TestStack } from '../api/support/test-stack.ts'
import { createCommandLine } from '../support/command-line.ts'
import { startPostgres } from '../support/postgres.ts'
import { type Stack, startStack } from '../support/stack.ts'
import { startTemporal } from '../support/temporal.ts'

/** SPEC §11: PostgreSQL is restored to an older moment, while providers and Temporal have gone on. */

const TIME_SCALE = 50
const HOUR = 3_600_000
const LONG = { limitMs: 240_000, everyMs: 500 }

let stack: Stack
let testStack: TestStack
let payouts: PayoutActions
let merchant: Merchant
beforeAll(async () => {
  stack = await startStack({ timeScale: TIME_SCALE })
  await open()
  merchant = await testStack.createMerchant({
    providers: [
      { provider: 'PROVIDER_A', balance: 1_000 },
      { provider: 'PROVIDER_B', dialect: 'woovi', balance: 1_000 },
      { provider: 'PROVIDER_C', balance: 1_000 },
      { provider: 'PROVIDER_D' },
    ],
  })
})
afterAll(async () => {
  await testStack?.close()
  await stack?.stop()
})

async function open() {
  testStack = await openTestStack(stack.home)
  payouts = createPayoutActions(testStack)
}

/** Opened anew, because a restart has closed the previous clients. */
async function restart(meanwhile: () => Promise<void>) {
  await testStack.close()
  await stack.restart(meanwhile)
  await open()
  merchant = { ...merchant, api: testStack.api.withToken(merchant.token) }
}

const BY = ['--by', 'ana', '--reason', 'the disk was lost']
const soon = (ms: number) => new Date(Date.now() + ms).toISOString()
const backup = () => `${stack.home.postgres}.backup`
const copied = (from: string, to: string) => promisify(execFile)('cp', ['-a', from, to])

/** What every provider settled for the merchant, by end-to-end id. */
async function settledThere(): Promise<string[]> {
  const mine = new Set(merchant.connections.map(({ account }) => account))
  const pages = await Promise.all(
    merchant.connections.map(({ provider }) => testStack.simulator.listStatement(provider)),
  )
  const lines = pages.flat().filter(({ account }) => mine.has(account))
  return [...new Set(lines.map(line => `${line.end_to_end} ${line.kind} ${line.value}`))].sort()
}

/** The operations requested after the backup, by their outcome, with their keys. */
async function everyOutcome(before: { refundable: ApiResource; open: ApiResource; scheduled: ApiResource }) {
  const [, , unsure, poor] = merchant.connections as [
    unknown,
    unknown,
    Merchant['connection'],
    Merchant['connection'],
  ]
  const { api } = merchant
  const key = randomUUID()
  const through = ({ uuid }: { uuid: string }) => ({ provider_uuid: uuid })

  const paidHere = await payouts.createPaidCharge(merchant)
  const paidThere = await payouts.createPaidCharge(merchant, through(merchant.connections[1]!))
  await testStack.simulator.pay({ payload: before.open.payment.payload })
  const unmatched = await testStack.simulator.pay({ payload: before.refundable.payment.payload, force: true })
  await untilReturned(unmatched)
  const unpaid = await api.createCharge({ value: 25 }, { key })
  const cancelled = await api.createCharge()
  await api.carryOut('POST', `/api/v1/payments/${cancelled.uuid}/cancel`)

  const order = { value: 10, pix_key: randomPixKey() }
  const settled = (await payouts.send(merchant, order, { key })).body.data
  await payouts.waitForStatus(merchant, settled.uuid, 'PAID')
  const rejected = (await payouts.send(merchant, { pix_key: 'ac03-later@sim.trilho.test' })).body.data
  const refused = (await payouts.send(merchant, { pix_key: 'ac03@sim.trilho.test' })).body.data
  await payouts.injectFault(merchant.connection, 'sendTransfer', 'refused', { times: 1 })
  const fellBack = await payouts.sendAndSettle(merchant)
  const credit = await payouts.createPaidCharge(merchant, { value: 50, ...through(poor) })
  const uncovered = await payouts.sendAndSettle(merchant, { value: 50, ...through(poor) })
  const waiting = (await payouts.send(merchant, { scheduled_for: soon(48 * HOUR) })).body.data
  const unscheduled = (await payouts.send(merchant, { scheduled_for: soon(48 * HOUR) })).body.data
  await api.carryOut('POST', `/api/v1/transfers/${unscheduled.uuid}/cancel`)

  const partly = (await payouts.requestRefund(merchant, before.refundable, { value: 4 }, { key })).body.data
  const whole = (await payouts.requestRefund(merchant, paidHere)).body.data
  await payouts.injectFault(unsure, 'findTransfer', 'http_500', { times: 100_000 })
  const unsureKeys = ['timeout-then-done@sim.trilho.test', 'timeout-then-absent@sim.trilho.test']
  const [arrived, lost] = await Promise.all(
    unsureKeys.map(
      async pix_key => (await payouts.send(merchant, { pix_key, ...through(unsure) })).body.data,
    ),
  )

  await payouts.waitForStatus(merchant, rejected.uuid, 'FAILED')
  await payouts.waitForStatus(merchant, before.scheduled.uuid, 'PAID', LONG.limitMs)
  for (const { uuid } of [before.refundable, paidHere])
    await pollUntil(
      () => api.readCharge(uuid),
      ({ status }) => status.endsWith('REFUNDED'),
      LONG,
    )
  return {
    key,
    order,
    unmatched,
    unpaid,
    settled,
    charges: {
      [before.open.uuid]: 'PAID',
      [before.refundable.uuid]: 'PARTIALLY_REFUNDED',
      [paidHere.uuid]: 'REFUNDED',
      [paidThere.uuid]: 'PAID',
      [credit.uuid]: 'PAID',
      [unpaid.uuid]: 'PENDING',
      [cancelled.uuid]: 'CANCELLED',
    },
    transfers: {
      [before.scheduled.uuid]: 'PAID',
      [settled.uuid]: 'PAID',
      [fellBack.uuid]: 'PAID',
      [uncovered.uuid]: 'PAID',
      [waiting.uuid]: 'PENDING',
      [unscheduled.uuid]: 'CANCELLED',
    },
    /** One of their candidates does not answer. */
    unknownOutcomes: {
      [arrived.uuid]: 'PAID',
      [lost.uuid]: 'FAILED not_found_after_restore',
      [rejected.uuid]: 'FAILED AC03',
      [refused.uuid]: 'FAILED AC03',
    },
    refunds: { [partly.refund.uuid]: 'COMPLETED', [whole.refund.uuid]: 'COMPLETED' },
    waiting,
    partly,
  }
}

type UnmatchedPix = { end_to_end: string }

/** Reads the movement of an unmatched PIX. */
async function findMovement({
  end_to_end,
}: UnmatchedPix): Promise<{ uuid: string; disposition: string } | undefined> {
  const [row] = await testStack.sql<{ uuid: string; disposition: string }>(
    `select uuid, disposition from movement where end_to_end = ? and movement_type = 'IN'`,
    [end_to_end],
  )
  return row
}

/** Waits until an unmatched PIX was returned to its payer. */
async function untilReturned(unmatched: UnmatchedPix): Promise<void> {
  await pollUntil(
    () => findMovement(unmatched),
    row => row?.disposition === 'returned',
    LONG,
  )
}

/** Restores the older copy, and runs the commands of docs/production.md before any worker runs. */
async function restoreBackup(since: string): Promise<ApiResource[]> {
  const { home } = stack
  await rename(home.postgres, `${home.postgres}.lost`)
  await rename(backup(), home.postgres)
  await rm(`${home.postgres}.lost`, { recursive: true })
  const password = (await readFile(home.postgresPassword, 'utf8')).trim()
  const postgres = await startPostgres({}, { folder: home.postgres, password })
  const temporal = await startTemporal(Object.values(SEARCH_ATTRIBUTES), home.temporalDatabase)
  try {
    const trilho = createCommandLine({
      DATABASE_URL: postgres.url,
      TEMPORAL_ADDRESS: temporal.address,
      TRILHO_SECRET_KEY: (await readFile(home.secretKey, 'utf8')).trim(),
      TRILHO_TIME_SCALE: String(TIME_SCALE),
    })
    const early = await trilho('rebuild', '--since', since, ...BY)
    expect(early).toMatchObject({ code: 1, lines: [{ error: expect.stringMatching(/not paused/) }] })
    await trilho('pause', 'all', '--reach', 'money-out', ...BY)
    const { code, lines, stderr: complaint } = await trilho('rebuild', '--since', since, ...BY)
    expect({ code, complaint }).toEqual({ code: 0, complaint: '' })
    return lines
  } finally {
    await temporal.stop()
    await postgres.stop()
  }
}

const statusOf = ({ status, error }: ApiResource) => (error ? `${status} ${error.code}` : status)

/** Waits until each transfer is shown in its expected state. */
function expectTransferStatuses(expected: Record<string, string>) {
  const now = async () =>
    Object.fromEntries(
      await Promise.all(
        Object.keys(expected).map(async uuid => {
          const { status, body } = await merchant.api.get(`/api/v1/transfers/${uuid}`)
          return [uuid, status === 200 ? statusOf(body.data) : status]
        }),
      ),
    )
  return expectEventually(now, expected)
}

async function expectEventually(now: () => Promise<object>, expected: object): Promise<void> {
  const result = await pollUntil(now, is => JSON.stringify(is) === JSON.stringify(expected), LONG).catch(now)
  expect(result).toEqual(expected)
}

test('after a restore every workflow has its providers’ state, and nothing was sent again', async () => {
  const before = {
    refundable: await payouts.createPaidCharge(merchant),
    open: await merchant.api.createCharge(),
    scheduled: (await payouts.send(merchant, { scheduled_for: soon(30_000) })).body.data,
  }
  const since = new Date().toISOString()
  await restart(async () => {
    await copied(stack.home.postgres, backup())
  })
  const after = await everyOutcome(before)
  const there = await settledThere()

  let rebuilt: ApiResource[] = []
  await restart(async () => {
    rebuilt = await restoreBackup(since)
  })
  const { api } = merchant
  const outcomes = Object.fromEntries(
    rebuilt.map(({ workflow, outcome, row }) => [workflow, `${outcome} ${row}`]),
  )
  expect(outcomes).toMatchObject({
    [`transfer/${after.settled.uuid}`]: 'rebuilt missing',
    [`transfer/${before.scheduled.uuid}`]: 'rebuilt behind',
    [`transfer/${after.waiting.uuid}`]: 'waits missing',
    [`charge/${after.unpaid.uuid}`]: 'rebuilt missing',
  })
  expect((await payouts.send(merchant)).body.code).toBe('paused')

  await expectTransferStatuses(after.transfers)
  const charges = async () =>
    Object.fromEntries(
      await Promise.all(
        Object.keys(after.charges).map(async uuid => {
          const { status, body } = await api.get(`/api/v1/payments/${uuid}`)
          return [uuid, status === 200 ? body.data.status : status]
        }),
      ),
    )
  await expectEventually(charges, after.charges)
  const refunds = async () => {
    const rows = await testStack.sql<{ uuid: string; state: string }>('select uuid, state from refund')
    return Object.fromEntries(
      Object.keys(after.refunds).map(uuid => [uuid, rows.find(row => row.uuid === uuid)?.state]),
    )
  }
  await expectEventually(
    refunds,
    Object.fromEntries(Object.keys(after.refunds).map(uuid => [uuid, 'settled'])),
  )

  // The keys from before the restore lead to the same operations.
  const sentAgain = await payouts.send(merchant, after.order, { key: after.key })
  expect([sentAgain.status, sentAgain.body.data.uuid]).toEqual([201, after.settled.uuid])
  const chargedAgain = await api.post('/api/v1/payments', { value: 25, type: 'PIX' }, { key: after.key })
  expect([chargedAgain.status, chargedAgain.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
  expect(chargedAgain.body.data.payment.payload).toBe(after.unpaid.payment.payload)

  // Those whose provider does not answer stay unknown, unless their history proves that they failed; once it answers,
  // that is their state.
  const doubtful = Object.fromEntries(
    Object.entries(after.unknownOutcomes).map(([uuid, end]) => [
      uuid,
      end === 'FAILED AC03' ? end : 'PROCESSING',
    ]),
  )
  await expectTransferStatuses(doubtful)
  await testStack.simulator.clearFaults()
  await expectTransferStatuses(after.unknownOutcomes)
  await untilReturned(after.unmatched)

  const trilho = createCommandLine({ TRILHO_HOME: stack.home.folder })
  const repeated = await trilho('rebuild', '--since', since, ...BY)
  expect(repeated.lines.filter(({ outcome }) => outcome === 'rebuilt')).toEqual([])
  await pollUntil(
    () => trilho('reconcile', '--hours', '1'),
    ({ code }) => code === 0,
    LONG,
  )
  // They post what reconciliation signalled to their workflows a moment ago.
  const checked = async () => (await trilho('check-ledger', '--providers')).lines
  await expectEventually(checked, [{ violations: 0 }])
  expect(await settledThere()).toEqual(there)

  await trilho('resume', 'all', ...BY)
  await payouts.sendAndSettle(merchant)
  await testStack.simulator.pay({ payload: after.unpaid.payment.payload })
  await pollUntil(
    () => api.readCharge(after.unpaid.uuid),
    ({ status }) => status === 'PAID',
    LONG,
  )
  await api.carryOut('POST', `/api/v1/transfers/${after.waiting.uuid}/cancel`)
  expect(await settledThere()).toHaveLength(there.length + 2)
  await testStack.waitUntilLedgerAgrees(merchant)
})
