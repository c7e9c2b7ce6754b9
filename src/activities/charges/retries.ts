import type { EntityManager } from '../../db/client/orm.ts'
import { ChargeRevision } from '../../db/entities/charge-revision.ts'
import { isRevisableChargeState } from '../../domain/charges/charge.ts'
import { referenceOf } from '../../domain/pix/identifiers.ts'
import { findRetryRefusal } from '../../domain/recurrences/tries.ts'
import { computeBrasiliaDay } from '../../domain/shared/brasilia-day.ts'
import type { Sealer } from '../../security/sealing.ts'
import type { ChargeRevisionDetails, ReviseChargeInput } from '../../workflows/contracts/charges.ts'
import { type DebitCharge, findDebitExpiry, readTriedCharge } from './debits.ts'
import { endRevision, findOpenRevision, type RevisionRequest } from './revisions.ts'

/**
 * Stores a retry of a debit before its provider is called, as a revision of the charge that changes nothing of it. The caller holds the
 * charge's row lock. Null where it has ended, another one is under way, or none can be asked for any more.
 */
export async function requestRetry(
  sealer: Sealer,
  em: EntityManager,
  charge: DebitCharge,
  { revisionUuid, order }: Pick<ReviseChargeInput, 'revisionUuid' | 'order'>,
): Promise<RevisionRequest | null> {
  if (!isRevisableChargeState(charge.state)) return null
  const describe = (retryOn: string, isRepeat: boolean): RevisionRequest => ({
    connectionUuid: charge.connection.uuid,
    order: { reference: referenceOf(charge.uuid), retryOn },
    isRepeat,
  })
  const openRevision = await findOpenRevision(em, charge)
  if (openRevision) return openRevision.uuid === revisionUuid ? describe(openRevision.retryOn!, true) : null
  const retries = await em.find(ChargeRevision, { chargeUuid: charge.uuid })
  if (!order || retries.some(({ uuid }) => uuid === revisionUuid)) return null
  const at = new Date()
  const { retryOn: on, fingerprint } = sealer.open<ChargeRevisionDetails>(order.details)
  if (on === undefined) return null
  const tried = await readTriedCharge(em, charge)
  if (findRetryRefusal(tried, { on, today: computeBrasiliaDay(at) })) return null
  const { valueCents, feeCents, totalCents } = charge
  em.create(ChargeRevision, {
    uuid: revisionUuid,
    chargeUuid: charge.uuid,
    number: 1 + retries.filter(({ status }) => status === 'revised').length,
    status: 'requested',
    valueCents,
    feeCents,
    totalCents,
    retryOn: on,
    requestId: order.requestId,
    tokenNumber: order.tokenNumber ?? null,
    userUuid: order.userUuid ?? null,
    fingerprint,
    createdAt: at,
    updatedAt: at,
  })
  return describe(on, false)
}

/** Adds a retry that the provider has accepted to the tries of a debit, until it reports it. The caller holds the charge's row lock. */
export async function applyRetry(
  em: EntityManager,
  charge: DebitCharge,
  revision: ChargeRevision,
): Promise<void> {
  const at = new Date()
  const on = revision.retryOn!
  endRevision(revision, 'revised', at)
  if (!charge.tries.some(one => one.on === on))
    charge.tries = [...charge.tries, { on, kind: 'RETRY', status: 'REQUESTED', code: null, endToEnd: null }]
  charge.expiresAt = await findDebitExpiry(em, charge)
  charge.updatedAt = at
}
