import { allHandlersFinished, condition, setCurrentDetails, setHandler } from '@temporalio/workflow'
import { awaitResultUpdate } from '../contracts/await-result.ts'
import type { DepositReturnInput } from '../contracts/deposit-returns.ts'
import { dbActivities } from '../shared/activity-proxies.ts'
import { startFollowUps } from '../shared/start-follow-ups.ts'

/** Workflow of the order to return a deposit: holds its money, or stores why not, and starts the workflow of the return. */
export async function depositReturnWorkflow(input: DepositReturnInput): Promise<'ordered' | 'refused'> {
  let isStored = false
  setHandler(awaitResultUpdate, () => condition(() => isStored), {
    description: 'Waits until the order is stored',
  })
  const { failure, returns } = await dbActivities.orderDepositReturn(input)
  isStored = true
  await startFollowUps({ returns }, input.timeScale)
  setCurrentDetails(
    failure === null ? 'Ordered: the return has a workflow of its own' : `Refused: ${failure}`,
  )
  await condition(allHandlersFinished)
  return failure === null ? 'ordered' : 'refused'
}
