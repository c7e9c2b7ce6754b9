import { randomUUID } from 'node:crypto'
import { type ReportScheduleBody, showSchedules } from '../../contract/reports/report.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { ReportSchedule } from '../../db/entities/report.ts'
import { lockAccount } from '../../db/locks.ts'
import { findLastDueDay, MAX_REPORT_SCHEDULES } from '../../domain/reports/report-schedule.ts'
import { fail, failField } from '../../http/api-error.ts'
import type { FieldErrors } from '../../http/validate.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { buildReportVisibilityFilter, isReportableConnection } from './reports.ts'
import { orderAuthorOf, writeDirectly } from './user-acts.ts'

const BY_TIME = { orderBy: { hour: 'asc', createdAt: 'asc', uuid: 'asc' } } as const

/** Reads the schedules that a token may see. */
export async function readReportSchedules(em: EntityManager, token: CallerToken) {
  return showSchedules(await em.fork().find(ReportSchedule, buildReportVisibilityFilter(token), BY_TIME))
}

type ScheduleTerms = Pick<
  ReportScheduleBody,
  'kind' | 'format' | 'decimal' | 'frequency' | 'weekday' | 'hour'
> & {
  provider_uuid?: string | null | undefined
}

/** Formats what a schedule orders and when as one text, by which a form names it. */
export function formatScheduleTerms(schedule: ScheduleTerms): string {
  const { kind, format, decimal, frequency, weekday, hour, provider_uuid: provider } = schedule
  return [kind, format, decimal, frequency, weekday ?? '-', hour, provider ?? '-'].join(' ')
}

const formatRowTerms = (row: ReportSchedule) => formatScheduleTerms(showSchedules([row]).schedules[0]!)

type ScheduleRequest = { em: EntityManager; token: CallerToken; requestId: string }

/** Replaces the schedules that a token may see. */
export function replaceReportSchedules({
  body,
  ...request
}: ScheduleRequest & { body: { schedules: ReportScheduleBody[] } }) {
  return changeReportSchedules(request, { keeps: () => false, added: body.schedules })
}

/**
 * Changes the schedules that a token may see: those stay that `keeps` accepts, by their terms, and one of `added` is stored unless it is
 * stored already. A new one orders its first report when it is due next.
 */
export async function changeReportSchedules(
  { em, token, requestId }: ScheduleRequest,
  { keeps, added }: { keeps(terms: string): boolean; added: ReportScheduleBody[] },
) {
  const errors: FieldErrors = {}
  for (const [index, { provider_uuid: uuid }] of added.entries())
    if (token.connectionUuid === null && !(await isReportableConnection(em, token, uuid ?? null)))
      errors[`schedules.${index}.provider_uuid`] = ['must be a provider of the account']
  if (Object.keys(errors).length > 0) fail('validation_failed', { errors })
  const { accountUuid } = token
  const { tokenNumber = null, userUuid = null } = orderAuthorOf(token)
  const act = { token, action: 'report_schedules_change', subject: `account/${accountUuid}` } as const
  return writeDirectly(em, { ids: null, act }, async tx => {
    await lockAccount(tx, accountUuid)
    const stored = await tx.find(ReportSchedule, buildReportVisibilityFilter(token), BY_TIME)
    const matched = new Set<ReportSchedule>()
    const missing = added.filter(schedule => {
      const terms = formatScheduleTerms({
        ...schedule,
        provider_uuid: token.connectionUuid ?? schedule.provider_uuid,
      })
      const match = stored.find(row => !matched.has(row) && formatRowTerms(row) === terms)
      if (match) matched.add(match)
      return !match
    })
    const kept = stored.filter(row => matched.has(row) || keeps(formatRowTerms(row)))
    if (kept.length + missing.length > MAX_REPORT_SCHEDULES)
      failField('schedules', 'must have at most 20 entries')
    const ended = stored.filter(row => !kept.includes(row)).map(({ uuid }) => uuid)
    await tx.nativeDelete(ReportSchedule, { uuid: { $in: ended } })
    const at = new Date()
    const created = missing.map(schedule => {
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
    return showSchedules([...kept, ...created].toSorted((one, other) => one.hour - other.hour))
  })
}
