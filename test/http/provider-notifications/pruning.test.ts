import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { pruneEvents } from '../../../src/activities/webhooks/prune-events.ts'
import type { EntityManager } from '../../../src/db/client/orm.ts'
import { recordDifferences } from '../../../src/db/repositories/differences.ts'
import { pruneProviderNotifications } from '../../../src/db/repositories/provider-notifications.ts'
import type { StatementDifference } from '../../../src/domain/reconciliation/statement-comparison.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

/** Notifications of providers are deleted thirty days after they were routed. */

let fixture: ApiFixture
let connection: string
beforeAll(async () => {
  fixture = await openApiFixture([])
  connection = await fixture.insertConnection(await fixture.insertAccount())
})
afterAll(() => fixture?.close())
afterEach(() => sql('delete from provider_notification'))

const sql = <Row extends object>(query: string, values: unknown[] = []) =>
  fixture.orm.em.fork().execute<Row[]>(query, values)
const prune = () => pruneEvents({ orm: fixture.orm } as never)()

/** `routed`: age in days; null of a notification that no workflow has accepted. */
type Given = { routed: number | null; endToEnd?: string; reference?: string; through?: string }
async function insertNotification({ routed, endToEnd, reference, through = connection }: Given) {
  const uuid = randomUUID()
  await sql(
    `insert into provider_notification (uuid, connection_uuid, kind, end_to_end, reference, body, request_id,
       received_at, routed_at, outcome)
     values (?, ?, 'payment', ?, ?, '', 'r', now() - interval '400 days', now() - make_interval(days => ?::int),
       case when ?::int is not null then 'routed' end)`,
    [uuid, through, endToEnd ?? null, reference ?? null, routed, routed],
  )
  return uuid
}
const listKept = async () =>
  (await sql<{ uuid: string }>('select uuid from provider_notification')).map(one => one.uuid)

test('one that was routed thirty days ago is deleted; a younger one and one that waits are kept', async () => {
  await insertNotification({ routed: 31 })
  await insertNotification({ routed: 31, endToEnd: 'E1', reference: 'a' })
  const keptNotifications = [
    await insertNotification({ routed: 29 }),
    await insertNotification({ routed: null }),
  ]
  await prune()
  expect((await listKept()).sort()).toEqual(keptNotifications.sort())
})

test('one that an open or a closed difference is about is kept until the difference is gone', async () => {
  const [row] = await sql<{ uuid: string }>(
    'select provider_account_uuid as uuid from connection where uuid = ?',
    [connection],
  )
  const entry = { endToEnd: 'D7', reference: 'b'.repeat(32), returnOf: 'E7', cents: 700 }
  const sides = { direction: 'OUT', at: new Date().toISOString() } as const
  const difference: StatementDifference = {
    kind: 'missing_here',
    endToEnd: entry.endToEnd,
    direction: 'OUT',
    entry: { ...entry, ...sides },
  }
  const record = (remaining: StatementDifference[]) =>
    recordDifferences(fixture.orm.em.fork(), {
      providerAccountUuid: row!.uuid,
      remaining,
      covers: () => true,
    })
  await record([difference])
  const other = await fixture.insertConnection(await fixture.insertAccount())
  const insertAll = async () => [
    await insertNotification({ routed: 31, endToEnd: entry.endToEnd }),
    await insertNotification({ routed: 31, endToEnd: entry.returnOf }),
    await insertNotification({ routed: 31, reference: entry.reference, endToEnd: 'E9' }),
  ]
  const keptNotifications = await insertAll()
  await insertNotification({ routed: 31, endToEnd: entry.endToEnd, through: other })
  await insertNotification({ routed: 31, endToEnd: 'E8', reference: 'c'.repeat(32) })
  await prune()
  expect((await listKept()).sort()).toEqual(keptNotifications.sort())
  await sql(
    `update difference set closed_at = now(), closed_as = 'accepted', closed_reason = 'agreed', closed_by = 'ana'
     where settled_at is null`,
  )
  await prune()
  expect((await listKept()).sort()).toEqual(keptNotifications.sort())
  await record([])
  await prune()
  expect(await listKept()).toEqual([])
})

test('more than one batch are deleted in one run', async () => {
  await sql(
    `insert into provider_notification (uuid, connection_uuid, kind, body, request_id, received_at, routed_at, outcome)
     select gen_random_uuid(), ?, 'payment', '', 'r', now() - interval '40 days', now() - interval '40 days', 'foreign'
     from generate_series(1, 1200)`,
    [connection],
  )
  await prune()
  expect(await listKept()).toEqual([])
})

test('they are found by an index, in the order of their routing', async () => {
  const plan = await fixture.orm.em.fork().transactional(async tx => {
    for (const node of ['seqscan', 'bitmapscan', 'sort']) await tx.execute(`set local enable_${node} = off`)
    let lines: object[] = []
    const explain = async (statement: string, values: unknown[]) => {
      lines = await tx.execute(`explain ${statement}`, values)
      return lines
    }
    await pruneProviderNotifications({ execute: explain } as unknown as EntityManager, 500)
    return lines.map(line => Object.values(line)[0]).join('\n')
  })
  expect(plan).toContain('Index Scan using provider_notification_routed')
  expect(plan).not.toContain('Sort')
  expect(plan).toContain('hashed SubPlan')
})
