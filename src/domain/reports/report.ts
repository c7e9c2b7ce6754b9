import type { LedgerLineType, LedgerOperationType } from '../ledger/movement.ts'
import { computeBrasiliaDay, computeBrasiliaDayEnd } from '../shared/brasilia-day.ts'
import { DAY, MINUTE } from '../shared/intervals.ts'
import { createStateMachine } from '../shared/state-machine.ts'

/** Reports: files of what moved on some days of Brasília, made by a workflow and kept for 30 days. */

/** Lines of the statement that a report has. `belongsTo`: their movement belongs to a dispute, or to the charge of a recurrence. */
export type LineSelection = {
  types?: readonly LedgerLineType[]
  operationTypes?: readonly LedgerOperationType[]
  belongsTo?: 'dispute' | 'recurrence'
}

/** The kinds of reports whose lines are those of the statement; RECONCILIATION has the differences from the providers' statements. */
export const LINE_SELECTIONS = {
  LEDGER: {},
  PAYMENTS: { operationTypes: ['CHARGE', 'SPLIT', 'DEPOSIT'] },
  TRANSFERS: { operationTypes: ['TRANSFER'] },
  REFUNDS: { operationTypes: ['REFUND', 'RETURN'] },
  MEDS: { belongsTo: 'dispute' },
  FEES: { types: ['FEE'] },
  RECURRENCES: { belongsTo: 'recurrence' },
} as const satisfies Record<string, LineSelection>

export const REPORT_KINDS = [
  'LEDGER',
  'PAYMENTS',
  'TRANSFERS',
  'REFUNDS',
  'MEDS',
  'FEES',
  'RECURRENCES',
  'RECONCILIATION',
] as const satisfies (keyof typeof LINE_SELECTIONS | 'RECONCILIATION')[]
export type ReportKind = (typeof REPORT_KINDS)[number]

/** OFX is a statement with its closing balance, so it has all lines: LEDGER alone. */
export const REPORT_FORMATS = ['CSV', 'JSONL', 'OFX'] as const
export type ReportFormat = (typeof REPORT_FORMATS)[number]

export const DECIMAL_MARKS = ['POINT', 'COMMA'] as const
export type DecimalMark = (typeof DECIMAL_MARKS)[number]

export const REPORT_STATUSES = ['PENDING', 'READY', 'FAILED', 'EXPIRED'] as const
export type ReportStatus = (typeof REPORT_STATUSES)[number]

export type ReportState = 'pending' | 'building' | 'ready' | 'failed' | 'expired'
export type ReportEvent = 'started' | 'built' | 'failed' | 'removed'

/** SPEC §7. `removed`: its file is gone, after its time or by request. */
export const reportMachine = createStateMachine<ReportState, ReportStatus, ReportEvent>({
  pending: { status: 'PENDING', on: { started: 'building', failed: 'failed' } },
  building: { status: 'PENDING', on: { built: 'ready', failed: 'failed' } },
  ready: { status: 'READY', on: { removed: 'expired' } },
  failed: { status: 'FAILED', on: {}, isFinal: true },
  expired: { status: 'EXPIRED', on: {}, isFinal: true },
})

/** Why there is no file: it was cancelled, has too many lines, or storage and database did not allow it for hours. */
export const REPORT_FAILURES = ['cancelled', 'too_many_lines', 'not_built'] as const
export type ReportFailure = (typeof REPORT_FAILURES)[number]

/** Most days of one report: a quarter. */
export const MAX_REPORT_DAYS = 92
/** Most PENDING reports of an account; they are built one after the other. */
export const MAX_PENDING_REPORTS = 20
/** Most lines of one report. */
export const MAX_REPORT_LINES = 10_000_000
/** How long a file is kept. */
export const REPORT_LIFETIME_MS = 30 * DAY

/** Transactions that began before the end of a period are committed by then: its lines do not change any more. */
export const CLOSING_DELAY_MS = 5 * MINUTE

/** First and last day of a report in Brasília, `YYYY-MM-DD`, both included. */
export type ReportDays = { dateFrom: string; dateTo: string }

/** Computes from when up to when, exclusive, the days of a report are. */
export function computeReportRange({ dateFrom, dateTo }: ReportDays): { $gte: Date; $lt: Date } {
  return {
    $gte: new Date(computeBrasiliaDayEnd(dateFrom).getTime() - DAY),
    $lt: computeBrasiliaDayEnd(dateTo),
  }
}

/** Tests whether lines may still be added to the days of a report that is built at a moment. */
export function isPartialReport(days: ReportDays, at: Date): boolean {
  return at.getTime() < computeReportRange(days).$lt.getTime() + CLOSING_DELAY_MS
}

/** Counts the days of a report. */
export function countReportDays({ dateFrom, dateTo }: ReportDays): number {
  return (Date.parse(dateTo) - Date.parse(dateFrom)) / DAY + 1
}

/** Tests whether a day has started in Brasília. */
export function hasDayStarted(day: string, at: Date): boolean {
  return day <= computeBrasiliaDay(at)
}
