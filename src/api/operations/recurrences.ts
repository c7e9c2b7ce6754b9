import { randomUUID } from 'node:crypto'
import type { FilterQuery } from '@mikro-orm/core'
import { z } from 'zod'
import {
  type ChargeRecurrenceBody,
  type CreateRecurrenceBody,
  type RecurrencesQuery,
  recurrenceSchema,
  showCreatedRecurrence,
  toRecurrenceDebtor,
  toTerms,
} from '../../contract/recurrences/recurrence.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Connection } from '../../db/entities/connection.ts'
import { Recurrence } from '../../db/entities/recurrence.ts'
import { runQuery } from '../../db/pipeline/query.ts'
import { orderByCircuitState } from '../../db/repositories/circuit-breaker.ts'
import { queryIsPaused } from '../../db/repositories/pauses.ts'
import {
  buildPastDueCondition,
  findPastDueRecurrences,
  isCycleCharged,
  readRecurrences,
} from '../../db/repositories/recurrences.ts'
import type { RowOrder } from '../../db/sql-conditions.ts'
import { computeQuotedFeeCents, MAX_CENTS } from '../../domain/ledger/money.ts'
import { PROVIDER_CAPABILITIES } from '../../domain/providers/capabilities.ts'
import { findCycleOfDay } from '../../domain/recurrences/cycles.ts'
import { isChargeableRecurrenceState, recurrenceMachine } from '../../domain/recurrences/recurrence.ts'
import {
  findCycleChargeErrors,
  findRecurrenceErrors,
  findUnofferedTerms,
} from '../../domain/recurrences/recurrence-errors.ts'
import { readTerms } from '../../domain/recurrences/stored-terms.ts'
import { computeBrasiliaDay } from '../../domain/shared/brasilia-day.ts'
import { DAY } from '../../domain/shared/intervals.ts'
import { collectFieldErrors, fail } from '../../http/api-error.ts'
import {
  PAUSED_RETRY_S,
  READ_BACK_RESERVE_MS,
  REQUEST_DEADLINE_MS,
  UNAVAILABLE_RETRY_S,
} from '../../http/limits.ts'
import type { FieldErrors } from '../../http/validate.ts'
import { buildCycleOrder, deriveFirstChargeUuid } from '../../temporal/recurrences.ts'
import {
  executeCancelRecurrenceUpdate,
  startMoneyWorkflow,
  startRecurrenceWorkflow,
} from '../../temporal/start.ts'
import type { TemporalContext } from '../../temporal/workflow-options.ts'
import type { RecurrenceInput, RecurrenceInputDetails } from '../../workflows/contracts/recurrences.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { visibilityFilter } from '../authorization/visibility.ts'
import { findCandidates, requireUnpausedConnections } from '../routing/provider-candidates.ts'
import {
  buildChargeOrder,
  collectSplitErrors,
  evaluateChargeAt,
  findCharge,
  respondWithCharge,
  toSplits,
} from './charges.ts'
import {
  type CreateDependencies,
  type CreateRequest,
  createOperation,
  failStored,
  isOperationCreated,
  type Replay,
} from './create-operation.ts'
import { toFieldErrors } from './due-charges.ts'
import { buildCreationConditions } from './pagination.ts'
import { prepareWorkflowCall, readOrFailNotConfirmed } from './start-and-wait.ts'
import { listVisibleRows } from './visible-list.ts'

export const RECURRENCES_PATH = '/api/v1/recurrences'

/** How long the payer may decide about a request for consent that names no end. */
const DEFAULT_REQUEST_MS = 7 * DAY

const WITH_CONNECTION = { populate: ['connection'] } as const

/** Reads a recurrence that the token may see, and whether it is past due, or fails with 404. */
export async function requireVisibleRecurrence(em: EntityManager, token: CallerToken, uuid: string) {
  const filter: FilterQuery<Recurrence> = { $and: [{ uuid }, visibilityFilter(token)] }
  const row = (await em.findOne(Recurrence, filter, WITH_CONNECTION)) ?? fail('not_found')
  return { row, isPastDue: (await findPastDueRecurrences(em, [uuid])).has(uuid) }
}

/** Lists one page of the recurrences that a token may see, newest first. */
export function listRecurrences(
  em: EntityManager,
  token: CallerToken,
  query: RecurrencesQuery,
  order?: RowOrder,
) {
  return listVisibleRows(em, {
    noun: 'recurrence',
    token,
    query,
    states: query.status?.flatMap(recurrenceMachine.statesShowing),
    filters: [
      query.external_ref !== undefined && ['external_ref = ?', query.external_ref],
      query.provider_uuid !== undefined && ['connection_uuid = ?', query.provider_uuid],
      query.is_past_due !== undefined && buildPastDueCondition(query.is_past_due),
      ...buildCreationConditions(query),
    ],
    order,
    read: page => readRecurrences(em, page),
  })
}

/** Creates a recurrence, or replays the response of the same Idempotency-Key (SPEC §1, §2). */
export function createRecurrence(
  { temporal: context, sealer }: CreateDependencies,
  request: CreateRequest<CreateRecurrenceBody>,
) {
  const { body, token, em } = request
  return createOperation(context, request, {
    noun: 'recurrence',
    path: RECURRENCES_PATH,
    find: uuid => em.fork().findOne(Recurrence, uuid, WITH_CONNECTION),
    replayWaitMs: ({ state }) => (state === 'creating' ? REQUEST_DEADLINE_MS : 0),
    validate: () => validateRecurrence({ em, token }, body),
    start({ fingerprint, ...operation }, { candidates, splits, requestExpiresAt, firstCharge }, waitMs) {
      const details: RecurrenceInputDetails = {
        terms: toTerms(body),
        debtor: toRecurrenceDebtor(body.debtor),
        ...(body.payer_account && { payerAccount: toPayerAccount(body.payer_account) }),
        ...(requestExpiresAt && { requestExpiresAt: requestExpiresAt.toISOString() }),
        ...(body.external_ref !== undefined && { externalRef: body.external_ref }),
        ...(body.metadata && { metadata: body.metadata }),
        splits,
        fingerprint,
      }
      const chargeOperation = {
        ...operation,
        uuid: deriveFirstChargeUuid(operation.uuid),
        candidates,
        fingerprint,
      }
      const order: RecurrenceInput = {
        ...operation,
        candidates,
        details: sealer.seal(details),
        ...(firstCharge && { firstCharge: buildChargeOrder(sealer, chargeOperation, firstCharge) }),
      }
      return startRecurrenceWorkflow(context, order, waitMs)
    },
    present: respondWithRecurrence,
  })
}

function toPayerAccount({ ispb, agency, account }: NonNullable<CreateRecurrenceBody['payer_account']>) {
  return { ispb, account, ...(agency !== undefined && { agency }) }
}

/** Failures of a recurrence with a response of their own. */
const STORED_CODES = ['no_provider_available', 'not_found_after_restore'] as const

function respondWithRecurrence(row: Recurrence, replay: Replay) {
  const { headers } = replay
  if (row.state === 'creating')
    fail('issuing', { data: { uuid: row.uuid }, retryAfterS: UNAVAILABLE_RETRY_S, headers })
  if (row.state === 'failed')
    failStored(STORED_CODES.find(code => code === row.failure?.code) ?? 'provider_rejected', replay, {
      data: z.encode(recurrenceSchema, showCreatedRecurrence(row)),
    })
  return { status: 201 as const, body: { data: showCreatedRecurrence(row) }, headers }
}

type RecurrenceCaller = { em: EntityManager; token: CallerToken }

/** Returns what the order needs; fails with all 422 errors, or 503 while all of its providers are paused. */
async function validateRecurrence(caller: RecurrenceCaller, body: CreateRecurrenceBody) {
  const now = new Date()
  const terms = toTerms(body)
  const asked = body.request_expires_at === undefined ? null : new Date(body.request_expires_at)
  const splits = toSplits(body.splits)
  const errors: FieldErrors = {
    ...(await collectSplitErrors(caller, { value: body.value ?? 0, splits })),
    ...toFieldErrors(
      findRecurrenceErrors(
        {
          terms,
          requestExpiresAt: asked,
          hasPayerAccount: body.payer_account !== undefined,
          firstCharge: body.first_charge ? { hasDue: body.first_charge.due !== undefined } : null,
        },
        now,
      ),
    ),
  }
  const candidates = await collectFieldErrors(
    errors,
    findCandidates(caller.em, { ...caller, providerUuid: body.provider_uuid }),
  )
  const offer = { terms, hasAddress: body.debtor.address !== undefined }
  const judged = (candidates ?? []).map(candidate => ({
    candidate,
    lacks: findUnofferedTerms(offer, PROVIDER_CAPABILITIES[candidate.dialect]),
  }))
  const capable = judged.filter(({ lacks }) => lacks.length === 0).map(({ candidate }) => candidate)
  const [least = []] = judged.map(({ lacks }) => lacks).toSorted((one, other) => one.length - other.length)
  for (const { field, message } of least) errors[field] ??= [message]
  const firstCharge = body.first_charge && { debtor: body.debtor, ...body.first_charge }
  const payable = firstCharge ? await selectForFirstCharge(caller, { capable, firstCharge, errors }) : capable
  const { valueCents } = terms
  if (
    valueCents !== null &&
    capable.some(({ fees }) => valueCents + computeQuotedFeeCents(valueCents, fees) > MAX_CENTS)
  )
    errors.value ??= ['must not exceed 9999999999.99 together with its fee']
  if (Object.keys(errors).length > 0) fail('validation_failed', { errors })
  const isRequest = terms.journey === 'REQUEST'
  return {
    splits,
    requestExpiresAt: isRequest ? (asked ?? new Date(now.getTime() + DEFAULT_REQUEST_MS)) : null,
    firstCharge,
    candidates: await orderByCircuitState(caller.em, requireUnpausedConnections(payable, 'in')),
  }
}

type FirstChargeSelection = {
  capable: Connection[]
  firstCharge: NonNullable<CreateRecurrenceBody['first_charge']>
  errors: FieldErrors
}

/** Selects the connections whose providers issue the first charge too, and adds what is wrong with it. */
async function selectForFirstCharge(
  caller: RecurrenceCaller,
  { capable, firstCharge, errors }: FirstChargeSelection,
): Promise<Connection[]> {
  const charge = { ...firstCharge, splits: toSplits(firstCharge.splits) }
  const evaluated = await evaluateChargeAt(capable, caller, charge)
  for (const [field, messages] of Object.entries(evaluated.errors))
    errors[`first_charge.${field}`] ??= messages
  return evaluated.payable
}

/** Cancels a recurrence at its provider, then in PostgreSQL; without a response it stays as it is (SPEC §2). */
export async function cancelMerchantRecurrence(
  context: TemporalContext,
  { em, token, uuid }: RecurrenceCaller & { uuid: string },
) {
  const { row } = await requireVisibleRecurrence(em, token, uuid)
  if (!recurrenceMachine.accepts(row.state, 'cancelled')) fail('recurrence_not_cancellable')
  const act = { token, action: 'recurrence_cancel', subject: `recurrence/${uuid}` } as const
  const deadline = await prepareWorkflowCall(context, { em, ids: { uuid }, act })
  const update = { updateId: randomUUID(), waitMs: deadline.stepTimeoutMs() }
  const answer = await deadline
    .awaitStep(executeCancelRecurrenceUpdate(context, uuid, update), READ_BACK_RESERVE_MS)
    .catch(() => ({ kind: 'no_answer' }) as const)
  if (answer.kind === 'no_answer') fail('cancellation_unknown', { retryAfterS: UNAVAILABLE_RETRY_S })
  const current = await readOrFailNotConfirmed({ uuid }, () =>
    requireVisibleRecurrence(em.fork(), token, uuid),
  )
  // Its payer, or its end, came first; or its provider refuses.
  if (current.row.state !== 'cancelled') fail('recurrence_not_cancellable')
  return current
}

/** Creates the charge of a cycle, or replays the response of the same Idempotency-Key (SPEC §1, §2). */
export function chargeRecurrence(
  { temporal: context, sealer }: CreateDependencies,
  { uuid: recurrenceUuid, ...request }: CreateRequest<ChargeRecurrenceBody> & { uuid: string },
) {
  const { body, token, em } = request
  return createOperation(context, request, {
    noun: 'charge',
    path: cyclePath(recurrenceUuid),
    find: uuid => findCharge(em.fork(), uuid),
    replayWaitMs: ({ state }) => (state === 'issuing' ? REQUEST_DEADLINE_MS : 0),
    validate: () => validateCycleCharge({ em, token }, { uuid: recurrenceUuid, body }),
    start(operation, { row, ...charge }, waitMs) {
      const externalRef = body.external_ref ?? row.externalRef ?? undefined
      const { message } = body
      const order = buildCycleOrder(sealer, row, { ...operation, ...charge, externalRef, message })
      return startMoneyWorkflow(context, 'charge', order, { externalRef, waitMs })
    },
    present: respondWithCharge,
  })
}

/** Tests whether a request with this Idempotency-Key has created the charge of a cycle. */
export function isCycleChargeCreated(
  em: EntityManager,
  { uuid, ...request }: { token: CallerToken; uuid: string; idempotencyKey: string },
): Promise<boolean> {
  return isOperationCreated({ ...request, path: cyclePath(uuid) }, chargeUuid => findCharge(em, chargeUuid))
}

const cyclePath = (uuid: string) => `${RECURRENCES_PATH}/${uuid}/charges`

/** Returns what the debit needs; fails with 404, 409, all 422 errors, or 503 while its provider is paused. */
export async function validateCycleCharge(
  { em, token }: RecurrenceCaller,
  { uuid, body }: { uuid: string; body: ChargeRecurrenceBody },
) {
  const { row } = await requireVisibleRecurrence(em, token, uuid)
  if (!isChargeableRecurrenceState(row.state) || row.railId == null) fail('recurrence_not_active')
  const terms = readTerms(row)
  const valueCents = body.value ?? terms.valueCents ?? 0
  const splits = toSplits(body.splits)
  const dueOn = body.due_on
  const today = computeBrasiliaDay(new Date())
  const errors: FieldErrors = {
    ...(await collectSplitErrors({ em, token }, { value: valueCents, splits })),
    ...toFieldErrors(findCycleChargeErrors(terms, { dueOn, valueCents, today })),
  }
  if (body.value === undefined && terms.valueCents === null)
    errors.value = ['is needed by a recurrence without a fixed value']
  const connection = await em.findOneOrFail(Connection, row.connection.uuid)
  if (PROVIDER_CAPABILITIES[connection.dialect].ownDebits)
    errors.due_on = ['must not be ordered: the provider of the recurrence creates each charge itself']
  const feeCents =
    terms.valueCents === null ? computeQuotedFeeCents(valueCents, connection.fees) : row.feeCents
  if (valueCents + feeCents > MAX_CENTS)
    errors.value ??= ['must not exceed 9999999999.99 together with its fee']
  if (Object.keys(errors).length > 0) fail('validation_failed', { errors })
  const cycle = findCycleOfDay(terms, dueOn)!.number
  if (await isCycleCharged(em, { recurrenceUuid: uuid, cycle })) fail('cycle_already_charged')
  if (await runQuery(em, queryIsPaused(connection.uuid, 'in')))
    fail('paused', { retryAfterS: PAUSED_RETRY_S })
  return { row, splits, valueCents, feeCents, cycle, dueOn }
}
