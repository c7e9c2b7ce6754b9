import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow'
import { type BatchState, type BatchWaitReason, batchMachine } from '../../domain/transfers/transfer-batch.ts'
import {
  applyDecisionUpdate,
  batchChangedSignal,
  cancelBatchUpdate,
  type TransferBatchInput,
} from '../contracts/transfer-batches.ts'
import { proxiedBatchActivities } from '../shared/activity-proxies.ts'
import { startCallout } from '../shared/start-callout.ts'
import { startFollowUpWorkflows } from '../shared/start-follow-ups.ts'
import { shouldContinueAsNew } from '../shared/workflow-info.ts'

/** Items after which a run continues as new. */
const MAX_ITEMS_PER_RUN = 500

/**
 * Workflow of a batch of transfers: starts its items step by step, waits while the next one may not start, and ends with the last
 * transfer. The rows say how far it is, so that a run that is started again goes on where they are.
 */
export async function transferBatchWorkflow({
  uuid,
  timeScale,
  pollCount: earlierPollCount = 0,
}: TransferBatchInput): Promise<BatchState> {
  let isChanged = false
  let isStepping = false
  let isEnded = false
  let stepCount = 0
  const markChanged = () => {
    isChanged = true
  }
  setHandler(batchChangedSignal, markChanged, {
    description: 'The row of the batch changed: read it again',
  })
  setHandler(
    applyDecisionUpdate,
    async () => {
      const earlierCount = stepCount
      isChanged = true
      // The step that runs meanwhile may have read the row before.
      await condition(() => stepCount > earlierCount + (isStepping ? 1 : 0) || isEnded)
    },
    { description: 'Waits until what was decided about the batch is applied' },
  )
  setHandler(
    cancelBatchUpdate,
    async () => {
      const isCancelled = await proxiedBatchActivities.cancelBatch(uuid)
      isChanged = true
      return isCancelled
    },
    { description: 'Cancels the items that were not started' },
  )
  for (let pollCount = earlierPollCount, itemCount = 0; ; ) {
    isChanged = false
    isStepping = true
    const { state, startedCount, next, ...followUps } = await proxiedBatchActivities.advanceBatch({
      uuid,
      pollCount,
    })
    isStepping = false
    stepCount += 1
    itemCount += startedCount
    if (next.kind === 'end') {
      isEnded = true
      setCurrentDetails(END_DETAILS[batchMachine.statusOf(state)] ?? '')
      await condition(allHandlersFinished)
      // Without local activities, because an update handler runs activities (start-follow-ups.ts).
      const deliveries = followUps.deliveries.map(deliveryUuid => ({ deliveryUuid }))
      await startFollowUpWorkflows({ deliveries }, timeScale)
      return state
    }
    if (next.kind === 'wait') {
      setCurrentDetails(WAIT_DETAILS[next.reason])
      pollCount = next.reason === 'unfinished_items' ? pollCount + 1 : 0
      if (next.isCalloutDue) startCallout(uuid, markChanged)
      await condition(() => isChanged, next.waitMs, { summary: next.reason })
    } else {
      pollCount = 0
      setCurrentDetails(`Started ${itemCount} items in this run`)
    }
    if (!isChanged && (itemCount >= MAX_ITEMS_PER_RUN || shouldContinueAsNew()) && allHandlersFinished())
      await continueAsNew<typeof transferBatchWorkflow>({ uuid, timeScale, pollCount })
  }
}

/** Texts that the Temporal UI shows while a batch waits. */
const WAIT_DETAILS: Record<BatchWaitReason, string> = {
  approval: 'Waits for its approval',
  scheduled: 'Scheduled: waits for its time',
  account_blocked: 'Waits: the account is blocked',
  paused: 'Waits: the providers are paused',
  insufficient_balance: 'Waits for the balance',
  unfinished_items: 'Every item is started: waits for the last transfers',
}

const END_DETAILS: Partial<Record<string, string>> = {
  COMPLETED: 'Completed: every transfer has ended',
  CANCELLED: 'Cancelled: no further item is started',
}
