import { allHandlersFinished, condition, setCurrentDetails, setHandler, sleep } from '@temporalio/workflow'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import { awaitResultUpdate } from '../contracts/await-result.ts'
import type { CodeOutcome, VerificationCodeInput } from '../contracts/pix-keys.ts'
import { dbActivities, messagingActivities } from '../shared/activity-proxies.ts'

/** Workflow of a verification code: stores it, then sends it until a messaging service accepts or refuses it, or it expires. */
export async function verificationCodeWorkflow(input: VerificationCodeInput): Promise<CodeOutcome> {
  let isStored = false
  setHandler(awaitResultUpdate, () => condition(() => isStored), {
    description: 'Waits until the code is stored',
  })
  await dbActivities.storeAuthCode(input)
  isStored = true
  const outcome = await sendUntilDelivered(input)
  setCurrentDetails(`Code ${outcome}`)
  await condition(allHandlersFinished)
  return outcome
}

async function sendUntilDelivered({ uuid, timeScale }: VerificationCodeInput): Promise<CodeOutcome> {
  for (let attempt = 1; ; attempt++) {
    const result = await messagingActivities.sendAuthCode.executeWithOptions(
      { summary: `attempt ${attempt}` },
      [{ uuid }],
    )
    if (result.kind === 'closed') return result.outcome
    setCurrentDetails(`Not sent yet (${result.code}): retried until the code expires`)
    await sleep(scaleWait(WAITS.nextCodeAttempt(attempt), timeScale), {
      summary: `wait before attempt ${attempt + 1}`,
    })
  }
}
