import { z } from 'zod'
import type { DepositReturn } from '../../db/entities/deposit-return.ts'
import type { Movement } from '../../db/entities/movement.ts'
import { RETURN_STATUSES, returnStatusOf } from '../../domain/unmatched/deposit-return.ts'
import { type MovementCarrier, movementSchema, showMovement } from '../ledger/movement.ts'
import { failureFields, instantSchema, uuidSchema } from '../shared/fields.ts'

/** A received PIX that pays no charge, as PIX_TRANSACTION events carry it, and its return to the payer (SPEC §2). */

const depositReturnSchema = z
  .object({
    status: z.enum(RETURN_STATUSES),
    uuid: uuidSchema.optional().meta({
      description: 'The order of its POST; absent where the account policy or an operator returns it',
    }),
    created_at: instantSchema.optional(),
    error: z.object(failureFields).meta({ id: 'DepositReturnError' }).optional(),
  })
  .meta({ id: 'DepositReturn' })

export const depositSchema = movementSchema
  .extend({
    return: depositReturnSchema.nullable().meta({ description: 'Null while it stays with the account' }),
  })
  .meta({ id: 'Deposit' })

export const acceptedReturnResponse = z.object({ message: z.string(), data: depositSchema })

/** A deposit with what its response shows; `order`: its account's order to return it. */
export type ShownDeposit = {
  movement: Movement
  connection: MovementCarrier | null
  order: DepositReturn | null
}

/** Presents a deposit as it is now. */
export function showDeposit({ movement, connection, order }: ShownDeposit): z.output<typeof depositSchema> {
  const { disposition = null } = movement
  const status = returnStatusOf({
    disposition,
    hasFailed: Boolean(order?.failure),
    reason: movement.reason,
  })
  return {
    ...showMovement(movement, connection),
    return: status && {
      status,
      ...(order && { uuid: order.uuid, created_at: order.createdAt }),
      ...(order?.failure && { error: order.failure }),
    },
  }
}

/** Presents a deposit as the POST accepted its return, whatever its current state is. */
export function showAcceptedReturn(
  deposit: ShownDeposit,
  order: DepositReturn,
): z.output<typeof depositSchema> {
  const { uuid, createdAt } = order
  const movement = showMovement(deposit.movement, deposit.connection)
  return {
    ...movement,
    initiation: { ...movement.initiation, updated_at: createdAt },
    updated_at: createdAt,
    return: { status: 'PROCESSING', uuid, created_at: createdAt },
  }
}
