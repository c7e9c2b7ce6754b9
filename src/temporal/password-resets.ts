import type { PasswordResetInput } from '../workflows/contracts/users.ts'
import { startOrReopenWorkflow, type TemporalContext } from './workflow-options.ts'

/** Starts the workflow that sends the link of a forgotten password. A second start with the same uuid joins the first. */
export async function startPasswordResetWorkflow(
  temporal: TemporalContext,
  request: Omit<PasswordResetInput, 'timeScale'>,
  waitMs: number,
): Promise<void> {
  const client = await temporal.client()
  const input = { ...request, timeScale: temporal.timeScale }
  const staticSummary = 'Link for a new password'
  await client.withDeadline(Date.now() + waitMs, () =>
    startOrReopenWorkflow(temporal, 'password_reset', request.uuid, input, { staticSummary }),
  )
}
