import type { Attempt } from '../db/entities/attempt.ts'
import { Movement } from '../db/entities/movement.ts'
import type { EntityManager } from '../db/orm.ts'
import { deposited } from '../domain/ledger.ts'
import type { SendingReturn } from '../domain/provider.ts'
import { announceMovement, announceTransfer } from './announce.ts'
import { repayments } from './inflow.ts'
import { moveTransfer, type PixOut } from './move.ts'
import { book, newMovement } from './movements.ts'
import { returnColumns, unrecordedReturns } from './recorded-returns.ts'

/** Of a transfer, and by which of its attempts the money had gone: a duplicate comes back where it left. */
type Gone = PixOut & { attempt: Attempt }

/**
 * Books money that the recipient of a transfer gave back, each return once (SPEC §4), under the transfer's row lock. A
 * return is known by the end-to-end id of what it returns and the provider's id of it.
 */
export async function takeReturns(em: EntityManager, gone: Gone, listed: SendingReturn[]): Promise<void> {
  if (listed.length === 0) return
  const { providerAccountUuid, endToEnd, reference } = gone.attempt
  const pix = { providerAccountUuid, movementType: 'IN' as const, names: [endToEnd || reference, reference] }
  for (const one of await unrecordedReturns(em, pix, listed)) await takeReturn(em, gone, one)
}

async function takeReturn(em: EntityManager, gone: Gone, returned: SendingReturn) {
  const { cents, at: settledAt } = returned
  const at = new Date()
  const { transfer, attempt } = gone
  const { accountUuid } = transfer
  const { connectionUuid, providerAccountUuid } = attempt
  const original = await em.findOne(Movement, {
    transferUuid: transfer.uuid,
    providerAccountUuid,
    movementType: 'OUT',
    status: 'SETTLED',
  })
  const movement = newMovement(
    em,
    { accountUuid, providerAccountUuid, connectionUuid },
    {
      type: 'EXTERNAL_REFUND',
      movementType: 'IN',
      valueCents: cents,
      status: 'SETTLED',
      ...returnColumns(attempt.endToEnd || attempt.reference, returned),
      sender: transfer.receiver,
      receiver: original?.sender ?? transfer.sender,
      transferUuid: transfer.uuid,
      originalUuid: original?.uuid,
      settledAt: new Date(settledAt),
    },
    at,
  )
  const inflow = { providerAccountUuid, credits: [{ accountUuid, cents }] }
  await book(em, movement, [...deposited(accountUuid, cents), ...(await repayments(em, inflow))])
  if (attempt.state === 'settled') await comesBack(em, gone, { cents, at })
  await announceMovement(em, movement, { lifeUuid: transfer.uuid, requestId: transfer.requestId, at })
}

/** What a duplicate took is no part of what the transfer sent, so only its own money counts as returned. */
async function comesBack(em: EntityManager, out: PixOut, { cents, at }: { cents: number; at: Date }) {
  const { transfer } = out
  transfer.returnedCents += cents
  const whole = transfer.returnedCents === transfer.valueCents
  moveTransfer(transfer, whole ? 'returned_whole' : 'returned_in_part', at)
  await announceTransfer(em, out, { at })
}
