import type { MovementCarrier } from '../../contract/ledger/movement.ts'
import {
  MAX_LISTED_RETURNS,
  type ReceiptKind,
  type ShownReceipt,
  type ShownReceiptCheck,
  showReceipt,
  showReceiptCheck,
} from '../../contract/receipts/receipt.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { readInSnapshot } from '../../db/client/transaction.ts'
import { Movement } from '../../db/entities/movement.ts'
import { listSettledReturns, readReceiptState } from '../../db/repositories/receipts.ts'
import {
  computeReceiptEnd,
  formatAuthentication,
  hasReceipt,
  parseAuthentication,
  writeReceiptFacts,
} from '../../domain/receipts/receipt.ts'
import { fail } from '../../http/api-error.ts'
import type { Sealer } from '../../security/sealing.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { requireVisibleCharge } from './charges.ts'
import { requireVisibleRefund } from './refunds.ts'
import { requireVisibleTransfer } from './transfers.ts'

/** What a receipt needs of the operation that it is of. */
type ReceiptedOperation = {
  movement?: Movement | null
  connection: MovementCarrier
  /** Of a refund. */
  original?: Movement
  chargeUuid?: string
}

const READ_OPERATION: Record<
  ReceiptKind,
  (em: EntityManager, token: CallerToken, uuid: string) => Promise<ReceiptedOperation>
> = { PAYMENT: requireVisibleCharge, TRANSFER: requireVisibleTransfer, REFUND: requireVisibleRefund }

type ReceiptRequest = {
  em: EntityManager
  token: CallerToken
  kind: ReceiptKind
  uuid: string
  /** Of a refund, the charge that it must be of. */
  chargeUuid?: string
}

/** Issues the receipt of an operation that the token may see; fails with 404, or with 409 while its money has not settled. */
export function issueReceipt(
  { sealer, config: { publicUrl } }: { sealer: Sealer; config: { publicUrl: string } },
  { em: requestEm, token, kind, uuid, chargeUuid }: ReceiptRequest,
): Promise<ShownReceipt> {
  return readInSnapshot(requestEm, async em => {
    const operation = await READ_OPERATION[kind](em, token, uuid)
    if (chargeUuid !== undefined && operation.chargeUuid !== chargeUuid) fail('not_found')
    const { movement, connection, original } = operation
    if (!hasReceipt(movement)) fail('receipt_not_ready')
    return showReceipt({
      kind,
      uuid,
      movement,
      connection,
      ...(original && { original }),
      ...(await readReceiptState(em, movement)),
      returns: await listSettledReturns(em, movement.uuid, MAX_LISTED_RETURNS),
      authentication: formatAuthentication(movement.uuid, sealer.mac(writeReceiptFacts(movement))),
      publicUrl,
    })
  })
}

/** Checks an authentication code; null where no receipt has it, or its time is over. */
export async function checkReceipt(
  em: EntityManager,
  sealer: Sealer,
  authentication: string,
): Promise<ShownReceiptCheck | null> {
  const code = parseAuthentication(authentication)
  const movement = code && (await em.findOne(Movement, code.movementUuid))
  if (!code || !hasReceipt(movement) || !sealer.isMacOf(code.mac, writeReceiptFacts(movement))) return null
  if (computeReceiptEnd(movement.settledAt).getTime() <= Date.now()) return null
  return showReceiptCheck({ movement, ...(await readReceiptState(em, movement)) })
}
