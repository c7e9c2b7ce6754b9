import { Movement } from '../db/entities/movement.ts'
import type { Transfer } from '../db/entities/transfer.ts'
import type { EntityManager } from '../db/orm.ts'
import { deposited } from '../domain/ledger.ts'
import type { Sending } from '../domain/provider.ts'
import { announceMovement, announceTransfer } from './announce.ts'
import { repayments } from './inflow.ts'
import { moveTransfer } from './move.ts'
import { book, newMovement } from './movements.ts'

type Returned = NonNullable<Sending['returns']>[number]

/** Money that the recipient of a transfer gave back, each return once, known by its own end-to-end id (SPEC §4). */
export async function takeReturns(em: EntityManager, transfer: Transfer, returns: Returned[]): Promise<void> {
  if (returns.length === 0) return
  const known = await em.find(Movement, {
    providerAccountUuid: transfer.providerAccountUuid,
    movementType: 'IN',
    endToEnd: { $in: returns.map(one => one.endToEnd) },
  })
  const taken = new Set(known.map(movement => movement.endToEnd))
  for (const one of returns.filter(each => !taken.has(each.endToEnd))) await takeReturn(em, transfer, one)
}

async function takeReturn(
  em: EntityManager,
  transfer: Transfer,
  { endToEnd, cents, at: settledAt }: Returned,
) {
  const at = new Date()
  const { accountUuid, providerAccountUuid } = transfer
  const movement = await newMovement(
    em,
    { accountUuid, providerAccountUuid, connectionUuid: transfer.connection.uuid },
    {
      type: 'EXTERNAL_REFUND',
      movementType: 'IN',
      valueCents: cents,
      status: 'SETTLED',
      endToEnd,
      sender: transfer.receiver,
      receiver: transfer.sender,
      transferUuid: transfer.uuid,
      originalUuid: transfer.movement?.uuid,
      settledAt: new Date(settledAt),
    },
    at,
  )
  const inflow = { providerAccountUuid, credits: [{ accountUuid, cents }] }
  await book(em, movement, [...deposited(accountUuid, cents), ...(await repayments(em, inflow))])
  transfer.returnedCents += cents
  moveTransfer(
    transfer,
    transfer.returnedCents === transfer.valueCents ? 'returned_whole' : 'returned_in_part',
    at,
  )
  await announceTransfer(em, transfer, { at })
  await announceMovement(em, movement, { lifeUuid: transfer.uuid, requestId: transfer.requestId, at })
}
