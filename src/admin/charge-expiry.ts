import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../db/client/orm.ts'
import { ChargeExpiry } from '../db/entities/charge-expiry.ts'
import { runQuery } from '../db/pipeline/query.ts'
import { runAuditedAction } from '../db/repositories/audited-actions.ts'
import { isExpiryConfirmed, lockChargePastExpiry } from '../db/repositories/charge-expiries.ts'
import { queryChargeKind } from '../db/repositories/charges.ts'
import { queryChargeConnectionToCall } from '../db/repositories/connections.ts'
import { getStillOpenCode, isEndedByOperator } from '../domain/charges/still-open.ts'
import { textFromCents } from '../domain/ledger/money.ts'
import { referenceOf } from '../domain/pix/identifiers.ts'
import type { Provider } from '../providers/port.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import { signalOperation } from '../temporal/signals.ts'
import type { TemporalContext } from '../temporal/workflow-options.ts'
import { WORKFLOWS } from '../workflows/contracts/workflows.ts'

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
 * Confirms that a charge past its expiry was not paid, and signals its workflow. Its provider is asked first: a charge that
 * it shows as payable, or about which it does not answer, is refused. The confirmation is stored with the record of the
 * operator's action, so that the hourly poll of the charge applies it where the signal is lost. A poll an hour later ends
 * the charge as EXPIRED, only if its provider still lists no payment that pays it. No money moves: what was received is an
 * unmatched payment. A repeat only signals again. Returns the workflow's id. Throws ChargeExpiryError.
 */
export async function confirmChargeExpiry(
  { temporal, providers }: ChargeExpiryDependencies,
  em: EntityManager,
  input: ConfirmChargeExpiryInput,
): Promise<string> {
  const { uuid, actor, reason } = input
  const workflowId = WORKFLOWS.charge.idOf(uuid)
  const fork = em.fork()
  const connection = await runQuery(fork, queryChargeConnectionToCall(fork, uuid))
  if (!connection) throw new ChargeExpiryError(`there is no charge ${uuid} with a provider`)
  if (!(await isExpiryConfirmed(fork, uuid))) {
    await requireSeenPastExpiry(fork, input)
    await refuseUnlessStuck(fork, providers.providerFor(connection), uuid)
    await runAuditedAction(fork, {
      by: { actor, reason },
      action: 'confirm_charge_expiry',
      subject: workflowId,
      work: tx => storeConfirmation(tx, input),
    })
  }
  const notification = { notificationUuid: randomUUID(), connectionUuid: connection.uuid }
  await signalOperation(temporal, 'charge', uuid, notification)
  return workflowId
}

type ChargeExpiryDependencies = {
  temporal: TemporalContext
  providers: Pick<ProviderRegistry, 'providerFor'>
}

/** Looks the charge up by our id. A confirmation counts only for what the provider answered when the operator had looked. */
async function refuseUnlessStuck(em: EntityManager, provider: Provider, uuid: string): Promise<void> {
  const kind = await runQuery(em, queryChargeKind(uuid))
  const code = getStillOpenCode(await provider.findCharge(referenceOf(uuid), kind))
  if (!isEndedByOperator(code))
    throw new ChargeExpiryError(
      `the provider answers ${code ?? 'that it has ended'} about charge ${uuid}; a poll ends it, or it may still be paid. ` +
        'Nothing was done',
    )
}

async function storeConfirmation(em: EntityManager, input: ConfirmChargeExpiryInput): Promise<void> {
  await requireSeenPastExpiry(em, input)
  const { uuid: chargeUuid, actor: confirmedBy, reason } = input
  em.create(ChargeExpiry, { chargeUuid, confirmedBy, reason })
}

/** Fails unless the charge is past its expiry and has received what the operator has seen. Locks its row. */
async function requireSeenPastExpiry(
  em: EntityManager,
  { uuid, receivedCents }: ConfirmChargeExpiryInput,
): Promise<void> {
  const charge = await lockChargePastExpiry(em, uuid)
  if (!charge) throw new ChargeExpiryError(`charge ${uuid} has ended, or its expiry is less than a day ago`)
  if (charge.receivedCents !== receivedCents)
    throw new ChargeExpiryError(
      `R$ ${textFromCents(charge.receivedCents)} was received for charge ${uuid} and not matched, ` +
        `not R$ ${textFromCents(receivedCents)}; nothing was done`,
    )
}
