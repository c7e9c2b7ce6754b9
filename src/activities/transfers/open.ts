import type { EntityManager } from '../../db/client/orm.ts'
import type { Connection } from '../../db/entities/connection.ts'
import { Transfer } from '../../db/entities/transfer.ts'
import {
  isExternalRefUsed,
  lockUniqueRefAccount,
  type TransferPreconditions,
} from '../../db/repositories/transfers.ts'
import { failureOf } from '../../domain/errors/error-catalogue.ts'
import { formatTimestamp } from '../../domain/shared/timestamp.ts'
import type { TransferInput, TransferInputDetails } from '../../workflows/contracts/transfers.ts'
import type { LockedTransfer } from '../shared/transition.ts'
import { endUnsentTransfer } from './transfer-payout.ts'

/**
 * Stores a transfer's row. One whose external reference is in use is stored as FAILED, unless it was accepted before
 * (`acceptedAt`: when it was ordered).
 */
export async function openTransfer(
  em: EntityManager,
  order: TransferInput,
  details: TransferInputDetails,
  { connection }: TransferPreconditions,
  acceptedAt?: Date,
): Promise<LockedTransfer> {
  if (!connection) throw new Error(`transfer ${order.uuid} has a row, or names no connection`)
  const isRefReused = !acceptedAt && (await isExternalRefReused(em, details, connection))
  const at = acceptedAt ?? new Date()
  const transfer = em.create(Transfer, {
    uuid: order.uuid,
    accountUuid: order.accountUuid,
    connection,
    providerAccountUuid: connection.providerAccountUuid,
    state: 'created',
    valueCents: order.valueCents,
    pixKey: details.pixKey,
    document: details.document,
    externalRef: details.externalRef,
    beneficiaryName: details.finalBeneficiary?.name,
    beneficiaryDocument: details.finalBeneficiary?.document,
    scheduledFor: order.scheduledFor ? new Date(order.scheduledFor) : null,
    history: [{ status: 'PENDING', created_at: formatTimestamp(at) }],
    acceptBefore: order.acceptBefore ? new Date(order.acceptBefore) : null,
    requestId: order.requestId,
    tokenNumber: order.tokenNumber ?? null,
    userUuid: order.userUuid ?? null,
    fingerprint: details.fingerprint,
    createdAt: at,
    updatedAt: at,
  })
  const out = { transfer, attempts: [] }
  if (isRefReused) await endUnsentTransfer(em, out, 'not_started', failureOf('external_ref_in_use'))
  return out
}

/**
 * Tells whether an account that requires unique references has used this one (SPEC §4, `unique_external_ref`). Locks
 * the account's row, so that the second of two concurrent transfers finds the first.
 */
async function isExternalRefReused(
  em: EntityManager,
  { externalRef }: TransferInputDetails,
  { accountUuid, isSimulated }: Connection,
): Promise<boolean> {
  if (externalRef === undefined) return false
  return (
    (await lockUniqueRefAccount(em, accountUuid)) &&
    isExternalRefUsed(em, { accountUuid, externalRef, isSimulated })
  )
}
