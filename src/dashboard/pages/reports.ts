import {
  createReport,
  deleteReport,
  listReports,
  openReportFile,
  readReport,
} from '../../api/operations/reports.ts'
import { createReportBody, reportsQuery } from '../../contract/reports/report.ts'
import { REPORT_FORMATS, REPORT_KINDS } from '../../domain/reports/report.ts'
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

/** Registers the page of reports: what was ordered, its files, and the form of a new one. */
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
