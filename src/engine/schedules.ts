import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client'
import { scaled } from '../domain/waits.ts'
import type { noticeSweepWorkflow } from '../workflows/notice-sweep.ts'
import type { Engine } from './start.ts'

const MINUTE = 60_000
/** Temporal does not start a schedule more often than this. */
const SHORTEST = 1_000

/** Makes sure that the inbox is swept every minute; every worker asks for it, the first one makes it. */
export async function scheduleSweep(client: Client, engine: Engine): Promise<void> {
  try {
    await client.schedule.create({
      scheduleId: 'notice-sweep',
      spec: { intervals: [{ every: Math.max(SHORTEST, scaled(MINUTE, engine.timeScale)) }] },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: MINUTE },
      action: {
        type: 'startWorkflow',
        workflowType: 'noticeSweepWorkflow' satisfies (typeof noticeSweepWorkflow)['name'],
        workflowId: 'notice-sweep',
        taskQueue: engine.taskQueue,
        args: [],
      },
    })
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
  }
}
