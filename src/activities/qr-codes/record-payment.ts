import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../../db/client/orm.ts'
import { Charge, Split } from '../../db/entities/charge.ts'
import { Connection } from '../../db/entities/connection.ts'
import { Movement } from '../../db/entities/movement.ts'
import { QrCode } from '../../db/entities/qr-code.ts'
import { lockRow } from '../../db/locks.ts'
import { noQuery, type Query, sendChanges } from '../../db/pipeline/query.ts'
import { queryWithFollowUps } from '../../db/repositories/follow-ups.ts'
import { queryReceivedMovements } from '../../db/repositories/movements.ts'
import { chargeMachine } from '../../domain/charges/charge.ts'
import { uuidFromHash } from '../../domain/pix/identifiers.ts'
import type { IncomingPix } from '../../domain/providers/provider.ts'
import { decideQrCodePayment } from '../../domain/qr-codes/qr-code.ts'
import { sha256 } from '../../security/sealing.ts'
import type { RecordDepositResult } from '../../workflows/contracts/unmatched.ts'
import { recordPayments } from '../charges/record-payments.ts'
import { getConnectionParty } from '../shared/provider-client.ts'
import { lockChargeWithQuery, transition } from '../shared/transition.ts'
import { recordUnmatchedPayment } from '../unmatched/record.ts'

/** A settled PIX to a static code; `code`: as found, not locked. */
type QrCodePaymentInput = { code: Pick<QrCode, 'uuid'>; payment: IncomingPix; requestId: string }

/**
 * Records a settled PIX to a static code, in the caller's transaction: it pays the charge of the code, or it is a charge of its own
 * that is born PAID with the whole history; one that the code cannot accept is an unmatched PIX (SPEC §2). Locks the code, then the
 * charge and its connection. Repeatable: a PIX that is recorded is not changed, whichever connection or statement reported it.
 */
export async function recordQrCodePayment(
  em: EntityManager,
  { code: { uuid }, payment, requestId }: QrCodePaymentInput,
): Promise<Query<RecordDepositResult>> {
  const [code] = await lockRow(em, QrCode, uuid, noQuery)
  if (code.isSingle) return payCharge(em, uuid, payment)
  const { providerAccountUuid } = code
  const chargeUuid = deriveCodeChargeUuid({ providerAccountUuid, endToEnd: payment.endToEnd })
  const recorded = await em.findOne(Movement, {
    providerAccountUuid,
    movementType: 'IN',
    endToEnd: payment.endToEnd,
  })
  if (recorded) return queryWithFollowUps(recorded.chargeUuid ?? recorded.uuid, { kind: 'accepted' })
  const decision = decideCodePayment(code, payment.cents)
  if (decision.kind === 'unmatched') {
    const connection = await em.findOneOrFail(Connection, code.connection.uuid)
    const disposition = code.onPayment === 'RETURN' ? 'held' : 'kept'
    const { reason } = decision
    const unmatched = { connection, payment, reason, disposition, requestId } as const
    const movement = await recordUnmatchedPayment(em, unmatched)
    return queryWithFollowUps(movement.uuid, { kind: 'accepted' })
  }
  await storeCodeCharge(em, code, { uuid: chargeUuid, requestId, ...decision })
  return payCharge(em, chargeUuid, payment)
}

/** Pays a charge, which the transaction locks, by a PIX to its code. */
async function payCharge(
  em: EntityManager,
  chargeUuid: string,
  payment: IncomingPix,
): Promise<Query<RecordDepositResult>> {
  const recordedQuery = queryReceivedMovements(em, { chargeUuid, endToEnds: [payment.endToEnd] })
  const [charge, recordedMovements] = await lockChargeWithQuery(em, chargeUuid, recordedQuery)
  await recordPayments(em, charge, { payments: [payment], recordedMovements })
  return queryWithFollowUps(chargeUuid, { kind: 'accepted' })
}

/** Decides what a PIX of a value to a merchant's code becomes: a charge, with its fee, or an unmatched PIX. */
export function decideCodePayment(code: QrCode, cents: number) {
  const hasFixedSplits = code.splits.some(({ type }) => type === 'FIXED')
  return decideQrCodePayment({ ...code, valueCents: code.valueCents ?? null, hasFixedSplits }, cents)
}

/** Derives the uuid of the charge of a PIX to a merchant's code, so that a PIX that is recorded again would be the same charge. */
export function deriveCodeChargeUuid(pix: { providerAccountUuid: string; endToEnd: string }): string {
  return uuidFromHash(sha256(JSON.stringify(['qr_code_charge', pix.providerAccountUuid, pix.endToEnd])))
}

type CodeCharge = { uuid: string; requestId: string; valueCents: number; feeCents: number }

/** Stores the pending charge of a PIX to a code, with the splits of the code; the caller pays it in the same transaction. */
export async function storeCodeCharge(em: EntityManager, code: QrCode, order: CodeCharge): Promise<void> {
  const { accountUuid, providerAccountUuid, payload, txid, pixKey, externalRef, fingerprint } = code
  const connection = await em.findOneOrFail(Connection, code.connection.uuid)
  const at = new Date()
  const charge = em.create(Charge, {
    ...order,
    accountUuid,
    connection,
    providerAccountUuid,
    state: 'issuing',
    totalCents: order.valueCents + order.feeCents,
    externalRef: externalRef ?? null,
    paymentUuid: randomUUID(),
    payload,
    txid,
    pixKey,
    receiver: getConnectionParty(connection) ?? null,
    additionalInfo: [],
    metadata: {},
    expiresInSeconds: null,
    qrCodeUuid: code.uuid,
    history: [],
    tokenNumber: code.tokenNumber ?? null,
    userUuid: code.userUuid ?? null,
    fingerprint,
    createdAt: at,
    updatedAt: at,
  })
  code.splits.forEach(({ type, amount, recipientAccountUuid }, position) => {
    em.create(Split, {
      uuid: randomUUID(),
      charge,
      position,
      type,
      amount,
      recipient: recipientAccountUuid,
      status: 'PENDING',
    })
  })
  transition(charge, chargeMachine, 'issued', at)
  await sendChanges(em) // PostgreSQL has the charge before the movement that refers to it.
}
