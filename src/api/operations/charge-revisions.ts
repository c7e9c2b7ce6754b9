import { randomUUID } from 'node:crypto'
import { type ReviseChargeBody, toDueTerms } from '../../contract/charges/due.ts'
import type { RetryChargeBody } from '../../contract/recurrences/recurrence.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { ChargeRevision } from '../../db/entities/charge-revision.ts'
import { Connection } from '../../db/entities/connection.ts'
import { Recurrence } from '../../db/entities/recurrence.ts'
import { findOpenChargeRevision } from '../../db/repositories/charge-revisions.ts'
import type { ChargeWithRefunds, ReadCharge } from '../../db/repositories/charges.ts'
import { isRevisableChargeState } from '../../domain/charges/charge.ts'
import { findSplitSumError } from '../../domain/charges/split.ts'
import { computeQuotedFeeCents, MAX_CENTS } from '../../domain/ledger/money.ts'
import { PROVIDER_CAPABILITIES } from '../../domain/providers/capabilities.ts'
import { buildTriedCharge } from '../../domain/recurrences/stored-terms.ts'
import { findRetryRefusal, type RetryRefusal } from '../../domain/recurrences/tries.ts'
import { computeBrasiliaDay } from '../../domain/shared/brasilia-day.ts'
import { fail } from '../../http/api-error.ts'
import { READ_BACK_RESERVE_MS, UNAVAILABLE_RETRY_S } from '../../http/limits.ts'
import { executeReviseChargeUpdate } from '../../temporal/start.ts'
import type { ChargeRevisionDetails, ChargeRevisionOrder } from '../../workflows/contracts/charges.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { PAYMENTS_PATH, requireVisibleCharge } from './charges.ts'
import type { CreateDependencies } from './create-operation.ts'
import { collectRevisionErrors } from './due-charges.ts'
import {
  deriveOperationUuid,
  fingerprintRequest,
  REPLAYED_HEADERS,
  requireSameRequest,
} from './idempotency.ts'
import { prepareWorkflowCall, readOrFailNotConfirmed } from './start-and-wait.ts'
import { orderAuthorOf } from './user-acts.ts'

type ReviseRequest<Body> = {
  em: EntityManager
  token: CallerToken
  uuid: string
  body: Body
  idempotencyKey: string | null
  requestId: string
}

/**
 * Revises a PENDING charge with a due date at its provider, then in PostgreSQL. Without a response the charge stays as it is, and the
 * provider is asked until the result is known (SPEC §2). A repeat with the same Idempotency-Key waits for the same revision.
 */
export function reviseMerchantCharge(
  dependencies: CreateDependencies,
  request: ReviseRequest<ReviseChargeBody>,
): Promise<RevisedCharge> {
  const { em, token, body } = request
  return orderRevision(dependencies, request, {
    revisionUuid: deriveRevisionUuid(request),
    action: 'charge_revise',
    refusal: 'charge_not_revisable',
    changes: {
      ...(body.value !== undefined && { valueCents: body.value }),
      ...(body.due && { due: toDueTerms(body.due) }),
      ...(body.message !== undefined && { message: body.message }),
    },
    validate: charge => validateRevision(em, { token, charge, body }),
  })
}

/**
 * Asks the provider of a debit that has failed to try it again on a day, as a revision of the charge that changes nothing of it. Without a
 * response the provider is asked until the result is known.
 */
export function retryMerchantCharge(
  dependencies: CreateDependencies,
  request: ReviseRequest<RetryChargeBody>,
): Promise<RevisedCharge> {
  const { em, token, body } = request
  return orderRevision(dependencies, request, {
    revisionUuid: deriveRetryUuid(request),
    action: 'charge_retry',
    refusal: 'charge_not_retryable',
    changes: { retryOn: body.on },
    validate: charge => validateRetry(em, { token, charge, body }),
  })
}

type RevisedCharge = { charge: ChargeWithRefunds; headers: Record<string, string> }

/** What a request changes of a charge, and how it is refused. */
type RevisionKind = {
  revisionUuid: string
  action: 'charge_revise' | 'charge_retry'
  refusal: RefusalCode
  changes: Omit<ChargeRevisionDetails, 'fingerprint'>
  validate(charge: ChargeWithRefunds): Promise<void>
}
type RefusalCode = 'charge_not_revisable' | 'charge_not_retryable'

async function orderRevision(
  { temporal, sealer }: CreateDependencies,
  { em, token, uuid, body, idempotencyKey: key, requestId }: ReviseRequest<unknown>,
  { revisionUuid, action, refusal, changes, validate }: RevisionKind,
): Promise<RevisedCharge> {
  const fingerprint = fingerprintRequest({ body, connectionUuid: token.connectionUuid })
  const charge = await requireVisibleCharge(em, token, uuid)
  const stored = key === null ? null : await em.findOne(ChargeRevision, revisionUuid)
  const replay = { isReplayed: stored !== null, headers: stored ? { ...REPLAYED_HEADERS } : {} }
  if (stored) {
    requireSameRequest(stored, fingerprint)
    if (stored.status !== 'requested') return respond(charge, stored, { ...replay, refusal })
  } else {
    await validate(charge)
  }
  const details: ChargeRevisionDetails = { ...changes, fingerprint }
  const order: ChargeRevisionOrder = {
    uuid: revisionUuid,
    requestId,
    details: sealer.seal(details),
    ...orderAuthorOf(token),
  }
  const act = { token, action, subject: `charge/${uuid}` } as const
  const deadline = await prepareWorkflowCall(temporal, { em, ids: { uuid }, act })
  const update = { updateId: randomUUID(), waitMs: deadline.stepTimeoutMs() }
  const answer = await deadline
    .awaitStep(executeReviseChargeUpdate(temporal, { chargeUuid: uuid, order }, update), READ_BACK_RESERVE_MS)
    .catch(() => ({ kind: 'no_answer' }) as const)
  return readOrFailNotConfirmed({ uuid }, async () => {
    const revision = await em.fork().findOne(ChargeRevision, revisionUuid)
    const current = await requireVisibleCharge(em.fork(), token, uuid)
    if (revision) {
      requireSameRequest(revision, fingerprint)
      return respond(current, revision, { ...replay, refusal })
    }
    if (answer.kind === 'no_answer') fail('revision_unknown', { retryAfterS: UNAVAILABLE_RETRY_S })
    // It was not begun: another one came first, or a payment or an end.
    return fail(isRevisableChargeState(current.state) ? 'revision_in_progress' : refusal)
  })
}

type RevisionKey = Pick<ReviseRequest<unknown>, 'token' | 'uuid' | 'idempotencyKey'>

/** Finds the revision of a charge that a request with this Idempotency-Key has ordered; null where none has. */
export function findOrderedRevision(em: EntityManager, key: RevisionKey): Promise<ChargeRevision | null> {
  return em.findOne(ChargeRevision, deriveRevisionUuid(key))
}

/** Finds the retry of a debit that a request with this Idempotency-Key has ordered; null where none has. */
export function findOrderedRetry(em: EntityManager, key: RevisionKey): Promise<ChargeRevision | null> {
  return em.findOne(ChargeRevision, deriveRetryUuid(key))
}

function deriveRetryUuid({ token, uuid, idempotencyKey: key }: RevisionKey): string {
  const path = `${PAYMENTS_PATH}/${uuid}/retry`
  return deriveOperationUuid({ owner: token, method: 'POST', path, key })
}

function deriveRevisionUuid({ token, uuid, idempotencyKey: key }: RevisionKey): string {
  const path = `${PAYMENTS_PATH}/${uuid}`
  return deriveOperationUuid({ owner: token, method: 'PATCH', path, key })
}

/** Tells whether a charge can be revised now: it is PENDING, has a due date, and its provider revises such charges. */
export async function canReviseCharge(em: EntityManager, charge: ReadCharge): Promise<boolean> {
  if (!charge.due || !isRevisableChargeState(charge.state)) return false
  const { dialect } = await em.findOneOrFail(Connection, charge.connection.uuid)
  const { dueCharges } = PROVIDER_CAPABILITIES[dialect]
  return dueCharges !== null && dueCharges.revisable !== 'nothing'
}

type Replay = { isReplayed: boolean; headers: Record<string, string>; refusal: RefusalCode }

/** Responds with the charge where its provider has accepted the revision, or there was nothing to change. A payment in process decides about it once it has settled. */
function respond(
  charge: ChargeWithRefunds,
  { status }: ChargeRevision,
  { isReplayed, headers, refusal }: Replay,
): RevisedCharge {
  switch (status) {
    case 'revised':
    case 'unchanged':
      return { charge, headers }
    case 'refused':
      return fail(refusal, { headers, ...(isReplayed && { isFinalForKey: true }) })
    case 'requested':
      return fail('revision_unknown', { retryAfterS: UNAVAILABLE_RETRY_S, headers })
  }
}

/** Fails with 409 where the debit cannot be retried, and with 422 where it cannot be on that day. */
async function validateRetry(
  em: EntityManager,
  { token, charge, body: { on } }: { token: CallerToken; charge: ChargeWithRefunds; body: RetryChargeBody },
): Promise<void> {
  if (token.isAccountBlocked) fail('account_blocked')
  const { recurrenceUuid, cycle, debitOn, tries } = charge
  if (!recurrenceUuid || cycle == null || debitOn == null)
    fail('charge_not_retryable', { data: { reason: 'no_debit' } })
  if (await findOpenChargeRevision(em, charge.uuid))
    fail('revision_in_progress', { retryAfterS: UNAVAILABLE_RETRY_S })
  if (!isRevisableChargeState(charge.state))
    fail('charge_not_retryable', { data: { reason: 'charge_ended' } })
  const recurrence = await em.findOneOrFail(Recurrence, recurrenceUuid, { populate: ['connection'] })
  if (PROVIDER_CAPABILITIES[recurrence.connection.dialect].ownDebits)
    fail('charge_not_retryable', { data: { reason: 'retried_by_provider' } })
  const tried = buildTriedCharge(recurrence, { cycle, dueDay: debitOn, tries })
  const reason = findRetryRefusal(tried, { on, today: computeBrasiliaDay(new Date()) })
  if (reason === null) return
  const message = RETRY_DAY_MESSAGES[reason]
  if (message) fail('validation_failed', { errors: { on: [message] } })
  fail('charge_not_retryable', { data: { reason } })
}

const RETRY_DAY_MESSAGES: Partial<Record<RetryRefusal, string>> = {
  not_future: 'must be after today in Brasília',
  outside_retry_period: 'must be within seven days after the due day, and before the next one',
  day_already_tried: 'must be a day without a try',
}

/** Fails with 409 where the charge cannot be revised now, and with 422 where it cannot be revised so. */
async function validateRevision(
  em: EntityManager,
  { token, charge, body }: { token: CallerToken; charge: ChargeWithRefunds; body: ReviseChargeBody },
): Promise<void> {
  if (token.isAccountBlocked) fail('account_blocked')
  const { due: currentDue } = charge
  if (!currentDue || !(await canReviseCharge(em, charge))) fail('charge_not_revisable')
  if (await findOpenChargeRevision(em, charge.uuid))
    fail('revision_in_progress', { retryAfterS: UNAVAILABLE_RETRY_S })
  const connection = await em.findOneOrFail(Connection, charge.connection.uuid)
  const valueCents = body.value ?? charge.valueCents
  const due = body.due ? toDueTerms(body.due) : currentDue
  const message = body.message ?? charge.message ?? null
  const hasAddress = charge.debtorAddress != null
  const current = { valueCents: charge.valueCents, due: currentDue, message: charge.message ?? null }
  const errors = collectRevisionErrors(
    { connection, valueCents, due, message, hasAddress, current },
    { due: body.due !== undefined },
  )
  const splits = Array.from(charge.splits, ({ type, amount }) => ({ type, amount }))
  if (body.value !== undefined && findSplitSumError(splits, valueCents))
    errors.value ??= ['must not be less than the splits of the charge']
  if (valueCents + computeQuotedFeeCents(valueCents, connection.fees) > MAX_CENTS)
    errors.value ??= ['must not exceed 9999999999.99 together with its fee']
  if (Object.keys(errors).length > 0) fail('validation_failed', { errors })
}
