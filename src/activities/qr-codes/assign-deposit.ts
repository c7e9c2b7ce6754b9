import type { EntityManager } from '../../db/client/orm.ts'
import type { Charge } from '../../db/entities/charge.ts'
import { DepositAssignment } from '../../db/entities/deposit-assignment.ts'
import type { Movement } from '../../db/entities/movement.ts'
import { QrCode } from '../../db/entities/qr-code.ts'
import { lockConnection, lockMovement, lockRow } from '../../db/locks.ts'
import { noQuery } from '../../db/pipeline/query.ts'
import { readDepositAssignmentTerms } from '../../db/repositories/deposit-assignments.ts'
import { scheduleDeliveriesForSweep } from '../../db/repositories/events.ts'
import { findCodesOfDeposit } from '../../db/repositories/qr-codes.ts'
import { DepositNotAssigned, isDepositAssignable } from '../../domain/unmatched/deposit-assignment.ts'
import type { OrderAuthor } from '../../workflows/contracts/orders.ts'
import { payChargeByAssignedDeposit } from '../charges/record-payments.ts'
import { lockCharge } from '../shared/transition.ts'
import { decideCodePayment, deriveCodeChargeUuid, storeCodeCharge } from './record-payment.ts'

type DepositAssignmentOrder = OrderAuthor & {
  uuid: string
  accountUuid: string
  depositUuid: string
  qrCodeUuid: string
  requestId: string
  fingerprint: string
}

/** Returns the uuid of the charge that a deposit pays once it is assigned to a code: that of the code, or one that follows from the PIX. */
export function chargeUuidOfAssignment(
  { uuid, isSingle }: Pick<QrCode, 'uuid' | 'isSingle'>,
  { providerAccountUuid, endToEnd }: Pick<Movement, 'providerAccountUuid' | 'endToEnd'>,
): string {
  return isSingle ? uuid : deriveCodeChargeUuid({ providerAccountUuid, endToEnd: endToEnd ?? '' })
}

/**
 * Assigns a deposit without a txid to a static code of its account, in the caller's transaction: the deposit pays the charge of the
 * code, or one that is born PAID, as if the PIX had named the code (SPEC §2). Everything is checked here, under the row locks of code,
 * charge and deposit, so that of concurrent assignments, returns and cancellations one is carried out. Throws
 * `DepositNotAssigned`: the transaction is to be rolled back. The deliveries of its events are due for the next sweep.
 */
export async function assignDepositToCode(
  em: EntityManager,
  order: DepositAssignmentOrder,
): Promise<DepositAssignment> {
  const { depositUuid, qrCodeUuid, accountUuid } = order
  const [code] = await lockRow(em, QrCode, qrCodeUuid, noQuery)
  // As everywhere: the charge, then its connection, then the movement. A charge that is not stored yet is no other's to lock.
  const openCharge = code.isSingle ? await lockCharge(em, code.uuid) : null
  if (!openCharge) await lockConnection(em, code.connection.uuid)
  const deposit = await lockMovement(em, depositUuid)
  const terms = await readDepositAssignmentTerms(em, { uuid: depositUuid, accountUuid })
  if (!terms || !isDepositAssignable(terms)) throw new DepositNotAssigned('deposit_not_assignable')
  const fitting = await findCodesOfDeposit(em, depositUuid, qrCodeUuid)
  if (fitting.length === 0) throw new DepositNotAssigned('qr_code_does_not_fit')
  const charge = openCharge ?? (await createPaidCodeCharge(em, code, deposit, order))
  await payChargeByAssignedDeposit(em, charge, deposit)
  await scheduleDeliveriesForSweep(em, charge.uuid)
  return em.create(DepositAssignment, {
    uuid: order.uuid,
    accountUuid,
    movementUuid: depositUuid,
    qrCodeUuid,
    chargeUuid: charge.uuid,
    tokenNumber: order.tokenNumber ?? null,
    userUuid: order.userUuid ?? null,
    requestId: order.requestId,
    fingerprint: order.fingerprint,
    createdAt: new Date(),
  })
}

/** Stores the charge of a deposit that a merchant's code takes, and locks it; the caller pays it in the same transaction. */
async function createPaidCodeCharge(
  em: EntityManager,
  code: QrCode,
  deposit: Movement,
  { requestId }: Pick<DepositAssignmentOrder, 'requestId'>,
): Promise<Charge> {
  const decision = decideCodePayment(code, deposit.valueCents)
  if (decision.kind === 'unmatched') throw new DepositNotAssigned('qr_code_does_not_fit')
  const uuid = chargeUuidOfAssignment(code, deposit)
  await storeCodeCharge(em, code, { uuid, requestId, ...decision })
  return lockCharge(em, uuid)
}
