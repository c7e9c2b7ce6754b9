import { assignDepositToCode, chargeUuidOfAssignment } from '../../activities/qr-codes/assign-deposit.ts'
import { showCharge } from '../../contract/charges/charge.ts'
import type { AssignDepositBody } from '../../contract/unmatched/deposit-assignment.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { DepositAssignment } from '../../db/entities/deposit-assignment.ts'
import { QrCode } from '../../db/entities/qr-code.ts'
import { DepositNotAssigned } from '../../domain/unmatched/deposit-assignment.ts'
import { fail, failField } from '../../http/api-error.ts'
import type { TemporalContext } from '../../temporal/workflow-options.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { visibilityFilter } from '../authorization/visibility.ts'
import { requireVisibleCharge } from './charges.ts'
import { type CreateRequest, isOperationCreated } from './create-operation.ts'
import { requireVisibleDeposit } from './deposits.ts'
import {
  deriveOperationUuid,
  fingerprintRequest,
  REPLAYED_HEADERS,
  requireSameRequest,
} from './idempotency.ts'
import { orderAuthorOf, writeDirectly } from './user-acts.ts'
import { startDeliverySweepIfUp } from './webhook-deliveries.ts'

const assignPath = (depositUuid: string) => `/api/v1/deposits/${depositUuid}/assign`

/** Tests whether a request with this Idempotency-Key has assigned its deposit. */
export function isDepositAssigned(
  em: EntityManager,
  { depositUuid, ...request }: { token: CallerToken; depositUuid: string; idempotencyKey: string },
): Promise<boolean> {
  const { accountUuid } = request.token
  return isOperationCreated({ ...request, path: assignPath(depositUuid) }, uuid =>
    findAssignment(em, { uuid, accountUuid }),
  )
}

/** Finds the order that has assigned a deposit of the token's account; null where none has. */
export function findAssignmentOfDeposit(
  em: EntityManager,
  { accountUuid }: Pick<CallerToken, 'accountUuid'>,
  movementUuid: string,
): Promise<DepositAssignment | null> {
  return findAssignment(em, { movementUuid, accountUuid })
}

function findAssignment(
  em: EntityManager,
  filter: { accountUuid: string } & ({ uuid: string } | { movementUuid: string }),
): Promise<DepositAssignment | null> {
  return em.fork().findOne(DepositAssignment, filter)
}

/** Reads a static code that the token may see, of a merchant or of a charge, or fails with 422. */
export async function requireAssignableCode(
  em: EntityManager,
  token: CallerToken,
  uuid: string,
): Promise<QrCode> {
  const filter = { $and: [visibilityFilter(token), { uuid }] }
  const code = await em.findOne(QrCode, filter, { populate: ['connection'] })
  return code ?? failField('qr_code_uuid', 'must be a QR code of the account, or a charge with a static code')
}

type AssignRequest = CreateRequest<AssignDepositBody> & { depositUuid: string }

/**
 * Assigns a deposit to a static code, or replays the response of the same Idempotency-Key (SPEC §2). Not by `createOperation`: no
 * provider is called and no money leaves, so that no workflow starts; the row is written here, and its outcome is certain when the
 * statement returns.
 */
export async function assignDeposit({ temporal }: { temporal: TemporalContext }, request: AssignRequest) {
  const { body, token, em, idempotencyKey: key, requestId, depositUuid } = request
  const { accountUuid } = token
  const qrCodeUuid = body.qr_code_uuid
  const uuid = deriveOperationUuid({ owner: token, method: 'POST', path: assignPath(depositUuid), key })
  const fingerprint = fingerprintRequest({ body, connectionUuid: token.connectionUuid })
  const findStored = async () => (key === null ? null : findAssignment(em, { uuid, accountUuid }))
  const respond = async ({ chargeUuid }: DepositAssignment, headers: Record<string, string>) => {
    const charge = await requireVisibleCharge(em.fork(), token, chargeUuid)
    const data = showCharge(charge, charge.refunds)
    return { status: 200 as const, headers, body: { message: 'The deposit was assigned.', data } }
  }
  const replay = (stored: DepositAssignment) => {
    requireSameRequest(stored, fingerprint)
    return respond(stored, REPLAYED_HEADERS)
  }
  const stored = await findStored()
  if (stored) return replay(stored)
  const { movement } = await requireVisibleDeposit(em.fork(), token, depositUuid)
  if (token.isAccountBlocked) fail('account_blocked')
  const code = await requireAssignableCode(em.fork(), token, qrCodeUuid)
  const act = {
    token,
    action: 'deposit_assign',
    subject: `charge/${chargeUuidOfAssignment(code, movement)}`,
  } as const
  const order = {
    uuid,
    accountUuid,
    depositUuid,
    qrCodeUuid,
    requestId,
    fingerprint,
    ...orderAuthorOf(token),
  }
  try {
    const assignment = await writeDirectly(em, { ids: { uuid: depositUuid }, act }, tx =>
      assignDepositToCode(tx, order),
    )
    await startDeliverySweepIfUp(temporal, accountUuid)
    return await respond(assignment, {})
  } catch (error) {
    if (!(error instanceof DepositNotAssigned)) throw error
    // A parallel request with the same key may have assigned it.
    const parallel = await findStored()
    return parallel ? replay(parallel) : fail(error.code)
  }
}
