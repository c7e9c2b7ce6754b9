import { randomUUID } from 'node:crypto'
import type { ReadCharge } from '../../db/charges.ts'
import type { EntityManager } from '../../db/orm.ts'
import { charge as life } from '../../domain/charge.ts'
import { cancelStoredCharge } from '../../engine/begin.ts'
import type { Engine } from '../../engine/start.ts'
import type { Token } from '../auth.ts'
import { orNotConfirmed } from '../begin.ts'
import { requestDeadline } from '../deadline.ts'
import { refuse } from '../errors.ts'
import { READ_BACK_MS, UNAVAILABLE_RETRY_S } from '../limits.ts'
import { chargeOf } from './find.ts'

/** Cancels a PENDING charge at its provider, then here; without the provider's answer it stays PENDING (SPEC §2). */
export async function cancelCharge(
  engine: Engine,
  { em, token, uuid }: { em: EntityManager; token: Token; uuid: string },
): Promise<ReadCharge> {
  const charge = await chargeOf(em, token, uuid)
  if (!life.accepts(charge.state, 'cancelled')) refuse('charge_not_cancellable')
  const deadline = requestDeadline()
  deadline.waitsFor = 'temporal'
  await engine.client()
  deadline.begins(uuid)
  const asked = { updateId: randomUUID(), waitMs: deadline.stepMs() }
  const answer = await deadline
    .within(cancelStoredCharge(engine, uuid, asked), READ_BACK_MS)
    .catch(() => ({ kind: 'no_answer' }) as const)
  if (answer.kind === 'no_answer') refuse('cancellation_unknown', { retryAfterS: UNAVAILABLE_RETRY_S })
  const now = await orNotConfirmed(uuid, () => chargeOf(em.fork(), token, uuid))
  // Paid, expired or cancelled by somebody else in the meantime.
  if (now.state !== 'cancelled') refuse('charge_not_cancellable')
  return now
}
