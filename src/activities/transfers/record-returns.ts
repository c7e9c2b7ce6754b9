import type { EntityManager } from '../../db/client/orm.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import { Movement } from '../../db/entities/movement.ts'
import { sendChanges } from '../../db/pipeline/query.ts'
import { referenceOf } from '../../domain/pix/identifiers.ts'
import type { PayoutReturn } from '../../domain/providers/provider.ts'
import { transferMachine } from '../../domain/transfers/transfer.ts'
import { recordMovementEvent, recordTransferEvent } from '../events/record-event.ts'
import { unheldMovementPostings } from '../ledger/apply-inflow.ts'
import { createMovement, postMovement } from '../ledger/movements.ts'
import {
  buildReturnColumns,
  findUnrecordedReturns,
  matchReturns,
  type ReturnedPix,
} from '../ledger/return-matching.ts'
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
  for (const payoutReturn of await findUnrecordedReturns(em, describeReturnedPix(returned), listed)) {
    if (isPossibleReturn(returned, payoutReturn)) await recordTransferReturn(em, returned, payoutReturn)
    else recordContradiction(returned.attempt, 'return_value_differs')
  }
}

function describeReturnedPix({ attempt }: ReturnedTransfer): ReturnedPix {
  const { providerAccountUuid, endToEnd, subjectUuid } = attempt
  const reference = referenceOf(subjectUuid)
  return { providerAccountUuid, movementType: 'IN', names: [endToEnd || reference, reference] }
}

/**
 * Ties what a dispute has recovered to it: returns of the transfer, and deposits that other banks have made for it, which from then on
 * count as returned. `listed`: what its provider reports as recovered, each of which is recorded already where it is possible. The caller
 * holds the transfer's row lock. Returns what is tied, in centavos.
 */
export async function tieRecoveredMoney(
  em: EntityManager,
  returned: ReturnedTransfer,
  listed: PayoutReturn[],
  disputeUuid: string,
): Promise<number> {
  await sendChanges(em)
  const { recorded } = await matchReturns(em, describeReturnedPix(returned), listed)
  let tiedCents = 0
  for (const { movement } of recorded.map(one => one.recorded)) {
    if (isCountableDeposit(returned, movement)) {
      movement.transferUuid = returned.transfer.uuid
      await countTransferReturn(em, returned, { cents: movement.valueCents, at: new Date() })
    }
    if (movement.transferUuid !== returned.transfer.uuid) continue
    movement.disputeUuid = disputeUuid
    tiedCents += movement.valueCents
  }
  return tiedCents
}

/** Tells whether a deposit is free to count as returned: it pays no charge, does not go back, and is no more than is left. */
function isCountableDeposit(returned: ReturnedTransfer, movement: Movement): boolean {
  const { reason, disposition, chargeUuid, transferUuid, valueCents: cents } = movement
  const isFree = reason === 'deposit' && disposition == null && chargeUuid == null && transferUuid == null
  return isFree && returned.attempt.state === 'settled' && isPossibleReturn(returned, { cents })
}

/** Tells whether a return moved money, and no more than is left of the transfer. */
function isPossibleReturn(
  { transfer, attempt }: ReturnedTransfer,
  { cents }: Pick<PayoutReturn, 'cents'>,
): boolean {
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
