import type { EntityManager } from '../../db/client/orm.ts'
import { Account } from '../../db/entities/account.ts'
import type { Charge } from '../../db/entities/charge.ts'
import type { Connection } from '../../db/entities/connection.ts'
import { Movement } from '../../db/entities/movement.ts'
import { lockConnection } from '../../db/locks.ts'
import { type Leg, unmatchedHeldLegs } from '../../domain/ledger/legs.ts'
import type { MovementReason, UnmatchedDisposition } from '../../domain/ledger/movement.ts'
import { uuidFromHash } from '../../domain/pix/identifiers.ts'
import type { IncomingPix } from '../../domain/providers/provider.ts'
import { dispositionOfPayerReason, isPayerReason } from '../../domain/unmatched/deposit-return.ts'
import { sha256 } from '../../security/sealing.ts'
import { recordMovementEvent } from '../events/record-event.ts'
import { unheldMovementPostings } from '../ledger/apply-inflow.ts'
import { createMovement, postMovement } from '../ledger/movements.ts'
import { getConnectionParty } from '../shared/provider-client.ts'

type UnmatchedPaymentInput = {
  connection: Connection
  /** The service's account, where the PIX belongs to no merchant: its money waits until an operator returns or keeps it. */
  serviceAccountUuid?: string
  charge?: Charge
  payment: IncomingPix
  reason: MovementReason
  /** What becomes of it; where absent, the policy of the account decides. */
  disposition?: 'held' | 'kept'
  /** Uuid of the operation whose workflow starts the deliveries of the event; by default the movement itself. */
  ownerUuid?: string
  requestId: string
}

/**
 * Records a settled PIX that pays no charge (SPEC §2), with an event that gives the reason. Where the account's policy
 * is `refund` it is returned to its payer, once; that of a payer whom its charge does not allow follows a policy of its own. A deposit is credited to the account; at a shared provider account, where no
 * merchant owns it, an operator decides about it. Repeatable: a recorded PIX is
 * not changed.
 */
export async function recordUnmatchedPayment(em: EntityManager, input: UnmatchedPaymentInput) {
  const { connection, charge, payment, reason, requestId } = input
  await lockConnection(em, connection.uuid)
  const recordedMovement = await em.findOne(Movement, {
    providerAccountUuid: connection.providerAccountUuid,
    movementType: 'IN',
    endToEnd: payment.endToEnd,
  })
  if (recordedMovement) return recordedMovement
  const account = await em.findOneOrFail(Account, input.serviceAccountUuid ?? connection.accountUuid)
  const at = new Date()
  const movement = createMovement(em, at, {
    uuid: deriveMovementUuid(connection, payment),
    accountUuid: account.uuid,
    providerAccountUuid: connection.providerAccountUuid,
    connectionUuid: connection.uuid,
    type: 'EXTERNAL_TRANSFER',
    movementType: 'IN',
    valueCents: payment.cents,
    status: 'SETTLED',
    endToEnd: payment.endToEnd,
    txid: payment.txid,
    pixKey: payment.pixKey,
    sender: payment.payer,
    receiver: charge?.receiver ?? charge?.movement?.receiver ?? getConnectionParty(connection),
    chargeUuid: charge?.uuid,
    reason,
    disposition: input.serviceAccountUuid
      ? 'not_returned'
      : (input.disposition ?? chooseDisposition(account, reason)),
    settledAt: new Date(payment.at),
  })
  await postMovement(em, movement, await buildUnmatchedLegs(em, movement))
  await recordMovementEvent(em, movement, { uuid: input.ownerUuid ?? movement.uuid, requestId }, at)
  return movement
}

/** Chooses what happens to an unmatched PIX of an account by its policies; null: it is credited as a deposit. */
function chooseDisposition(
  { unmatchedPolicy, wrongPayerPolicy }: Account,
  reason: MovementReason,
): UnmatchedDisposition | null {
  if (reason === 'deposit') return null
  if (isPayerReason(reason)) return dispositionOfPayerReason(reason, wrongPayerPolicy)
  return unmatchedPolicy === 'refund' ? 'held' : 'kept'
}

/** Derives the uuid from the PIX, so that the return of a PIX that is recorded again uses the id that the provider knows. */
function deriveMovementUuid({ providerAccountUuid }: Connection, { endToEnd }: IncomingPix): string {
  return uuidFromHash(sha256(JSON.stringify(['pix', providerAccountUuid, endToEnd])))
}

/** Builds the legs of an unmatched PIX: held in `pending`, or `available`, where it repays a shortfall first. */
export async function buildUnmatchedLegs(em: EntityManager, movement: Movement): Promise<Leg[]> {
  const { accountUuid, valueCents, disposition } = movement
  return disposition === 'held' || disposition === 'not_returned'
    ? unmatchedHeldLegs(accountUuid, valueCents)
    : unheldMovementPostings(em, movement)
}
