import type { Body, Call, CallOptions, Filters, KeyedCallOptions } from '../call.ts'
import type { Report, ReportSchedules } from '../openapi/types.ts'
import { defineList, iterateList } from '../pages.ts'

/** Files of what moved on some days, which are made in the background and kept for 30 days. */
export const createReports = (call: Call) => ({
  /** Orders a report. It is PENDING; read it until it is READY. */
  create: (body: Body<'createReport'>, options?: KeyedCallOptions): Promise<Report> =>
    call('createReport', { body }, options),
  /** Lists reports, a page of them. */
  list: defineList<'listReports', Report>((query, options) => call('listReports', { query }, options)),
  /** Iterates over all reports that match. */
  listAll: (query?: Filters<'listReports'>, options?: CallOptions): AsyncGenerator<Report> =>
    iterateList(query, page => call('listReports', { query: page }, options)),
  /** Reads a report. */
  get: (uuid: string, options?: CallOptions): Promise<Report> =>
    call('getReport', { path: { uuid } }, options),
  /** Reads the file of a READY report, as one text in memory. */
  download: (uuid: string, options?: CallOptions): Promise<string> =>
    call('downloadReport', { path: { uuid } }, options),
  /** Reads the schedules that order reports. */
  getSchedules: (options?: CallOptions): Promise<ReportSchedules> => call('getReportSchedules', {}, options),
  /** Replaces the schedules: none orders any more that is not sent. */
  replaceSchedules: (body: Body<'replaceReportSchedules'>, options?: CallOptions): Promise<ReportSchedules> =>
    call('replaceReportSchedules', { body }, options),
  /** Cancels a report that is PENDING, or deletes the file of a READY one. */
  delete: (uuid: string, options?: CallOptions): Promise<Report> =>
    call('deleteReport', { path: { uuid } }, options),
})
export type Reports = ReturnType<typeof createReports>
