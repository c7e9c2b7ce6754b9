import { allHandlersFinished, condition, setCurrentDetails, setHandler } from '@temporalio/workflow'
import { awaitResultUpdate } from '../contracts/await-result.ts'
import type { AuthCodeInput, CodeOutcome } from '../contracts/pix-keys.ts'
import { dbActivities, messagingActivities } from '../shared/activity-proxies.ts'
import { sendUntilClosed } from '../shared/send-until-closed.ts'

/** Workflow of an auth code: stores it, then sends it until a messaging service accepts or refuses it, or it expires. */
export async function authCodeWorkflow(input: AuthCodeInput): Promise<CodeOutcome> {
  let isStored = false
  setHandler(awaitResultUpdate, () => condition(() => isStored), {
    description: 'Waits until the code is stored',
  })
  await dbActivities.storeAuthCode(input)
  isStored = true
  const { uuid, timeScale } = input
  const outcome = await sendUntilClosed(timeScale, attempt =>
    messagingActivities.sendAuthCode.executeWithOptions({ summary: `attempt ${attempt}` }, [{ uuid }]),
  )
  setCurrentDetails(`Code ${outcome}`)
  await condition(allHandlersFinished)
  return outcome
}
