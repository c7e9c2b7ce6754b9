import type { z } from 'zod'
import { EXAMPLE_UUIDS } from '../shared/example-values.ts'
import type { createReportBody, replaceSchedulesBody, reportSchema, schedulesSchema } from './report.ts'

/** Examples of the OpenAPI document: the statement of a month. */

export const CREATE_REPORT_EXAMPLE: z.input<typeof createReportBody> = {
  kind: 'LEDGER',
  format: 'CSV',
  date_from: '2026-10-01',
  date_to: '2026-10-31',
  decimal: 'COMMA',
}

const ordered = {
  kind: 'LEDGER',
  format: 'CSV',
  date_from: '2026-10-01',
  date_to: '2026-10-31',
  decimal: 'COMMA',
  uuid: EXAMPLE_UUIDS.report,
  provider_uuid: null,
  failure: null,
  created_at: '2026-11-21T14:02:11.307000Z',
} as const

export const CREATED_REPORT_EXAMPLE: z.input<typeof reportSchema> = {
  ...ordered,
  status: 'PENDING',
  is_partial: null,
  lines: null,
  size_bytes: null,
  sha256: null,
  built_at: null,
  expires_at: null,
  updated_at: '2026-11-21T14:02:11.307000Z',
}

const built = {
  ...ordered,
  is_partial: false,
  lines: 18_204,
  size_bytes: 6_881_903,
  sha256: '5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef',
  built_at: '2026-11-21T14:02:12.040000Z',
  expires_at: '2026-12-21T14:02:12.040000Z',
}

export const REPORT_EXAMPLE: z.input<typeof reportSchema> = {
  ...built,
  status: 'READY',
  updated_at: '2026-11-21T14:02:14.918000Z',
}

export const REMOVED_REPORT_EXAMPLE: z.input<typeof reportSchema> = {
  ...built,
  status: 'EXPIRED',
  updated_at: '2026-11-22T09:30:40.112000Z',
}

const daily = { kind: 'LEDGER', format: 'OFX', decimal: 'POINT', frequency: 'DAILY', hour: 6 } as const

export const REPLACE_SCHEDULES_EXAMPLE: z.input<typeof replaceSchedulesBody> = { schedules: [daily] }
export const SCHEDULES_EXAMPLE: z.input<typeof schedulesSchema> = {
  schedules: [{ ...daily, provider_uuid: null, weekday: null, created_at: '2026-11-21T14:05:37.220000Z' }],
}
