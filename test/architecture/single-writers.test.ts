import { expect, test } from '@jest/globals'
import { parseSync } from '@swc/core'
import type { Attempt } from '../../src/db/entities/attempt.ts'
import type { Charge, Split } from '../../src/db/entities/charge.ts'
import type { Dispute } from '../../src/db/entities/dispute.ts'
import type { Movement } from '../../src/db/entities/movement.ts'
import type { PixKey } from '../../src/db/entities/pix-key.ts'
import type { Refund } from '../../src/db/entities/refund.ts'
import type { Transfer } from '../../src/db/entities/transfer.ts'
import type { TransferBatch } from '../../src/db/entities/transfer-batch.ts'
import type { Delivery } from '../../src/db/entities/webhook.ts'
import { nodesOf, SOURCES, SYNTAX } from './support/source-imports.ts'

/** What only one function may do: write the state of a row that has a state table, and derive operations. */

const sources = [...SOURCES]
  .filter(([file]) => /^src\/(?!db\/migrations\/)/.test(file))
  .map(([file, text]) => ({ file: file.replace(/^src\//, ''), text }))

const SQL_WRITE =
  /\bupdate (?:charge|transfer|transfer_batch|refund|dispute|pix_key|report|attempt)\b(?:(?!\bwhere\b)[^`'])*[ ,]state = /i
const SQL_STATUS_WRITE =
  /\bupdate (?:delivery|movement|split)\b(?:(?!\bwhere\b)[^`'])*(?<!\bwhen)[ ,]status = /i
const ENTITIES = ['Charge', 'Transfer', 'TransferBatch', 'Refund', 'Dispute', 'PixKey', 'Report', 'Attempt']
const ROW_NAMES = [
  'charge',
  'transfer',
  'batch',
  'refund',
  'dispute',
  'med',
  'pixKey',
  'report',
  'row',
  'attempt',
  'live',
  'stored',
]

/** Tests for the writes that a read-only property does not prevent: SQL, `nativeUpdate` and `Object.assign`. */
function writesState(text: string): boolean {
  if (SQL_WRITE.test(text) || SQL_STATUS_WRITE.test(text)) return true
  if (!/\b(nativeUpdate|assign)\(/.test(text)) return false
  return callsIn(text).some(({ name, args }) => {
    if (name !== 'nativeUpdate' && name !== 'assign') return false
    const written = args[0]?.name ?? ''
    const columns = args[name === 'assign' ? 1 : 2]?.keys ?? []
    if (/^(?:delivery|movement|split)$/i.test(written)) return columns.includes('status')
    return (name === 'assign' ? ROW_NAMES : ENTITIES).includes(written) && columns.includes('state')
  })
}

type NameNode = { value?: string }
type CallNode = {
  callee: { property?: NameNode }
  arguments: { expression: NameNode & { properties?: (NameNode & { key?: NameNode })[] } }[]
}
type Call = { name: string | undefined; args: { name: string | undefined; keys: (string | undefined)[] }[] }

function callsIn(source: string): Call[] {
  const calls = nodesOf(parseSync(source, SYNTAX)).filter(({ type }) => type === 'CallExpression')
  return (calls as unknown as CallNode[]).map(({ callee, arguments: args }) => ({
    name: callee.property?.value,
    args: args.map(({ expression: { value, properties = [] } }) => ({
      name: value,
      keys: properties.map(one => (one.key ?? one).value),
    })),
  }))
}

test('the state of a row is read-only: the compiler refuses these lines, and fails where it no longer does', () => {
  type Rows = {
    charge: Charge
    transfer: Transfer
    batch: TransferBatch
    refund: Refund
    dispute: Dispute
    pixKey: PixKey
    attempt: Attempt
    delivery: Delivery
    movement: Movement
    split: Split
  }
  const write = ({
    charge,
    transfer,
    batch,
    refund,
    dispute,
    pixKey,
    attempt,
    delivery,
    movement,
    split,
  }: Rows) => {
    // @ts-expect-error only `transition` writes it
    charge.state = 'paid'
    // @ts-expect-error only `transition` writes it
    transfer.state = 'paid'
    // @ts-expect-error only `transition` writes it
    batch.state = 'completed'
    // @ts-expect-error only `transition` writes it
    refund.state = 'settled'
    // @ts-expect-error only `transition` writes it
    dispute.state = 'open'
    // @ts-expect-error only `transition` writes it
    pixKey.state = 'active'
    // @ts-expect-error only `transitionAttempt` writes it
    attempt.state = 'settled'
    // @ts-expect-error only `transitionDelivery` writes it
    delivery.status = 'DELIVERED'
    // @ts-expect-error only `transitionStatus` writes it
    movement.status = 'SETTLED'
    // @ts-expect-error only `transitionStatus` writes it
    split.status = 'CREDITED'
  }
  expect(write).toBeInstanceOf(Function)
})

test.each([
  "await em.execute(`update charge set state = 'paid' where uuid = ?`, [uuid])",
  'const sql = `update pix_key k set updated_at = now(),\n  state = ? where uuid = ?`',
  "await em.nativeUpdate(Transfer, { uuid }, { state: 'paid' })",
  'await em.nativeUpdate(Refund, { uuid }, { acceptedAt: at, state })',
  "Object.assign(charge, { state: 'paid' })",
  "Object.assign(attempt, { code: null, state: 'orphan' })",
  "await em.execute(`update attempt set state = 'closed' where uuid = ?`, [uuid])",
  "await em.execute(`update delivery set sweep_at = null, status = 'FAILED' where uuid = ?`, [uuid])",
  "await em.nativeUpdate(Delivery, { uuid }, { status: 'FAILED', sweepAt: null })",
  "await em.execute(`update movement set settled_at = now(), status = 'SETTLED' where uuid = ?`, [uuid])",
  "Object.assign(movement, { settledAt, status: 'SETTLED' })",
  "await em.nativeUpdate(Split, { uuid }, { status: 'CREDITED' })",
])('a write of a state beside `transition` is found: %s', planted => expect(writesState(planted)).toBe(true))

test.each([
  'await em.nativeUpdate(Refund, { uuid, state }, { acceptedAt: at })',
  "await em.execute(`update charge set sequence = 1 where state = 'paid'`)",
  "await em.execute(`update delivery set sweep_at = case when status = 'PENDING' then now() end where uuid = ?`)",
  "Object.assign(token, { state: 'revoked' })",
  'Object.assign(delivery, { sweepAt })',
])('no other write is: %s', allowed => expect(writesState(allowed)).toBe(false))

test('only `transition` writes the state of a row', () => {
  // A restored database has the key as it was: the removal that its provider had confirmed is written back as it ended.
  const restored = ['disaster-recovery/rebuild-dependents.ts']
  expect(sources.filter(({ text }) => writesState(text)).map(({ file }) => file)).toEqual(restored)
})

test('only `createOperation`, and what starts no operation by a workflow, derive an operation from its Idempotency-Key', () => {
  const derives = /\bderiveOperationUuid\(|\bfingerprintRequest\(/
  const found = sources.filter(({ file, text }) => !file.endsWith('idempotency.ts') && derives.test(text))
  expect(found.map(({ file }) => file)).toEqual([
    // A revision is an update of the workflow of its charge.
    'api/operations/charge-revisions.ts',
    // A contest is a row of the API process: no provider takes it.
    'api/operations/contests.ts',
    'api/operations/create-operation.ts',
    // No workflow starts.
    'api/operations/deposit-assignments.ts',
    // A reply has no row.
    'api/operations/disputes.ts',
    // No workflow starts for a link; the charge of a press is found by the uuid that `createCharge` derives.
    'api/operations/payment-links.ts',
    // No workflow starts.
    'api/operations/qr-codes.ts',
    // Its rows are stored before its workflow starts.
    'api/operations/transfer-batches.ts',
    'api/operations/webhooks.ts',
    'dashboard/pages/webhooks.ts',
  ])
})

/** What opens a transaction. A migration has its own, on a connection of its own. */
const OPENING = /\.transactional\(|\b(?:em|fork\(\))\.begin\(|\bbegin;|\bstart transaction\b/

test.each([
  'return em.transactional(async tx => insertSession(tx, session))',
  'await orm.em.fork().transactional(work)',
  'await em.begin()',
  "await em.execute('begin; truncate sign_in_attempt; commit')",
])('a transaction beside `runInTransaction` is found: %s', planted =>
  expect(OPENING.test(planted)).toBe(true),
)

test('only `runInTransaction` opens a transaction', () => {
  const opening = sources.filter(({ text }) => OPENING.test(text)).map(({ file }) => file)
  expect(opening).toEqual(['db/client/migrate.ts', 'db/client/transaction.ts', 'db/pipeline/pool.ts'])
})

/** Writes of an activity other than by its unit of work and by functions of `src/db`. */
const ACTIVITY_WRITE =
  /\.(?:flush|insert|insertMany|upsert|upsertMany|persist|persistAndFlush|native\w+|execute|getKysely|createQueryBuilder)\(/

test.each([
  'await em.flush()',
  'await em.nativeUpdate(Charge, uuid, { cancelRequestedAt: null })',
  'await tx.insertMany(Split, splits)',
  'await orm.em.fork().upsert(Pause, pause)',
])('a write beside the unit of work is found: %s', planted => expect(ACTIVITY_WRITE.test(planted)).toBe(true))

test('activities write rows by their unit of work and by functions of `src/db`', () => {
  const activities = sources.filter(({ file }) => file.startsWith('activities/'))
  expect(activities.filter(({ text }) => ACTIVITY_WRITE.test(text)).map(({ file }) => file)).toEqual([])
})

/** Writes, and transactions of their own, by an entity manager that is in no transaction. */
const DIRECT_WRITE = /\b(?:em|fork\(\))\.(?:insert|upsert|persist|native\w+)\(|\brunInTransaction\(/

test('a route writes rows by `writeDirectly`, which does not commit after the deadline of the request', () => {
  const writing = sources
    .filter(({ file, text }) => file.startsWith('api/') && DIRECT_WRITE.test(text))
    .map(({ file }) => file)
  expect(writing).toEqual([
    // Counts a wrong guess, which must be counted whatever the response is.
    'api/operations/auth-codes.ts',
    // The answer of an operation that is marked as started.
    'api/operations/deposits.ts',
    // The answer of an operation that is marked as started.
    'api/operations/refunds.ts',
    'api/operations/transfers.ts',
    'api/operations/user-acts.ts',
  ])
})

/** Writes that are committed by themselves, and transactions that no form's entity manager makes. */
const FORM_WRITE =
  /\b(?:em|fork\(\))\.(?:insert|upsert|persist|execute|native\w+)\(|\brunInTransaction\(\s*[\w.]*\borm\b/

test('a form writes rows by transactions of its entity manager, which are not committed after the deadline of the request', () => {
  const pages = sources.filter(({ file }) => file.startsWith('dashboard/'))
  expect(FORM_WRITE.test('await runInTransaction(dashboard.orm.em, work)')).toBe(true)
  expect(pages.filter(({ text }) => FORM_WRITE.test(text)).map(({ file }) => file)).toEqual([])
})
