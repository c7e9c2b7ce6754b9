import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import {
  type CreateAccountTransferBody,
  receiverAccountType,
  toBankAccount,
} from '../../contract/transfers/account-transfer.ts'
import {
  type CreateTransferBody,
  createTransferBody,
  showAcceptedTransfer,
  showTransfer,
  type TransferOrderBody,
  type TransfersQuery,
  transferOrderFields,
  transferSchema,
} from '../../contract/transfers/transfer.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Account } from '../../db/entities/account.ts'
import { Connection } from '../../db/entities/connection.ts'
import { Transfer } from '../../db/entities/transfer.ts'
import { batchQueries, runQuery } from '../../db/pipeline/query.ts'
import { orderByCircuitState } from '../../db/repositories/circuit-breaker.ts'
import {
  isExternalRefUsed,
  type ReadTransfer,
  readTransfer,
  readTransfers,
  type TransferWithAttempts,
  WAITING_TRANSFERS,
  type WaitingTransfers,
} from '../../db/repositories/transfers.ts'
import { joinConditions, type RowOrder } from '../../db/sql-conditions.ts'
import { computeFeeCents, textFromCents } from '../../domain/ledger/money.ts'
import type { BankAccountType } from '../../domain/pix/party.ts'
import { transferMachine } from '../../domain/transfers/transfer.ts'
import { type CarrierNeeds, canCarryTransfer } from '../../domain/transfers/transfer-candidates.ts'
import type { TransferDestination } from '../../domain/transfers/transfer-destination.ts'
import { isWithinTransferLimit } from '../../domain/transfers/transfer-limit.ts'
import type { TransferLookup } from '../../domain/transfers/transfer-lookup.ts'
import { collectFieldErrors, fail } from '../../http/api-error.ts'
import type { FieldMessage } from '../../http/field-message.ts'
import { MAX_SCHEDULE_AHEAD_MS } from '../../http/limits.ts'
import type { FieldErrors } from '../../http/validate.ts'
import { executeCancelTransferUpdate, startMoneyWorkflow } from '../../temporal/start.ts'
import type { TemporalContext } from '../../temporal/workflow-options.ts'
import type { TransferInput, TransferInputDetails } from '../../workflows/contracts/transfers.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { type Viewer, visibilityConditions } from '../authorization/visibility.ts'
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
export async function requireVisibleTransfer(em: EntityManager, token: Viewer, uuid: string) {
  const condition = joinConditions(['uuid = ?', uuid], ...visibilityConditions(token))
  return (await readTransfer(em, condition, token.connectionUuid)) ?? fail('not_found')
}

export async function listTransfers(
  em: EntityManager,
  token: CallerToken,
  query: TransfersQuery & { waiting?: WaitingTransfers | undefined },
  order?: RowOrder,
) {
  const page = await listVisibleRows(em, {
    noun: 'transfer',
    token,
    query,
    states: query.status?.flatMap(transferMachine.statesShowing),
    filters: [
      query.type === 'UNDEFINED' && ['false'],
      query.external_ref !== undefined && ['external_ref = ?', query.external_ref],
      query.end_to_end !== undefined && ['end_to_end = ?', query.end_to_end],
      query.pix_key !== undefined && ['receiver_id = ?', query.pix_key],
      query.provider_uuid !== undefined && ['connection_uuid = ?', query.provider_uuid],
      query.batch_uuid !== undefined && ['batch_uuid = ?', query.batch_uuid],
      query.waiting !== undefined && WAITING_TRANSFERS[query.waiting],
      ...buildCreationConditions(query),
    ],
    doneDays: {
      column: 'settled_at',
      from: query.transfer_date_from,
      to: query.transfer_date_to,
      timeZone: query.time_zone,
    },
    order,
    read: page => readTransfers(em, page, token.connectionUuid),
  })
  return mapPage(page, row => showTransfer(row, row.attempts))
}

export const TRANSFERS_PATH = '/api/v1/transfers'
export const ACCOUNT_TRANSFERS_PATH = `${TRANSFERS_PATH}/bank-accounts`

/** Tests whether a request with this Idempotency-Key has created its transfer. `path`: of the POST. */
export function isTransferCreated(
  em: EntityManager,
  request: { token: CallerToken; idempotencyKey: string; path: string },
): Promise<boolean> {
  return isOperationCreated(request, uuid => findTransfer(em.fork(), uuid))
}

/** What a transfer would cost, and the connection that would be tried first. */
export type TransferQuote = { connectionUuid: string; valueCents: number; feeCents: number }

/** Quotes a transfer that was validated. */
export async function quoteTerms(
  em: EntityManager,
  { candidates, valueCents }: Pick<TransferTerms, 'candidates' | 'valueCents'>,
): Promise<TransferQuote> {
  const connectionUuid = candidates[0]!
  const { fees } = await em.fork().findOneOrFail(Connection, connectionUuid)
  return { connectionUuid, valueCents, feeCents: computeFeeCents(valueCents, fees.transfer) }
}

/** Validates a transfer to a PIX key without creating it, and quotes it. */
export async function quoteTransfer(caller: OrderCaller, body: CreateTransferBody): Promise<TransferQuote> {
  const { candidates } = await validateCreateTransfer(caller, body)
  return quoteTerms(caller.em, { candidates, valueCents: body.value })
}

/** Validates a transfer to an account without creating it, and quotes it. */
export async function quoteAccountTransfer(
  caller: TransferCaller,
  body: CreateAccountTransferBody,
): Promise<TransferQuote> {
  return quoteTerms(caller.em, await validateAccountTransfer(caller, body))
}

/** Creates a transfer to a PIX key, or replays the response of the same Idempotency-Key (SPEC §4). */
export function createTransfer(dependencies: CreateDependencies, request: CreateRequest<CreateTransferBody>) {
  const { body, ...caller } = request
  const { pix_key: pixKey, document = null } = body
  return orderTransfer(dependencies, request, {
    path: TRANSFERS_PATH,
    validate: async () => ({
      ...(await validateCreateTransfer({ ...caller, sealer: dependencies.sealer }, body)),
      destination: { kind: 'key', pixKey, document },
      valueCents: body.value,
    }),
  })
}

/** Creates a transfer to an account at a bank, or replays the response of the same Idempotency-Key. */
export function createAccountTransfer(
  dependencies: CreateDependencies,
  request: CreateRequest<CreateAccountTransferBody>,
) {
  const { body, ...caller } = request
  return orderTransfer(dependencies, request, {
    path: ACCOUNT_TRANSFERS_PATH,
    validate: () => validateAccountTransfer(caller, body),
  })
}

/** Validates a transfer to an account beyond its schema; fails with all 422 errors, 409 or 503. */
async function validateAccountTransfer(
  caller: TransferCaller,
  body: CreateAccountTransferBody,
): Promise<TransferTerms> {
  const receiver = checkAccountReceiver(body.receiver.account_type)
  const { errors, ...evaluated } = await evaluateTransfer(caller, body, receiver)
  if (Object.keys(errors).length > 0) fail('validation_failed', { errors })
  return {
    ...(await chooseCandidates(caller, body, evaluated)),
    lookup: undefined,
    destination: { kind: 'account', account: toBankAccount(body.receiver) },
    valueCents: body.value,
  }
}

type OrderedTransfer = { path: string; validate: () => Promise<TransferTerms> }
/** Fields of every order that say how it is carried out. */
type TermsBody = Omit<TransferOrderBody, 'value'>
/** What is ordered, and what its validation finds: candidates in the order of trying, and the acceptance deadline. */
export type TransferTerms = {
  destination: TransferDestination
  valueCents: number
  candidates: string[]
  acceptBefore: string | undefined
  lookup: TransferLookup | undefined
}

/** Orders a transfer, wherever it goes, or replays the response of the same Idempotency-Key. */
export function orderTransfer(
  { temporal: context, sealer }: CreateDependencies,
  request: CreateRequest<TermsBody>,
  { path, validate }: OrderedTransfer,
) {
  const { body, em, idempotencyKey } = request
  return createOperation(context, request, {
    noun: 'transfer',
    path,
    isPayout: true,
    find: uuid => findTransfer(em.fork(), uuid),
    replayWaitMs: transfer => (isResponsePending(transfer) ? remainingCreateWaitMs(transfer) : 0),
    validate,
    start({ fingerprint, ...operation }, { candidates, acceptBefore, lookup, ...ordered }, waitMs) {
      const { destination } = ordered
      const details = buildTransferDetails(body, { destination, fingerprint, ...(lookup && { lookup }) })
      const order: TransferInput = {
        ...operation,
        candidates,
        valueCents: ordered.valueCents,
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

export type TransferCaller = { em: EntityManager; token: CallerToken }
type OrderCaller = TransferCaller & Pick<CreateDependencies, 'sealer'>

/** Returns candidates in the order of trying and the acceptance deadline; fails with all 422 errors, 409 or 503. */
async function validateCreateTransfer(caller: OrderCaller, body: CreateTransferBody) {
  const { unpaused, acceptBefore, lookup } = await requireValidTransfer(caller, body)
  return { candidates: await orderCandidates(caller, body, unpaused), acceptBefore, lookup: lookup?.copy }
}

/** Orders the connections of a transfer in the order of trying. */
async function orderCandidates(
  { em }: TransferCaller,
  body: Pick<TermsBody, 'scheduled_for'>,
  unpaused: string[],
) {
  // A scheduled transfer keeps the order of priority: circuit states at its time are unknown now.
  return body.scheduled_for ? unpaused : orderByCircuitState(em, unpaused)
}

/** Returns the connections that may send a transfer to a key; fails with all 422 errors, 409 or 503. */
async function requireValidTransfer(caller: OrderCaller, body: CreateTransferBody) {
  const lookup = await readTransferLookup(caller, body)
  const { errors, ...evaluated } = await evaluateTransfer(caller, body, checkKeyReceiver({ ...body, lookup }))
  Object.assign(errors, collectLookupErrors(body, lookup))
  if (Object.keys(errors).length > 0) fail('validation_failed', { errors })
  if (lookup) requireExpectedReceiver(body, lookup)
  return { ...(await requireSendableOrder(caller, body, evaluated)), lookup }
}

/** Orders the connections that may carry a valid transfer; fails with 409 or 503. */
export async function chooseCandidates(
  caller: TransferCaller,
  body: Pick<TermsBody, 'external_ref' | 'scheduled_for'>,
  evaluated: { payable: Connection[]; acceptBefore: string | undefined },
) {
  const { unpaused, acceptBefore } = await requireSendableOrder(caller, body, evaluated)
  return { candidates: await orderCandidates(caller, body, unpaused), acceptBefore }
}

/** Returns the connections that may send a valid order, wherever it goes; fails with 409 or 503. */
async function requireSendableOrder(
  caller: TransferCaller,
  body: Pick<TermsBody, 'external_ref'>,
  { payable, acceptBefore }: { payable: Connection[]; acceptBefore: string | undefined },
) {
  await requireUniqueExternalRef(caller, body)
  return { payable, acceptBefore, unpaused: requireUnpausedConnections(payable, 'out') }
}

/** Collects the errors of a body that its schema has rejected, so that all errors are sent at once. */
export function collectTransferErrors({ body, ...caller }: TransferCaller & { body: unknown }) {
  const { document } = createTransferBody.shape
  const receiver = checkKeyReceiver({ document: document.safeParse(Object(body).document).data })
  return collectOrderErrors(caller, body, receiver)
}

/** Collects the errors of a body to an account like `collectTransferErrors`. */
export function collectAccountTransferErrors({ body, ...caller }: TransferCaller & { body: unknown }) {
  const type = receiverAccountType.safeParse(Object(Object(body).receiver).account_type).data
  return collectOrderErrors(caller, body, checkAccountReceiver(type))
}

/** Collects the errors of the fields that every order of a transfer has. */
export async function collectOrderErrors(caller: TransferCaller, body: unknown, receiver: ReceiverCheck) {
  const input = Object(body)
  const { value, scheduled_for, provider_uuid } = transferOrderFields
  const fields = {
    value: value.safeParse(input.value).data,
    scheduled_for: scheduled_for.safeParse(input.scheduled_for).data,
  }
  const provider = provider_uuid.safeParse(input.provider_uuid)
  if (!provider.success) return collectScheduleErrors(fields)
  return (await evaluateTransfer(caller, { ...fields, provider_uuid: provider.data }, receiver)).errors
}

/** What a receiver asks of a provider, and the errors of an order that none of its providers may carry. */
export type ReceiverCheck = {
  needs: CarrierNeeds
  errors: FieldErrors
}

/** What a key asks of a provider, under a document or the owner that a look-up has shown. */
export function checkKeyReceiver({
  document,
  lookup,
}: {
  document?: string | undefined
  lookup?: OpenedLookup | null
}): ReceiverCheck {
  const message = 'cannot be checked: no provider of this transfer checks the holder of the key'
  return {
    needs: { document, lookup: lookup?.copy },
    errors: { [lookup ? 'lookup_uuid' : 'document']: [message] },
  }
}

/** What an account at a bank asks of a provider. `accountType`: undefined where the request has no valid one. */
export function checkAccountReceiver(accountType: BankAccountType | undefined): ReceiverCheck {
  return {
    needs: { accountType },
    errors: { 'receiver.account_type': ['no provider of this transfer pays an account of this type'] },
  }
}

type ReadableTransferBody = Pick<TransferOrderBody, 'scheduled_for' | 'provider_uuid'> & {
  value: number | undefined
}

/** Finds the connections that may pay a receiver, and the errors of an order where there is none. */
export async function evaluateTransfer(
  { em, token }: TransferCaller,
  body: ReadableTransferBody,
  receiver: ReceiverCheck,
) {
  const errors = collectScheduleErrors(body)
  const candidateQuery = queryCandidates(em, { token, providerUuid: body.provider_uuid })
  const [candidates, acceptBefore] =
    (await collectFieldErrors(
      errors,
      runQuery(em, batchQueries(candidateQuery, queryAcceptanceDeadline())),
    )) ?? []
  const payable = candidates ? selectPayableConnections(errors, candidates, { ...body, receiver }) : []
  return { errors, payable, acceptBefore }
}

/** Selects the candidates that may carry a transfer, and adds why none of them may. */
export function selectPayableConnections(
  errors: FieldErrors,
  candidates: Connection[],
  { receiver, value = 0 }: { receiver: ReceiverCheck; value: number | undefined },
): Connection[] {
  const capable = candidates.filter(({ dialect }) => canCarryTransfer(dialect, receiver.needs))
  if (capable.length === 0) Object.assign(errors, receiver.errors)
  const payable = capable.filter(one => isWithinTransferLimit(one, value))
  if (capable.length > 0 && payable.length === 0) errors.value = [formatLimitMessage(capable)]
  return payable
}

/** Builds the sealed part of the order of a transfer, alone or in a batch. */
export function buildTransferDetails(
  body: Pick<CreateTransferBody, 'external_ref' | 'allow_duplicate' | 'final_beneficiary'>,
  { destination, fingerprint, lookup }: Pick<TransferInputDetails, 'destination' | 'fingerprint' | 'lookup'>,
): TransferInputDetails {
  return {
    destination,
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
  { external_ref: externalRef }: Pick<TermsBody, 'external_ref'>,
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
