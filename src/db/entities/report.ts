import { defineEntity } from '@mikro-orm/core'
import type {
  DecimalMark,
  ReportFailure,
  ReportFormat,
  ReportKind,
  ReportState,
} from '../../domain/reports/report.ts'
import type { ReportTimes } from '../../domain/reports/report-schedule.ts'
import { orderAuthorColumns, timestampColumn, unionColumn } from './columns.ts'

const schema = defineEntity({
  name: 'Report',
  properties: p => ({
    uuid: p.uuid().primary(),
    accountUuid: p.uuid(),
    isSimulated: p.boolean(),
    /** The only connection whose lines it has. */
    connectionUuid: p.uuid().nullable(),
    kind: unionColumn<ReportKind>(),
    format: unionColumn<ReportFormat>(),
    decimalMark: unionColumn<DecimalMark>(),
    /** Days in Brasília, `YYYY-MM-DD`, both included. */
    dateFrom: p.text(),
    dateTo: p.text(),
    state: unionColumn<ReportState>(),
    failure: unionColumn<ReportFailure>().nullable(),
    /** Key of the file in the storage, of the last attempt to write it. */
    fileKey: p.text().nullable(),
    /** `FileKey`, sealed; null where there is no file. */
    sealedFile: p.text().nullable(),
    lineCount: p.integer().nullable(),
    /** Of the file as it is downloaded. */
    sizeBytes: p.bigint('number').nullable(),
    sha256: p.text().nullable(),
    /** Lines could still be added to its days when it was built. */
    isPartial: p.boolean().nullable(),
    builtAt: timestampColumn().nullable(),
    expiresAt: timestampColumn().nullable(),
    /** Counts its events. */
    sequence: p.integer(),
    ...orderAuthorColumns(),
    requestId: p.text(),
    fingerprint: p.text(),
    createdAt: timestampColumn(),
    updatedAt: timestampColumn(),
  }),
})

/** A report of an account: its order, and the digest of its file. */
export class Report extends schema.class {
  /** Written by `transition` alone (src/activities/shared/transition.ts). */
  declare readonly state: ReportState
}
schema.setClass(Report)

const reportSchedule = defineEntity({
  name: 'ReportSchedule',
  properties: p => ({
    uuid: p.uuid().primary(),
    accountUuid: p.uuid(),
    isSimulated: p.boolean(),
    /** The only connection whose lines its reports have. */
    connectionUuid: p.uuid().nullable(),
    kind: unionColumn<ReportKind>(),
    format: unionColumn<ReportFormat>(),
    decimalMark: unionColumn<DecimalMark>(),
    frequency: unionColumn<ReportTimes['frequency']>(),
    weekday: p.integer().nullable(),
    hour: p.integer(),
    /** Day in Brasília on which it was due last, whose report is ordered. */
    orderedOn: p.text(),
    ...orderAuthorColumns(),
    requestId: p.text(),
    createdAt: timestampColumn(),
  }),
})

/** A schedule that orders a report of the days before, every day, every week or every month. */
export class ReportSchedule extends reportSchedule.class {}
reportSchedule.setClass(ReportSchedule)
