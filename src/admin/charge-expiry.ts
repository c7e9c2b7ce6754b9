import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../db/client/orm.ts'
import { Charge } from '../db/entities/charge.ts'
import { ChargeExpiry } from '../db/entities/charge-expiry.ts'
import { isExpiryConfirmed, lockChargePastExpiry } from '../db/repositories/charge-expiries.ts'
import { textFromCents } from '../domain/ledger/money.ts'
import { signalOperation } from '../temporal/signals.ts'
import type { TemporalContext } from '../temporal/workflow-options.ts'
import { WORKFLOWS } from '../workflows/contracts/workflows.ts'
import { runAuditedAction } from './audited-action.ts'

export type ConfirmChargeExpiryInput = {
  uuid: string
  /** What the operator has seen as received for the charge and not matched, in centavos. */
  receivedCents: number
  actor: string
  reason: string
}

/** The charge cannot be confirmed as unpaid; the message has the reason for the operator, and nothing was done. */
class ChargeExpiryError extends Error {
  override name = 'ChargeExpiryError'
}

/**
 * Confirms that a charge past its expiry was not paid, and signals its workflow. The confirmation is stored with the
 * record of the operator's action, so that the hourly poll of the charge applies it where the signal is lost. The poll
 * ends the charge as EXPIRED only if its provider still lists no payment that pays it. No money moves: what was received
 * is an unmatched payment. A repeat only signals again. Returns the workflow's id. Throws ChargeExpiryError.
 */
export async function confirmChargeExpiry(
  temporal: TemporalContext,
  em: EntityManager,
  input: ConfirmChargeExpiryInput,
): Promise<string> {
  const { uuid, actor, reason } = input
  const workflowId = WORKFLOWS.charge.idOf(uuid)
  const fork = em.fork()
  if (!(await isExpiryConfirmed(fork, uuid)))
    await runAuditedAction(fork, {
      ...{ actor, reason, action: 'confirm_charge_expiry', subject: workflowId },
      work: tx => storeConfirmation(tx, input),
    })
  const { connection } = await fork.findOneOrFail(Charge, uuid)
  const notification = { notificationUuid: randomUUID(), connectionUuid: connection.uuid }
  await signalOperation(temporal, 'charge', uuid, notification)
  return workflowId
}

async function storeConfirmation(em: EntityManager, input: ConfirmChargeExpiryInput): Promise<void> {
  const { uuid, receivedCents, actor: confirmedBy, reason } = input
  const charge = await lockChargePastExpiry(em, uuid)
  if (!charge) throw new ChargeExpiryError(`charge ${uuid} is not PENDING a day after its expiry`)
  if (charge.receivedCents !== receivedCents)
    throw new ChargeExpiryError(
      `R$ ${textFromCents(charge.receivedCents)} was received for charge ${uuid} and not matched, ` +
        `not R$ ${textFromCents(receivedCents)}; nothing was done`,
    )
  em.create(ChargeExpiry, { chargeUuid: uuid, confirmedBy, reason })
}
