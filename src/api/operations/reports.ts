import { randomUUID } from 'node:crypto'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { type CreateReportBody, type ReportsQuery, showReport } from '../../contract/reports/report.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Connection } from '../../db/entities/connection.ts'
import { Report } from '../../db/entities/report.ts'
import { MAX_PENDING_REPORTS, reportMachine } from '../../domain/reports/report.ts'
import { fail, failField } from '../../http/api-error.ts'
import { createFileDecipher, type FileKey } from '../../security/sealed-file.ts'
import type { Sealer } from '../../security/sealing.ts'
import type { FileStorage } from '../../storage/storage.ts'
import { executeRemoveReportUpdate, startReportWorkflow } from '../../temporal/start.ts'
import type { TemporalContext } from '../../temporal/workflow-options.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { visibleConnections } from '../authorization/visibility.ts'
import { type CreateRequest, createOperation } from './create-operation.ts'
import { mapPage, readEntityPage } from './pagination.ts'
import { prepareWorkflowCall, readOrFailNotConfirmed } from './start-and-wait.ts'

export const REPORTS_PATH = '/api/v1/reports'

/** Builds the filter of the reports that a token may see: of its mode, and a bound one those of its provider alone. */
export function buildReportVisibilityFilter({ accountUuid, connectionUuid, mode }: CallerToken) {
  return {
    accountUuid,
    isSimulated: mode === 'test',
    ...(connectionUuid !== null && { connectionUuid }),
  }
}

/** Reads a report that the token may see, or fails with 404. */
async function requireVisibleReport(em: EntityManager, token: CallerToken, uuid: string): Promise<Report> {
  return (
    (await em.fork().findOne(Report, { uuid, ...buildReportVisibilityFilter(token) })) ?? fail('not_found')
  )
}

export async function readReport(em: EntityManager, token: CallerToken, uuid: string) {
  return showReport(await requireVisibleReport(em, token, uuid))
}

/** Lists one page of the reports that a token may see, newest first. */
export async function listReports(em: EntityManager, token: CallerToken, query: ReportsQuery) {
  const { uuid, kind, status } = query
  const filter = {
    ...buildReportVisibilityFilter(token),
    ...(uuid && { uuid: { $in: uuid } }),
    ...(kind && { kind: { $in: kind } }),
    ...(status && { state: { $in: status.flatMap(reportMachine.statesShowing) } }),
  }
  return mapPage(await readEntityPage(em, Report, { name: 'report', query, filter }), showReport)
}

/** Orders a report, or replays the response of the same Idempotency-Key. Its workflow builds the file. */
export function createReport(temporal: TemporalContext, request: CreateRequest<CreateReportBody>) {
  const { body, token, em } = request
  const { accountUuid } = token
  const { kind, format, decimal: decimalMark, date_from: dateFrom, date_to: dateTo } = body
  const connectionUuid = token.connectionUuid ?? body.provider_uuid ?? null
  const isSimulated = token.mode === 'test'
  return createOperation(temporal, request, {
    noun: 'report',
    path: REPORTS_PATH,
    find: uuid => em.fork().findOne(Report, { uuid, accountUuid }),
    async validate() {
      if (!(await isReportableConnection(em, token, connectionUuid)))
        failField('provider_uuid', 'must be a provider of the account')
      const pending = { accountUuid, state: { $in: reportMachine.statesShowing('PENDING') } }
      if ((await em.fork().count(Report, pending)) >= MAX_PENDING_REPORTS) fail('report_limit')
    },
    start(order, _, waitMs) {
      const terms = { kind, format, decimalMark, dateFrom, dateTo }
      return startReportWorkflow(temporal, { ...order, connectionUuid, isSimulated, ...terms }, waitMs)
    },
    present: (row, { headers }) => ({ status: 202 as const, headers, body: { data: showReport(row) } }),
  })
}

/** Tests whether a token may have reports of a connection, or, where it names none, of all. */
export async function isReportableConnection(
  em: EntityManager,
  token: CallerToken,
  uuid: string | null,
): Promise<boolean> {
  if (uuid === null) return true
  const { accountUuid, mode } = token
  const named = { uuid, accountUuid, isSimulated: mode === 'test', ...visibleConnections(token) }
  return (await em.fork().count(Connection, named)) > 0
}

type ReportReference = { em: EntityManager; token: CallerToken; uuid: string }

/** Ends a report before its time: one that is PENDING fails, the file of a READY one is deleted. Safe to repeat. */
export async function deleteReport(temporal: TemporalContext, { em, token, uuid }: ReportReference) {
  const report = await requireVisibleReport(em, token, uuid)
  if (reportMachine.isFinal(report.state)) return showReport(report)
  const act = { token, action: 'report_delete', subject: `report/${uuid}` } as const
  const deadline = await prepareWorkflowCall(temporal, { em, ids: { uuid }, act })
  return readOrFailNotConfirmed({ uuid }, async () => {
    await executeRemoveReportUpdate(temporal, uuid, {
      updateId: randomUUID(),
      waitMs: deadline.stepTimeoutMs(),
    })
    return readReport(em, token, uuid)
  })
}

type ReportFile = { stream: Readable; name: string }

/**
 * Opens the file of a READY report; fails with 409 where there is none. Its length is not to be sent with it, so that a file that was
 * altered ends in an error and is never received as whole.
 */
export async function openReportFile(
  { sealer, storage }: { sealer: Sealer; storage: FileStorage },
  { em, token, uuid }: ReportReference,
): Promise<ReportFile> {
  const { format, kind, dateFrom, dateTo, fileKey, sealedFile } = await requireVisibleReport(em, token, uuid)
  if (!fileKey || !sealedFile) fail('report_not_ready')
  // Its workflow may have deleted it since.
  const file = (await storage.openFile(fileKey)) ?? fail('report_not_ready')
  const decipher = createFileDecipher(sealer.open<FileKey>(sealedFile))
  return {
    stream: pipeline(file.stream, decipher, createGunzip(), () => {}),
    name: `${kind}-${dateFrom}-${dateTo}.${format}`.toLowerCase(),
  }
}
