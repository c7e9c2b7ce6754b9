import { Account } from '../db/entities/account.ts'
import type { Charge } from '../db/entities/charge.ts'
import type { Connection } from '../db/entities/connection.ts'
import { Movement } from '../db/entities/movement.ts'
import { lockGate } from '../db/lock.ts'
import type { EntityManager } from '../db/orm.ts'
import { uuidOfHash } from '../domain/identifiers.ts'
import { deposited, type Leg, paymentStarted } from '../domain/ledger.ts'
import type { Disposition, MovementReason } from '../domain/movement.ts'
import type { IncomingPix } from '../domain/provider.ts'
import { sha256 } from '../sealing.ts'
import { announceMovement } from './announce.ts'
import { partyOf } from './connections.ts'
import { keptFor, repayments } from './inflow.ts'
import { book, newMovement } from './movements.ts'

type Unexpected = {
  connection: Connection
  /** The charge it names, where there is one. */
  charge?: Charge
  payment: IncomingPix
  reason: MovementReason
  /** Who starts the deliveries of its event; the movement's own life where nobody else does. */
  lifeUuid?: string
  requestId: string
}

/**
 * Keeps a settled PIX that is no charge's payment (SPEC §2): announced with its reason, and sent back to its payer once
 * where the account's policy says so. A deposit is simply the account's. A PIX that is recorded already stays as it is.
 */
export async function setAside(em: EntityManager, unexpected: Unexpected): Promise<Movement> {
  const { connection, charge, payment, reason } = unexpected
  await lockGate(em, connection.uuid)
  const recorded = await em.findOne(Movement, {
    providerAccountUuid: connection.providerAccountUuid,
    movementType: 'IN',
    endToEnd: payment.endToEnd,
  })
  if (recorded) return recorded
  const account = await em.findOneOrFail(Account, connection.accountUuid)
  const disposition = dispositionOf(reason, account.unmatchedPolicy)
  const at = new Date()
  const movement = newMovement(
    em,
    {
      accountUuid: account.uuid,
      providerAccountUuid: connection.providerAccountUuid,
      connectionUuid: connection.uuid,
    },
    {
      uuid: uuidOfPix(connection, payment),
      type: 'EXTERNAL_TRANSFER',
      movementType: 'IN',
      valueCents: payment.cents,
      status: 'SETTLED',
      endToEnd: payment.endToEnd,
      txid: payment.txid,
      pixKey: payment.pixKey,
      sender: payment.payer,
      receiver: charge?.receiver ?? partyOf(connection),
      chargeUuid: charge?.uuid,
      reason,
      disposition,
      settledAt: new Date(payment.at),
    },
    at,
  )
  await book(em, movement, await legsOf(em, movement))
  await announceMovement(em, movement, {
    lifeUuid: unexpected.lifeUuid ?? movement.uuid,
    requestId: unexpected.requestId,
    at,
  })
  return movement
}

/** Deterministic uuid of (provider account, end-to-end id): after a restore, a return uses the id that the provider knows. */
function uuidOfPix({ providerAccountUuid }: Connection, { endToEnd }: IncomingPix): string {
  return uuidOfHash(sha256(JSON.stringify(['pix', providerAccountUuid, endToEnd])))
}

function dispositionOf(reason: MovementReason, policy: Account['unmatchedPolicy']): Disposition | null {
  if (reason === 'deposit') return null
  return policy === 'refund' ? 'held' : 'kept'
}

/** Held in `pending`, or the account's at once; what becomes available repays a shortfall first. */
async function legsOf(em: EntityManager, movement: Movement): Promise<Leg[]> {
  const { accountUuid, providerAccountUuid, valueCents: cents, disposition } = movement
  if (disposition === 'held') return paymentStarted(accountUuid, cents)
  if (disposition === 'kept')
    return [...paymentStarted(accountUuid, cents), ...(await keptFor(em, movement, cents))]
  const inflow = { providerAccountUuid, credits: [{ accountUuid, cents }] }
  return [...deposited(accountUuid, cents), ...(await repayments(em, inflow))]
}
