import { z } from 'zod'
import type { MovementCarrier } from '../../contract/ledger/movement.ts'
import {
  MAX_LISTED_RETURNS,
  RECEIPT_KINDS,
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
  SHARED_MS,
  writeReceiptFacts,
} from '../../domain/receipts/receipt.ts'
import { fail } from '../../http/api-error.ts'
import type { Sealer } from '../../security/sealing.ts'
import type { Viewer } from '../authorization/visibility.ts'
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
  (em: EntityManager, viewer: Viewer, uuid: string) => Promise<ReceiptedOperation>
> = { PAYMENT: requireVisibleCharge, TRANSFER: requireVisibleTransfer, REFUND: requireVisibleRefund }

export type ReceiptRequest = {
  em: EntityManager
  viewer: Viewer
  kind: ReceiptKind
  uuid: string
  /** Of a refund, the charge that it must be of. */
  chargeUuid?: string
}

export type ReceiptIssuer = { sealer: Sealer; config: { publicUrl: string } }

/** Issues this service's receipt of an operation that the viewer may see; fails with 404, or with 409 while its money has not settled. */
export function issueReceipt(
  { sealer, config: { publicUrl } }: ReceiptIssuer,
  { em: requestEm, viewer, kind, uuid, chargeUuid }: ReceiptRequest,
): Promise<ShownReceipt> {
  return readInSnapshot(requestEm, async em => {
    const operation = await READ_OPERATION[kind](em, viewer, uuid)
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
      share: shareReceipt(sealer, { kind, uuid, accountUuid: viewer.accountUuid }),
      publicUrl,
    })
  })
}

/** What the address of a shared receipt has sealed. */
const sharedReceiptSchema = z.strictObject({
  sharedReceipt: z.enum(RECEIPT_KINDS),
  uuid: z.uuid(),
  accountUuid: z.uuid(),
  untilMs: z.int(),
})

/** Seals what a receipt is of and until when it is shared: the address alone opens it, and nothing is stored. */
function shareReceipt(
  sealer: Sealer,
  { kind, uuid, accountUuid }: { kind: ReceiptKind; uuid: string; accountUuid: string },
): { code: string; until: Date } {
  const until = new Date(Date.now() + SHARED_MS)
  const shared: z.infer<typeof sharedReceiptSchema> = {
    sharedReceipt: kind,
    uuid,
    accountUuid,
    untilMs: until.getTime(),
  }
  return { code: sealer.seal(shared), until }
}

/** Issues the receipt that was shared by a code; null where no code was issued so, it was altered, or its time is over. */
export async function openSharedReceipt(
  issuer: ReceiptIssuer,
  em: EntityManager,
  code: string,
): Promise<ShownReceipt | null> {
  const shared = readSharedReceipt(issuer.sealer, code)
  if (!shared || shared.untilMs <= Date.now()) return null
  const { sharedReceipt: kind, uuid, accountUuid } = shared
  return issueReceipt(issuer, { em, viewer: { accountUuid, connectionUuid: null }, kind, uuid })
}

function readSharedReceipt(sealer: Sealer, code: string): z.infer<typeof sharedReceiptSchema> | null {
  try {
    return sharedReceiptSchema.parse(sealer.open(code))
  } catch {
    return null
  }
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
