import { z } from 'zod'
import {
  type CreateTransferBody,
  showAcceptedTransfer,
  showTransfer,
  transferSchema,
} from '../../../contract/transfers/transfer.ts'
import type { EntityManager } from '../../../db/client/orm.ts'
import { Transfer } from '../../../db/entities/transfer.ts'
import type { ReadTransfer, TransferWithAttempts } from '../../../db/repositories/transfers.ts'
import { transferMachine } from '../../../domain/transfers/transfer.ts'
import { startMoneyWorkflow } from '../../../temporal/start.ts'
import type { TransferInput, TransferInputDetails } from '../../../workflows/contracts/transfers.ts'
import {
  type CreateDependencies,
  type CreateRequest,
  createOperation,
  failStored,
  type Replay,
  remainingCreateWaitMs,
} from '../create-operation.ts'
import { findTransfer } from './find.ts'
import { validateCreateTransfer } from './validate-create.ts'

export const TRANSFERS_PATH = '/api/v1/transfers'

/** Creates a transfer to a PIX key, or replays the response of the same Idempotency-Key (SPEC §4). */
export function createTransfer(
  { temporal: context, sealer }: CreateDependencies,
  request: CreateRequest<CreateTransferBody>,
) {
  const { body, token, em, idempotencyKey } = request
  return createOperation(context, request, {
    kind: 'transfer',
    path: TRANSFERS_PATH,
    isPayout: true,
    find: uuid => findTransfer(em.fork(), uuid),
    replayWaitMs: transfer => (isResponsePending(transfer) ? remainingCreateWaitMs(transfer) : 0),
    validate: () => validateCreateTransfer({ em, token }, body),
    start({ fingerprint, ...operation }, { candidates, acceptBefore }, waitMs) {
      const details: TransferInputDetails = {
        pixKey: body.pix_key,
        ...(body.document !== undefined && { document: body.document }),
        ...(body.external_ref !== undefined && { externalRef: body.external_ref }),
        ...(body.final_beneficiary && { finalBeneficiary: body.final_beneficiary }),
        fingerprint,
      }
      const order: TransferInput = {
        ...operation,
        candidates,
        valueCents: body.value,
        details: sealer.seal(details),
        ...(body.scheduled_for && { scheduledFor: body.scheduled_for.toISOString() }),
        ...(idempotencyKey === null && { acceptBefore }),
      }
      return startMoneyWorkflow(context, 'transfer', order, { externalRef: body.external_ref, waitMs })
    },
    present: async (transfer, replay) =>
      respondWithTransfer(await storeAcceptedTransfer(em, transfer), replay),
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
async function storeAcceptedTransfer(em: EntityManager, transfer: TransferWithAttempts) {
  const isOpen = UNDECIDED_STATES.includes(transfer.state) && transfer.acceptBefore != null
  if (!isResponsePending(transfer) && !isOpen) return transfer
  const { uuid } = transfer
  const accepted = transfer.accepted ?? z.encode(transferSchema, showTransfer(transfer, transfer.attempts))
  const unchanged = transfer.accepted ? {} : { accepted: null }
  const undecided = { uuid, ...unchanged, state: { $in: UNDECIDED_STATES } }
  await em.nativeUpdate(Transfer, undecided, { accepted, acceptBefore: null })
  return (await findTransfer(em.fork(), uuid)) ?? transfer
}

/** Responds with 201, or for a FAILED transfer with the error of its failure and the transfer as data. */
function respondWithTransfer(transfer: TransferWithAttempts, replay: Replay) {
  const { attempts } = transfer
  if (transfer.state !== 'failed' || transfer.accepted) {
    const data = showAcceptedTransfer(transfer, attempts)
    return { status: 201 as const, body: { data }, headers: replay.headers }
  }
  return failStored(transferErrorCode(transfer), replay, {
    data: z.encode(transferSchema, showTransfer(transfer, attempts)),
  })
}

/** Maps the failure: the contract's 400 for every definite rejection; 503 where no provider could be reached. */
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
