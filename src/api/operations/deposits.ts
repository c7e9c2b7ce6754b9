import { z } from 'zod'
import {
  depositSchema,
  type ShownDeposit,
  showAcceptedReturn,
  showDeposit,
} from '../../contract/unmatched/deposit.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Connection } from '../../db/entities/connection.ts'
import { DepositReturn } from '../../db/entities/deposit-return.ts'
import { Movement } from '../../db/entities/movement.ts'
import {
  findReturnOrder,
  isOrWasDeposit,
  readDepositReturnTerms,
} from '../../db/repositories/deposit-returns.ts'
import { ERROR_CATALOGUE, type ErrorCode } from '../../domain/errors/error-catalogue.ts'
import { depositReturnErrorCodeOf } from '../../domain/unmatched/deposit-return.ts'
import { fail } from '../../http/api-error.ts'
import { getReturnWorkflowId, startDepositReturnWorkflow } from '../../temporal/start.ts'
import type { TemporalContext } from '../../temporal/workflow-options.ts'
import type { DepositReturnInput } from '../../workflows/contracts/orders.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { visibilityConditions } from '../authorization/visibility.ts'
import {
  type CreateRequest,
  createOperation,
  failStored,
  isOperationCreated,
  type Replay,
  requirePayoutPossible,
} from './create-operation.ts'

/** Reads a deposit that a token may see, assigned ones included, or fails with 404. */
export async function requireVisibleDeposit(
  em: EntityManager,
  token: CallerToken,
  uuid: string,
): Promise<ShownDeposit> {
  if (!(await isOrWasDeposit(em, [...visibilityConditions(token), ['uuid = ?', uuid]]))) fail('not_found')
  const movement = await em.findOneOrFail(Movement, uuid)
  const { connectionUuid } = movement
  const connection = connectionUuid ? await em.findOne(Connection, connectionUuid) : null
  return { movement, connection, order: await findReturnOrder(em, uuid) }
}

/** Fails where a deposit cannot be returned now. */
export async function requireReturnable(em: EntityManager, uuid: string): Promise<void> {
  const terms = (await readDepositReturnTerms(em, uuid)) ?? fail('deposit_not_returnable')
  const code = depositReturnErrorCodeOf(terms, new Date())
  if (code) fail(code)
}

const returnPath = (depositUuid: string) => `/api/v1/deposits/${depositUuid}/return`

/** Tests whether a request with this Idempotency-Key has ordered its return. */
export function isReturnOrdered(
  em: EntityManager,
  { depositUuid, ...request }: { token: CallerToken; depositUuid: string; idempotencyKey: string },
): Promise<boolean> {
  return isOperationCreated({ ...request, path: returnPath(depositUuid) }, uuid => findOrder(em, uuid))
}

type ReturnRequest = CreateRequest<Record<never, never>> & { depositUuid: string }

/** Orders the return of a deposit to its payer, in whole, through the provider that received it (SPEC §2). */
export async function createDepositReturn(
  { temporal }: { temporal: TemporalContext },
  request: ReturnRequest,
) {
  const { token, em, idempotencyKey, depositUuid } = request
  const { movement } = await requireVisibleDeposit(em.fork(), token, depositUuid)
  return createOperation(temporal, request, {
    noun: 'deposit_return',
    path: returnPath(depositUuid),
    isPayout: true,
    actSubject: getReturnWorkflowId(depositUuid),
    idsOf: uuid => ({ uuid: depositUuid, return: { uuid } }),
    find: uuid => findOrder(em, uuid),
    async validate() {
      await requireReturnable(em.fork(), depositUuid)
      // A deposit without a connection is not returnable.
      const connectionUuid = movement.connectionUuid!
      return { connectionUuid, acceptBefore: await requirePayoutPossible(em, connectionUuid) }
    },
    start(operation, { connectionUuid, acceptBefore }, waitMs) {
      const order: DepositReturnInput = {
        ...operation,
        depositUuid,
        connectionUuid,
        ...(idempotencyKey === null && { acceptBefore }),
      }
      return startDepositReturnWorkflow(temporal, order, waitMs)
    },
    async present(order, replay) {
      const acceptedOrder = await storeAcceptance(em, order)
      return respondWithOrder(
        acceptedOrder,
        await requireVisibleDeposit(em.fork(), token, depositUuid),
        replay,
      )
    },
  })
}

function findOrder(em: EntityManager, uuid: string): Promise<DepositReturn | null> {
  return em.fork().findOne(DepositReturn, uuid)
}

/** Removes the acceptance deadline of an order that is answered as accepted: it may be sent however late. */
async function storeAcceptance(em: EntityManager, order: DepositReturn): Promise<DepositReturn> {
  const { uuid, acceptBefore } = order
  if (!acceptBefore) return order
  await em.nativeUpdate(DepositReturn, { uuid, failure: null }, { acceptBefore: null })
  return (await findOrder(em, uuid)) ?? order
}

/** Responds that the return is accepted, whatever its outcome is by now, or fails where its order moved no money. */
function respondWithOrder(order: DepositReturn, deposit: ShownDeposit, replay: Replay) {
  const { failure, heldAt, acceptBefore } = order
  if (!failure || (heldAt && !acceptBefore))
    return {
      status: 200 as const,
      headers: replay.headers,
      body: { message: 'The return was accepted.', data: showAcceptedReturn(deposit, order) },
    }
  const code = Object.hasOwn(ERROR_CATALOGUE, failure.code)
    ? (failure.code as ErrorCode)
    : 'provider_rejected'
  return failStored(code, replay, { data: z.encode(depositSchema, showDeposit(deposit)) })
}
