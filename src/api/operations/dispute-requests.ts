import { randomUUID } from 'node:crypto'
import type { FilterQuery } from '@mikro-orm/core'
import { z } from 'zod'
import {
  disputeSchema,
  type RequestDisputeBody,
  showDispute,
  showRequestedDispute,
} from '../../contract/disputes/dispute.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Dispute } from '../../db/entities/dispute.ts'
import { Transfer } from '../../db/entities/transfer.ts'
import { requestedDisputeOf } from '../../db/repositories/disputes.ts'
import { disputeMachine, isCancellableDispute, requestErrorCodeOf } from '../../domain/disputes/dispute.ts'
import { PROVIDER_CAPABILITIES } from '../../domain/providers/capabilities.ts'
import { fail } from '../../http/api-error.ts'
import { READ_BACK_RESERVE_MS, REQUEST_DEADLINE_MS, UNAVAILABLE_RETRY_S } from '../../http/limits.ts'
import type { FileStorage } from '../../storage/storage.ts'
import { executeCancelDisputeUpdate } from '../../temporal/disputes.ts'
import { startDisputeRequestWorkflow } from '../../temporal/start.ts'
import type { TemporalContext } from '../../temporal/workflow-options.ts'
import type { DisputeRequestDetails } from '../../workflows/contracts/disputes.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { visibilityFilter } from '../authorization/visibility.ts'
import {
  type CreateDependencies,
  type CreateRequest,
  createOperation,
  failStored,
  isOperationCreated,
  type Replay,
} from './create-operation.ts'
import { requireVisibleDispute, showDisputeWithAttachments } from './disputes.ts'
import { prepareWorkflowCall, readOrFailNotConfirmed } from './start-and-wait.ts'

export const DISPUTES_PATH = '/api/v1/meds'

type DisputeCaller = { em: EntityManager; token: CallerToken }

/** A dispute whose row was written by a request. */
type RequestedDispute = Dispute & { fingerprint: string }

async function findRequestedDispute(em: EntityManager, uuid: string): Promise<RequestedDispute | null> {
  const row = await em.findOne(Dispute, uuid, { populate: ['connection', 'movement'] })
  return row as RequestedDispute | null
}

/** Tests whether a request with this Idempotency-Key has asked for the money of a transfer. */
export function isDisputeRequested(
  em: EntityManager,
  request: { token: CallerToken; idempotencyKey: string },
): Promise<boolean> {
  return isOperationCreated({ ...request, path: DISPUTES_PATH }, uuid => findRequestedDispute(em, uuid))
}

/** Requests the money of a transfer back, or replays the response of the same Idempotency-Key (SPEC §1, §5). */
export function createDisputeRequest(
  { temporal: context, sealer }: CreateDependencies,
  request: CreateRequest<RequestDisputeBody>,
) {
  const { body, token, em } = request
  return createOperation(context, request, {
    noun: 'dispute',
    path: DISPUTES_PATH,
    find: uuid => findRequestedDispute(em.fork(), uuid),
    replayWaitMs: ({ state }) => (disputeMachine.accepts(state, 'requested') ? REQUEST_DEADLINE_MS : 0),
    validate: () => validateDisputeRequest({ em, token }, body.transfer_uuid),
    start(operation, { connection, endToEnd }, waitMs) {
      const { uuid, accountUuid, requestId, timeScale, fingerprint, ...author } = operation
      const { dispute_type: disputeType, transfer_uuid: transferUuid } = body
      const details: DisputeRequestDetails = { disputeType, details: body.details, fingerprint }
      const order = { ...author, accountUuid, transferUuid, details: sealer.seal(details) }
      const pix = { connectionUuid: connection.uuid, providerDisputeId: null, endToEnd: endToEnd ?? null }
      const input = { uuid, ...pix, request: order, requestId, timeScale }
      return startDisputeRequestWorkflow(context, input, waitMs)
    },
    present: respondWithRequest,
  })
}

/** Returns the transfer whose money is asked back; fails with 404, 409, or 422 where its provider takes no request. */
export async function validateDisputeRequest(caller: DisputeCaller, transferUuid: string) {
  const { transfer, code } = await judgeDisputeRequest(caller, transferUuid)
  const { provider } = transfer.connection
  if (code === 'dispute_not_supported')
    fail(code, {
      errors: {
        transfer_uuid: [{ text: 'was sent by {provider}, whose API takes no requests', gaps: { provider } }],
      },
    })
  if (code) fail(code)
  return transfer
}

/** Tells whether the money of a transfer can be asked back. */
export async function isDisputable(caller: DisputeCaller, transferUuid: string): Promise<boolean> {
  return (await judgeDisputeRequest(caller, transferUuid)).code === null
}

async function judgeDisputeRequest({ em, token }: DisputeCaller, transferUuid: string) {
  const filter: FilterQuery<Transfer> = { $and: [{ uuid: transferUuid }, visibilityFilter(token)] }
  const transfer =
    (await em.findOne(Transfer, filter, { populate: ['connection', 'movement'] })) ?? fail('not_found')
  const { providerAccountUuid, endToEnd, state, settledAt } = transfer
  const isRequested =
    endToEnd != null && (await em.count(Dispute, requestedDisputeOf({ providerAccountUuid, endToEnd }))) > 0
  const settledAtMs = endToEnd == null ? null : (settledAt?.getTime() ?? null)
  const code = requestErrorCodeOf({ state, settledAtMs, isRequested, nowMs: Date.now() })
  const { disputes } = PROVIDER_CAPABILITIES[transfer.connection.dialect]
  return { transfer, code: code ?? (disputes?.canRequest ? null : ('dispute_not_supported' as const)) }
}

/** Refusals of a request that its validation has too: another request, or a return, came between. */
const RACED_CODES = ['med_already_asked', 'med_period_over', 'transfer_not_disputable'] as const

/** Responds with 201 once the request is stored, whatever has become of it since, or with its refusal. */
function respondWithRequest(row: RequestedDispute, replay: Replay) {
  const { headers } = replay
  if (!row.failure) return { status: 201 as const, headers, body: { data: showRequestedDispute(row) } }
  const racedCode = RACED_CODES.find(code => code === row.failure?.code)
  if (racedCode) failStored(racedCode, replay)
  failStored('provider_rejected', replay, {
    data: z.encode(disputeSchema, showDispute(row, { attachments: [], contest: null })),
  })
}

/** Cancels what an account has requested, at its provider first; without an answer it stays as it is (SPEC §5). */
export async function cancelRequestedDispute(
  { temporal: context, storage }: { temporal: TemporalContext; storage: FileStorage },
  { em, token, uuid }: DisputeCaller & { uuid: string },
) {
  const dispute = await requireCancellableDispute({ em, token, uuid })
  const act = { token, action: 'dispute_cancel', subject: `med/${uuid}` } as const
  const deadline = await prepareWorkflowCall(context, { em, ids: { uuid }, act })
  const update = { updateId: randomUUID(), waitMs: deadline.stepTimeoutMs() }
  const answer = await deadline
    .awaitStep(executeCancelDisputeUpdate(context, dispute, update), READ_BACK_RESERVE_MS)
    .catch(() => 'no_answer' as const)
  if (answer === 'no_answer') fail('cancellation_unknown', { retryAfterS: UNAVAILABLE_RETRY_S })
  return readOrFailNotConfirmed({ uuid }, async () => {
    const current = await requireVisibleDispute(em.fork(), token, uuid)
    // Its decision came first, or its provider refuses.
    if (current.state !== 'cancelled') fail('med_not_cancellable')
    return showDisputeWithAttachments(em.fork(), storage, current)
  })
}

/** Reads a dispute that the account may cancel, at a provider that cancels; else 404 or 409. */
async function requireCancellableDispute({ em, token, uuid }: DisputeCaller & { uuid: string }) {
  const dispute = await requireVisibleDispute(em, token, uuid)
  if (!isCancellableThere(dispute)) fail('med_not_cancellable')
  return dispute
}

/** Tells whether a dispute can be cancelled by the API of its provider. */
export function isCancellableThere(dispute: Dispute): boolean {
  const { disputes } = PROVIDER_CAPABILITIES[dispute.connection.dialect]
  return isCancellableDispute(dispute) && disputes?.canRequest === true
}
