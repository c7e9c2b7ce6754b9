import { randomUUID } from 'node:crypto'
import { showTransfer } from '../../../contract/transfers/transfer.ts'
import type { EntityManager } from '../../../db/client/orm.ts'
import { fail } from '../../../http/api-error.ts'
import { executeCancelTransferUpdate } from '../../../temporal/start.ts'
import type { TemporalContext } from '../../../temporal/workflow-options.ts'
import type { CallerToken } from '../../authorization/authenticate.ts'
import { prepareWorkflowCall, readOrFailNotConfirmed } from '../start-and-wait.ts'
import { requireVisibleTransfer } from './find.ts'

/** Cancels a scheduled transfer and returns it as shown; once sent it cannot be cancelled (SPEC §4). */
export async function cancelMerchantTransfer(
  context: TemporalContext,
  { em, token, uuid }: { em: EntityManager; token: CallerToken; uuid: string },
) {
  const transfer = await requireVisibleTransfer(em, token, uuid)
  if (transfer.state !== 'created') fail('transfer_not_cancellable')
  const deadline = await prepareWorkflowCall(context, uuid)
  return readOrFailNotConfirmed(uuid, async () => {
    const update = { updateId: randomUUID(), waitMs: deadline.stepTimeoutMs() }
    if ((await executeCancelTransferUpdate(context, uuid, update)) !== true) fail('transfer_not_cancellable')
    const cancelled = await requireVisibleTransfer(em.fork(), token, uuid)
    return showTransfer(cancelled, cancelled.attempts)
  })
}
