import type { EntityManager } from '../../db/client/orm.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import { Connection } from '../../db/entities/connection.ts'
import { Movement } from '../../db/entities/movement.ts'
import type { Transfer } from '../../db/entities/transfer.ts'
import { transferSettledLegs } from '../../domain/ledger/legs.ts'
import type { MovementReason } from '../../domain/ledger/movement.ts'
import type { ProviderPayout } from '../../domain/providers/provider.ts'
import { transferMachine } from '../../domain/transfers/transfer.ts'
import { recordMovementEvent, recordTransferEvent } from '../events/record-event.ts'
import { uncoveredOutflowPostings } from '../ledger/apply-inflow.ts'
import { createMovement, postMovement, settleMovement } from '../ledger/movements.ts'
import { type LockedTransfer, transition, transitionAttempt } from '../shared/transition.ts'

/** Settles a transfer whose money is held: the value leaves the ledger, the fee becomes the service's. */
export async function settleHeldTransfer(em: EntityManager, out: LockedTransfer, sending: ProviderPayout) {
  const { transfer } = out
  const { accountUuid, valueCents, feeCents, movement } = transfer
  if (!movement) throw new Error('the settled transfer has no hold')
  const at = new Date()
  applyProviderDetails(transfer, sending)
  settleMovement(movement, sending, at)
  transfer.heldCents = 0
  transfer.settledAt = movement.settledAt
  transition(transfer, transferMachine, 'settled', at)
  await recordTransferEvent(em, out, { at })
  await recordMovementEvent(em, movement, transfer, at)
  await postMovement(em, movement, transferSettledLegs(accountUuid, { valueCents, feeCents }))
}

/**
 * Settles a transfer without a hold: it had ended as failed, or the balance did not cover it when it was looked up. The ledger records
 * the outflow even where the available balance does not cover it.
 */
export async function settleUncoveredTransfer(
  em: EntityManager,
  out: LockedTransfer,
  attempt: Attempt,
  sending: ProviderPayout,
): Promise<void> {
  const at = new Date()
  const { transfer } = out
  transfer.connection = await em.findOneOrFail(Connection, attempt.connectionUuid)
  transfer.providerAccountUuid = attempt.providerAccountUuid
  transfer.failure = null
  transfer.feeCents = 0 // A transfer without a hold pays no fee.
  applyProviderDetails(transfer, sending)
  const isLate = transferMachine.accepts(transfer.state, 'settled_late')
  const reason = isLate ? 'late_settlement' : null
  transfer.movement =
    (await adoptPanelTransfer(em, transfer, { sending, at })) ??
    (await postUncoveredSettlement(em, transfer, { attempt, sending, at, reason }))
  transfer.settledAt = transfer.movement.settledAt
  transition(transfer, transferMachine, isLate ? 'settled_late' : 'settled', at)
  await recordTransferEvent(em, out, { at, late: isLate })
}

/** Records that an ended attempt settled while another is live or settled: a movement of its own, and an alarm. */
export async function recordDuplicateSettlement(
  em: EntityManager,
  transfer: Transfer,
  attempt: Attempt,
  sending: ProviderPayout,
): Promise<void> {
  transitionAttempt(attempt, 'settled_twice')
  const at = new Date()
  await postUncoveredSettlement(em, transfer, { attempt, sending, at, reason: 'duplicate_settlement' })
}

/**
 * Makes the PIX that was booked from the provider's statement, while the transfer counted as failed, the movement of the
 * transfer: its money has left the ledger already. Null where none was booked for the transfer's account by this id.
 */
async function adoptPanelTransfer(
  em: EntityManager,
  transfer: Transfer,
  { sending: { endToEnd, receiver }, at }: { sending: ProviderPayout; at: Date },
): Promise<Movement | null> {
  const { accountUuid, providerAccountUuid, valueCents, pixKey, uuid: transferUuid } = transfer
  if (endToEnd === '') return null
  const movement = await em.findOne(Movement, {
    accountUuid,
    providerAccountUuid,
    valueCents,
    endToEnd,
    movementType: 'OUT',
    reason: 'panel_transfer',
  })
  if (!movement) return null
  Object.assign(movement, { transferUuid, pixKey, reason: 'late_settlement', updatedAt: at })
  movement.receiver = receiver ?? transfer.receiver ?? movement.receiver
  await recordMovementEvent(em, movement, transfer, at)
  return movement
}

async function postUncoveredSettlement(
  em: EntityManager,
  transfer: Transfer,
  settlement: { attempt: Attempt; sending: ProviderPayout; at: Date; reason: MovementReason | null },
): Promise<Movement> {
  const { attempt, sending, at, reason } = settlement
  const { accountUuid, valueCents } = transfer
  const { providerAccountUuid } = attempt
  const legs = await uncoveredOutflowPostings(em, { accountUuid, providerAccountUuid }, valueCents)
  const movement = createTransferMovement(em, transfer, attempt)
  settleMovement(movement, sending, at)
  movement.reason = reason
  await postMovement(em, movement, legs)
  await recordMovementEvent(em, movement, transfer, at)
  return movement
}

export function createTransferMovement(
  em: EntityManager,
  transfer: Transfer,
  { connectionUuid, providerAccountUuid }: { connectionUuid: string; providerAccountUuid: string },
): Movement {
  const { accountUuid, uuid, valueCents, pixKey, sender, receiver } = transfer
  return createMovement(em, new Date(), {
    accountUuid,
    providerAccountUuid,
    connectionUuid,
    type: 'EXTERNAL_TRANSFER',
    movementType: 'OUT',
    valueCents,
    status: 'PENDING',
    pixKey,
    sender,
    receiver,
    transferUuid: uuid,
  })
}

/** Copies the end-to-end id and the receiver that the provider reports to the transfer. */
export function applyProviderDetails(transfer: Transfer, sending: ProviderPayout): void {
  transfer.endToEnd = sending.endToEnd || transfer.endToEnd
  transfer.receiver = sending.receiver ?? transfer.receiver
}
