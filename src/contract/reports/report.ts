import { z } from 'zod'
import type { Report, ReportSchedule } from '../../db/entities/report.ts'
import {
  countReportDays,
  DECIMAL_MARKS,
  hasDayStarted,
  MAX_REPORT_DAYS,
  REPORT_FAILURES,
  REPORT_FORMATS,
  REPORT_KINDS,
  REPORT_STATUSES,
  type ReportFormat,
  type ReportKind,
  reportMachine,
} from '../../domain/reports/report.ts'
import { MAX_REPORT_SCHEDULES, REPORT_FREQUENCIES } from '../../domain/reports/report-schedule.ts'
import {
  addFieldIssue,
  caseInsensitiveEnum,
  day,
  instantSchema,
  namesQuery,
  pageQueryFields,
  requireDaysInOrder,
  rowTimes,
  uuidSchema,
  uuidsQuery,
} from '../shared/fields.ts'

/** Reports (SPEC §7): files that are made in the background. */

const reportDay = (text: string) => day.meta({ description: `${text}, by the clocks of Brasília` })

/** What a report has, and how it is written, whatever its days are. */
const reportTerms = {
  kind: caseInsensitiveEnum(REPORT_KINDS).meta({
    description:
      'LEDGER: all lines of the statement. PAYMENTS, TRANSFERS, REFUNDS: those of such operations, with their fees. MEDS, RECURRENCES: those of disputes, and of charges of recurrences. FEES: fees alone. RECONCILIATION: differences between the statements of providers and the ledger',
  }),
  format: caseInsensitiveEnum(REPORT_FORMATS).meta({ description: 'OFX for LEDGER only' }),
  provider_uuid: uuidSchema
    .optional()
    .meta({ description: 'Only this provider of the account; a bound token has its own' }),
  decimal: caseInsensitiveEnum(DECIMAL_MARKS)
    .default('POINT')
    .meta({ description: 'Decimal separator of CSV; a Brazilian Excel reads COMMA' }),
}

type ReportTerms = { kind: ReportKind; format: ReportFormat }

/** Refines a body: a statement as OFX has all lines. */
function requireStatementAsOfx({ kind, format }: ReportTerms, context: z.RefinementCtx): void {
  if (format === 'OFX' && kind !== 'LEDGER')
    addFieldIssue(context, 'format', 'must be CSV or JSONL for this kind')
}

export const createReportBody = z
  .strictObject({
    ...reportTerms,
    date_from: reportDay('The first day'),
    date_to: reportDay(
      `The last day, at most ${MAX_REPORT_DAYS} days in all; today makes the report partial`,
    ),
  })
  .superRefine(requireDaysInOrder)
  .superRefine(requireStatementAsOfx)
  .superRefine(({ date_from: dateFrom, date_to: dateTo }, context) => {
    if (countReportDays({ dateFrom, dateTo }) > MAX_REPORT_DAYS)
      addFieldIssue(context, 'date_to', 'must be within 92 days of the first day')
    if (!hasDayStarted(dateTo, new Date())) addFieldIssue(context, 'date_to', 'must not be after today')
  })
export type CreateReportBody = z.output<typeof createReportBody>

export const reportsQuery = z.strictObject({
  ...pageQueryFields,
  uuid: uuidsQuery,
  kind: namesQuery(REPORT_KINDS, 'Reports of these kinds'),
  status: namesQuery(REPORT_STATUSES, 'Reports with one of these statuses'),
})
export type ReportsQuery = z.output<typeof reportsQuery>

export const reportSchema = z
  .object({
    uuid: uuidSchema,
    kind: z.enum(REPORT_KINDS),
    format: z.enum(REPORT_FORMATS),
    date_from: reportDay('The first day'),
    date_to: reportDay('The last day'),
    provider_uuid: uuidSchema.nullable().meta({ description: 'Null: all providers' }),
    decimal: z.enum(DECIMAL_MARKS),
    status: z.enum(REPORT_STATUSES).meta({ description: 'READY: its file can be downloaded' }),
    failure: z
      .enum(REPORT_FAILURES)
      .nullable()
      .meta({ description: 'Why it FAILED; `not_built`: order it again' }),
    is_partial: z
      .boolean()
      .nullable()
      .meta({ description: 'Whether its last day was not over when it was built; null before' }),
    lines: z.int().min(0).nullable(),
    size_bytes: z.int().min(0).nullable(),
    sha256: z
      .string()
      .nullable()
      .meta({ description: 'Of the file, in hexadecimal; kept when the file is gone' }),
    built_at: instantSchema.nullable(),
    expires_at: instantSchema.nullable().meta({ description: 'Until when the file is kept' }),
    ...rowTimes,
  })
  .meta({ id: 'Report' })

/** Presents a report. */
export function showReport(row: Report): z.output<typeof reportSchema> {
  return {
    uuid: row.uuid,
    kind: row.kind,
    format: row.format,
    date_from: row.dateFrom,
    date_to: row.dateTo,
    provider_uuid: row.connectionUuid ?? null,
    decimal: row.decimalMark,
    status: reportMachine.statusOf(row.state),
    failure: row.failure ?? null,
    is_partial: row.isPartial ?? null,
    lines: row.lineCount ?? null,
    size_bytes: row.sizeBytes ?? null,
    sha256: row.sha256 ?? null,
    built_at: row.builtAt ?? null,
    expires_at: row.expiresAt ?? null,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  }
}

const scheduleFields = {
  frequency: caseInsensitiveEnum(REPORT_FREQUENCIES).meta({
    description:
      'DAILY: of the day before. WEEKLY: of the seven days before. MONTHLY: of the month before, on its 1st',
  }),
  weekday: z
    .int()
    .min(1)
    .max(7)
    .nullable()
    .optional()
    .meta({ description: 'Of WEEKLY, on which day it is ordered: 1 is Monday' }),
  hour: z.int().min(0).max(23).meta({ description: 'After which hour of Brasília it is ordered' }),
}

export const reportScheduleBody = z
  .strictObject({ ...reportTerms, ...scheduleFields })
  .superRefine(requireStatementAsOfx)
  .superRefine(({ frequency, weekday }, context) => {
    if ((frequency === 'WEEKLY') !== (typeof weekday === 'number'))
      addFieldIssue(context, 'weekday', 'must be sent for WEEKLY, and for no other frequency')
  })
  .meta({ id: 'ReportScheduleOrder' })
export type ReportScheduleBody = z.output<typeof reportScheduleBody>

export const replaceSchedulesBody = z.strictObject({
  schedules: z.array(reportScheduleBody).max(MAX_REPORT_SCHEDULES),
})

const scheduleSchema = z
  .object({
    kind: z.enum(REPORT_KINDS),
    format: z.enum(REPORT_FORMATS),
    provider_uuid: uuidSchema.nullable().meta({ description: 'Null: all providers' }),
    decimal: z.enum(DECIMAL_MARKS),
    frequency: z.enum(REPORT_FREQUENCIES),
    weekday: z.int().min(1).max(7).nullable(),
    hour: z.int().min(0).max(23),
    created_at: instantSchema,
  })
  .meta({ id: 'ReportSchedule' })

export const schedulesSchema = z
  .object({ schedules: z.array(scheduleSchema) })
  .meta({ id: 'ReportSchedules' })

/** Presents the schedules of an account. */
export function showSchedules(rows: ReportSchedule[]): z.output<typeof schedulesSchema> {
  const schedules = rows.map(row => ({
    kind: row.kind,
    format: row.format,
    provider_uuid: row.connectionUuid ?? null,
    decimal: row.decimalMark,
    frequency: row.frequency,
    weekday: row.weekday ?? null,
    hour: row.hour,
    created_at: row.createdAt,
  }))
  return { schedules }
}
