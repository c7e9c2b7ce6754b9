import type { Charge } from '../db/entities/charge.ts'
import { Med } from '../db/entities/med.ts'
import { Movement } from '../db/entities/movement.ts'
import { ALONE } from '../db/lock.ts'
import type { EntityManager } from '../db/orm.ts'
import { lockBalances } from '../db/post.ts'
import type { IncomingPix } from '../domain/provider.ts'
import { confirmPayment } from './crediting.ts'
import { lockDisputes } from './med-locks.ts'
import { moveCharge } from './move.ts'

/**
 * Whether this PIX was credited to the charge's account as a deposit, because its own look-up named no charge. The
 * look-up of the charge names it after all.
 */
export function isDepositOf(charge: Charge, payment: IncomingPix, movement: Movement): boolean {
  return (
    payment.status === 'settled' &&
    movement.reason === 'deposit' &&
    movement.status === 'SETTLED' &&
    movement.accountUuid === charge.accountUuid
  )
}

/**
 * Makes a deposit the payment of its charge, in the caller's transaction and under the charge's row lock. The movement
 * stays: its end-to-end id is booked once, and its money stands in `available` already, so that only the fee and the
 * splits are booked. Disputes of the deposit are disputes of the charge from then on. One that a dispute has returned in
 * part stays a deposit. Repeatable: a movement that pays a charge is no deposit any more.
 */
export async function payByDeposit(
  em: EntityManager,
  charge: Charge,
  payment: IncomingPix,
  { uuid }: Movement,
): Promise<void> {
  const deposit = await em.findOneOrFail(Movement, uuid, { ...ALONE, refresh: true })
  if (deposit.reason !== 'deposit') return
  if ((await em.count(Med, { movement: deposit, returnedCents: { $gt: 0 } })) > 0) return
  const { accountUuid, providerAccountUuid } = charge
  const recipients = charge.splits.getItems().map(split => split.recipient.uuid)
  const accountUuids = [accountUuid, ...recipients]
  const disputes = await lockDisputes(em, { providerAccountUuid, accountUuids })
  await lockBalances(em, { accountUuids, providerAccountUuids: [providerAccountUuid] })
  for (const med of disputes.filter(one => one.movement.uuid === deposit.uuid)) {
    med.chargeUuid = charge.uuid
    charge.disputedCents += med.claimedCents
  }
  Object.assign(deposit, {
    reason: null,
    chargeUuid: charge.uuid,
    txid: charge.txid,
    pixKey: charge.pixKey || deposit.pixKey,
    receiver: charge.receiver,
  })
  charge.movement = deposit
  moveCharge(charge, 'payment_started', new Date())
  await confirmPayment(em, charge, payment, deposit, { isCredited: true })
}
