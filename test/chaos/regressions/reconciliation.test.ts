import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { listProviderAccounts, reconcile } from '../../../src/activities/reconciliation/reconcile.ts'
import { readLedgerBalance } from '../../../src/db/repositories/balance-checks.ts'
import { listUnmatchedPayments } from '../../../src/db/repositories/operator-lists.ts'
import type { IncomingPix, StatementEntry } from '../../../src/domain/providers/provider.ts'
import type { Provider } from '../../../src/providers/port.ts'
import { WORKFLOWS } from '../../../src/workflows/contracts/workflows.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/** A storm's finding about reconciliation: a workflow that was signalled for a lost notification, without effect. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

/** Another account, and a comparison of its last hours with its provider's list. */
async function anAccount() {
  const { accountUuid, connectionUuid } = await fixture.createMerchant(1_000)
  const rows = await fixture.sql<{ uuid: string }>(
    'select provider_account_uuid as uuid from connection where uuid = ?',
    [connectionUuid],
  )
  const providerAccountUuid = rows[0]!.uuid
  return {
    accountUuid,
    connectionUuid,
    providerAccountUuid,
    look({ hours = 2, to = Date.now() } = {}) {
      const from = new Date(to - hours * HOUR_MS).toISOString()
      return reconcile(fixture.dependencies)({ providerAccountUuid, from, to: new Date(to).toISOString() })
    },
    wasFound: (ago: string) =>
      fixture.sql(
        'update difference set found_at = now() - ?::interval where provider_account_uuid = ? and settled_at is null',
        [ago, providerAccountUuid],
      ),
    async open() {
      const kept = await fixture.sql<{ end_to_end: string }>(
        'select end_to_end from difference where provider_account_uuid = ? and settled_at is null',
        [providerAccountUuid],
      )
      return kept.map(one => one.end_to_end)
    },
  }
}
const HOUR_MS = 3_600_000
/** An id in the form of ours: such a PIX is never posted as one that moved without us. */
const OURS = 'a'.repeat(32)

/** Where the provider lists no disputes. */
const withStatement = (statement: Provider['statement']) =>
  fixture.scriptProvider({ listDisputes: async () => ({ kind: 'found', disputes: [] }), statement })
const entryOf = (endToEnd: string, ago: number): StatementEntry => ({
  endToEnd,
  reference: null,
  direction: 'OUT',
  cents: 700,
  at: new Date(Date.now() - ago).toISOString(),
})

test('a missing entry is signalled to its workflow by each comparison until it is posted, and shown meanwhile', async () => {
  const { connectionUuid, look } = await anAccount()
  const endToEnd = `E${'7'.repeat(31)}`
  const entry: StatementEntry = { ...entryOf(endToEnd, HOUR_MS), direction: 'IN' }
  const { at } = entry
  withStatement(async () => ({ kind: 'found', entries: [entry] }))

  expect(await look()).toMatchObject({ matched: 0, repaired: 1, differences: 0 })
  expect(await look()).toMatchObject({ repaired: 0, differences: 1 })
  expect(fixture.signalledWorkflowIds).toEqual(
    Array(2).fill(WORKFLOWS.deposit.idOf(`${connectionUuid}/${endToEnd}`)),
  )

  const provider = {
    cents: 700,
    endToEnd,
    status: 'settled' as const,
    at,
    txid: null,
    reference: null,
    payer: null,
    pixKey: '',
  }
  fixture.scriptProvider({ findPayment: async () => ({ kind: 'found', payment: provider }) })
  await fixture.providers.recordDeposit({ connectionUuid, endToEnd, requestId: 'r', timeScale: 1 })
  expect(await look()).toMatchObject({ matched: 1, repaired: 0, differences: 0 })
  expect(await fixture.sql('select 1 from difference where settled_at is null')).toEqual([])
})

test('an entry with a longer provider id than the rail’s is stored like any other', async () => {
  const { look, open } = await anAccount()
  const entry = entryOf(`tarifa-${'9'.repeat(60)}`, HOUR_MS)
  withStatement(async () => ({ kind: 'found', entries: [entry] }))
  expect(await look()).toMatchObject({ repaired: 1 })
  expect(await look()).toMatchObject({ repaired: 0, differences: 1 })
  expect(await open()).toEqual([entry.endToEnd])
})

test('a difference stays open after its day leaves the compared period', async () => {
  const { look, open } = await anAccount()
  const entry = { ...entryOf(`E${'6'.repeat(31)}`, 47 * HOUR_MS), reference: OURS }
  withStatement(async (from, to) => ({
    kind: 'found',
    entries: [entry].filter(({ at }) => at >= from && at <= to),
  }))
  await look({ hours: 48 })
  expect(await look({ hours: 48 })).toMatchObject({ differences: 1 })
  expect(await look({ hours: 48, to: Date.now() + 2 * HOUR_MS })).toMatchObject({ differences: 0 })
  expect(await open()).toEqual([entry.endToEnd])
})

test('an entry that disappears from the compared period is resolved, however long ago it was found', async () => {
  const { look, open, wasFound } = await anAccount()
  const entries = [{ ...entryOf(`E${'5'.repeat(31)}`, 47 * HOUR_MS), reference: OURS }]
  withStatement(async () => ({ kind: 'found', entries }))
  await look({ hours: 48 })
  await look({ hours: 48 })
  await wasFound('50 hours')
  entries.length = 0
  await look({ hours: 48 })
  expect(await open()).toEqual([])
})

test('a missing entry that is posted late is resolved by the statement entry, although its own day is over', async () => {
  const { connectionUuid, look, open } = await anAccount()
  const entries: StatementEntry[] = []
  withStatement(async () => ({ kind: 'found', entries }))
  const endToEnd = `E${'4'.repeat(31)}`
  const at = new Date(Date.now() - 3 * HOUR_MS).toISOString()
  const payment = {
    endToEnd,
    cents: 700,
    status: 'settled',
    at,
    txid: null,
    reference: null,
    payer: null,
    pixKey: '',
  } as const
  fixture.scriptProvider({ findPayment: async () => ({ kind: 'found', payment }) })
  await fixture.providers.recordDeposit({ connectionUuid, endToEnd, requestId: 'r', timeScale: 1 })
  expect(await look({ hours: 4 })).toMatchObject({ differences: 1 })
  expect(await open()).toEqual([endToEnd])
  entries.push({ ...entryOf(endToEnd, HOUR_MS), direction: 'IN' })
  expect(await look({ hours: 2 })).toMatchObject({ matched: 1, differences: 0 })
  expect(await open()).toEqual([])
})

test('disputes that the provider does not list are reported, and the statement is compared', async () => {
  const { look } = await anAccount()
  withStatement(async () => ({ kind: 'found', entries: [] }))
  fixture.scriptProvider({
    listDisputes: async () => ({ kind: 'no_answer', code: 'timeout', message: 'no answer' }),
  })
  expect(await look()).toMatchObject({ matched: 0, differences: 0, disputesNoAnswer: 'timeout' })
})

test('the balance is compared where the statement cannot be read', async () => {
  const { look, providerAccountUuid } = await anAccount()
  const noAnswer = { kind: 'no_answer', code: 'timeout', message: 'no answer' } as const
  withStatement(async () => noAnswer)
  const balance = { availableCents: 400, blockedCents: 0 }
  fixture.scriptProvider({ balances: async () => ({ kind: 'found', balance }) })
  expect(await look()).toMatchObject({
    noAnswer: 'timeout',
    balance: { providerCents: 400, ledgerCents: 1_000 },
  })
  const checks = await fixture.sql('select 1 from balance_check where provider_account_uuid = ?', [
    providerAccountUuid,
  ])
  expect(checks).toHaveLength(1)
})

test('the time in which no statement could be read is compared by a later run, as far as the provider answers', async () => {
  const { look, open, providerAccountUuid } = await anAccount()
  const entry = { ...entryOf(`E${'8'.repeat(31)}`, 6 * 24 * HOUR_MS), direction: 'IN' as const }
  const read: [from: string, to: string][] = []
  let oldestServed = ''
  withStatement(async (from, to) => {
    if (from < oldestServed) return { kind: 'no_answer', code: 'timeout', message: 'no answer' }
    read.push([from, to])
    return { kind: 'found', entries: [entry].filter(({ at }) => at >= from && at <= to) }
  })
  await look({ hours: 48 })
  expect(read).toHaveLength(1)
  const lastRun = new Date(Date.now() - 7 * 24 * HOUR_MS).toISOString()
  await fixture.sql('update provider_account set compared_until = ? where uuid = ?', [
    lastRun,
    providerAccountUuid,
  ])

  oldestServed = new Date(Date.now() - 3 * 24 * HOUR_MS).toISOString()
  expect(await look({ hours: 48 })).not.toHaveProperty('noAnswer')
  oldestServed = ''
  read.length = 0
  expect(await look({ hours: 48 })).toMatchObject({ repaired: 1 })
  expect(read[1]![0] <= lastRun).toBe(true)
  for (const [index, [from]] of read.slice(2).entries()) expect(from < read[index + 1]![1]).toBe(true)
  expect(read.at(-1)![1] > read[0]![0]).toBe(true)

  read.length = 0
  await look({ hours: 48 })
  expect(read).toHaveLength(1)
  expect(await open()).toEqual([])
})

test('an account without an ACTIVE connection is compared through its remaining connections, ACTIVE ones first', async () => {
  const { connectionUuid, providerAccountUuid, look } = await anAccount()
  const [{ account_uuid: accountUuid }] = (await fixture.sql<{ account_uuid: string }>(
    `update connection set status = 'INACTIVE' where uuid = ? returning account_uuid`,
    [connectionUuid],
  )) as [{ account_uuid: string }]
  expect(await listProviderAccounts(fixture.dependencies)()).toContain(providerAccountUuid)
  const entries: StatementEntry[] = []
  withStatement(async () => ({ kind: 'found', entries }))
  const askedFor = async (endToEnd: string) => {
    entries.push({ ...entryOf(endToEnd, HOUR_MS), direction: 'IN' })
    await look()
    return fixture.sql('select connection_uuid from provider_notification where end_to_end = ?', [endToEnd])
  }
  expect(await askedFor(`E${'3'.repeat(31)}`)).toEqual([{ connection_uuid: connectionUuid }])
  const active = await fixture.createConnection({ accountUuid })
  const share = 'update connection set provider_account_uuid = ? where uuid = ?'
  await fixture.sql(share, [providerAccountUuid, active])
  expect(await askedFor(`E${'2'.repeat(31)}`)).toEqual([{ connection_uuid: active }])
})

test('an account whose last connection is unconfigured during a run is not compared, and delays no other', async () => {
  const { connectionUuid, look } = await anAccount()
  withStatement(() => Promise.reject(new Error('it is not called')))
  await fixture.sql(`update connection set status = 'CONFIGURATION_PENDING' where uuid = ?`, [connectionUuid])
  expect(await look()).toMatchObject({ matched: 0, noAnswer: 'not_configured' })
})

test('a PIX on a shared account that names no charge is looked up, and waits for an operator', async () => {
  const { connectionUuid, providerAccountUuid, look, open } = await anAccount()
  const other = await fixture.createMerchant(0)
  await fixture.sql(`update connection set type = 'POOL', provider_account_uuid = ? where uuid in (?, ?)`, [
    ...[providerAccountUuid, connectionUuid, other.connectionUuid],
  ])
  const entry: StatementEntry = { ...entryOf(`E${'1'.repeat(31)}`, HOUR_MS), direction: 'IN' }
  withStatement(async () => ({ kind: 'found', entries: [entry] }))
  fixture.signalledWorkflowIds.length = 0

  expect(await look()).toMatchObject({ matched: 0, repaired: 1, differences: 0 })
  const [workflowId] = fixture.signalledWorkflowIds
  expect(workflowId).toMatch(new RegExp(`^deposit/.+/${entry.endToEnd}$`))
  const { endToEnd, cents, at } = entry
  const payment: IncomingPix = {
    endToEnd,
    cents,
    at,
    status: 'settled',
    txid: null,
    reference: null,
    payer: null,
    pixKey: 'key',
  }
  fixture.scriptProvider({ findPayment: async () => ({ kind: 'found', payment }) })
  const lookUps = [connectionUuid, other.connectionUuid].map(uuid =>
    fixture.providers.recordDeposit({ connectionUuid: uuid, endToEnd, requestId: 'r', timeScale: 1 }),
  )
  for (const lookUp of lookUps) expect(await lookUp).toMatchObject({ kind: 'accepted', returns: [] })
  const [service] = await fixture.sql<{ uuid: string }>('select uuid from account where is_service')
  expect(await fixture.readBalances(service!.uuid)).toEqual({ pending: cents, outside: -cents })
  const listed = await listUnmatchedPayments(fixture.orm.em.fork())
  expect(listed).toMatchObject([{ end_to_end: endToEnd, reason: 'deposit', disposition: 'not_returned' }])
  const event = 'select e.type from event e join movement m on m.uuid = e.subject_uuid where m.end_to_end = ?'
  expect(await fixture.sql(event, [endToEnd])).toEqual([{ type: 'PIX_TRANSACTION' }])
  const { ledgerCents } = await readLedgerBalance(fixture.orm.em.fork(), providerAccountUuid)
  expect(ledgerCents).toBe(1_000 + cents)
  expect(await look()).toMatchObject({ matched: 1, differences: 0 })
  expect(await open()).toEqual([])
})

test('a return that names none of our payouts is assigned to the transfer that it returns', async () => {
  const { accountUuid, connectionUuid, look } = await anAccount()
  const order = fixture.transferInput({ accountUuid, connectionUuid })
  await fixture.records.storeTransfer(order)
  const [sent, back] = [`E${'8'.repeat(31)}`, `D${'8'.repeat(31)}`]
  const sending = { status: 'settled', cents: 500, endToEnd: sent, at: '2026-11-01T12:00:00Z' } as const
  fixture.scriptProvider({ sendTransfer: async () => ({ kind: 'accepted', payout: sending }) })
  await fixture.providers.sendTransfer({ uuid: order.uuid, connectionUuid, isResend: false })
  const entry: StatementEntry = { ...entryOf(back, HOUR_MS), direction: 'IN', cents: 200, returnOf: sent }
  withStatement(async () => ({ kind: 'found', entries: [entry] }))
  fixture.signalledWorkflowIds.length = 0

  expect(await look()).toMatchObject({ repaired: 1, differences: 0 })
  expect(fixture.signalledWorkflowIds).toEqual([`transfer/${order.uuid}`])
})

test('a statement that leaves transfers out misses none of them, and tells what was received and is missing', async () => {
  const { accountUuid, connectionUuid, look, open } = await anAccount()
  const order = fixture.transferInput({ accountUuid, connectionUuid })
  await fixture.records.storeTransfer(order)
  const at = new Date(Date.now() - HOUR_MS).toISOString()
  const sending = { status: 'settled', cents: 500, endToEnd: `E${'2'.repeat(31)}`, at } as const
  fixture.scriptProvider({ sendTransfer: async () => ({ kind: 'accepted', payout: sending }) })
  await fixture.providers.sendTransfer({ uuid: order.uuid, connectionUuid, isResend: false })
  withStatement(async () => ({ kind: 'found', entries: [], leavesOutTransfers: true }))
  expect(await look()).toMatchObject({ differences: 0 })
  expect(await open()).toEqual([])

  withStatement(async () => ({ kind: 'found', entries: [] }))
  expect(await look()).toMatchObject({ differences: 1 })
  expect(await open()).toEqual([sending.endToEnd])

  // What was received is listed, so its absence is told all the same.
  const received = `E${'3'.repeat(31)}`
  const payment = {
    endToEnd: received,
    cents: 700,
    status: 'settled',
    at,
    txid: null,
    reference: null,
    payer: null,
    pixKey: '',
  } as const
  fixture.scriptProvider({ findPayment: async () => ({ kind: 'found', payment }) })
  await fixture.providers.recordDeposit({ connectionUuid, endToEnd: received, requestId: 'r', timeScale: 1 })
  withStatement(async () => ({ kind: 'found', entries: [], leavesOutTransfers: true }))
  expect(await look()).toMatchObject({ differences: 1 })
  expect(await open()).toEqual([received])
})
