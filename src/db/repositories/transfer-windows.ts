import { createHash } from 'node:crypto'
import { isTrustedReceiver } from '../../domain/limits/account-limits.ts'
import { listOrderWindows, type OrderWindows } from '../../domain/limits/usage-window.ts'
import { HOUR } from '../../domain/shared/intervals.ts'
import { identifyReceiver, readDestination } from '../../domain/transfers/transfer-destination.ts'
import type { EntityManager } from '../client/orm.ts'
import type { Transfer } from '../entities/transfer.ts'
import { type LimitsInForce, readFirstSettlement, type UsageOwner } from './account-limits.ts'

/** Lists the windows of a transfer, and when its receiver is new no more. */
export async function readTransferWindows(
  em: EntityManager,
  owner: UsageOwner,
  transfer: Pick<Transfer, 'pixKey' | 'bankAccount' | 'document'>,
  { limits, at }: LimitsInForce,
): Promise<{ orderWindows: OrderWindows; newReceiverUntil: Date | null }> {
  const receiverId = identifyReceiver(readDestination(transfer))
  const receiverHash = hashReceiver(receiverId)
  const isTrusted = isTrustedReceiver(limits, transfer)
  const newReceiver =
    limits.newReceiver && !isTrusted
      ? await readNewReceiver(em, owner, { receiverId, hours: limits.newReceiver.hours, at })
      : null
  const isNewReceiver = newReceiver !== null && (newReceiver.until === null || newReceiver.until > at)
  return {
    orderWindows: listOrderWindows(limits, at, { receiverHash, isNewReceiver }),
    newReceiverUntil: newReceiver?.until ?? null,
  }
}

/** Reads until when a receiver is new; null where nothing has settled to it. */
async function readNewReceiver(
  em: EntityManager,
  owner: UsageOwner,
  { receiverId, hours, at }: { receiverId: string; hours: number; at: Date },
): Promise<{ until: Date | null }> {
  const enough = new Date(at.getTime() - hours * HOUR)
  const settledAt = await readFirstSettlement(em, owner, { receiverId, enough })
  return { until: settledAt && new Date(settledAt.getTime() + hours * HOUR) }
}

/** Hashes a receiver for the key of its counters, which so do not show whom an account pays. */
function hashReceiver(receiverId: string): string {
  return createHash('sha256').update(receiverId).digest('hex')
}
