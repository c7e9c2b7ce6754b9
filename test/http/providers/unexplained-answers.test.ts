import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { pruneEvents } from '../../../src/activities/webhooks/prune-events.ts'
import { addUser } from '../../../src/admin/users.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import type { Orm } from '../../../src/db/client/orm.ts'
import {
  listQuarantinedPeriods,
  readDatabaseTime,
  resolveUnexplainedItems,
} from '../../../src/db/repositories/unexplained-answers.ts'
import { referenceOf } from '../../../src/domain/pix/identifiers.ts'
import { renderDatabaseMetrics } from '../../../src/metrics/database-metrics.ts'
import { createUnexplainedAnswerRecorder } from '../../../src/provider-notifications/unexplained-answers.ts'
import type { UnexplainedAnswer } from '../../../src/providers/adapter/unexplained-answers.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser } from '../support/browser.ts'

/** Undocumented answers of providers are stored sealed, counted and shown, and never disturb a call. */

const PASSWORD = 'a long password for tests'
const HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(2)>\u0000\u202e'
let fixture: ApiFixture
let connection: string
let record: (answer: Partial<UnexplainedAnswer>) => Promise<void>
const lines: string[] = []
const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })

beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes])
  connection = await fixture.insertConnection(await fixture.insertAccount())
  const { orm } = fixture
  const recorder = createUnexplainedAnswerRecorder({
    orm,
    sealer: fixture.dependencies.sealer,
    log,
  })
  record = answer => recorder({ uuid: connection }, answerOf(answer))
})
afterAll(() => fixture?.close())

function answerOf(answer: Partial<UnexplainedAnswer>): UnexplainedAnswer {
  const some = { operation: 'sendTransfer', reference: null, status: 422, name: 'algo_novo', body: '{}' }
  return { kind: 'unlisted_refusal', ...some, ...answer }
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects and fails where it is not.
const sql = (text: string, values: unknown[] = []): Promise<any[]> =>
  fixture.orm.em.fork().execute(text, values)
const rowsOf = (reference: string) =>
  sql('select * from unexplained_answer where reference = ? order by first_seen_at', [reference])

describe('an unexplained answer', () => {
  test('is stored sealed under its reference; a repeat is counted, and another one is stored as well', async () => {
    const reference = referenceOf(randomUUID())
    const body = '{"nome":"algo_novo","cpf":"12345678909"}'
    await record({ reference, body })
    await record({ reference, body })
    await record({ reference, body: `${body} ` })
    const rows = await rowsOf(reference)
    expect(rows.map(row => row.occurrences)).toEqual([2, 1])
    expect(rows[0]).toMatchObject({ kind: 'unlisted_refusal', status: 422, name: 'algo_novo', is_cut: false })
    expect(fixture.dependencies.sealer.open(rows[0].sealed_body)).toBe(body)
    expect(JSON.stringify(rows)).not.toContain('12345678909')
    expect(lines.join()).not.toContain('12345678909')
    expect(JSON.parse(lines[0]!)).toMatchObject({ connection, operation: 'sendTransfer', name: 'algo_novo' })
  })

  test.each([
    ['empty', ''],
    ['with NUL and lone surrogates', `a\0b\ud800`],
    ['of a megabyte', 'é'.repeat(1024 * 1024)],
    ['that is HTML', HOSTILE],
  ])('%s is stored whatever its bytes', async (_, body) => {
    const reference = `r\0${randomUUID()}`
    await record({ reference, body, name: HOSTILE, operation: `find${HOSTILE}` })
    const [row] = await rowsOf(reference.replace('\0', ''))
    expect(fixture.dependencies.sealer.open(row.sealed_body)).toBe(body.slice(0, 65_536))
    expect(row.is_cut).toBe(body.length > 65_536)
    expect(row.name).toMatch(/^[\w.:-]{1,80}$/)
  })

  test('with ever different text to one call is counted, and only a few are stored', async () => {
    const reference = randomUUID()
    for (let n = 0; n < 25; n++) await record({ reference, body: `${n}` })
    const rows = await rowsOf(reference)
    expect(rows).toHaveLength(20)
    expect(rows.reduce((sum, row) => sum + row.occurrences, 0)).toBe(25)
  })

  test('that cannot be stored does not fail its call, and is logged without its content', async () => {
    const broken = { em: { fork: () => ({ execute: () => Promise.reject(new Error('secret body')) }) } }
    const hanging = { em: { fork: () => ({ execute: () => new Promise(() => {}) }) } }
    const before = lines.length
    for (const orm of [broken, hanging]) {
      const recorder = createUnexplainedAnswerRecorder({
        orm: orm as unknown as Orm,
        sealer: fixture.dependencies.sealer,
        log,
      })
      const startedAt = performance.now()
      await Promise.all(
        Array.from({ length: 300 }, () => recorder({ uuid: connection }, answerOf({ body: 'secret body' }))),
      )
      expect(performance.now() - startedAt).toBeLessThan(30_000) // Together, not one after another.
    }
    expect(lines.slice(before).join()).toContain('not recorded')
    expect(lines.slice(before).join()).not.toContain('secret body')
  })

  test('has a metric series of its own for an hour, of at most a hundred names', async () => {
    const shown = async () =>
      (await renderDatabaseMetrics(fixture.orm)).match(/^trilho_unexplained_answers\{.*$/gm) ?? []
    await sql('delete from unexplained_answer')
    await record({ operation: 'refund', name: 'nova_recusa' })
    expect(await shown()).toEqual([
      'trilho_unexplained_answers{provider="PROVIDER_A",operation="refund",kind="unlisted_refusal",name="nova_recusa"} 1',
    ])
    await sql(`update unexplained_answer set last_seen_at = now() - interval '61 minutes'`)
    expect(await shown()).toEqual([])
    await sql(
      `insert into unexplained_answer (uuid, connection_uuid, operation, kind, status, name, sealed_body, is_cut, digest)
       select gen_random_uuid(), ?::uuid, 'refund', 'unlisted_refusal', 422, 'n' || n, '', false, n::text
       from generate_series(1, 150) n`,
      [connection],
    )
    expect(await shown()).toHaveLength(100)
    await sql('delete from unexplained_answer')
  })

  test('is deleted thirty days after it was last seen; an unresolved item is kept', async () => {
    const [old, young, item] = [randomUUID(), randomUUID(), randomUUID()]
    await record({ reference: old })
    await record({ reference: young })
    const period = { from: '2026-01-01T00:00:00.000Z', to: '2026-01-02T00:00:00.000Z' }
    await record({ kind: 'unreadable_item', operation: 'listDisputes', reference: item, period })
    await sql(
      `update unexplained_answer set last_seen_at = now() - interval '31 days' where reference in (?, ?)`,
      [old, item],
    )
    await pruneEvents({ orm: fixture.orm } as never)()
    expect([await rowsOf(old), await rowsOf(young), await rowsOf(item)].map(rows => rows.length)).toEqual([
      0, 1, 1,
    ])
    await sql('delete from unexplained_answer where reference = ?', [item])
  })
})

describe('an item that a list left out', () => {
  const [from, to] = ['2026-01-01T00:00:00.000Z', '2026-01-03T00:00:00.000Z']
  const at = (day: number) => `2026-01-0${day}T00:00:00.000Z`
  const item = { kind: 'unreadable_item' as const, operation: 'statement', name: '' }
  const periods = async () => {
    const [row] = await sql('select provider_account_uuid from connection where uuid = ?', [connection])
    const all = {
      operation: 'statement',
      providerAccountUuid: row.provider_account_uuid,
      limit: 10,
      lastSeenBefore: 'infinity',
    }
    return listQuarantinedPeriods(fixture.orm.em.fork(), all)
  }

  test('is listed again in the period shared by all its lists, until a list contains it no more', async () => {
    await record({ ...item, body: 'odd', period: { from, to } })
    await record({ ...item, body: 'odd', period: { from: at(2), to: at(5) } })
    expect(await periods()).toEqual([{ connectionUuid: connection, from: at(2), to }])
    expect(await renderDatabaseMetrics(fixture.orm)).toContain(
      'trilho_quarantined_items{provider="PROVIDER_A"} 1',
    )

    const em = fixture.orm.em.fork()
    const [period] = await periods()
    const listedAt = await readDatabaseTime(em)
    await record({ ...item, body: 'odd', period: { from: at(2), to } })
    await resolveUnexplainedItems(em, { operation: 'statement', period: period!, listedAt })
    expect(await periods()).toHaveLength(1)

    await resolveUnexplainedItems(em, {
      operation: 'statement',
      period: period!,
      listedAt: await readDatabaseTime(em),
    })
    expect(await periods()).toEqual([])
    await record({ ...item, body: 'odd', period: { from: at(2), to } })
    expect(await periods()).toHaveLength(1)
    await sql(`delete from unexplained_answer where operation = 'statement'`)
  })
})

describe('an operator', () => {
  const PATH = '/dashboard/operator/answers'
  let operator: ReturnType<typeof createBrowser>
  beforeAll(async () => {
    await addUser(fixture.orm.em.fork(), { email: 'op@answers.test', password: PASSWORD, accountUuid: null })
    operator = createBrowser(fixture)
    await operator.signIn('op@answers.test', PASSWORD)
  })

  test('sees the names with their counts, and opens a body with a recorded reason', async () => {
    const reference = randomUUID()
    await record({ reference, name: 'nunca_vista', body: HOSTILE })
    expect((await operator.get(PATH)).text).toContain('nunca_vista')
    const list = (await operator.get(`${PATH}?reference=${reference}`)).text
    const [{ uuid }] = await rowsOf(reference)
    expect(list).toContain(uuid)
    expect(list).not.toContain('alert(1)')

    const refusal = await operator.send(`${PATH}/open`, { uuid, reason: ' ' }, { on: PATH })
    expect(refusal.status).toBe(422)
    const opened = await operator.send(`${PATH}/open`, { uuid, reason: 'to extend the list' }, { on: PATH })
    expect(opened.status).toBe(200)
    expect(opened.text).toContain('&#60;script&#62;alert(1)&#60;/script&#62;')
    expect(opened.text).not.toContain('<script>alert(1)')
    expect(
      await sql('select actor, action, reason from operator_action where subject = ?', [`answer/${uuid}`]),
    ).toEqual([{ actor: 'op@answers.test', action: 'open_answer', reason: 'to extend the list' }])
  })

  test('gets nothing for an unknown id', async () => {
    const opened = await operator.send(
      `${PATH}/open`,
      { uuid: randomUUID(), reason: 'to extend the list' },
      { on: PATH },
    )
    expect(opened.status).toBe(404)
  })
})
