import type { EntityManager } from '../../db/client/orm.ts'
import type { Connection } from '../../db/entities/connection.ts'
import type { Refund } from '../../db/entities/refund.ts'
import type { OperationFailure, Transfer } from '../../db/entities/transfer.ts'
import { runQuery } from '../../db/pipeline/query.ts'
import {
  addLimitUsage,
  findRecentTransfer,
  type LimitsInForce,
  lockLimitUsage,
  queryLockedLimits,
  type UsageOwner,
} from '../../db/repositories/account-limits.ts'
import { readTransferWindows } from '../../db/repositories/transfer-windows.ts'
import { failureOf } from '../../domain/errors/error-catalogue.ts'
import {
  type ExceededLimit,
  findExceededOrderLimit,
  findExceededWindowLimit,
} from '../../domain/limits/exceeded-limit.ts'
import { listOrderWindows, type OrderWindows } from '../../domain/limits/usage-window.ts'
import { formatTimestamp } from '../../domain/shared/timestamp.ts'
import {
  identifyReceiver,
  type TransferDestination,
  toDestinationColumns,
} from '../../domain/transfers/transfer-destination.ts'

/**
 * What an order takes of the limits of its account, and gives back (docs/specification.md, "Limits"). Everything here runs in
 * the transaction that takes or releases the hold. Lock order: balances, the limits of the account, its counters.
 */

/**
 * Takes room for a transfer in the counters of its account, or returns the failure of the limit that it exceeds. Nothing is
 * taken twice: one that falls back to another provider keeps the room that it has. The caller holds the locks of the
 * balances and of the limits.
 */
export async function takeTransferRoom(
  em: EntityManager,
  transfer: Transfer,
  { isSimulated }: Pick<Connection, 'isSimulated'>,
  { limits, at }: LimitsInForce,
): Promise<OperationFailure | null> {
  if (transfer.limitWindows) return null
  const { accountUuid, valueCents } = transfer
  const owner = { accountUuid, isSimulated }
  const orderLimit = findExceededOrderLimit(limits, transfer)
  if (orderLimit) return buildLimitFailure(orderLimit)
  const { orderWindows, newReceiverUntil } = await readTransferWindows(em, owner, transfer, { limits, at })
  const order = { valueCents, limits, orderWindows, newReceiverUntil }
  const failure = await takeWindowRoom(em, owner, order)
  if (!failure) transfer.limitWindows = orderWindows.windows
  return failure
}

/** Takes room for a refund, which counts per day only. Returns the windows, or the failure of the limit. */
export async function takeRefundRoom(
  em: EntityManager,
  { valueCents, ...owner }: UsageOwner & { valueCents: number },
  { limits, at }: LimitsInForce,
): Promise<{ windows: OrderWindows['windows'] } | { failure: OperationFailure }> {
  const orderWindows = listOrderWindows(limits, at, { receiverHash: null })
  const failure = await takeWindowRoom(em, owner, { valueCents, limits, orderWindows })
  return failure ? { failure } : { windows: orderWindows.windows }
}

type WindowedOrder = Pick<LimitsInForce, 'limits'> & {
  valueCents: number
  orderWindows: OrderWindows
  newReceiverUntil?: Date | null
}

/** Locks the counters of an order's windows, and counts it in each; returns the failure of the first limit that it exceeds, if any. */
async function takeWindowRoom(
  em: EntityManager,
  owner: UsageOwner,
  { valueCents, limits, orderWindows, newReceiverUntil }: WindowedOrder,
): Promise<OperationFailure | null> {
  const { windows } = orderWindows
  const usedCents = await lockLimitUsage(em, owner, windows)
  const exceeded = findExceededWindowLimit(limits, { valueCents, usedCents }, orderWindows, newReceiverUntil)
  if (exceeded) return buildLimitFailure(exceeded)
  await addLimitUsage(em, owner, { windows, usedCents: valueCents })
  return null
}

/**
 * Gives back the room of an order that has not left, in the transaction that releases its hold. One that was returned keeps
 * it. Repeatable.
 */
export async function releaseLimitRoom(
  em: EntityManager,
  order: Transfer | Refund,
  { isSimulated }: Pick<Connection, 'isSimulated'>,
): Promise<void> {
  const { limitWindows: windows, accountUuid, valueCents } = order
  if (!windows) return
  await addLimitUsage(em, { accountUuid, isSimulated }, { windows, usedCents: -valueCents })
  order.limitWindows = null
}

/**
 * Counts a transfer that has left, or may have, without having been let through, because it settled after it had failed or
 * is restored from its provider: it takes room of those that follow. The caller holds the locks of the balances.
 */
export async function countLateTransfer(
  em: EntityManager,
  transfer: Transfer,
  { isSimulated }: Pick<Connection, 'isSimulated'>,
): Promise<void> {
  const { accountUuid, valueCents: lateCents } = transfer
  const owner = { accountUuid, isSimulated }
  const inForce = await runQuery(em, queryLockedLimits(accountUuid))
  if (!inForce) return
  const { orderWindows } = await readTransferWindows(em, owner, transfer, inForce)
  const { windows } = orderWindows
  await lockLimitUsage(em, owner, windows)
  await addLimitUsage(em, owner, { windows, lateCents })
}

/** Counts a refund that left without having been let through, like `countLateTransfer`; per day only. */
export async function countLateRefund(
  em: EntityManager,
  { accountUuid, valueCents: lateCents }: Refund,
  { isSimulated }: Pick<Connection, 'isSimulated'>,
): Promise<void> {
  const inForce = await runQuery(em, queryLockedLimits(accountUuid))
  if (!inForce) return
  const owner = { accountUuid, isSimulated }
  const { windows } = listOrderWindows(inForce.limits, inForce.at, { receiverHash: null })
  await lockLimitUsage(em, owner, windows)
  await addLimitUsage(em, owner, { windows, lateCents })
}

/**
 * Finds why a new transfer may not be ordered, whatever room there is when it is sent: one like it was ordered a moment ago,
 * or it exceeds a limit by itself. The caller holds the lock of the limits, so the second of two concurrent orders finds the
 * first.
 */
export async function findOrderFailure(
  em: EntityManager,
  transfer: UsageOwner & {
    valueCents: number
    destination: TransferDestination
    allowDuplicate?: boolean | undefined
  },
  { limits }: LimitsInForce,
): Promise<OperationFailure | null> {
  const { destination, valueCents } = transfer
  const exceeded = findExceededOrderLimit(limits, { ...toDestinationColumns(destination), valueCents })
  if (exceeded) return buildLimitFailure(exceeded)
  const seconds = limits.duplicateGuardSeconds
  if (seconds === 0 || transfer.allowDuplicate) return null
  const duplicateUuid = await findRecentTransfer(em, transfer, {
    receiverId: identifyReceiver(destination),
    valueCents,
    seconds,
  })
  return duplicateUuid === null ? null : { ...failureOf('possible_duplicate'), duplicate_of: duplicateUuid }
}

function buildLimitFailure({ limit, leftCents, resetsAt }: ExceededLimit): OperationFailure {
  return {
    ...failureOf('over_limit'),
    exceeded: {
      limit,
      left_cents: leftCents,
      resets_at: resetsAt && formatTimestamp(resetsAt),
    },
  }
}
