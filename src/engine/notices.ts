import { Attempt } from '../db/entities/attempt.ts'
import { Charge } from '../db/entities/charge.ts'
import { Connection } from '../db/entities/connection.ts'
import type { Notice, NoticeOutcome } from '../db/entities/notice.ts'
import type { EntityManager } from '../db/orm.ts'
import { uuidOf } from '../domain/identifiers.ts'
import { chargeId } from '../workflows/ids.ts'
import {
  tellCharge,
  tellDeposit,
  tellOrphan,
  tellRefund,
  tellReturn,
  tellRunning,
  tellTransfer,
} from './lives.ts'
import type { Engine } from './start.ts'

/** A notice that names a charge which neither a row nor a life knows after this long names none of ours. */
const NOT_OURS_AFTER_MS = 10 * 60_000

/**
 * Gives a stored notice to the life it speaks of and marks it; the notice itself proves nothing, the life asks the
 * provider. One that no life takes yet stays in the inbox, where the sweep finds it. Safe to repeat at any point.
 */
export async function handOver(engine: Engine, em: EntityManager, notice: Notice): Promise<void> {
  const connection = await em.findOneOrFail(Connection, notice.connectionUuid)
  const outcome = await taker(engine, em, { notice, connection })
  if (!outcome) return
  notice.outcome = outcome
  notice.handedAt = new Date()
  await em.flush()
}

type Told = { notice: Notice; connection: Connection }

function taker(engine: Engine, em: EntityManager, told: Told): Promise<NoticeOutcome | null> {
  switch (told.notice.kind) {
    case 'payment':
      return paymentTaker(engine, em, told)
    case 'refund':
      return refundTaker(engine, em, told)
    case 'transfer':
      return transferTaker(engine, em, told)
  }
}

async function paymentTaker(engine: Engine, em: EntityManager, told: Told): Promise<NoticeOutcome | null> {
  const { notice, connection } = told
  const chargeUuid = notice.reference ? uuidOf(notice.reference) : null
  if (!chargeUuid) return depositTaker(engine, told)
  const charge = await em.findOne(Charge, chargeUuid)
  if (!charge) {
    if (await tellRunning(engine, chargeId(chargeUuid), hint(notice))) return 'taken'
    const age = Date.now() - notice.receivedAt.getTime()
    return age > NOT_OURS_AFTER_MS / engine.timeScale ? depositTaker(engine, told) : null
  }
  // A connection may only speak of what its provider account carries.
  const attempt = await em.findOne(Attempt, {
    operation: 'issue',
    subjectUuid: chargeUuid,
    providerAccountUuid: connection.providerAccountUuid,
  })
  switch (attempt?.state) {
    case undefined:
    case 'rejected':
    case 'unreachable':
      // It carries no such charge; whatever money there is, its provider says so, came as a deposit.
      return depositTaker(engine, told)
    case 'orphan':
    case 'closed':
      await tellOrphan(engine, attempt.uuid, hint(notice))
      return 'taken'
    case 'calling':
      return (await tellRunning(engine, chargeId(chargeUuid), hint(notice))) ? 'taken' : null
    default:
      await tellCharge(engine, chargeUuid, hint(notice))
      return 'taken'
  }
}

async function depositTaker(engine: Engine, { notice, connection }: Told): Promise<NoticeOutcome> {
  if (!notice.endToEnd) return 'foreign'
  await tellDeposit(
    engine,
    {
      connectionUuid: connection.uuid,
      endToEnd: notice.endToEnd,
      requestId: notice.requestId,
      timeScale: engine.timeScale,
    },
    hint(notice),
  )
  return 'taken'
}

/** A devolução that settled is a refund of a charge, or an unmatched PIX that went back. */
async function refundTaker(engine: Engine, em: EntityManager, told: Told): Promise<NoticeOutcome> {
  const uuid = told.notice.reference ? uuidOf(told.notice.reference) : null
  const attempt = uuid ? await attemptThere(em, uuid, told.connection) : null
  if (attempt?.operation === 'refund') await tellRefund(engine, attempt.subjectUuid, hint(told.notice))
  else if (attempt?.operation === 'return') {
    const { subjectUuid: uuid, connectionUuid } = attempt
    await tellReturn(engine, { uuid, connectionUuid }, hint(told.notice))
  } else return 'foreign'
  return 'taken'
}

/** The transfer is asked about at the connection that made the attempt, whichever one the notice came through. */
async function transferTaker(engine: Engine, em: EntityManager, told: Told): Promise<NoticeOutcome> {
  const uuid = told.notice.reference ? uuidOf(told.notice.reference) : null
  const attempt = uuid ? await attemptThere(em, uuid, told.connection) : null
  if (attempt?.operation !== 'transfer') return 'foreign'
  const { connectionUuid } = attempt
  await tellTransfer(engine, attempt.subjectUuid, { ...hint(told.notice), connectionUuid })
  return 'taken'
}

/** A connection may only speak of what was sent through its provider account. */
function attemptThere(em: EntityManager, subjectUuid: string, { providerAccountUuid }: Connection) {
  return em.findOne(Attempt, { subjectUuid, providerAccountUuid, operation: { $ne: 'issue' } })
}

function hint(notice: Notice) {
  return { noticeUuid: notice.uuid, connectionUuid: notice.connectionUuid }
}
