import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { archiveClosedMonths } from '../../../src/activities/ledger/archive.ts'
import { archiveLedger } from '../../../src/admin/ledger-archives.ts'
import { listLedgerArchives } from '../../../src/db/repositories/ledger-archives.ts'
import { RETENTION } from '../../../src/db/retention.ts'
import { bookLine } from '../support/booked-line.ts'
import { openReportFixture } from '../support/report-fixture.ts'

/** Months of the ledger that are over, as files of the storage. */

type Fixture = Awaited<ReturnType<typeof openReportFixture>>

let fixture: Fixture
let connection: string
beforeAll(async () => {
  fixture = await openReportFixture([])
})
afterAll(() => fixture?.close())
beforeEach(async () => {
  connection ??= await fixture.insertConnection(await fixture.insertAccount())
})

const book = (at: string, cents: number) =>
  bookLine(fixture.orm, {
    connection,
    type: 'EXTERNAL_TRANSFER',
    cents,
    balance: cents,
    at: Date.parse(at),
    name: 'Maria',
  })
const archive = () => archiveClosedMonths(fixture.activities)()
const list = () => listLedgerArchives(fixture.orm.em.fork())
const listFiles = async () => (await readdir(join(fixture.files, 'ledger'))).sort()

test('nothing is archived of an empty ledger', async () => {
  expect(await archive()).toEqual({ archived: 0 })
  expect(await list()).toEqual([])
})

test('a month is not recorded while its file cannot be read back whole', async () => {
  await book('2026-08-10T12:00:00.000Z', 100)
  const otherLines = { stream: Readable.from([gzipSync('{}\n')]), sizeBytes: 1 }
  for (const found of [null, otherLines]) {
    const storage = { ...fixture.activities.storage, openFile: async () => found }
    await expect(archiveClosedMonths({ ...fixture.activities, storage })()).rejects.toThrow(
      'the archive of 2026-08 is not whole in the storage: ledger/2026-08-',
    )
  }
  expect(await list()).toEqual([])
})

test('each month that is over becomes a file with its digest, once, without the data of persons', async () => {
  await book('2026-08-31T23:59:59.999Z', 100)
  const first = await book('2026-09-01T00:00:00.000Z', 200)
  await book('2026-09-30T23:59:59.999Z', 300)
  await book(new Date().toISOString(), 400)
  const { archived } = await archive()
  const archives = await list()
  expect(archives.map(({ month, lineCount }) => [month, lineCount]).slice(0, 2)).toEqual([
    ['2026-08', 4],
    ['2026-09', 4],
  ])
  expect(archived).toBe(archives.length)
  const { storageKey, sha256, sizeBytes } = archives[1]!
  const content = gunzipSync(await readFile(join(fixture.files, storageKey)))
  expect([createHash('sha256').update(content).digest('hex'), content.length]).toEqual([sha256, sizeBytes])
  const lines = content
    .toString()
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(lines.map(({ cents }) => cents)).toEqual([-200, 200, -300, 300])
  expect(lines[1]).toMatchObject({
    movement_uuid: first,
    bucket: 'available',
    balance_cents: 200,
    movement_cents: 200,
  })
  expect(content.toString()).not.toMatch(/Maria|52998224725/)
  expect(
    Object.keys(lines[0]).filter(name => (RETENTION.movement.personal as readonly string[]).includes(name)),
  ).toEqual([])

  const files = await listFiles()
  expect(await archive()).toEqual({ archived: 0 })
  expect(await listFiles()).toEqual(files)
})

test('an operator archives what is due, recorded month by month, and the present month stays open', async () => {
  const sql = fixture.orm.em.fork()
  await sql.execute('alter table ledger_archive disable trigger ledger_archive_kept')
  await sql.execute(`delete from ledger_archive where month = '2026-09-01'`)
  await sql.execute('alter table ledger_archive enable trigger ledger_archive_kept')
  const files = await listFiles()
  const order = { actor: 'ana', reason: 'routine' }
  const archived = []
  for await (const one of archiveLedger(fixture.orm.em.fork(), fixture.activities.storage, order))
    archived.push(one.month)
  expect(archived).toEqual(['2026-09'])
  // The digest is in the name: the same lines are the same file.
  expect(await listFiles()).toEqual(files)
  const acts = await sql.execute(`select subject, actor from operator_action where action = 'archive_ledger'`)
  expect(acts).toEqual([{ subject: 'ledger/2026-09', actor: 'ana' }])
  expect((await list()).at(-1)!.month < new Date().toISOString().slice(0, 7)).toBe(true)
})

test('PostgreSQL keeps the row of an archived month, and refuses one of a month that is not over', async () => {
  const sql = (text: string) => fixture.orm.em.fork().execute(text)
  await expect(sql(`update ledger_archive set sha256 = repeat('0', 64)`)).rejects.toThrow('append-only')
  await expect(
    sql(
      `insert into ledger_archive (month, storage_key, sha256, size_bytes, line_count)
       values (date_trunc('month', now() at time zone 'UTC'), 'k', repeat('0', 64), 0, 0)`,
    ),
  ).rejects.toThrow('ledger_archive_over')
})
