import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import {
  type ChargesQuery,
  type CreateChargeBody,
  createChargeBody,
  createdChargeSchema,
  DEFAULT_EXPIRY_S,
  showCreatedCharge,
} from '../../contract/charges/charge.ts'
import { toAddress, toDueTerms } from '../../contract/charges/due.ts'
import { MAX_SPLITS, splitBody } from '../../contract/charges/split.ts'
import { redactErrorForConnection } from '../../contract/events/event.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Account } from '../../db/entities/account.ts'
import type { Connection } from '../../db/entities/connection.ts'
import { findAttemptPositions } from '../../db/repositories/attempts.ts'
import {
  type ChargeWithRefunds,
  isPaidByDocument,
  isPaidByName,
  isPaidByPix,
  type ReadCharge,
  readCharge,
  readCharges,
} from '../../db/repositories/charges.ts'
import { orderByCircuitState } from '../../db/repositories/circuit-breaker.ts'
import { isOfPaymentLink } from '../../db/repositories/payment-links.ts'
import { joinConditions, type RowOrder } from '../../db/sql-conditions.ts'
import { chargeMachine } from '../../domain/charges/charge.ts'
import {
  type DocumentMatch,
  findPayerFieldErrors,
  type PayerKind,
} from '../../domain/charges/payer-restriction.ts'
import {
  type ChargeSplit,
  findSplitErrors,
  findSplitSumError,
  type PartialSplit,
} from '../../domain/charges/split.ts'
import { computeQuotedFeeCents, MAX_CENTS } from '../../domain/ledger/money.ts'
import { PROVIDER_CAPABILITIES } from '../../domain/providers/capabilities.ts'
import type { ChargeDebtor } from '../../domain/providers/provider.ts'
import { collectFieldErrors, fail } from '../../http/api-error.ts'
import { READ_BACK_RESERVE_MS, REQUEST_DEADLINE_MS, UNAVAILABLE_RETRY_S } from '../../http/limits.ts'
import type { FieldErrors } from '../../http/validate.ts'
import type { Sealer } from '../../security/sealing.ts'
import { executeCancelChargeUpdate, startMoneyWorkflow } from '../../temporal/start.ts'
import type { TemporalContext } from '../../temporal/workflow-options.ts'
import type { ChargeInput, ChargeInputDetails } from '../../workflows/contracts/charges.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { type Viewer, visibilityConditions } from '../authorization/visibility.ts'
import { findCandidates, requireUnpausedConnections } from '../routing/provider-candidates.ts'
import {
  type CreateDependencies,
  type CreateRequest,
  createOperation,
  failStored,
  type OperationOrder,
  type Replay,
} from './create-operation.ts'
import { collectDueErrors, selectDueConnections } from './due-charges.ts'
import { buildCreationConditions } from './pagination.ts'
import { prepareWorkflowCall, readOrFailNotConfirmed } from './start-and-wait.ts'
import { listVisibleRows } from './visible-list.ts'

export function findCharge(em: EntityManager, uuid: string): Promise<ChargeWithRefunds | null> {
  return readCharge(em, joinConditions(['uuid = ?', uuid]))
}

/** Reads a charge that the token may see, with the attempts that the token may see (SPEC §9), or fails with 404. */
export async function requireVisibleCharge(em: EntityManager, token: Viewer, uuid: string) {
  const charge = await readCharge(em, joinConditions(['uuid = ?', uuid], ...visibilityConditions(token)))
  const [redacted] = await redactChargesForToken(em, token, [charge ?? fail('not_found')])
  return redacted!
}

/** Removes the attempts of other providers from `error`, for provider-scoped tokens. */
async function redactChargesForToken(
  em: EntityManager,
  { connectionUuid }: Viewer,
  charges: ChargeWithRefunds[],
): Promise<ChargeWithRefunds[]> {
  const failed = charges.filter(charge => charge.failure)
  if (connectionUuid === null || failed.length === 0) return charges
  const positions = await findAttemptPositions(em, {
    connectionUuid,
    subjects: failed.map(({ uuid }) => uuid),
  })
  return charges.map(charge => {
    const { uuid, failure } = charge
    if (!failure) return charge
    return { ...charge, failure: redactErrorForConnection(positions.get(uuid), failure) }
  })
}

/** The due day of a charge, as `charge_by_due` indexes it. */
const DUE_DAY = "coalesce(due ->> 'on', debit_on)"

export async function listCharges(
  em: EntityManager,
  token: CallerToken,
  query: ChargesQuery,
  order?: RowOrder,
) {
  const { data, meta } = await listVisibleRows(em, {
    noun: 'charge',
    token,
    query,
    states: query.status?.flatMap(chargeMachine.statesShowing),
    filters: [
      query.type === 'UNDEFINED' && ['false'],
      query.end_to_end !== undefined && isPaidByPix(query.end_to_end),
      query.payer_document !== undefined && isPaidByDocument(token, query.payer_document),
      query.payer_name !== undefined && isPaidByName(token, query.payer_name),
      query.external_ref !== undefined && ['external_ref = ?', query.external_ref],
      query.txid !== undefined && ['txid = ?', query.txid],
      query.provider_uuid !== undefined && ['connection_uuid = ?', query.provider_uuid],
      query.qr_code_uuid !== undefined && ['qr_code_uuid = ?', query.qr_code_uuid],
      ...buildCreationConditions(query),
      query.due_from !== undefined && [`${DUE_DAY} >= ?`, query.due_from],
      query.due_to !== undefined && [`${DUE_DAY} <= ?`, query.due_to],
      query.recurrence_uuid !== undefined && ['recurrence_uuid = ?', query.recurrence_uuid],
      query.payment_link_uuid !== undefined && isOfPaymentLink(query.payment_link_uuid),
      query.value_min !== undefined && ['value_cents >= ?', query.value_min],
      query.value_max !== undefined && ['value_cents <= ?', query.value_max],
    ],
    doneDays: {
      column: 'paid_at',
      from: query.payment_date_from,
      to: query.payment_date_to,
      timeZone: query.time_zone,
    },
    order,
    read: page => readCharges(em, page),
  })
  return { data: await redactChargesForToken(em, token, data), meta }
}

export const PAYMENTS_PATH = '/api/v1/payments'

/** What asks for a charge besides POST /payments. */
type ChargeOrigin = {
  /** Path of its requests, a part of the uuid of the charge. */
  path: string
  /** Runs when the request is valid, before the workflow starts; may be repeated. A failure starts nothing. */
  reserve(uuid: string): Promise<void>
}

/** Creates a charge, or replays the response of the same Idempotency-Key (SPEC §1, §2). */
export function createCharge(
  { temporal: context, sealer }: CreateDependencies,
  request: CreateRequest<CreateChargeBody>,
  origin?: ChargeOrigin,
) {
  const { token, em } = request
  const body = addDefaultExpiry(request.body)
  return createOperation(
    context,
    { ...request, body },
    {
      noun: 'charge',
      path: origin?.path ?? PAYMENTS_PATH,
      find: uuid => findCharge(em.fork(), uuid),
      replayWaitMs: ({ state }) => (state === 'issuing' ? REQUEST_DEADLINE_MS : 0),
      async validate(uuid) {
        const validated = await validateCreateCharge({ em, token }, body)
        await origin?.reserve(uuid)
        return validated
      },
      start(operation, { candidates }, waitMs) {
        const order = buildChargeOrder(sealer, { ...operation, candidates }, body)
        return startMoneyWorkflow(context, 'charge', order, { externalRef: body.external_ref, waitMs })
      },
      present: respondWithCharge,
    },
  )
}

/** Builds the order of a charge from its request. */
export function buildChargeOrder(
  sealer: Sealer,
  { fingerprint, ...operation }: OperationOrder & Pick<ChargeInput, 'candidates'>,
  body: Omit<CreateChargeBody, 'provider_uuid'>,
): ChargeInput {
  const details: ChargeInputDetails = {
    ...(body.external_ref !== undefined && { externalRef: body.external_ref }),
    ...(body.final_beneficiary && { finalBeneficiary: body.final_beneficiary }),
    ...(body.debtor && { debtor: toDebtor(body.debtor) }),
    ...(body.verify_sender && { isSenderVerified: true }),
    ...(body.payer_kind && { payerKind: body.payer_kind }),
    ...(body.match && { payerMatch: body.match }),
    ...(body.due && { due: toDueTerms(body.due) }),
    ...(body.message !== undefined && { message: body.message }),
    ...(body.additional_info && { additionalInfo: body.additional_info }),
    ...(body.metadata && { metadata: body.metadata }),
    splits: toSplits(body.splits),
    fingerprint,
  }
  return {
    ...operation,
    valueCents: body.value,
    expiresInSeconds: body.expires_in ?? DEFAULT_EXPIRY_S,
    details: sealer.seal(details),
  }
}

/**
 * Adds the default expiry to a request that names neither an expiry nor a due date: a repeat that names it is the same request. So is the
 * repeat of a request to an earlier release, in whose fingerprint the default was.
 */
function addDefaultExpiry(body: CreateChargeBody): CreateChargeBody {
  return body.due ? body : { ...body, expires_in: body.expires_in ?? DEFAULT_EXPIRY_S }
}

function toDebtor({ name, document, email, address }: NonNullable<CreateChargeBody['debtor']>): ChargeDebtor {
  return {
    name,
    document,
    ...(email !== undefined && { email }),
    ...(address && { address: toAddress(address) }),
  }
}

/** Responds with a charge as it was created, or with why it was not. */
export function respondWithCharge(charge: ReadCharge, replay: Replay) {
  const { headers } = replay
  if (charge.state === 'issuing')
    fail('issuing', { data: { uuid: charge.uuid }, retryAfterS: UNAVAILABLE_RETRY_S, headers })
  if (charge.state === 'failed')
    failStored(chargeErrorCode(charge), replay, {
      data: z.encode(createdChargeSchema, showCreatedCharge(charge)),
    })
  return { status: 201 as const, body: { data: showCreatedCharge(charge) }, headers }
}

/** Failures of a charge with a response of their own. */
const STORED_CODES = [
  'no_provider_available',
  'not_found_after_restore',
  'recurrence_not_active',
  'cycle_already_charged',
] as const

/** Maps the failure: 503 where a provider could not be reached, 409 after a restore or where the recurrence is not charged, 400 for every refusal. */
function chargeErrorCode({ failure }: ReadCharge) {
  const code = failure?.code ?? 'no_provider_available'
  return STORED_CODES.find(one => one === code) ?? 'provider_rejected'
}

/** Validation of a new charge beyond its schema: rules that need the database or two fields at once. */

type ChargeCaller = { em: EntityManager; token: CallerToken }

/** Returns the candidates in the order of trying; fails with all 422 errors, or 503 while all are paused. */
export async function validateCreateCharge(caller: ChargeCaller, body: CreateChargeBody) {
  const { errors, payable } = await evaluateCharge(caller, { ...body, splits: toSplits(body.splits) })
  if (Object.keys(errors).length > 0) fail('validation_failed', { errors })
  return {
    candidates: await orderByCircuitState(caller.em, requireUnpausedConnections(payable, 'in')),
  }
}

/** Reads the splits of a request. */
export function toSplits(splits: z.output<typeof splitBody>[]): ChargeSplit[] {
  return splits.map(({ type, value, recipient_account_uuid }) => ({
    type,
    amount: value,
    recipientAccountUuid: recipient_account_uuid,
  }))
}

/** Collects the errors of a body that its schema has rejected, so that all errors are sent at once. */
export async function collectChargeErrors({ em, token, body }: ChargeCaller & { body: unknown }) {
  const input = Object(body)
  const { value, provider_uuid, debtor, verify_sender, payer_kind, match, due, expires_in } =
    createChargeBody.shape
  const fields = {
    value: value.safeParse(input.value).data,
    splits: Array.isArray(input.splits) ? input.splits.slice(0, MAX_SPLITS).map(parseSplitFields) : [],
    // One that its schema refuses has an error of its own, and is not missing.
    debtor: input.debtor === undefined ? undefined : (debtor.safeParse(input.debtor).data ?? {}),
    verify_sender: verify_sender.safeParse(input.verify_sender).data,
    payer_kind: payer_kind.safeParse(input.payer_kind).data,
    match: match.safeParse(input.match).data,
    due: due.safeParse(input.due).data,
    expires_in: expires_in.safeParse(input.expires_in).data,
  }
  const provider = provider_uuid.safeParse(input.provider_uuid)
  if (!provider.success) return collectFieldRuleErrors({ em, token }, fields)
  return (await evaluateCharge({ em, token }, { ...fields, provider_uuid: provider.data })).errors
}

export type ReadableChargeBody = {
  value: number | undefined
  splits: PartialSplit[]
  debtor?: { document?: string; address?: object | undefined } | undefined
  due?: CreateChargeBody['due']
  expires_in?: number | undefined
  verify_sender?: boolean | undefined
  payer_kind?: PayerKind | undefined
  match?: DocumentMatch | undefined
}

export function parseSplitFields(split: unknown): PartialSplit {
  const input = Object(split)
  const { type, value, recipient_account_uuid } = splitBody.shape
  return {
    type: type.safeParse(input.type).data,
    amount: value.safeParse(input.value).data,
    recipientAccountUuid: recipient_account_uuid.safeParse(input.recipient_account_uuid).data,
  }
}

async function evaluateCharge(
  caller: ChargeCaller,
  { provider_uuid: providerUuid, ...body }: ReadableChargeBody & { provider_uuid?: string | undefined },
): Promise<EvaluatedCharge> {
  const errors: FieldErrors = {}
  const candidates = await collectFieldErrors(errors, findCandidates(caller.em, { ...caller, providerUuid }))
  const { errors: ofCharge, payable } = await evaluateChargeAt(candidates ?? [], caller, body)
  return { errors: { ...errors, ...ofCharge }, payable }
}

type EvaluatedCharge = { errors: FieldErrors; payable: Connection[] }

/** Collects what is wrong with a charge, and selects those of some connections whose providers can issue it; there may be none. */
export async function evaluateChargeAt(
  candidates: Connection[],
  caller: ChargeCaller,
  body: ReadableChargeBody,
): Promise<EvaluatedCharge> {
  const { value } = body
  const errors = await collectFieldRuleErrors(caller, body)
  const dueCapable = selectDueConnections(candidates, body, errors)
  if (value === undefined || dueCapable.length === 0) return { errors, payable: [] }
  const capable = dueCapable.filter(one => value > 0 || canIssueOpenAmount(one))
  const payable = capable.filter(one => value + computeQuotedFeeCents(value, one.fees) <= MAX_CENTS)
  if (capable.length === 0) errors.value ??= [OPEN_VALUE_MESSAGE]
  else if (payable.length === 0) errors.value = ['must not exceed 9999999999.99 together with its fee']
  return { errors, payable }
}

/** Collects the errors of fields that contradict each other, or name accounts that cannot be recipients. */
async function collectFieldRuleErrors(caller: ChargeCaller, body: ReadableChargeBody): Promise<FieldErrors> {
  const { debtor, verify_sender: verifySender, payer_kind: kind, match } = body
  const payerErrors = findPayerFieldErrors({ verifySender, debtor, kind, match })
  return {
    ...(await collectSplitErrors(caller, body)),
    ...collectDueErrors(body),
    ...Object.fromEntries(payerErrors.map(({ field, message }) => [field, [message]])),
  }
}

/** Returns whether a charge with an open amount can be issued: by the provider, or as a static code of the collection key. */
function canIssueOpenAmount({ dialect, collectionKey }: Connection): boolean {
  return PROVIDER_CAPABILITIES[dialect].canIssueOpenAmount || Boolean(collectionKey)
}

const OPEN_VALUE_MESSAGE =
  'must be above 0: no provider of this charge has a PIX key that collects an open value'

/** Collects the errors of the splits of a charge, or of the charges of a static code: their rules and their recipients. */
export async function collectSplitErrors(caller: ChargeCaller, { value, splits }: ReadableChargeBody) {
  const sum = value === undefined ? null : findSplitSumError(splits, value)
  const faults = Map.groupBy([...findSplitErrors(splits), ...(sum ? [sum] : [])], fault => fault.field)
  const errors = Array.from(faults, ([field, fieldFaults]) => [
    field,
    fieldFaults.map(fault => fault.message),
  ])
  const recipients = splits.map(split => split.recipientAccountUuid)
  return { ...Object.fromEntries(errors), ...(await collectRecipientErrors(caller, recipients)) }
}

/** Collects the errors of recipients. A blocked account has the error of an unknown one: no other merchant learns of it. */
async function collectRecipientErrors({ em, token }: ChargeCaller, uuids: (string | undefined)[]) {
  const recipientUuids = uuids.filter(uuid => uuid !== undefined)
  if (recipientUuids.length === 0) return {}
  const accounts = await em.find(Account, { uuid: recipientUuids, status: 'ACTIVE' }, { fields: ['uuid'] })
  const active = new Set(accounts.map(account => account.uuid))
  const errors: FieldErrors = {}
  for (const [index, uuid] of uuids.entries()) {
    const field = `splits.${index}.recipient_account_uuid`
    if (uuid === token.accountUuid) errors[field] = ["must not be the charge's own account"]
    else if (uuid !== undefined && !active.has(uuid)) errors[field] = ['must be an existing account']
  }
  return errors
}

/** Cancels a PENDING charge at its provider, then in PostgreSQL; without a response it stays PENDING (SPEC §2). */
export async function cancelMerchantCharge(
  context: TemporalContext,
  { em, token, uuid }: { em: EntityManager; token: CallerToken; uuid: string },
): Promise<ChargeWithRefunds> {
  const charge = await requireVisibleCharge(em, token, uuid)
  if (!chargeMachine.accepts(charge.state, 'cancelled')) fail('charge_not_cancellable')
  const act = { token, action: 'charge_cancel', subject: `charge/${uuid}` } as const
  const deadline = await prepareWorkflowCall(context, { em, ids: { uuid }, act })
  const update = { updateId: randomUUID(), waitMs: deadline.stepTimeoutMs() }
  const answer = await deadline
    .awaitStep(executeCancelChargeUpdate(context, uuid, update), READ_BACK_RESERVE_MS)
    .catch(() => ({ kind: 'no_answer' }) as const)
  if (answer.kind === 'no_answer') fail('cancellation_unknown', { retryAfterS: UNAVAILABLE_RETRY_S })
  const current = await readOrFailNotConfirmed({ uuid }, () => requireVisibleCharge(em.fork(), token, uuid))
  // Another request, a payment or the expiration came first.
  if (current.state !== 'cancelled') fail('charge_not_cancellable')
  return current
}
