import type { EntityManager } from '../../db/client/orm.ts'
import type { Connection } from '../../db/entities/connection.ts'
import { Transfer } from '../../db/entities/transfer.ts'
import { queryAvailableBalance } from '../../db/ledger/post.ts'
import { connectionLock } from '../../db/locks.ts'
import { batchQueries, firstRow, mapQuery, type Query } from '../../db/pipeline/query.ts'
import { isExternalRefUsed, lockUniqueRefAccount } from '../../db/repositories/transfers.ts'
import { failureOf } from '../../domain/errors/error-catalogue.ts'
import { formatTimestamp } from '../../domain/shared/timestamp.ts'
import type { TransferInput, TransferInputDetails } from '../../workflows/contracts/transfers.ts'
import type { LockedTransfer } from '../shared/transition.ts'
import { endUnsentTransfer } from './transfer-payout.ts'

/** Stores the row of a new transfer. */

/** Facts read and locked before a transfer's row is written. */
export type TransferPreconditions = {
  /** First candidate connection, locked `for no key update`. Undefined where the transfer has a row already. */
  connection: Connection | undefined
  /** Available balance of its account at that connection's provider account, in centavos. */
  availableCents: number
}

/**
 * Returns the query of a transfer's preconditions, to be run after the lock of its row, in the global lock order. Where
 * the row exists it locks nothing: the row may name another connection by now, whose lock comes first.
 */
export function queryTransferPreconditions(
  em: EntityManager,
  { uuid, ...order }: TransferInput,
): Query<TransferPreconditions> {
  const values = [order.candidates[0]!, uuid]
  const subquery = (column: string) =>
    `(select ${column} from connection where uuid = ? and not exists (select from transfer where uuid = ?))`
  const queries = batchQueries(
    firstRow(connectionLock(em, values, subquery('uuid'))),
    queryAvailableBalance(order.accountUuid, values, subquery('provider_account_uuid')),
  )
  return mapQuery(queries, ([connection, availableCents]) => ({ connection, availableCents }))
}

/** Stores a transfer's row. A transfer whose external reference is in use is stored as FAILED. */
export async function openTransfer(
  em: EntityManager,
  {
    order,
    details,
    preconditions,
  }: { order: TransferInput; details: TransferInputDetails; preconditions: TransferPreconditions },
): Promise<LockedTransfer> {
  const { connection } = preconditions
  if (!connection) throw new Error(`transfer ${order.uuid} has a row, or names no connection`)
  const isRefReused = await isExternalRefReused(em, details, connection)
  const out = { transfer: createTransferRow(em, order, details, connection), attempts: [] }
  // A transfer rebuilt after a restore was accepted before it, with its reference.
  if (isRefReused && !order.restored)
    await endUnsentTransfer(em, out, 'not_taken', failureOf('external_ref_taken'))
  return out
}

function createTransferRow(
  em: EntityManager,
  order: TransferInput,
  details: TransferInputDetails,
  connection: Connection,
): Transfer {
  const at = new Date(order.restored?.orderedAt ?? Date.now())
  return em.create(Transfer, {
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
    fingerprint: details.fingerprint,
    createdAt: at,
    updatedAt: at,
  })
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
