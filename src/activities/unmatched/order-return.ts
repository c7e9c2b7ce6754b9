import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import { DepositReturn } from '../../db/entities/deposit-return.ts'
import type { Movement } from '../../db/entities/movement.ts'
import { lockAvailableBalance } from '../../db/ledger/post.ts'
import { lockMovement } from '../../db/locks.ts'
import { constantQuery, type Query } from '../../db/pipeline/query.ts'
import { readDepositReturnTerms } from '../../db/repositories/deposit-returns.ts'
import { failureOf } from '../../domain/errors/error-catalogue.ts'
import { depositReturnHeldLegs, shortfallAdvancedLegs } from '../../domain/ledger/legs.ts'
import { type DepositReturnRefusal, depositReturnErrorCodeOf } from '../../domain/unmatched/deposit-return.ts'
import type { DepositReturnInput } from '../../workflows/contracts/orders.ts'
import type { OrderReturnResult } from '../../workflows/contracts/unmatched.ts'
import { lockDisputes } from '../ledger/dispute-locks.ts'
import { postMovement } from '../ledger/movements.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'

/**
 * Stores the order of an account to return a deposit, and holds its money for the return workflow; or stores it with its
 * failure where the deposit cannot be returned any more (SPEC §2). All rules are checked here, under the row lock of the
 * deposit, so that of concurrent orders one holds money. Repeatable.
 */
export function orderDepositReturn({ orm }: ActivityDependencies) {
  return (order: DepositReturnInput): Promise<OrderReturnResult> =>
    runInTransaction(orm, async (em): Promise<Query<OrderReturnResult>> => {
      const deposit = await lockMovement(em, order.depositUuid)
      const stored = await em.findOne(DepositReturn, order.uuid)
      const { failure } = stored ?? (await storeReturnOrder(em, order, deposit))
      if (failure) return constantQuery({ failure: failure.code, returns: [] })
      // Afterwards its workflow runs, or has run.
      const { depositUuid: uuid, connectionUuid } = order
      const returns = deposit.disposition === 'held' ? [{ uuid, connectionUuid, order }] : []
      return constantQuery({ failure: null, returns })
    })
}

/**
 * Stores an order. The caller holds the row lock of the deposit, and with it the lock of its connection. `passedRules`: refusals
 * that do not apply, because the order had passed these rules before; the service advances what the balance lacks.
 */
export async function storeReturnOrder(
  em: EntityManager,
  order: DepositReturnInput,
  deposit: Movement,
  passedRules: readonly DepositReturnRefusal[] = [],
): Promise<DepositReturn> {
  const { accountUuid, providerAccountUuid, valueCents } = deposit
  await lockDisputes(em, { providerAccountUuid, accountUuids: [accountUuid] })
  const availableCents = await lockAvailableBalance(em, deposit)
  const terms = deposit.accountUuid === order.accountUuid && (await readDepositReturnTerms(em, deposit.uuid))
  const at = new Date()
  const refusal = terms ? depositReturnErrorCodeOf(terms, at) : 'deposit_not_returnable'
  const code = refusal && passedRules.includes(refusal) ? null : refusal
  if (!code) {
    deposit.disposition = 'held'
    deposit.updatedAt = at
    // PostgreSQL accepts the order once its deposit is held.
    await postMovement(em, deposit, [
      ...shortfallAdvancedLegs(accountUuid, { cents: valueCents, availableCents }),
      ...depositReturnHeldLegs(accountUuid, valueCents),
    ])
  }
  return em.create(DepositReturn, {
    uuid: order.uuid,
    accountUuid: order.accountUuid,
    connectionUuid: order.connectionUuid,
    providerAccountUuid,
    movementUuid: deposit.uuid,
    heldAt: code ? null : at,
    failure: code ? failureOf(code) : null,
    acceptBefore: order.acceptBefore && !code ? new Date(order.acceptBefore) : null,
    tokenNumber: order.tokenNumber ?? null,
    userUuid: order.userUuid ?? null,
    requestId: order.requestId,
    fingerprint: order.fingerprint,
    createdAt: at,
    updatedAt: at,
  })
}
