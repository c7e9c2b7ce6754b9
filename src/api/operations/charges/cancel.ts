import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../../../db/client/orm.ts'
import type { ReadCharge } from '../../../db/repositories/charges.ts'
import { chargeMachine } from '../../../domain/charges/charge.ts'
import { fail } from '../../../http/api-error.ts'
import { READ_BACK_RESERVE_MS, UNAVAILABLE_RETRY_S } from '../../../http/limits.ts'
import { executeCancelChargeUpdate } from '../../../temporal/start.ts'
import type { TemporalContext } from '../../../temporal/workflow-options.ts'
import type { CallerToken } from '../../authorization/authenticate.ts'
import { prepareWorkflowCall, readOrFailNotConfirmed } from '../start-and-wait.ts'
import { requireVisibleCharge } from './find.ts'

/** Cancels a PENDING charge at its provider, then in PostgreSQL; without a response it stays PENDING (SPEC §2). */
export async function cancelMerchantCharge(
  context: TemporalContext,
  { em, token, uuid }: { em: EntityManager; token: CallerToken; uuid: string },
): Promise<ReadCharge> {
  const charge = await requireVisibleCharge(em, token, uuid)
  if (!chargeMachine.accepts(charge.state, 'cancelled')) fail('charge_not_cancellable')
  const deadline = await prepareWorkflowCall(context, uuid)
  const update = { updateId: randomUUID(), waitMs: deadline.stepTimeoutMs() }
  const answer = await deadline
    .awaitStep(executeCancelChargeUpdate(context, uuid, update), READ_BACK_RESERVE_MS)
    .catch(() => ({ kind: 'no_answer' }) as const)
  if (answer.kind === 'no_answer') fail('cancellation_unknown', { retryAfterS: UNAVAILABLE_RETRY_S })
  const current = await readOrFailNotConfirmed(uuid, () => requireVisibleCharge(em.fork(), token, uuid))
  // Another request, a payment or the expiration came first.
  if (current.state !== 'cancelled') fail('charge_not_cancellable')
  return current
}
