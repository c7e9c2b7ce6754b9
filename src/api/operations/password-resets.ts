import { randomUUID } from 'node:crypto'
import { SIGNAL_TIMEOUT_MS } from '../../http/limits.ts'
import { getRequestDeadline } from '../../http/request-deadline.ts'
import { canReachChannel, type MessengerSettings } from '../../messaging/settings.ts'
import type { Sealer } from '../../security/sealing.ts'
import { startPasswordResetWorkflow } from '../../temporal/start.ts'
import type { TemporalContext } from '../../temporal/workflow-options.ts'
import type { PasswordResetInputDetails } from '../../workflows/contracts/users.ts'

type ResetDependencies = { temporal: TemporalContext; sealer: Sealer }

/** Returns whether links for new passwords can be sent by e-mail. */
export function canSendResetLinks({ messengers }: { messengers: MessengerSettings }): boolean {
  return canReachChannel('EMAIL', messengers)
}

/** Starts the sending of a link for a new password to an e-mail, which may be of a user or not: the workflow finds out. */
export function requestPasswordReset(
  { temporal, sealer }: ResetDependencies,
  details: PasswordResetInputDetails,
): Promise<void> {
  const request = { uuid: randomUUID(), details: sealer.seal(details) }
  return startPasswordResetWorkflow(temporal, request, getRequestDeadline().stepTimeoutMs(SIGNAL_TIMEOUT_MS))
}
