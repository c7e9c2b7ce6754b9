import { z } from 'zod'
import {
  changeReportSchedules,
  formatScheduleTerms,
  readReportSchedules,
} from '../../api/operations/report-schedules.ts'
import {
  createReport,
  deleteReport,
  listReports,
  openReportFile,
  readReport,
} from '../../api/operations/reports.ts'
import { createReportBody, reportScheduleBody, reportsQuery } from '../../contract/reports/report.ts'
import { REPORT_FORMATS, REPORT_KINDS } from '../../domain/reports/report.ts'
import { REPORT_FREQUENCIES } from '../../domain/reports/report-schedule.ts'
import { DEFAULT_TIME_ZONE } from '../../domain/shared/time-zone.ts'
import type { Confirmation } from '../http/confirmation.ts'
import { parseFormFields, readSubmissionKey } from '../http/form.ts'
import { createPage, redirect } from '../http/page.ts'
import type { PageContext } from '../http/page-context.ts'
import type { DashboardRouter } from '../http/router.ts'
import { listConnections, restrictToOneMode } from './connections.ts'
import { listByFilters } from './filtered-list.ts'
import { listPeriods } from './list-controls.ts'

const PATH = '/dashboard/reports'
const SCHEDULES_PATH = `${PATH}/schedules`

const endFormSchema = z.object({ schedule: z.string().max(200) })

/** Registers the page of reports: what was ordered, its files, and the form of a new one; and the page of what orders them by itself. */
export function registerReportPages({ get, post, dashboard }: DashboardRouter): void {
  get('money.read', PATH, renderReports)

  post('money.read', PATH, {
    async handle(visit) {
      const { em, form, requestId } = visit
      const { token } = await restrictToOneMode(visit)
      const fields = { ...Object.fromEntries(form), decimal: visit.language === 'en' ? 'POINT' : 'COMMA' }
      const body = parseFormFields(createReportBody, fields)
      const idempotencyKey = readSubmissionKey(form)
      await createReport(dashboard.temporal, { em, token, body, requestId, idempotencyKey })
      return redirect(PATH, 'report_ordered', token.mode)
    },
    renderForm: renderReports,
  })

  // Before the forms of a report: `schedules` is no uuid of one.
  get('money.read', SCHEDULES_PATH, renderSchedules)

  post('money.read', SCHEDULES_PATH, {
    async handle(visit) {
      const { em, form, requestId } = visit
      const { token } = await restrictToOneMode(visit)
      const schedule = parseFormFields(reportScheduleBody, readScheduleFields(visit, form))
      await changeReportSchedules({ em, token, requestId }, { keeps: () => true, added: [schedule] })
      return redirect(SCHEDULES_PATH, 'report_scheduled', token.mode)
    },
    renderForm: renderSchedules,
  })

  post('money.read', `${SCHEDULES_PATH}/remove`, {
    async handle(visit) {
      const { em, form, requestId } = visit
      const { token } = await restrictToOneMode(visit)
      const { schedule } = parseFormFields(endFormSchema, form)
      await changeReportSchedules({ em, token, requestId }, { keeps: terms => terms !== schedule, added: [] })
      return redirect(SCHEDULES_PATH, 'report_unscheduled', token.mode)
    },
    renderForm: renderSchedules,
  })

  get('money.read', `${PATH}/:uuid/file`, async visit => {
    const { em, params } = visit
    const { token } = await restrictToOneMode(visit)
    const file = await openReportFile(dashboard, { em, token, uuid: params.uuid })
    return { kind: 'file', type: 'application/octet-stream', name: file.name, body: file.stream }
  })

  post('money.read', `${PATH}/:uuid/remove`, {
    confirm: confirmRemoval,
    async handle(visit) {
      const { em, params } = visit
      const { token } = await restrictToOneMode(visit)
      await deleteReport(dashboard.temporal, { em, token, uuid: params.uuid })
      return redirect(PATH, 'report_removed', token.mode)
    },
    renderForm: renderReports,
  })
}

async function confirmRemoval(visit: PageContext<'merchant'>): Promise<Confirmation | null> {
  const { em, params, t, f } = visit
  const { token } = await restrictToOneMode(visit)
  const { kind, status, date_from: from, date_to: to } = await readReport(em.fork(), token, params.uuid)
  if (status === 'FAILED' || status === 'EXPIRED') return null
  const isPending = status === 'PENDING'
  return {
    title: t(isPending ? 'report.cancelAsk' : 'report.removeAsk'),
    button: t(isPending ? 'report.cancel' : 'report.remove'),
    facts: [
      { name: 'report.kind', value: t(`report.${kind}`) },
      { name: 'report.days', value: `${f.date(from)} – ${f.date(to)}` },
    ],
    means: t('report.removeMeans'),
    isDangerous: true,
    back: `${PATH}?mode=${token.mode}`,
  }
}

async function renderReports(visit: PageContext<'merchant'>) {
  const { token, modes } = await restrictToOneMode(visit)
  const list = await listByFilters(visit, reportsQuery, query => listReports(visit.em.fork(), token, query))
  return createPage(
    'reports',
    {
      ...list,
      moves: list.rows.some(({ status }) => status === 'PENDING'),
      mode: token.mode,
      modes,
      connections: await listConnections(visit.em, token),
      kinds: REPORT_KINDS,
      formats: REPORT_FORMATS,
      days: listPeriods({ timeZone: DEFAULT_TIME_ZONE }).lastMonth,
    },
    PATH,
  )
}

/** Days of the week from Monday, as `weekday` of a schedule has them. */
const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7]

/** What the form offers as its day: `DAILY`, `WEEKLY 1`, `MONTHLY`. */
const SCHEDULE_DAYS = REPORT_FREQUENCIES.flatMap(frequency =>
  (frequency === 'WEEKLY' ? WEEKDAYS : [null]).map(weekday => ({ frequency, weekday })),
)
const formatScheduleDay = ({ frequency, weekday }: { frequency: string; weekday: number | null }) =>
  weekday === null ? frequency : `${frequency} ${weekday}`

function readScheduleFields({ language }: Pick<PageContext, 'language'>, form: URLSearchParams) {
  const [frequency = '', weekday] = (form.get('day') ?? '').split(' ')
  return {
    ...Object.fromEntries(form),
    frequency,
    hour: Number(form.get('hour') || Number.NaN),
    decimal: language === 'en' ? 'POINT' : 'COMMA',
    ...(weekday !== undefined && { weekday: Number(weekday) }),
  }
}

async function renderSchedules(visit: PageContext<'merchant'>) {
  const { em, t, f } = visit
  const { token, modes } = await restrictToOneMode(visit)
  const { schedules } = await readReportSchedules(em, token)
  const nameDay = (one: { frequency: string; weekday: number | null }) =>
    t(`schedule.${one.frequency}`, { day: one.weekday === null ? '' : f.weekday(one.weekday) })
  return createPage(
    'report-schedules',
    {
      mode: token.mode,
      modes,
      rows: schedules.map(one => ({ ...one, terms: formatScheduleTerms(one), day: nameDay(one) })),
      connections: await listConnections(em, token),
      kinds: REPORT_KINDS,
      formats: REPORT_FORMATS,
      days: SCHEDULE_DAYS.map(one => [formatScheduleDay(one), nameDay(one)]),
      hours: Array.from({ length: 24 }, (_, hour) => [String(hour), `${String(hour).padStart(2, '0')}:00`]),
    },
    SCHEDULES_PATH,
  )
}
