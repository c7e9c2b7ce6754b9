import { ActivityFailure } from '@temporalio/common'
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  setCurrentDetails,
  setHandler,
  sleep,
} from '@temporalio/workflow'
import { type ReportState, reportMachine } from '../../domain/reports/report.ts'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import { awaitResultUpdate, type ReopenedInput } from '../contracts/orders.ts'
import { type CloseReportInput, type ReportInput, removeReportUpdate } from '../contracts/reports.ts'
import { dbActivities, proxiedReportActivities } from '../shared/activity-proxies.ts'
import { shouldContinueAsNew } from '../shared/workflow-info.ts'

/**
 * Workflow of a report: stores it, builds its file once no other report of the account is built, keeps the file for its time or until
 * it is removed, and deletes it.
 */
export async function reportWorkflow(input: ReportInput | ReopenedInput): Promise<ReportState> {
  const uuid = 'reopen' in input ? input.reopen : input.uuid
  const { timeScale } = input
  let isStored = false
  let finalState: ReportState | undefined
  const work = new CancellationScope()
  setHandler(awaitResultUpdate, () => condition(() => isStored), {
    description: 'Waits until the report is stored',
  })
  setHandler(
    removeReportUpdate,
    async () => {
      await condition(() => isStored)
      work.cancel()
      await condition(() => finalState !== undefined)
    },
    { description: 'Ends the report and deletes its file' },
  )
  if (!('reopen' in input)) await dbActivities.openReport(input)
  isStored = true
  const end = await work
    .run(() => buildAndKeep(uuid, timeScale))
    .catch((error): CloseReportInput['reason'] => {
      if (isCancellation(error)) return 'cancelled'
      if (error instanceof ActivityFailure) return 'not_built' // It has been retried for hours.
      throw error
    })
  if (end === 'next_run') return continueAsNew<typeof reportWorkflow>({ reopen: uuid, timeScale })
  finalState = await proxiedReportActivities.closeReport({ uuid, reason: end === 'over' ? 'not_built' : end })
  setCurrentDetails(END_DETAILS[reportMachine.statusOf(finalState)] ?? '')
  await condition(allHandlersFinished)
  return finalState
}

/** Builds the file of a report in its turn, and returns when it is to be deleted, or the next run is to build it. */
async function buildAndKeep(uuid: string, timeScale: number): Promise<'over' | 'next_run'> {
  for (;;) {
    setCurrentDetails('Builds the file, or waits for its turn')
    const result = await proxiedReportActivities.buildReport(uuid)
    if (result.kind === 'closed') return 'over'
    if (result.kind === 'ready') {
      setCurrentDetails('Ready: the file is kept')
      await sleep(result.keepMs, { summary: 'the file is kept' })
      return 'over'
    }
    if (shouldContinueAsNew() && allHandlersFinished()) return 'next_run'
    await sleep(scaleWait(WAITS.reportTurn, timeScale), { summary: 'another report is built first' })
  }
}

const END_DETAILS: Partial<Record<string, string>> = {
  FAILED: 'Failed: there is no file',
  EXPIRED: 'Expired: the file is deleted',
}
