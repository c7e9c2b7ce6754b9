import { z } from 'zod'
import type { ReadCharge } from '../../db/charges.ts'
import { Refund } from '../../db/entities/refund.ts'
import type { EntityManager } from '../../db/orm.ts'
import { all, ask } from '../../db/questions.ts'
import type { RefusalCode } from '../../domain/errors.ts'
import { refund as life, refundableCents, whyNotRefundable } from '../../domain/refund.ts'
import { beginRefund } from '../../engine/begin.ts'
import type { Engine } from '../../engine/start.ts'
import { type createRefund, refundShown, showAcceptedRefund, showRefund } from '../../wire/refund.ts'
import type { RefundOrder } from '../../workflows/messages.ts'
import type { Token } from '../auth.ts'
import { beginLife, joinSent, orNotConfirmed } from '../begin.ts'
import { refuse, refuseField } from '../errors.ts'
import { fingerprintOf, operationUuid, REPLAYED, requireSameRequest } from '../idempotency.ts'
import { lastMoment } from '../last-moment.ts'
import { UNAVAILABLE_RETRY_S } from '../limits.ts'
import { unpausedBack } from '../paused.ts'
import { chargeOf } from '../payments/find.ts'

export type RefundRequest = {
  body: z.output<typeof createRefund>
  token: Token
  em: EntityManager
  idempotencyKey: string | null
  requestId: string
  chargeUuid: string
}

/** Refunds a charge in whole or in part, through the provider that received it (SPEC §3). */
export async function createRefundOf(engine: Engine, request: RefundRequest) {
  const { body, token, em, idempotencyKey: key, chargeUuid } = request
  const charge = await chargeOf(em, token, chargeUuid)
  const path = `/api/v1/payments/${chargeUuid}/refund`
  const uuid = operationUuid({ by: token, method: 'POST', path, key })
  const fingerprint = fingerprintOf({ body, connectionUuid: token.connectionUuid })
  const find = () => findRefund(em.fork(), uuid)
  const stored = key === null ? null : await find()
  if (stored) {
    requireSameRequest(stored, fingerprint)
    return orNotConfirmed(uuid, async () => {
      const waits = isUnanswered(stored)
      const now = waits ? await joinSent(engine, stored, { kind: 'refund', find }) : stored
      const told = await keptAnswer(em, now)
      // After the refund, so that the charge is seen to be refunding.
      return answer(told, await chargeOf(em.fork(), token, chargeUuid), { replayed: true })
    })
  }
  // Checked before a life starts, so that nothing is stored and the key stays free; the life checks again.
  const why = whyNotRefundable(charge, new Date())
  if (why) refuse(why)
  const valueCents = body.value ?? refundableCents(charge)
  if (valueCents > refundableCents(charge))
    refuseField('value', 'must not exceed what is still refundable of the charge')
  const [, takeBefore] = await ask(em, all(unpausedBack(charge.connection.uuid), lastMoment()))
  const order: RefundOrder = {
    uuid,
    chargeUuid,
    accountUuid: charge.accountUuid,
    connectionUuid: charge.connection.uuid,
    valueCents,
    fingerprint,
    ...(key === null && { takeBefore }),
    requestId: request.requestId,
    timeScale: engine.timeScale,
  }
  return beginLife(engine, {
    uuid,
    isUnrepeatable: key === null,
    start: waitMs => beginRefund(engine, order, waitMs),
    find,
    async tell(refund) {
      requireSameRequest(refund, fingerprint)
      const replayed = refund.requestId !== request.requestId
      const told = await keptAnswer(em, refund)
      return answer(told, await chargeOf(em.fork(), token, chargeUuid), { replayed })
    },
  })
}

function findRefund(em: EntityManager, uuid: string) {
  return em.findOne(Refund, uuid, { populate: ['movement'] })
}

function isUnanswered({ acceptedAt, state }: Refund): boolean {
  return acceptedAt == null && life.accepts(state, 'accepted')
}

/**
 * One that was not decided in time is answered as accepted, and so is every repeat with its key, whatever comes of it. From
 * then on it has been taken, and may be sent however late.
 */
async function keptAnswer(em: EntityManager, refund: Refund): Promise<Refund> {
  if (!isUnanswered(refund)) return refund
  const { uuid, state } = refund
  await em.nativeUpdate(
    Refund,
    { uuid, state, acceptedAt: null },
    { acceptedAt: new Date(), takeBefore: null },
  )
  return (await findRefund(em.fork(), uuid)) ?? refund
}

function answer(refund: Refund, charge: ReadCharge, { replayed }: { replayed: boolean }) {
  const headers = replayed ? { ...REPLAYED } : {}
  if (refund.state !== 'failed' || refund.acceptedAt)
    return {
      status: 200 as const,
      headers,
      body: { message: 'The refund was accepted.', data: showAcceptedRefund(refund, charge) },
    }
  const code = refusalOf(refund)
  const data = z.encode(refundShown, showRefund(refund, charge))
  const isWorthAnother = WORTH_ANOTHER.has(code)
  const retry = !replayed && isWorthAnother && { retryAfterS: UNAVAILABLE_RETRY_S }
  return refuse(code, { data, headers, isKept: true, ...retry })
}

const WORTH_ANOTHER = new Set<RefusalCode>(['no_provider_available', 'not_taken', 'paused'])

/** What the life found when it decided under the lock, or the provider's word. */
function refusalOf(refund: Refund) {
  switch (refund.failure?.code) {
    case 'refund_in_progress':
    case 'refund_med_open':
    case 'refund_period_over':
    case 'charge_not_refundable':
    case 'no_provider_available':
    case 'paused':
    case 'not_taken':
    case 'not_found_after_restore':
      return refund.failure.code
    case 'refund_above_remainder':
      return 'refund_in_progress'
    case 'insufficient_balance':
      return refund.feeCents === 0 && refund.parts.length === 0 ? 'insufficient_balance' : 'provider_rejected'
    default:
      return 'provider_rejected'
  }
}
