import { isDeepStrictEqual } from 'node:util'
import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import type { Charge } from '../../db/entities/charge.ts'
import { ChargeRevision } from '../../db/entities/charge-revision.ts'
import type { Query } from '../../db/pipeline/query.ts'
import { readChargeState } from '../../db/repositories/charges.ts'
import { queryWithFollowUps } from '../../db/repositories/follow-ups.ts'
import { isRevisableChargeState } from '../../domain/charges/charge.ts'
import { computeQuotedFeeCents } from '../../domain/ledger/money.ts'
import { referenceOf } from '../../domain/pix/identifiers.ts'
import type { IssuedCharge, ProviderRevision } from '../../domain/providers/provider.ts'
import type {
  ChargeRevisionDetails,
  PollChargeResult,
  ReviseChargeInput,
} from '../../workflows/contracts/charges.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { loadProviderConnection, requireReach } from '../shared/provider-client.ts'
import { lockCharge } from '../shared/transition.ts'
import { findPollTime, isDebit } from './debits.ts'
import { pollCharge } from './poll-charge.ts'
import { applyRetry, requestRetry } from './retries.ts'
import { applyRevision, findOpenRevision, type RevisionRequest, refuseRevision } from './revisions.ts'

/**
 * Revises a charge with a due date at its provider, then in the database. The revision is stored with its number before the call; one that
 * changes nothing calls no provider, and is stored so that its repeat changes nothing either. Where an
 * earlier call has no answer, the provider is polled first, because the charge may have been paid, and is then sent the same again, which a
 * provider that has carried it out answers alike. A payment that arrives meanwhile decides by which terms it was paid (`recordPayments`), and
 * ends the revision. "Not found" is no answer, as in a poll.
 */
export function reviseChargeAtProvider(dependencies: ActivityDependencies) {
  return async (input: ReviseChargeInput): Promise<PollChargeResult> => {
    const { chargeUuid, isPayloadExpired } = input
    const em = dependencies.orm.em.fork()
    const poll = () => pollCharge(dependencies)({ chargeUuid, isPayloadExpired })
    const request = await runInTransaction(dependencies.orm, tx => requestRevision(dependencies, tx, input))
    if (!request) return readResult(dependencies, chargeUuid)
    const { connectionUuid, order, isRepeat } = request
    if (isRepeat) {
      const found = await poll()
      // A payload that is open beyond its expiry is revised all the same.
      const isAnswered = found.kind === 'known' || found.code === 'still_open'
      if (!isAnswered || !isRevisableChargeState(found.state)) return found
    }
    const { connection, provider } = await loadProviderConnection(dependencies, em, connectionUuid)
    const answer = (await provider.reviseCharge?.(order)) ?? CANNOT_REVISE
    await requireReach(dependencies, em, connection, answer)
    switch (answer.kind) {
      case 'revised':
        return runInTransaction(dependencies.orm, tx => recordRevision(tx, input, answer.charge))
      case 'refused': {
        const found = await poll()
        if (found.kind === 'no_answer') return found
        return runInTransaction(dependencies.orm, tx => recordRevision(tx, input, null))
      }
      case 'not_found':
        return { kind: 'no_answer', state: await readChargeState(em, chargeUuid), code: 'not_found' }
      case 'no_answer':
        return { kind: 'no_answer', state: await readChargeState(em, chargeUuid), code: answer.code }
    }
  }
}

const CANNOT_REVISE = { kind: 'refused', code: 'not_supported', message: '' } as const

/**
 * Stores a revision before its provider is called, under the charge's row lock. `isRepeat`: an earlier call may have carried it out. Null
 * where it has ended, changes nothing, or nothing can be revised: the charge is not pending, or another revision of it is under way.
 */
async function requestRevision(
  { sealer }: ActivityDependencies,
  em: EntityManager,
  { chargeUuid, revisionUuid, order }: ReviseChargeInput,
): Promise<RevisionRequest | null> {
  const charge = await lockCharge(em, chargeUuid)
  if (isDebit(charge)) return requestRetry(sealer, em, charge, { revisionUuid, order })
  if (!isRevisableChargeState(charge.state) || !charge.due) return null
  const openRevision = await findOpenRevision(em, charge)
  if (openRevision)
    return openRevision.uuid === revisionUuid ? describeRequest(charge, openRevision, true) : null
  if (!order || (await em.count(ChargeRevision, revisionUuid)) > 0) return null
  const at = new Date()
  const { valueCents = charge.valueCents, ...details } = sealer.open<ChargeRevisionDetails>(order.details)
  // Where the value stays, so does its fee, whatever the table of fees says by now.
  const feeCents =
    valueCents === charge.valueCents
      ? charge.feeCents
      : computeQuotedFeeCents(valueCents, charge.connection.fees)
  const due = details.due ?? charge.due
  const message = details.message ?? charge.message ?? null
  const isUnchanged =
    valueCents === charge.valueCents &&
    isDeepStrictEqual(due, charge.due) &&
    message === (charge.message ?? null)
  const revision = em.create(ChargeRevision, {
    uuid: revisionUuid,
    chargeUuid,
    number: charge.revision + 1,
    status: isUnchanged ? 'unchanged' : 'requested',
    valueCents,
    feeCents,
    totalCents: valueCents + feeCents,
    due,
    message,
    requestId: order.requestId,
    tokenNumber: order.tokenNumber ?? null,
    userUuid: order.userUuid ?? null,
    fingerprint: details.fingerprint,
    createdAt: at,
    updatedAt: at,
  })
  return isUnchanged ? null : describeRequest(charge, revision, false)
}

/** Describes to a provider what of a charge changes. */
function describeRequest(charge: Charge, revision: ChargeRevision, isRepeat: boolean): RevisionRequest {
  const { totalCents, due, message } = revision
  const order: ProviderRevision = {
    reference: referenceOf(charge.uuid),
    ...(totalCents !== charge.totalCents && { totalCents }),
    ...(due && !isDeepStrictEqual(due, charge.due) && { due }),
    ...(message != null && message !== charge.message && { message }),
  }
  return { connectionUuid: charge.connection.uuid, order, isRepeat }
}

/** Records the answer of the provider: `issued` where it has revised the charge, null where it has refused to. */
async function recordRevision(
  em: EntityManager,
  { chargeUuid, revisionUuid }: ReviseChargeInput,
  issued: IssuedCharge | null,
): Promise<Query<PollChargeResult>> {
  const charge = await lockCharge(em, chargeUuid)
  const revision = await findOpenRevision(em, charge)
  // A charge whose payment has started is paid by the terms that its provider reports then.
  if (revision?.uuid === revisionUuid && isRevisableChargeState(charge.state)) {
    if (!issued) refuseRevision(revision)
    else if (isDebit(charge)) await applyRetry(em, charge, revision)
    else applyRevision(charge, revision, issued.expiresAt)
  }
  return queryResult(charge)
}

function readResult({ orm }: ActivityDependencies, chargeUuid: string): Promise<PollChargeResult> {
  return runInTransaction(orm, async em => queryResult(await lockCharge(em, chargeUuid)))
}

function queryResult(charge: Charge): Query<PollChargeResult> {
  const { uuid, state, valueCents } = charge
  const expiresAt = findPollTime(charge)
  const expiry = expiresAt && { expiresAt: expiresAt.toISOString() }
  return queryWithFollowUps(uuid, { kind: 'known' as const, state, valueCents, ...expiry })
}
