import {
  createReportBody,
  replaceSchedulesBody,
  reportSchema,
  reportsQuery,
  schedulesSchema,
} from '../../contract/reports/report.ts'
import { dataResponse, pageResponse } from '../../contract/shared/fields.ts'
import { buildContentDisposition } from '../../storage/storage.ts'
import type { RouteRegistrar } from '../app.ts'
import { registerRoute } from '../http/route.ts'
import { readReportSchedules, replaceReportSchedules } from '../operations/report-schedules.ts'
import {
  createReport,
  deleteReport,
  listReports,
  openReportFile,
  REPORTS_PATH,
  readReport,
} from '../operations/reports.ts'

/** Registers the routes of reports (SPEC §7). */
export const reportRoutes: RouteRegistrar = (router, dependencies) => {
  const { temporal } = dependencies

  registerRoute(router, 'post', REPORTS_PATH, {
    isIdempotent: true,
    operationId: 'createReport',
    scope: 'read',
    summary: 'Order a report of at most 92 days',
    description:
      'Its file is made in the background, one of an account at a time, and kept for 30 days. Days are those of Brasília. A report of days that are over has the same bytes whenever it is made, RECONCILIATION excepted.',
    body: createReportBody,
    responses: {
      202: dataResponse(reportSchema),
      errors: ['account_blocked', 'report_limit', 'overloaded', 'not_confirmed'],
    },
    handle: request => createReport(temporal, request),
  })

  registerRoute(router, 'get', REPORTS_PATH, {
    operationId: 'listReports',
    scope: 'read',
    summary: 'List reports',
    description: 'Newest first, those without a file included.',
    query: reportsQuery,
    responses: { 200: pageResponse(reportSchema) },
    handle: async ({ em, token, query }) => ({ body: await listReports(em, token, query) }),
  })

  // Before a report: `schedules` is no uuid of one.
  registerRoute(router, 'get', `${REPORTS_PATH}/schedules`, {
    operationId: 'getReportSchedules',
    scope: 'read',
    summary: 'Read the schedules of reports',
    responses: { 200: dataResponse(schedulesSchema) },
    handle: async ({ em, token }) => ({ body: { data: await readReportSchedules(em, token) } }),
  })

  registerRoute(router, 'put', `${REPORTS_PATH}/schedules`, {
    operationId: 'replaceReportSchedules',
    scope: 'read',
    summary: 'Replace the schedules of reports',
    description:
      'Each orders a report of the day before, or of the seven days before, after its hour of Brasília; none orders any more that is not sent.',
    body: replaceSchedulesBody,
    responses: { 200: dataResponse(schedulesSchema), errors: ['not_confirmed'] },
    handle: async ({ em, token, requestId, body }) => ({
      body: { data: await replaceReportSchedules({ em, token, requestId, body }) },
    }),
  })

  registerRoute(router, 'get', `${REPORTS_PATH}/:uuid`, {
    operationId: 'getReport',
    scope: 'read',
    summary: 'Read a report',
    responses: { 200: dataResponse(reportSchema) },
    handle: async ({ em, token, params: { uuid } }) => ({
      body: { data: await readReport(em, token, uuid) },
    }),
  })

  registerRoute(router, 'get', `${REPORTS_PATH}/:uuid/download`, {
    operationId: 'downloadReport',
    scope: 'read',
    summary: 'Download the file of a READY report',
    description: 'In the format of the report, which has its length and its digest.',
    responses: { 200: 'application/octet-stream', errors: ['report_not_ready'] },
    async handle({ em, token, params: { uuid } }) {
      const { stream, name } = await openReportFile(dependencies, { em, token, uuid })
      return {
        body: stream,
        headers: {
          'Content-Disposition': buildContentDisposition(name),
          'Cache-Control': 'private, no-store',
        },
      }
    },
  })

  registerRoute(router, 'delete', `${REPORTS_PATH}/:uuid`, {
    operationId: 'deleteReport',
    scope: 'read',
    summary: 'Cancel a report, or delete its file',
    description: 'A PENDING report is FAILED then, a READY one EXPIRED; any other is answered as it is.',
    responses: { 200: dataResponse(reportSchema), errors: ['not_confirmed'] },
    handle: async ({ em, token, params: { uuid } }) => ({
      body: { data: await deleteReport(temporal, { em, token, uuid }) },
    }),
  })
}
