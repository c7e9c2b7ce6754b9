import type { EntityManager } from '../../db/client/orm.ts'
import type { Connection } from '../../db/entities/connection.ts'
import { Transfer } from '../../db/entities/transfer.ts'
import { queryAvailableBalance } from '../../db/ledger/post.ts'
import { connectionLock } from '../../db/locks.ts'
import { batchQueries, firstRow, mapQuery, type Query } from '../../db/pipeline/query.ts'
import { isExternalRefUsed } from '../../db/repositories/transfers.ts'
import { formatTimestamp } from '../../domain/shared/timestamp.ts'
import type { TransferInput, TransferInputDetails } from '../../workflows/contracts/messages.ts'
import type { LockedTransfer } from '../shared/transition.ts'
import { createTransferFailure } from './failure.ts'
import { endUnsentTransfer } from './transfer-payout.ts'

/** How a transfer's row is first written. */

/** What is known of a transfer before its row is written. */
export type TransferPreconditions = {
  /** First candidate connection, locked `for no key update`. Undefined where the transfer has a row already. */
  connection: Connection | undefined
  /** What its account could spend there. */
  availableCents: number
}

/**
 * To be asked behind the lock of a transfer's row, in the order of locks. Where there is a row nothing more is locked: it
 * may be about other money by now, and its gate comes first.
 */
export function queryTransferPreconditions(
  em: EntityManager,
  { uuid, ...order }: TransferInput,
): Query<TransferPreconditions> {
  const by = [order.candidates[0]!, uuid]
  const found = (column: string) =>
    `(select ${column} from connection where uuid = ? and not exists (select from transfer where uuid = ?))`
  const door = batchQueries(
    firstRow(connectionLock(em, by, found('uuid'))),
    queryAvailableBalance(order.accountUuid, by, found('provider_account_uuid')),
  )
  return mapQuery(door, ([connection, availableCents]) => ({ connection, availableCents }))
}

/** Writes its row; one that takes a reference twice is FAILED from the beginning. */
export async function openTransfer(
  em: EntityManager,
  {
    order,
    details,
    preconditions: door,
  }: { order: TransferInput; details: TransferInputDetails; preconditions: TransferPreconditions },
): Promise<LockedTransfer> {
  const { connection } = door
  if (!connection) throw new Error(`transfer ${order.uuid} has a row, or names no connection`)
  const refTaken = await isExternalRefReused(em, details, connection)
  const out = { transfer: createTransferRow(em, order, details, connection), attempts: [] }
  // What is found again after a restore was taken long ago.
  if (refTaken && !order.restored)
    await endUnsentTransfer(em, out, 'not_taken', createTransferFailure('external_ref_taken'))
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
    takeBefore: order.acceptBefore ? new Date(order.acceptBefore) : null,
    requestId: order.requestId,
    fingerprint: details.fingerprint,
    createdAt: at,
    updatedAt: at,
  })
}

/** SPEC §4, `unique_external_ref`: the account's row is locked, so that of two at once the second finds the first. */
async function isExternalRefReused(
  em: EntityManager,
  { externalRef }: TransferInputDetails,
  { accountUuid, isSimulated }: Connection,
): Promise<boolean> {
  if (externalRef === undefined) return false
  const policy: object[] = await em.execute(
    'select from account where uuid = ? and unique_external_ref for no key update',
    [accountUuid],
  )
  return policy.length > 0 && isExternalRefUsed(em, { accountUuid, externalRef, isSimulated })
}
