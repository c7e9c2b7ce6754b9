import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import { Report, ReportSchedule } from '../../db/entities/report.ts'
import { findLockedRow } from '../../db/locks.ts'
import { noQuery } from '../../db/pipeline/query.ts'
import { uuidFromHash } from '../../domain/pix/identifiers.ts'
import { findLastDueDay, findReportedDays } from '../../domain/reports/report-schedule.ts'
import { SECOND } from '../../domain/shared/intervals.ts'
import { sha256 } from '../../security/sealing.ts'
import { startReportWorkflow } from '../../temporal/start.ts'
import { throwIfCancelled } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'

const SCHEDULES_PER_BATCH = 100
/** A report is stored within it, or by the next run. */
const START_WAIT_MS = 10 * SECOND

/**
 * Orders the reports of the schedules that are due: each the one of its last due day, by a uuid that follows from schedule and day, so that
 * a repeat orders nothing. Days on which no run has come are not made up for.
 */
export function orderScheduledReports(dependencies: ActivityDependencies) {
  return async (): Promise<{ ordered: number }> => {
    const em = dependencies.orm.em.fork()
    const at = new Date()
    let ordered = 0
    for await (const schedule of readSchedules(em)) {
      throwIfCancelled()
      const dueDay = findLastDueDay(schedule, at)
      if (dueDay <= schedule.orderedOn) continue
      await orderReport(dependencies, schedule, dueDay)
      ordered += 1
    }
    return { ordered }
  }
}

async function* readSchedules(em: EntityManager): AsyncGenerator<ReportSchedule> {
  const page = { orderBy: { uuid: 'asc' }, limit: SCHEDULES_PER_BATCH, disableIdentityMap: true } as const
  for (let after: ReportSchedule | undefined; ; ) {
    const rows = await em.find(ReportSchedule, after ? { uuid: { $gt: after.uuid } } : {}, page)
    yield* rows
    if (rows.length < SCHEDULES_PER_BATCH) return
    after = rows.at(-1)
  }
}

async function orderReport(
  { orm, temporal, timeScale }: ActivityDependencies,
  schedule: ReportSchedule,
  dueDay: string,
): Promise<void> {
  const uuid = uuidFromHash(sha256(JSON.stringify(['report_schedule', schedule.uuid, dueDay])))
  const { accountUuid, connectionUuid = null, isSimulated, kind, format, decimalMark, requestId } = schedule
  const terms = { accountUuid, connectionUuid, isSimulated, kind, format, decimalMark, requestId }
  const { tokenNumber, userUuid } = schedule
  const author = { ...(tokenNumber && { tokenNumber }), ...(userUuid && { userUuid }) }
  const days = findReportedDays(schedule, dueDay)
  // One that was stored by an interrupted run may have ended since.
  if ((await orm.em.fork().count(Report, uuid)) === 0)
    await startReportWorkflow(
      temporal,
      { uuid, ...terms, ...author, ...days, fingerprint: schedule.uuid, timeScale },
      START_WAIT_MS,
    )
  await runInTransaction(orm, async em => {
    const [stored] = await findLockedRow(em, ReportSchedule, schedule.uuid, noQuery)
    if (stored) stored.orderedOn = dueDay
  })
}
