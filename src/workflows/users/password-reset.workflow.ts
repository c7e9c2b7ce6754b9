import { setCurrentDetails } from '@temporalio/workflow'
import type { PasswordResetInput, PasswordResetOutcome } from '../contracts/users.ts'
import { messagingActivities } from '../shared/activity-proxies.ts'
import { sendUntilClosed } from '../shared/send-until-closed.ts'

/**
 * Workflow of a forgotten password: stores a link for the user of an address, and sends it until a messaging service
 * accepts or refuses it, or it expires. It runs for an address without a user too, so that the API needs not look.
 */
export async function passwordResetWorkflow(input: PasswordResetInput): Promise<PasswordResetOutcome> {
  const outcome = await sendUntilClosed(input.timeScale, attempt =>
    messagingActivities.sendPasswordReset.executeWithOptions({ summary: `attempt ${attempt}` }, [input]),
  )
  setCurrentDetails(`Link ${outcome}`)
  return outcome
}
