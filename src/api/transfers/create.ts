import { z } from 'zod'
import {
  type CreateTransferBody,
  showAcceptedTransfer,
  showTransfer,
  transferSchema,
} from '../../contract/transfers/transfer.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Transfer } from '../../db/entities/transfer.ts'
import type { ReadTransfer, TransferWithAttempts } from '../../db/repositories/transfers.ts'
import type { ErrorCode } from '../../domain/errors/error-catalogue.ts'
import { transferMachine } from '../../domain/transfers/transfer.ts'
import type { Sealer } from '../../security/sealing.ts'
import { startTransferWorkflow } from '../../temporal/start.ts'
import type { WorkflowClientContext } from '../../temporal/workflow-options.ts'
import type { TransferInput, TransferInputDetails } from '../../workflows/contracts/transfers.ts'
import { fail } from '../http/api-error.ts'
import { UNAVAILABLE_RETRY_S } from '../limits.ts'
import type { CallerToken } from '../middleware/authenticate.ts'
import {
  deriveOperationUuid,
  fingerprintRequest,
  REPLAYED_HEADERS,
  requireSameRequest,
} from '../operations/idempotency.ts'
import {
  awaitAccepted,
  readOrFailNotConfirmed,
  startAndAwaitResult,
  validateUnlessStarted,
} from '../operations/start-and-wait.ts'
import { findTransfer } from './find.ts'
import { validateCreateTransfer } from './validate-create.ts'

export const TRANSFERS_PATH = '/api/v1/transfers'

export type CreateTransferRequest = {
  body: CreateTransferBody
  token: CallerToken
  em: EntityManager
  idempotencyKey: string | null
  requestId: string
}

/** Creates a transfer to a PIX key, or replays the response of the same Idempotency-Key (SPEC §4). */
export async function createTransfer(
  dependencies: { engine: WorkflowClientContext; sealer: Sealer },
  request: CreateTransferRequest,
) {
  const { engine, sealer } = dependencies
  const { body, token, em, idempotencyKey: key } = request
  const uuid = deriveOperationUuid({ owner: token, method: 'POST', path: TRANSFERS_PATH, key })
  const fingerprint = fingerprintRequest({ body, connectionUuid: token.connectionUuid })
  const find = () => findTransfer(em.fork(), uuid)
  const stored = key === null ? null : await find()
  if (stored) {
    requireSameRequest(stored, fingerprint)
    return readOrFailNotConfirmed(uuid, async () => {
      const isPending = isResponsePending(stored)
      const current = isPending ? await awaitAccepted(engine, stored, { kind: 'transfer', find }) : stored
      return respondWithTransfer(await storeAcceptedTransfer(em, current), { replayed: true })
    })
  }
  const validated = await validateUnlessStarted(
    validateCreateTransfer({ em, token }, body),
    key === null ? null : find,
  )
  if (!validated) return createTransfer(dependencies, request)
  const { candidates, takeBefore } = validated
  const details: TransferInputDetails = {
    pixKey: body.pix_key,
    ...(body.document !== undefined && { document: body.document }),
    ...(body.external_ref !== undefined && { externalRef: body.external_ref }),
    ...(body.final_beneficiary && { finalBeneficiary: body.final_beneficiary }),
    fingerprint,
  }
  const order: TransferInput = {
    uuid,
    accountUuid: token.accountUuid,
    candidates,
    valueCents: body.value,
    details: sealer.seal(details),
    ...(body.scheduled_for && { scheduledFor: body.scheduled_for.toISOString() }),
    ...(key === null && { acceptBefore: takeBefore }),
    requestId: request.requestId,
    timeScale: engine.timeScale,
  }
  return startAndAwaitResult(engine, {
    uuid,
    isUnrepeatable: key === null,
    start: waitMs => startTransferWorkflow(engine, order, { externalRef: body.external_ref, waitMs }),
    find,
    async present(transfer) {
      requireSameRequest(transfer, fingerprint)
      return respondWithTransfer(await storeAcceptedTransfer(em, transfer), {
        replayed: transfer.requestId !== request.requestId,
      })
    },
  })
}

/** States of a transfer that no provider has accepted and none has rejected yet. */
const UNDECIDED_STATES = transferMachine.states.filter(
  state => state === 'created' || transferMachine.accepts(state, 'accepted'),
)

function isResponsePending({ accepted, state }: TransferWithAttempts): boolean {
  return accepted == null && UNDECIDED_STATES.includes(state)
}

/**
 * Stores the first response of a transfer that was not decided in time: every replay with its key then returns it,
 * whatever the outcome (SPEC §1), unless the workflow has stored its own meanwhile. The acceptance deadline is
 * removed: a row committed late may still be sent.
 */
async function storeAcceptedTransfer(
  em: EntityManager,
  transfer: TransferWithAttempts,
): Promise<TransferWithAttempts> {
  const isOpen = UNDECIDED_STATES.includes(transfer.state) && transfer.takeBefore != null
  if (!isResponsePending(transfer) && !isOpen) return transfer
  const { uuid } = transfer
  const accepted = transfer.accepted ?? z.encode(transferSchema, showTransfer(transfer, transfer.attempts))
  const unchanged = transfer.accepted ? {} : { accepted: null }
  const undecided = { uuid, ...unchanged, state: { $in: UNDECIDED_STATES } }
  await em.nativeUpdate(Transfer, undecided, { accepted, takeBefore: null })
  return (await findTransfer(em.fork(), uuid)) ?? transfer
}

/**
 * Responds with 201 for an accepted, pending or scheduled transfer; for a FAILED one with the error of its failure
 * and the transfer as data.
 */
function respondWithTransfer(transfer: TransferWithAttempts, { replayed }: { replayed: boolean }) {
  const headers = replayed ? { ...REPLAYED_HEADERS } : {}
  const { attempts } = transfer
  if (transfer.state !== 'failed' || transfer.accepted)
    return { status: 201 as const, body: { data: showAcceptedTransfer(transfer, attempts) }, headers }
  const code = transferErrorCode(transfer)
  const retry = !replayed && RETRYABLE_CODES.has(code) && { retryAfterS: UNAVAILABLE_RETRY_S }
  return fail(code, { data: z.encode(transferSchema, showTransfer(transfer, attempts)), headers, ...retry })
}

const RETRYABLE_CODES = new Set<ErrorCode>(['no_provider_available', 'not_taken', 'paused'])

/**
 * Maps the failure to an error code: the contract's 400 for every definite rejection, an insufficient balance
 * included; 503 where no provider could be reached.
 */
function transferErrorCode(transfer: ReadTransfer) {
  switch (transfer.failure?.code) {
    case 'no_provider_available':
    case 'not_taken':
    case 'paused':
    case 'account_blocked':
    case 'external_ref_taken':
    case 'not_found_after_restore':
      return transfer.failure.code
    default:
      return 'provider_rejected'
  }
}
