import { defineUpdate } from '@temporalio/workflow'
import type { DecimalMark, ReportFormat, ReportKind } from '../../domain/reports/report.ts'
import type { OrderAuthor } from './orders.ts'

/** The order of a report; it names no person. */
export type ReportInput = OrderAuthor & {
  uuid: string
  accountUuid: string
  /** The only connection whose lines it has; null: all of its mode. */
  connectionUuid: string | null
  isSimulated: boolean
  kind: ReportKind
  format: ReportFormat
  decimalMark: DecimalMark
  /** Days in Brasília, `YYYY-MM-DD`, both included. */
  dateFrom: string
  dateTo: string
  requestId: string
  fingerprint: string
  timeScale: number
}

/** Result of an attempt to build a report. `wait`: another one of the account, or of the worker, is built first. */
export type BuildReportResult =
  | { kind: 'wait' }
  /** `keepMs`: how long its file is kept from now. */
  | { kind: 'ready'; keepMs: number }
  | { kind: 'closed' }

/** `reason`: why a report that is not built yet has no file. */
export type CloseReportInput = { uuid: string; reason: 'cancelled' | 'not_built' }

/** Update: ends a report before its time, PENDING or READY; completes when its file is gone. */
export const removeReportUpdate = defineUpdate<void>('removeReport')
