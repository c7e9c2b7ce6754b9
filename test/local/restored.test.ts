import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFile, rename, rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { ATTRIBUTES } from '../../src/workflows/ids.ts'
import { type MoneyOut, moneyOut, type Shown, someKey } from '../api/support/money-out.ts'
import { type Merchant, openStage, type Stage } from '../api/support/stage.ts'
import { until } from '../api/support/until.ts'
import { commandLine } from '../support/command-line.ts'
import { startPostgres } from '../support/postgres.ts'
import { type Stack, startStack } from '../support/stack.ts'
import { startTemporal } from '../support/temporal.ts'

/** SPEC §11: PostgreSQL is put back to an older moment, while providers and Temporal have gone on. */

const TIME_SCALE = 50
const HOUR = 3_600_000
const LONG = { limitMs: 240_000, everyMs: 500 }

let stack: Stack
let stage: Stage
let out: MoneyOut
let merchant: Merchant
beforeAll(async () => {
  stack = await startStack({ timeScale: TIME_SCALE })
  await open()
  merchant = await stage.merchant({
    providers: [
      { provider: 'PROVIDER_A', balance: 1_000 },
      { provider: 'PROVIDER_B', dialect: 'woovi', balance: 1_000 },
      { provider: 'PROVIDER_C', balance: 1_000 },
      { provider: 'PROVIDER_D' },
    ],
  })
}, 180_000)
afterAll(async () => {
  await stage?.close()
  await stack?.stop()
})

async function open() {
  stage = await openStage(stack.home)
  out = moneyOut(stage)
}

/** Opened anew, because a restart has ended what the stage held. */
async function restart(meanwhile: () => Promise<void>) {
  await stage.close()
  await stack.restart(meanwhile)
  await open()
  merchant = { ...merchant, api: stage.api.as(merchant.token) }
}

const BY = ['--by', 'ana', '--reason', 'the disk was lost']
const soon = (ms: number) => new Date(Date.now() + ms).toISOString()
const backup = () => `${stack.home.postgres}.backup`
const copied = (from: string, to: string) => promisify(execFile)('cp', ['-a', from, to])

/** What every provider settled of the merchant's, by its end-to-end ids. */
async function settledThere(): Promise<string[]> {
  const mine = new Set(merchant.connections.map(({ account }) => account))
  const pages = await Promise.all(
    merchant.connections.map(({ provider }) => stage.simulator.statement(provider)),
  )
  const lines = pages.flat().filter(({ account }) => mine.has(account))
  return [...new Set(lines.map(line => `${line.end_to_end} ${line.kind} ${line.value}`))].sort()
}

/** What is ordered after the backup, by how it ends, with the keys that ordered it. */
async function everyOutcome(before: { refundable: Shown; open: Shown; scheduled: Shown }) {
  const [, , unsure, poor] = merchant.connections as [
    unknown,
    unknown,
    Merchant['connection'],
    Merchant['connection'],
  ]
  const { api } = merchant
  const key = randomUUID()
  const through = ({ uuid }: { uuid: string }) => ({ provider_uuid: uuid })

  const paidHere = await out.paidCharge(merchant)
  const paidThere = await out.paidCharge(merchant, through(merchant.connections[1]!))
  await stage.simulator.pay({ payload: before.open.payment.payload })
  await returned(await stage.simulator.pay({ payload: before.refundable.payment.payload, force: true }))
  const unpaid = await api.charge({ value: 25 }, { key })
  const cancelled = await api.charge()
  await api.post(`/api/v1/payments/${cancelled.uuid}/cancel`)

  const order = { value: 10, pix_key: someKey() }
  const settled = (await out.send(merchant, order, { key })).body.data
  await out.becomes(merchant, settled.uuid, 'PAID')
  const rejected = (await out.send(merchant, { pix_key: 'ac03-later@sim.trilho.test' })).body.data
  const refused = (await out.send(merchant, { pix_key: 'ac03@sim.trilho.test' })).body.data
  await out.fault(merchant.connection, 'sendTransfer', 'refused', { times: 1 })
  const fellBack = await out.paid(merchant)
  const credit = await out.paidCharge(merchant, { value: 50, ...through(poor) })
  const uncovered = await out.paid(merchant, { value: 50, ...through(poor) })
  const waiting = (await out.send(merchant, { scheduled_for: soon(48 * HOUR) })).body.data
  const unscheduled = (await out.send(merchant, { scheduled_for: soon(48 * HOUR) })).body.data
  await api.post(`/api/v1/transfers/${unscheduled.uuid}/cancel`)

  const partly = (await out.refund(merchant, before.refundable, { value: 4 }, { key })).body.data
  const whole = (await out.refund(merchant, paidHere)).body.data
  await out.fault(unsure, 'findTransfer', 'http_500', { times: 100_000 })
  const unsureKeys = ['timeout-then-done@sim.trilho.test', 'timeout-then-absent@sim.trilho.test']
  const [arrived, lost] = await Promise.all(
    unsureKeys.map(async pix_key => (await out.send(merchant, { pix_key, ...through(unsure) })).body.data),
  )

  await out.becomes(merchant, rejected.uuid, 'FAILED')
  await out.becomes(merchant, before.scheduled.uuid, 'PAID', LONG.limitMs)
  for (const { uuid } of [before.refundable, paidHere])
    await until(
      () => api.read(uuid),
      ({ status }) => status.endsWith('REFUNDED'),
      LONG,
    )
  return {
    key,
    order,
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
    inDoubt: {
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

/** Waits until a PIX that is no charge's has gone back to its payer. */
async function returned({ end_to_end }: { end_to_end: string }): Promise<void> {
  const disposition = async () => {
    const [row] = await stage.sql<{ disposition: string }>(
      `select disposition from movement where end_to_end = ? and movement_type = 'IN'`,
      [end_to_end],
    )
    return row?.disposition
  }
  await until(disposition, is => is === 'returned', LONG)
}

/** Puts the older copy back, and gives the commands of docs/production.md before any worker runs. */
async function restoreBackup(since: string): Promise<Shown[]> {
  const { home } = stack
  await rename(home.postgres, `${home.postgres}.lost`)
  await rename(backup(), home.postgres)
  await rm(`${home.postgres}.lost`, { recursive: true })
  const password = (await readFile(home.postgresPassword, 'utf8')).trim()
  const postgres = await startPostgres({}, { folder: home.postgres, password })
  const temporal = await startTemporal(Object.values(ATTRIBUTES), home.temporalDatabase)
  try {
    const trilho = commandLine({
      DATABASE_URL: postgres.url,
      TEMPORAL_ADDRESS: temporal.address,
      TRILHO_SECRET_KEY: (await readFile(home.secretKey, 'utf8')).trim(),
      TRILHO_TIME_SCALE: String(TIME_SCALE),
    })
    const early = await trilho('rebuild', '--since', since, ...BY)
    expect(early).toMatchObject({ code: 1, lines: [{ error: expect.stringMatching(/not paused/) }] })
    await trilho('pause', 'all', '--reach', 'money-out', ...BY)
    const { code, lines, complaint } = await trilho('rebuild', '--since', since, ...BY)
    expect({ code, complaint }).toEqual({ code: 0, complaint: '' })
    return lines
  } finally {
    await temporal.stop()
    await postgres.stop()
  }
}

const statusOf = ({ status, error }: Shown) => (error ? `${status} ${error.code}` : status)

/** Each transfer as it is shown, until they stand as they are to stand. */
function transfersStand(expected: Record<string, string>) {
  const now = async () =>
    Object.fromEntries(
      await Promise.all(
        Object.keys(expected).map(async uuid => {
          const { status, body } = await merchant.api.get(`/api/v1/transfers/${uuid}`)
          return [uuid, status === 200 ? statusOf(body.data) : status]
        }),
      ),
    )
  return stands(now, expected)
}

async function stands(now: () => Promise<object>, expected: object): Promise<void> {
  const said = await until(now, is => JSON.stringify(is) === JSON.stringify(expected), LONG).catch(now)
  expect(said).toEqual(expected)
}

test('after a restore every life is as its providers know it, and nothing of it was sent again', async () => {
  const before = {
    refundable: await out.paidCharge(merchant),
    open: await merchant.api.charge(),
    scheduled: (await out.send(merchant, { scheduled_for: soon(30_000) })).body.data,
  }
  const since = new Date().toISOString()
  await restart(async () => {
    await copied(stack.home.postgres, backup())
  })
  const after = await everyOutcome(before)
  const there = await settledThere()

  let rebuilt: Shown[] = []
  await restart(async () => {
    rebuilt = await restoreBackup(since)
  })
  const { api } = merchant
  const outcomes = Object.fromEntries(rebuilt.map(({ life, outcome, row }) => [life, `${outcome} ${row}`]))
  expect(outcomes).toMatchObject({
    [`transfer/${after.settled.uuid}`]: 'rebuilt missing',
    [`transfer/${before.scheduled.uuid}`]: 'rebuilt behind',
    [`transfer/${after.waiting.uuid}`]: 'waits missing',
    [`charge/${after.unpaid.uuid}`]: 'rebuilt missing',
  })
  expect((await out.send(merchant)).body.code).toBe('paused')

  await transfersStand(after.transfers)
  const charges = async () =>
    Object.fromEntries(
      await Promise.all(
        Object.keys(after.charges).map(async uuid => {
          const { status, body } = await api.get(`/api/v1/payments/${uuid}`)
          return [uuid, status === 200 ? body.data.status : status]
        }),
      ),
    )
  await stands(charges, after.charges)
  const refunds = async () => {
    const rows = await stage.sql<{ uuid: string; state: string }>('select uuid, state from refund')
    return Object.fromEntries(
      Object.keys(after.refunds).map(uuid => [uuid, rows.find(row => row.uuid === uuid)?.state]),
    )
  }
  await stands(refunds, Object.fromEntries(Object.keys(after.refunds).map(uuid => [uuid, 'settled'])))

  // The keys of before the restore lead to what they made then.
  const sentAgain = await out.send(merchant, after.order, { key: after.key })
  expect([sentAgain.status, sentAgain.body.data.uuid]).toEqual([201, after.settled.uuid])
  const chargedAgain = await api.post('/api/v1/payments', { value: 25, type: 'PIX' }, { key: after.key })
  expect([chargedAgain.status, chargedAgain.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
  expect(chargedAgain.body.data.payment.payload).toBe(after.unpaid.payment.payload)

  // Those whose provider does not answer stay in doubt, unless their history proves that they failed; once it does, they
  // are what it says.
  const doubtful = Object.fromEntries(
    Object.entries(after.inDoubt).map(([uuid, end]) => [uuid, end === 'FAILED AC03' ? end : 'PROCESSING']),
  )
  await transfersStand(doubtful)
  await stage.simulator.clearFaults()
  await transfersStand(after.inDoubt)

  const trilho = commandLine({ TRILHO_HOME: stack.home.folder })
  expect((await trilho('rebuild', '--since', since, ...BY)).lines.at(-1)).toMatchObject({ rebuilt: 0 })
  await until(
    () => trilho('reconcile', '--hours', '1'),
    ({ code }) => code === 0,
    LONG,
  )
  // What reconciliation told their lives a moment ago, they book.
  const checked = async () => (await trilho('check-ledger', '--providers')).lines
  await stands(checked, [{ violations: 0 }])
  expect(await settledThere()).toEqual(there)

  await trilho('resume', 'all', ...BY)
  await out.paid(merchant)
  await stage.simulator.pay({ payload: after.unpaid.payment.payload })
  await until(
    () => api.read(after.unpaid.uuid),
    ({ status }) => status === 'PAID',
    LONG,
  )
  const { status } = await api.post(`/api/v1/transfers/${after.waiting.uuid}/cancel`)
  expect(status).toBe(200)
  expect(await settledThere()).toHaveLength(there.length + 2)
  await stage.booksAgree(merchant)
}, 900_000)
