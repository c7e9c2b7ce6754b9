import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import {
  type CreateTransferBody,
  createTransferBody,
  showAcceptedTransfer,
  showTransfer,
  type TransfersQuery,
  transferSchema,
} from '../../contract/transfers/transfer.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Account } from '../../db/entities/account.ts'
import type { Connection } from '../../db/entities/connection.ts'
import { Transfer } from '../../db/entities/transfer.ts'
import { batchQueries, runQuery } from '../../db/pipeline/query.ts'
import { findOpenCircuits, orderByCircuitState } from '../../db/repositories/circuit-breaker.ts'
import {
  isExternalRefUsed,
  type ReadTransfer,
  readTransfer,
  readTransfers,
  type TransferWithAttempts,
} from '../../db/repositories/transfers.ts'
import { joinConditions } from '../../db/sql-conditions.ts'
import { computeFeeCents, textFromCents } from '../../domain/ledger/money.ts'
import { transferMachine } from '../../domain/transfers/transfer.ts'
import { canCarryTransfer } from '../../domain/transfers/transfer-candidates.ts'
import { isWithinTransferLimit } from '../../domain/transfers/transfer-limit.ts'
import { collectFieldErrors, fail } from '../../http/api-error.ts'
import type { FieldMessage } from '../../http/field-message.ts'
import { MAX_SCHEDULE_AHEAD_MS } from '../../http/limits.ts'
import type { FieldErrors } from '../../http/validate.ts'
import { executeCancelTransferUpdate, startMoneyWorkflow } from '../../temporal/start.ts'
import type { TemporalContext } from '../../temporal/workflow-options.ts'
import type { TransferInput, TransferInputDetails } from '../../workflows/contracts/transfers.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { visibilityConditions } from '../authorization/visibility.ts'
import { queryCandidates, requireUnpausedConnections } from '../routing/provider-candidates.ts'
import {
  type CreateDependencies,
  type CreateRequest,
  createOperation,
  failStored,
  isOperationCreated,
  queryAcceptanceDeadline,
  type Replay,
  remainingCreateWaitMs,
} from './create-operation.ts'
import { buildCreationConditions, mapPage } from './pagination.ts'
import { prepareWorkflowCall, readOrFailNotConfirmed } from './start-and-wait.ts'
import {
  collectLookupErrors,
  type OpenedLookup,
  readTransferLookup,
  requireExpectedReceiver,
} from './transfer-lookup.ts'
import { listVisibleRows } from './visible-list.ts'

function findTransfer(em: EntityManager, uuid: string): Promise<TransferWithAttempts | null> {
  return readTransfer(em, joinConditions(['uuid = ?', uuid]), null)
}

/** Reads a transfer that the token may see, with the attempts that the token may see (SPEC §9), or fails with 404. */
export async function requireVisibleTransfer(em: EntityManager, token: CallerToken, uuid: string) {
  const condition = joinConditions(['uuid = ?', uuid], ...visibilityConditions(token))
  return (await readTransfer(em, condition, token.connectionUuid)) ?? fail('not_found')
}

export async function listTransfers(em: EntityManager, token: CallerToken, query: TransfersQuery) {
  const page = await listVisibleRows(em, {
    noun: 'transfer',
    token,
    query,
    states: query.status?.flatMap(transferMachine.statesShowing),
    filters: [
      query.type === 'UNDEFINED' && ['false'],
      query.external_ref !== undefined && ['external_ref = ?', query.external_ref],
      query.end_to_end !== undefined && ['end_to_end = ?', query.end_to_end],
      query.pix_key !== undefined && ['pix_key = ?', query.pix_key],
      query.provider_uuid !== undefined && ['connection_uuid = ?', query.provider_uuid],
      query.batch_uuid !== undefined && ['batch_uuid = ?', query.batch_uuid],
      ...buildCreationConditions(query),
    ],
    doneDays: {
      column: 'settled_at',
      from: query.transfer_date_from,
      to: query.transfer_date_to,
      timeZone: query.time_zone,
    },
    read: page => readTransfers(em, page, token.connectionUuid),
  })
  return mapPage(page, row => showTransfer(row, row.attempts))
}

export const TRANSFERS_PATH = '/api/v1/transfers'

/** Tests whether a request with this Idempotency-Key has created its transfer. */
export function isTransferCreated(
  em: EntityManager,
  request: { token: CallerToken; idempotencyKey: string },
): Promise<boolean> {
  return isOperationCreated({ ...request, path: TRANSFERS_PATH }, uuid => findTransfer(em.fork(), uuid))
}

/** Validates a transfer without creating it, and returns the connection that would be tried first, with its fee. */
export async function quoteTransfer(caller: TransferCaller, body: CreateTransferBody) {
  const { errors, payable } = await evaluateTransfer(caller, body)
  if (Object.keys(errors).length > 0) fail('validation_failed', { errors })
  await requireUniqueExternalRef(caller, body)
  const unpaused = requireUnpausedConnections(payable, 'out')
  const openCircuits = body.scheduled_for ? new Set() : await findOpenCircuits(caller.em, unpaused)
  const connectionUuid = unpaused.find(uuid => !openCircuits.has(uuid)) ?? unpaused[0]!
  const { fees } = payable.find(({ uuid }) => uuid === connectionUuid)!
  return { connectionUuid, feeCents: computeFeeCents(body.value, fees.transfer) }
}

/** Creates a transfer to a PIX key, or replays the response of the same Idempotency-Key (SPEC §4). */
export function createTransfer(
  { temporal: context, sealer }: CreateDependencies,
  request: CreateRequest<CreateTransferBody>,
) {
  const { body, token, em, idempotencyKey } = request
  return createOperation(context, request, {
    noun: 'transfer',
    path: TRANSFERS_PATH,
    isPayout: true,
    find: uuid => findTransfer(em.fork(), uuid),
    replayWaitMs: transfer => (isResponsePending(transfer) ? remainingCreateWaitMs(transfer) : 0),
    validate: () => validateCreateTransfer({ em, token, sealer }, body),
    start({ fingerprint, ...operation }, { candidates, acceptBefore, lookup }, waitMs) {
      const details = buildTransferDetails(body, { fingerprint, ...(lookup && { lookup }) })
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
  state => transferMachine.statusOf(state) === 'PENDING' || transferMachine.accepts(state, 'accepted'),
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
  const acceptedSnapshot =
    transfer.accepted ?? z.encode(transferSchema, showTransfer(transfer, transfer.attempts))
  const unchanged = transfer.accepted ? {} : { accepted: null }
  const undecided = { uuid, ...unchanged, state: { $in: UNDECIDED_STATES } }
  await em.nativeUpdate(Transfer, undecided, { accepted: acceptedSnapshot, acceptBefore: null })
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
    case 'key_blocked_for_fraud':
      // Without a look-up, api-document.txt has 400 for whatever a provider refuses.
      return transfer.lookup ? 'key_blocked_for_fraud' : 'provider_rejected'
    case 'receiver_changed':
    case 'no_provider_available':
    case 'not_started':
    case 'paused':
    case 'account_blocked':
    case 'external_ref_in_use':
    case 'over_limit':
    case 'possible_duplicate':
    case 'not_found_after_restore':
      return transfer.failure.code
    default:
      return 'provider_rejected'
  }
}

/** Validation of a new transfer beyond its schema: rules that need the database or the time of day. */

type TransferCaller = { em: EntityManager; token: CallerToken }

/** Returns candidates in the order of trying and the acceptance deadline; fails with all 422 errors, 409 or 503. */
async function validateCreateTransfer(
  caller: TransferCaller & Pick<CreateDependencies, 'sealer'>,
  body: CreateTransferBody,
) {
  const lookup = await readTransferLookup(caller, body)
  const { errors, payable, acceptBefore } = await evaluateTransfer(caller, { ...body, lookup })
  Object.assign(errors, collectLookupErrors(body, lookup))
  if (Object.keys(errors).length > 0) fail('validation_failed', { errors })
  if (lookup) requireExpectedReceiver(body, lookup)
  await requireUniqueExternalRef(caller, body)
  const unpaused = requireUnpausedConnections(payable, 'out')
  // A scheduled transfer keeps the order of priority: circuit states at its time are unknown now.
  return {
    candidates: body.scheduled_for ? unpaused : await orderByCircuitState(caller.em, unpaused),
    acceptBefore,
    lookup: lookup?.copy,
  }
}

/** Collects the errors of a body that its schema has rejected, so that all errors are sent at once. */
export async function collectTransferErrors({ em, token, body }: TransferCaller & { body: unknown }) {
  const input = Object(body)
  const { value, scheduled_for, document, provider_uuid } = createTransferBody.shape
  const fields = {
    value: value.safeParse(input.value).data,
    scheduled_for: scheduled_for.safeParse(input.scheduled_for).data,
    document: document.safeParse(input.document).data,
  }
  const provider = provider_uuid.safeParse(input.provider_uuid)
  if (!provider.success) return collectScheduleErrors(fields)
  return (await evaluateTransfer({ em, token }, { ...fields, provider_uuid: provider.data })).errors
}

type ReadableTransferBody = Pick<CreateTransferBody, 'scheduled_for' | 'document' | 'provider_uuid'> & {
  value: number | undefined
  lookup?: OpenedLookup | null
}

async function evaluateTransfer({ em, token }: TransferCaller, body: ReadableTransferBody) {
  const errors = collectScheduleErrors(body)
  const candidateQuery = queryCandidates(em, { token, providerUuid: body.provider_uuid })
  const [candidates, acceptBefore] =
    (await collectFieldErrors(
      errors,
      runQuery(em, batchQueries(candidateQuery, queryAcceptanceDeadline())),
    )) ?? []
  const payable = candidates ? selectPayableConnections(errors, candidates, body) : []
  return { errors, payable, acceptBefore }
}

/** Selects the candidates that may carry a transfer, and adds why none of them may. */
export function selectPayableConnections(
  errors: FieldErrors,
  candidates: Connection[],
  { document, lookup, value = 0 }: Pick<ReadableTransferBody, 'document' | 'lookup' | 'value'>,
): Connection[] {
  const order = { document, lookup: lookup?.copy }
  const capable = candidates.filter(({ dialect }) => canCarryTransfer(dialect, order))
  if (capable.length === 0)
    errors[lookup ? 'lookup_uuid' : 'document'] = [
      'cannot be checked: no provider of this transfer checks the holder of the key',
    ]
  const payable = capable.filter(one => isWithinTransferLimit(one, value))
  if (capable.length > 0 && payable.length === 0) errors.value = [formatLimitMessage(capable)]
  return payable
}

/** Builds the sealed part of the order of a transfer, alone or in a batch. */
export function buildTransferDetails(
  body: Pick<
    CreateTransferBody,
    'pix_key' | 'document' | 'external_ref' | 'allow_duplicate' | 'final_beneficiary'
  >,
  { fingerprint, lookup }: Pick<TransferInputDetails, 'fingerprint' | 'lookup'>,
): TransferInputDetails {
  return {
    pixKey: body.pix_key,
    ...(body.document !== undefined && { document: body.document }),
    ...(lookup && { lookup }),
    ...(body.external_ref !== undefined && { externalRef: body.external_ref }),
    ...(body.allow_duplicate && { allowDuplicate: true as const }),
    ...(body.final_beneficiary && { finalBeneficiary: body.final_beneficiary }),
    fingerprint,
  }
}

/** Formats the message about a value that none of the connections may send at once: the highest of their limits. */
function formatLimitMessage(connections: Connection[]): FieldMessage {
  const limitCents = Math.max(...connections.map(({ maxTransferCents }) => maxTransferCents ?? 0))
  return {
    text: 'must not exceed {limit}: no provider of this transfer sends more at once',
    gaps: { limit: textFromCents(limitCents) },
  }
}

export function collectScheduleErrors({
  scheduled_for,
}: Pick<ReadableTransferBody, 'scheduled_for'>): FieldErrors {
  const ahead = scheduled_for ? scheduled_for.getTime() - Date.now() : 1
  const fits = ahead > 0 && ahead <= MAX_SCHEDULE_AHEAD_MS
  return fits ? {} : { scheduled_for: ['must be in the future, at most 90 days ahead'] }
}

async function requireUniqueExternalRef(
  { em, token }: TransferCaller,
  { external_ref: externalRef }: CreateTransferBody,
) {
  if (externalRef === undefined) return
  const { accountUuid } = token
  const account = await em.findOneOrFail(Account, accountUuid)
  if (!account.uniqueExternalRef) return
  const ref = { accountUuid, externalRef, isSimulated: token.mode === 'test' }
  if (await isExternalRefUsed(em, ref)) fail('external_ref_in_use')
}

/** Cancels a transfer that waits, for its time or its approvals, and returns it as shown; once sent it cannot be cancelled (SPEC §4). */
export async function cancelMerchantTransfer(
  context: TemporalContext,
  { em, token, uuid }: { em: EntityManager; token: CallerToken; uuid: string },
) {
  const transfer = await requireVisibleTransfer(em, token, uuid)
  if (!transferMachine.accepts(transfer.state, 'cancelled')) fail('transfer_not_cancellable')
  const act = { token, action: 'transfer_cancel', subject: `transfer/${uuid}` } as const
  const deadline = await prepareWorkflowCall(context, { em, ids: { uuid }, act })
  return readOrFailNotConfirmed({ uuid }, async () => {
    const update = { updateId: randomUUID(), waitMs: deadline.stepTimeoutMs() }
    if ((await executeCancelTransferUpdate(context, uuid, update)) !== true) fail('transfer_not_cancellable')
    const cancelled = await requireVisibleTransfer(em.fork(), token, uuid)
    return showTransfer(cancelled, cancelled.attempts)
  })
}
