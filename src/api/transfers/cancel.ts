import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../../db/orm.ts'
import { cancelWaitingTransfer } from '../../engine/begin.ts'
import type { Engine } from '../../engine/start.ts'
import { showTransfer } from '../../wire/transfer.ts'
import type { Token } from '../auth.ts'
import { orNotConfirmed } from '../begin.ts'
import { requestDeadline } from '../deadline.ts'
import { refuse } from '../errors.ts'
import { transferOf } from './find.ts'

/** Cancels a transfer that waits for its time, and answers it as it is shown; once sent it cannot be (SPEC §4). */
export async function cancelTransfer(
  engine: Engine,
  { em, token, uuid }: { em: EntityManager; token: Token; uuid: string },
) {
  const transfer = await transferOf(em, token, uuid)
  if (transfer.state !== 'created') refuse('transfer_not_cancellable')
  const deadline = requestDeadline()
  deadline.waitsFor = 'temporal'
  await engine.client() // Refuses here where Temporal is away: nothing has been asked yet.
  deadline.begins(uuid)
  return orNotConfirmed(uuid, async () => {
    const asked = { updateId: randomUUID(), waitMs: deadline.stepMs() }
    if ((await cancelWaitingTransfer(engine, uuid, asked)) !== true) refuse('transfer_not_cancellable')
    const cancelled = await transferOf(em.fork(), token, uuid)
    return showTransfer(cancelled, cancelled.attempts)
  })
}
