import type { EntityManager } from '../../db/client/orm.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import { Movement } from '../../db/entities/movement.ts'
import { depositLegs } from '../../domain/ledger/legs.ts'
import type { PayoutReturn } from '../../domain/providers/provider.ts'
import { recordMovementEvent, recordTransferEvent } from '../events/record-event.ts'
import { inflowPostings } from '../ledger/apply-inflow.ts'
import { createMovement, postMovement } from '../ledger/movements.ts'
import { buildReturnColumns, findUnrecordedReturns } from '../ledger/return-matching.ts'
import { type LockedTransfer, transitionTransfer } from '../shared/transition.ts'

/** Of a transfer, and by which of its attempts the money had gone: a duplicate comes back where it left. */
type ReturnedTransfer = LockedTransfer & { attempt: Attempt }

/**
 * Books money that the recipient of a transfer gave back, each return once (SPEC §4), under the transfer's row lock. A
 * return is known by the end-to-end id of what it returns and the provider's id of it.
 */
export async function recordTransferReturns(
  em: EntityManager,
  gone: ReturnedTransfer,
  listed: PayoutReturn[],
): Promise<void> {
  if (listed.length === 0) return
  const { providerAccountUuid, endToEnd, reference } = gone.attempt
  const pix = { providerAccountUuid, movementType: 'IN' as const, names: [endToEnd || reference, reference] }
  for (const one of await findUnrecordedReturns(em, pix, listed)) await recordTransferReturn(em, gone, one)
}

async function recordTransferReturn(em: EntityManager, gone: ReturnedTransfer, returned: PayoutReturn) {
  const { cents, at: settledAt } = returned
  const at = new Date()
  const { transfer, attempt } = gone
  const { accountUuid } = transfer
  const { connectionUuid, providerAccountUuid } = attempt
  const original = await em.findOne(Movement, {
    transferUuid: transfer.uuid,
    providerAccountUuid,
    movementType: 'OUT',
    status: 'SETTLED',
  })
  const movement = createMovement(
    em,
    { accountUuid, providerAccountUuid, connectionUuid },
    {
      type: 'EXTERNAL_REFUND',
      movementType: 'IN',
      valueCents: cents,
      status: 'SETTLED',
      ...buildReturnColumns(attempt.endToEnd || attempt.reference, returned),
      sender: transfer.receiver,
      receiver: original?.sender ?? transfer.sender,
      transferUuid: transfer.uuid,
      originalUuid: original?.uuid,
      settledAt: new Date(settledAt),
    },
    at,
  )
  const inflow = { providerAccountUuid, credits: [{ accountUuid, cents }] }
  await postMovement(em, movement, [
    ...depositLegs(accountUuid, cents),
    ...(await inflowPostings(em, inflow)),
  ])
  if (attempt.state === 'settled') await countTransferReturn(em, gone, { cents, at })
  await recordMovementEvent(em, movement, { ownerUuid: transfer.uuid, requestId: transfer.requestId, at })
}

/** What a duplicate took is no part of what the transfer sent, so only its own money counts as returned. */
async function countTransferReturn(
  em: EntityManager,
  out: LockedTransfer,
  { cents, at }: { cents: number; at: Date },
) {
  const { transfer } = out
  transfer.returnedCents += cents
  const whole = transfer.returnedCents === transfer.valueCents
  transitionTransfer(transfer, whole ? 'returned_whole' : 'returned_in_part', at)
  await recordTransferEvent(em, out, { at })
}
