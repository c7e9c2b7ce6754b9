import type { EntityManager } from '../../db/client/orm.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import { Movement } from '../../db/entities/movement.ts'
import { referenceOf } from '../../domain/pix/identifiers.ts'
import type { PayoutReturn } from '../../domain/providers/provider.ts'
import { transferMachine } from '../../domain/transfers/transfer.ts'
import { recordMovementEvent, recordTransferEvent } from '../events/record-event.ts'
import { unheldMovementPostings } from '../ledger/apply-inflow.ts'
import { createMovement, postMovement } from '../ledger/movements.ts'
import { buildReturnColumns, findUnrecordedReturns } from '../ledger/return-matching.ts'
import { recordContradiction } from '../payouts/record-outcome.ts'
import { type LockedTransfer, transition } from '../shared/transition.ts'

/** A locked transfer and the attempt whose money comes back: a duplicate returns to the connection that it left. */
type ReturnedTransfer = LockedTransfer & { attempt: Attempt }

/**
 * Posts the returns that the recipient of a transfer has made, each return once (SPEC §4). The caller holds the
 * transfer's row lock. A return is identified by the end-to-end id of what it returns and the provider's id of the
 * return. One of no value, or of more than is left of the transfer, is a contradiction, and the others are posted.
 */
export async function recordTransferReturns(
  em: EntityManager,
  returned: ReturnedTransfer,
  listed: PayoutReturn[],
): Promise<void> {
  if (listed.length === 0) return
  const { providerAccountUuid, endToEnd, subjectUuid } = returned.attempt
  const reference = referenceOf(subjectUuid)
  const pix = { providerAccountUuid, movementType: 'IN' as const, names: [endToEnd || reference, reference] }
  for (const payoutReturn of await findUnrecordedReturns(em, pix, listed)) {
    if (isPossibleReturn(returned, payoutReturn)) await recordTransferReturn(em, returned, payoutReturn)
    else recordContradiction(returned.attempt, 'return_value_differs')
  }
}

/** Tells whether a return moved money, and no more than is left of the transfer. */
function isPossibleReturn({ transfer, attempt }: ReturnedTransfer, { cents }: PayoutReturn): boolean {
  const returnedCents = attempt.state === 'settled' ? transfer.returnedCents : 0
  return cents > 0 && returnedCents + cents <= transfer.valueCents
}

async function recordTransferReturn(
  em: EntityManager,
  returned: ReturnedTransfer,
  payoutReturn: PayoutReturn,
) {
  const { cents, at: settledAt } = payoutReturn
  const at = new Date()
  const { transfer, attempt } = returned
  const { accountUuid } = transfer
  const { connectionUuid, providerAccountUuid } = attempt
  const original = await em.findOne(Movement, {
    transferUuid: transfer.uuid,
    providerAccountUuid,
    movementType: 'OUT',
    status: 'SETTLED',
  })
  const movement = createMovement(em, at, {
    accountUuid,
    providerAccountUuid,
    connectionUuid,
    type: 'EXTERNAL_REFUND',
    movementType: 'IN',
    valueCents: cents,
    status: 'SETTLED',
    ...buildReturnColumns(attempt.endToEnd || referenceOf(attempt.subjectUuid), payoutReturn),
    sender: transfer.receiver,
    receiver: original?.sender ?? transfer.sender,
    transferUuid: transfer.uuid,
    originalUuid: original?.uuid,
    settledAt: new Date(settledAt),
  })
  await postMovement(em, movement, await unheldMovementPostings(em, movement))
  if (attempt.state === 'settled') await countTransferReturn(em, returned, { cents, at })
  await recordMovementEvent(em, movement, transfer, at)
}

/** Adds a return to the transfer's returned amount. Returns of a duplicate are no part of its value. */
async function countTransferReturn(
  em: EntityManager,
  lockedTransfer: LockedTransfer,
  { cents, at }: { cents: number; at: Date },
) {
  const { transfer } = lockedTransfer
  transfer.returnedCents += cents
  const isWhole = transfer.returnedCents === transfer.valueCents
  transition(transfer, transferMachine, isWhole ? 'returned_whole' : 'returned_in_part', at)
  await recordTransferEvent(em, lockedTransfer, { at })
}
