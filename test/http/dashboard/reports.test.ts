import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { addUser } from '../../../src/admin/users.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { createBrowser } from '../support/browser.ts'
import { PASSWORD } from '../support/full-account.ts'
import { openReportFixture } from '../support/report-fixture.ts'

/** The page of reports: a report is ordered, downloaded and deleted, or ordered by a schedule. */

const PATH = '/dashboard/reports'
const OCTOBER = { kind: 'LEDGER', format: 'CSV', date_from: '2026-10-01', date_to: '2026-10-31' }

let fixture: Awaited<ReturnType<typeof openReportFixture>>
let viewer: ReturnType<typeof createBrowser>
beforeAll(async () => {
  fixture = await openReportFixture([dashboardRoutes])
  const accountUuid = await fixture.insertAccount()
  await fixture.insertConnection(accountUuid)
  const email = 'view@loja.example'
  await addUser(fixture.orm.em.fork(), { email, password: PASSWORD, accountUuid, role: 'viewer' })
  viewer = createBrowser(fixture, { language: 'en' })
  await viewer.signIn(email, PASSWORD)
})
afterAll(() => fixture?.close())

const readReports = () =>
  fixture.orm.em.fork().execute('select uuid, state, decimal_mark, user_uuid from report')
const order = (fields: object = {}) =>
  viewer.send(PATH, { ...OCTOBER, once: randomUUID(), ...fields } as Record<string, string>)

test('a viewer orders a report, downloads its file, and deletes it after a confirmation', async () => {
  const once = randomUUID()
  for (let times = 0; times < 2; times++)
    expect((await order({ once })).headers.get('location')).toContain('done=report_ordered')
  const [report, ...others] = (await readReports()) as [{ uuid: string }]
  expect([others, report]).toMatchObject([
    [],
    { state: 'pending', decimal_mark: 'POINT', user_uuid: expect.any(String) },
  ])
  expect((await viewer.get(PATH)).text).toContain('Being made')
  await fixture.build(report.uuid)
  const page = await viewer.get(PATH)
  expect(page.text).toContain(`${PATH}/${report.uuid}/file?mode=test`)
  const file = await viewer.get(`${PATH}/${report.uuid}/file?mode=test`)
  expect([file.status, file.headers.get('content-disposition')]).toEqual([
    200,
    'attachment; filename="ledger-2026-10-01-2026-10-31.csv"',
  ])
  expect(file.text).toContain('balance_after')
  const removed = await viewer.confirm(`${PATH}/${report.uuid}/remove?mode=test`, {}, { on: PATH })
  expect(removed.headers.get('location')).toContain('done=report_removed')
  expect((await viewer.get(PATH)).text).toContain('Deleted')
  expect((await viewer.get(`${PATH}/${report.uuid}/file?mode=test`)).status).toBe(409)
})

test('a wrong field is named in the form, which keeps what was typed', async () => {
  const { status, text } = await order({ date_from: '2026-01-01', kind: 'FEES', format: 'OFX' })
  expect(status).toBe(422)
  for (const part of [
    'must be within 92 days of the first day',
    'must be CSV or JSONL',
    'value="2026-01-01"',
  ])
    expect(text).toContain(part)
})

describe('scheduled reports', () => {
  const SCHEDULES = `${PATH}/schedules`
  const MONTHLY = { kind: 'LEDGER', format: 'OFX', day: 'MONTHLY', hour: '6' }
  const schedule = (fields: object = {}) => viewer.send(SCHEDULES, { ...MONTHLY, ...fields })
  const readSchedules = () =>
    fixture.orm.em.fork().execute('select kind, frequency, weekday, hour from report_schedule order by hour')

  test('are added once, listed with their day, and ended one by one', async () => {
    for (let times = 0; times < 2; times++)
      expect((await schedule()).headers.get('location')).toContain('done=report_scheduled')
    await schedule({ kind: 'FEES', format: 'CSV', day: 'WEEKLY 3', hour: '0' })
    const weekly = { kind: 'FEES', frequency: 'WEEKLY', weekday: 3, hour: 0 }
    const monthly = { kind: 'LEDGER', frequency: 'MONTHLY', weekday: null, hour: 6 }
    expect(await readSchedules()).toEqual([weekly, monthly])
    const { text } = await viewer.get(`${SCHEDULES}?mode=test`)
    for (const part of ['On the 1st of each month', 'Every week: Wednesday', '06:00'])
      expect(text).toContain(part)
    const portuguese = await viewer.get(`${SCHEDULES}?mode=test&lang=pt-BR`)
    expect((await viewer.get(portuguese.headers.get('location')!)).text).toContain(
      'Toda semana: quarta-feira',
    )
    await viewer.get(`${SCHEDULES}?lang=en`)
    const terms = /name="schedule" value="(LEDGER [^"]+)"/.exec(text)![1]!
    for (let times = 0; times < 2; times++) {
      const ended = await viewer.send(`${SCHEDULES}/remove?mode=test`, { schedule: terms }, { on: SCHEDULES })
      expect(ended.headers.get('location')).toContain('done=report_unscheduled')
    }
    expect(await readSchedules()).toEqual([weekly])
  })

  test('a statement as OFX of fees alone is refused in the form', async () => {
    const { status, text } = await schedule({ kind: 'FEES' })
    expect(status).toBe(422)
    expect(text).toContain('must be CSV or JSONL')
  })
})
