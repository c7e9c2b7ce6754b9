import type { EntityManager } from '../../db/client/orm.ts'
import type { Charge } from '../../db/entities/charge.ts'
import { Dispute } from '../../db/entities/dispute.ts'
import { Movement } from '../../db/entities/movement.ts'
import { lockBalances } from '../../db/ledger/post.ts'
import { ROW_LOCK } from '../../db/locks.ts'
import { chargeMachine } from '../../domain/charges/charge.ts'
import type { IncomingPix } from '../../domain/providers/provider.ts'
import { lockDisputes } from '../disputes/locks.ts'
import { transition } from '../shared/transition.ts'
import { confirmPayment } from './settle-payment.ts'

/**
 * Tells whether a PIX that the provider lists as the charge's payment was credited before to the charge's account as a
 * deposit, because the look-up of the PIX itself named no charge.
 */
export function isDepositOfCharge(charge: Charge, payment: IncomingPix, movement: Movement): boolean {
  return (
    payment.status === 'settled' &&
    movement.reason === 'deposit' &&
    movement.status === 'SETTLED' &&
    movement.accountUuid === charge.accountUuid
  )
}

/**
 * Makes a deposit the payment of its charge, in the caller's transaction and under the charge's row lock. The movement
 * stays: its end-to-end id is posted once, and its money is in `available` already, so that only the fee and the splits
 * are posted. Disputes of the deposit become disputes of the charge. A deposit that a dispute has returned in part
 * stays a deposit. Repeatable: a movement that pays a charge is no longer a deposit.
 */
export async function payChargeByDeposit(
  em: EntityManager,
  charge: Charge,
  payment: IncomingPix,
  { uuid }: Movement,
): Promise<void> {
  const deposit = await em.findOneOrFail(Movement, uuid, { ...ROW_LOCK, refresh: true })
  if (deposit.reason !== 'deposit') return
  if ((await em.count(Dispute, { movement: deposit, returnedCents: { $gt: 0 } })) > 0) return
  const { accountUuid, providerAccountUuid } = charge
  const recipients = charge.splits.getItems().map(split => split.recipient.uuid)
  const accountUuids = [accountUuid, ...recipients]
  const disputes = await lockDisputes(em, { providerAccountUuid, accountUuids })
  await lockBalances(em, { accountUuids, providerAccountUuids: [providerAccountUuid] })
  for (const dispute of disputes.filter(one => one.movement.uuid === deposit.uuid)) {
    dispute.chargeUuid = charge.uuid
    charge.disputedCents += dispute.claimedCents
  }
  Object.assign(deposit, {
    reason: null,
    chargeUuid: charge.uuid,
    txid: charge.txid,
    pixKey: charge.pixKey || deposit.pixKey,
    receiver: charge.receiver,
  })
  charge.movement = deposit
  transition(charge, chargeMachine, 'payment_started', new Date())
  await confirmPayment(em, charge, payment, deposit, { isCredited: true })
}
