import { snapshotAcceptedTransfer } from '../../contract/transfers/transfer.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Connection } from '../../db/entities/connection.ts'
import type { OperationFailure } from '../../db/entities/transfer.ts'
import {
  decideApprovalRequest,
  insertApprovalRequest,
  lockApproval,
} from '../../db/repositories/approvals.ts'
import type { TransferPreconditions } from '../../db/repositories/transfers.ts'
import {
  type ApprovalRule,
  computeApprovalExpiry,
  findRemainingWait,
  needsApproval,
  type RemainingWait,
} from '../../domain/approvals/approval.ts'
import { planFirstCallout } from '../../domain/approvals/callout.ts'
import { failureOf } from '../../domain/errors/error-catalogue.ts'
import { transferMachine } from '../../domain/transfers/transfer.ts'
import type { TransferInput } from '../../workflows/contracts/transfers.ts'
import { releaseLimitRoom, takeTransferRoom } from '../limits/limit-room.ts'
import { type LockedTransfer, transition } from '../shared/transition.ts'
import {
  endUnacceptedTransfer,
  endUnsentTransfer,
  holdTransferFunds,
  lockBalanceAndLimits,
} from './transfer-payout.ts'

/** Transfers that wait for persons who have not ordered them (docs/specification.md, "Approvals"). */

/** Returns the rule by which an order waits for approvals; null where it does not, or was approved with its batch. */
export function getApprovalRule(
  { valueCents, isApproved }: Pick<TransferInput, 'valueCents' | 'isApproved'>,
  limits: TransferPreconditions['limits'],
): ApprovalRule | null {
  if (isApproved) return null
  const rule = limits?.limits.approvals
  return needsApproval(rule, valueCents) ? rule : null
}

type HeldOrder = { order: TransferInput; rule: ApprovalRule; preconditions: TransferPreconditions }

/**
 * Lets a new transfer wait for its approvals: takes its hold and the room in the limits of its account, except of a scheduled one, which
 * takes them when it is sent, and requests the approvals. Where no candidate can hold the money, the transfer ends unsent.
 */
export async function holdForApproval(
  em: EntityManager,
  lockedTransfer: LockedTransfer,
  { order, rule, preconditions }: HeldOrder,
): Promise<void> {
  const { transfer } = lockedTransfer
  const requestedAt = new Date()
  transition(transfer, transferMachine, 'approval_requested', requestedAt)
  const failure = order.scheduledFor ? null : await holdAtCandidates(em, lockedTransfer, order, preconditions)
  if (failure) {
    transfer.approvalsNeeded = null
    return endUnsentTransfer(em, lockedTransfer, 'refused', failure)
  }
  const { uuid: subjectUuid, accountUuid } = transfer
  await insertApprovalRequest(em, {
    subject: 'transfer',
    subjectUuid,
    accountUuid,
    author: order,
    needed: rule.count,
    requestedAt,
    expiresAt: computeApprovalExpiry(rule, requestedAt, order.timeScale),
    callout: planFirstCallout(rule, requestedAt, order.timeScale),
  })
}

/** Holds the money at the first candidate that has it; returns the failure of the last one where none has. */
async function holdAtCandidates(
  em: EntityManager,
  { transfer }: LockedTransfer,
  { candidates }: TransferInput,
  { connection, ...locked }: TransferPreconditions,
): Promise<OperationFailure | null> {
  let failure: OperationFailure = failureOf('insufficient_balance')
  for (const uuid of candidates) {
    const candidate = uuid === connection!.uuid ? connection! : await em.findOneOrFail(Connection, uuid)
    const isLocked = candidate === connection
    const refusal = await holdTransferFunds(em, transfer, candidate, {
      locked: isLocked ? locked : undefined,
    })
    if (!refusal) return null
    failure = transfer.failure ?? { code: refusal.code, message: refusal.message }
    if (refusal.finality === 'final') return failure
  }
  return failure
}

/**
 * Applies to a transfer that waits what has been decided about it, its acceptance deadline and its expiry. Returns how long it still
 * waits; null where it does not. The caller holds the row lock. Repeatable.
 */
export async function applyApproval(
  em: EntityManager,
  lockedTransfer: LockedTransfer,
): Promise<RemainingWait | null> {
  const { transfer, attempts } = lockedTransfer
  if (transfer.state !== 'held' || attempts.length > 0) return null
  const approval = await lockApproval(em, transfer.uuid)
  if (!approval) throw new Error(`transfer ${transfer.uuid} waits without a request`)
  const { at, decision, given } = approval
  if (transfer.acceptBefore && at > transfer.acceptBefore) {
    await endUnacceptedTransfer(em, lockedTransfer)
    return null
  }
  transfer.acceptBefore = null
  transfer.accepted ??= snapshotAcceptedTransfer(transfer, [], approval)
  switch (decision) {
    case 'approved':
      await approveTransfer(em, lockedTransfer)
      return null
    case 'rejected':
    case 'withdrawn':
      await endUnsentTransfer(em, lockedTransfer, 'cancelled', null)
      return null
    case 'expired':
      await endUnsentTransfer(em, lockedTransfer, 'never_sent', null)
      return null
    case null: {
      const remaining = findRemainingWait(approval, given, at)
      if (remaining) return remaining
      await decideApprovalRequest(em, transfer.uuid, 'expired')
      await endUnsentTransfer(em, lockedTransfer, 'never_sent', null)
      return null
    }
  }
}

/**
 * Lets an approved transfer be sent. Its room in the limits is taken anew, of the windows of now and by the limits of now: where they do
 * not allow it any more, it fails, and its hold is released.
 */
async function approveTransfer(em: EntityManager, lockedTransfer: LockedTransfer): Promise<void> {
  const { transfer } = lockedTransfer
  if (!transfer.scheduledFor) {
    const { limits } = await lockBalanceAndLimits(em, transfer)
    await releaseLimitRoom(em, transfer, transfer.connection)
    const failure = limits && (await takeTransferRoom(em, transfer, transfer.connection, limits))
    if (failure) return endUnsentTransfer(em, lockedTransfer, 'refused', failure)
  }
  transition(transfer, transferMachine, 'approved', new Date())
}
