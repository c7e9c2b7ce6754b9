import type { Connection } from '../db/entities/connection.ts'
import { Transfer } from '../db/entities/transfer.ts'
import { gate } from '../db/lock.ts'
import type { EntityManager } from '../db/orm.ts'
import { availableAt } from '../db/post.ts'
import { all, first, heardAs, type Question } from '../db/questions.ts'
import { isRefTaken } from '../db/transfers.ts'
import { shownInstant } from '../domain/time.ts'
import type { TransferDetails, TransferOrder } from '../workflows/messages.ts'
import type { PixOut } from './move.ts'
import { failureOf } from './transfer-failures.ts'
import { endUnsent } from './transfers.ts'

/** How a transfer's row is first written. */

/** What is known of a transfer before its row is written. */
export type Door = {
  /** First candidate connection, locked `for no key update`. Undefined where the transfer has a row already. */
  connection: Connection | undefined
  /** What its account could spend there. */
  availableCents: number
}

/**
 * To be asked behind the lock of a transfer's row, in the order of locks. Where there is a row nothing more is locked: it
 * may be about other money by now, and its gate comes first.
 */
export function doorOf(em: EntityManager, { uuid, ...order }: TransferOrder): Question<Door> {
  const by = [order.candidates[0]!, uuid]
  const found = (column: string) =>
    `(select ${column} from connection where uuid = ? and not exists (select from transfer where uuid = ?))`
  const door = all(
    first(gate(em, by, found('uuid'))),
    availableAt(order.accountUuid, by, found('provider_account_uuid')),
  )
  return heardAs(door, ([connection, availableCents]) => ({ connection, availableCents }))
}

/** Writes its row; one that takes a reference twice is FAILED from the beginning. */
export async function openTransfer(
  em: EntityManager,
  { order, details, door }: { order: TransferOrder; details: TransferDetails; door: Door },
): Promise<PixOut> {
  const { connection } = door
  if (!connection) throw new Error(`transfer ${order.uuid} has a row, or names no connection`)
  const refTaken = await takesRefTwice(em, details, connection)
  const out = { transfer: create(em, order, details, connection), attempts: [] }
  // What is found again after a restore was taken long ago.
  if (refTaken && !order.restored) await endUnsent(em, out, 'not_taken', failureOf('external_ref_taken'))
  return out
}

function create(
  em: EntityManager,
  order: TransferOrder,
  details: TransferDetails,
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
    history: [{ status: 'PENDING', created_at: shownInstant(at) }],
    takeBefore: order.takeBefore ? new Date(order.takeBefore) : null,
    requestId: order.requestId,
    fingerprint: details.fingerprint,
    createdAt: at,
    updatedAt: at,
  })
}

/** SPEC §4, `unique_external_ref`: the account's row is locked, so that of two at once the second finds the first. */
async function takesRefTwice(
  em: EntityManager,
  { externalRef }: TransferDetails,
  { accountUuid, isSimulated }: Connection,
): Promise<boolean> {
  if (externalRef === undefined) return false
  const policy: object[] = await em.execute(
    'select from account where uuid = ? and unique_external_ref for no key update',
    [accountUuid],
  )
  return policy.length > 0 && isRefTaken(em, { accountUuid, externalRef, isSimulated })
}
