import { randomUUID } from 'node:crypto'
import { type ReportScheduleBody, showSchedules } from '../../contract/reports/report.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { ReportSchedule } from '../../db/entities/report.ts'
import { lockAccount } from '../../db/locks.ts'
import { findLastDueDay } from '../../domain/reports/report-schedule.ts'
import { fail } from '../../http/api-error.ts'
import type { FieldErrors } from '../../http/validate.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { buildReportVisibilityFilter, isReportableConnection } from './reports.ts'
import { orderAuthorOf, writeDirectly } from './user-acts.ts'

const BY_TIME = { orderBy: { hour: 'asc', createdAt: 'asc', uuid: 'asc' } } as const

/** Reads the schedules that a token may see. */
export async function readReportSchedules(em: EntityManager, token: CallerToken) {
  return showSchedules(await em.fork().find(ReportSchedule, buildReportVisibilityFilter(token), BY_TIME))
}

type ScheduleRequest = {
  em: EntityManager
  token: CallerToken
  requestId: string
  body: { schedules: ReportScheduleBody[] }
}

/** Replaces the schedules that a token may see. A new one orders its first report when it is due next. */
export async function replaceReportSchedules({ em, token, requestId, body }: ScheduleRequest) {
  const errors: FieldErrors = {}
  for (const [index, { provider_uuid: uuid }] of body.schedules.entries())
    if (token.connectionUuid === null && !(await isReportableConnection(em, token, uuid ?? null)))
      errors[`schedules.${index}.provider_uuid`] = ['must be a provider of the account']
  if (Object.keys(errors).length > 0) fail('validation_failed', { errors })
  const { accountUuid } = token
  const { tokenNumber = null, userUuid = null } = orderAuthorOf(token)
  const act = { token, action: 'report_schedules_change', subject: `account/${accountUuid}` } as const
  return writeDirectly(em, { ids: null, act }, async tx => {
    await lockAccount(tx, accountUuid)
    await tx.nativeDelete(ReportSchedule, buildReportVisibilityFilter(token))
    const at = new Date()
    const rows = body.schedules.map(schedule => {
      const { kind, format, decimal, frequency, weekday = null, hour, provider_uuid = null } = schedule
      return tx.create(ReportSchedule, {
        uuid: randomUUID(),
        accountUuid,
        isSimulated: token.mode === 'test',
        connectionUuid: token.connectionUuid ?? provider_uuid,
        kind,
        format,
        decimalMark: decimal,
        frequency,
        weekday,
        hour,
        orderedOn: findLastDueDay({ frequency, weekday, hour }, at),
        tokenNumber,
        userUuid,
        requestId,
        createdAt: at,
      })
    })
    return showSchedules(rows.toSorted((one, other) => one.hour - other.hour))
  })
}
