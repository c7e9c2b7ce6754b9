import { z } from 'zod'
import { Transfer } from '../../db/entities/transfer.ts'
import type { EntityManager } from '../../db/orm.ts'
import type { ReadTransfer, TriedTransfer } from '../../db/transfers.ts'
import type { RefusalCode } from '../../domain/errors.ts'
import { transfer as life } from '../../domain/transfer.ts'
import { beginTransfer } from '../../engine/begin.ts'
import type { Engine } from '../../engine/start.ts'
import type { Sealer } from '../../sealing.ts'
import {
  type CreateTransfer,
  showAcceptedTransfer,
  showTransfer,
  transferShown,
} from '../../wire/transfer.ts'
import type { TransferDetails, TransferOrder } from '../../workflows/messages.ts'
import type { Token } from '../auth.ts'
import { beginLife, joinSent, orNotConfirmed, unlessBegun } from '../begin.ts'
import { refuse } from '../errors.ts'
import { fingerprintOf, operationUuid, REPLAYED, requireSameRequest } from '../idempotency.ts'
import { UNAVAILABLE_RETRY_S } from '../limits.ts'
import { allowed } from './allowed.ts'
import { findTransfer } from './find.ts'

export const TRANSFERS_PATH = '/api/v1/transfers'

export type CreateRequest = {
  body: CreateTransfer
  token: Token
  em: EntityManager
  idempotencyKey: string | null
  requestId: string
}

/** Sends money to a PIX key, or answers again what the same key of idempotency made before (SPEC §4). */
export async function createTransfer(means: { engine: Engine; sealer: Sealer }, request: CreateRequest) {
  const { engine, sealer } = means
  const { body, token, em, idempotencyKey: key } = request
  const uuid = operationUuid({ by: token, method: 'POST', path: TRANSFERS_PATH, key })
  const fingerprint = fingerprintOf({ body, connectionUuid: token.connectionUuid })
  const find = () => findTransfer(em.fork(), uuid)
  const stored = key === null ? null : await find()
  if (stored) {
    requireSameRequest(stored, fingerprint)
    return orNotConfirmed(uuid, async () => {
      const waits = isUnanswered(stored)
      const now = waits ? await joinSent(engine, stored, { kind: 'transfer', find }) : stored
      return answer(await keptAnswer(em, now), { replayed: true })
    })
  }
  const judged = await unlessBegun(allowed({ em, token }, body), key === null ? null : find)
  if (!judged) return createTransfer(means, request)
  const { candidates, takeBefore } = judged
  const details: TransferDetails = {
    pixKey: body.pix_key,
    ...(body.document !== undefined && { document: body.document }),
    ...(body.external_ref !== undefined && { externalRef: body.external_ref }),
    ...(body.final_beneficiary && { finalBeneficiary: body.final_beneficiary }),
    fingerprint,
  }
  const order: TransferOrder = {
    uuid,
    accountUuid: token.accountUuid,
    candidates,
    valueCents: body.value,
    details: sealer.seal(details),
    ...(body.scheduled_for && { scheduledFor: body.scheduled_for.toISOString() }),
    ...(key === null && { takeBefore }),
    requestId: request.requestId,
    timeScale: engine.timeScale,
  }
  return beginLife(engine, {
    uuid,
    isUnrepeatable: key === null,
    start: waitMs => beginTransfer(engine, order, { externalRef: body.external_ref, waitMs }),
    find,
    async tell(transfer) {
      requireSameRequest(transfer, fingerprint)
      return answer(await keptAnswer(em, transfer), { replayed: transfer.requestId !== request.requestId })
    },
  })
}

/** The states of a transfer that nobody has taken and nobody has refused yet. */
const UNDECIDED = life.states.filter(state => state === 'created' || life.accepts(state, 'accepted'))

function isUnanswered({ accepted, state }: TriedTransfer): boolean {
  return accepted == null && UNDECIDED.includes(state)
}

/**
 * What was not decided in time is answered as it stands, and whatever comes of it, every repeat with its key hears the
 * same (SPEC §1): the first answer is kept, unless the workflow has come to its own meanwhile. From then on it has been
 * taken: that the row was seen late is no reason any more not to send it.
 */
async function keptAnswer(em: EntityManager, transfer: TriedTransfer): Promise<TriedTransfer> {
  const isOpen = UNDECIDED.includes(transfer.state) && transfer.takeBefore != null
  if (!isUnanswered(transfer) && !isOpen) return transfer
  const { uuid } = transfer
  const accepted = transfer.accepted ?? z.encode(transferShown, showTransfer(transfer, transfer.attempts))
  const unchanged = transfer.accepted ? {} : { accepted: null }
  const undecided = { uuid, ...unchanged, state: { $in: UNDECIDED } }
  await em.nativeUpdate(Transfer, undecided, { accepted, takeBefore: null })
  return (await findTransfer(em.fork(), uuid)) ?? transfer
}

/** Accepted, on its way or scheduled: 201. FAILED: what its failure says, with the transfer as data. */
function answer(transfer: TriedTransfer, { replayed }: { replayed: boolean }) {
  const headers = replayed ? { ...REPLAYED } : {}
  const { attempts } = transfer
  if (transfer.state !== 'failed' || transfer.accepted)
    return { status: 201 as const, body: { data: showAcceptedTransfer(transfer, attempts) }, headers }
  const code = refusalOf(transfer)
  const retry = !replayed && WORTH_ANOTHER.has(code) && { retryAfterS: UNAVAILABLE_RETRY_S }
  return refuse(code, { data: z.encode(transferShown, showTransfer(transfer, attempts)), headers, ...retry })
}

const WORTH_ANOTHER = new Set<RefusalCode>(['no_provider_available', 'not_taken', 'paused'])

/** The contract's 400 for every definite no, the balance included; 503 where nobody could be reached. */
function refusalOf(transfer: ReadTransfer) {
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
