import { attemptNamed } from '../db/attempts.ts'
import { Attempt } from '../db/entities/attempt.ts'
import { Connection } from '../db/entities/connection.ts'
import { Movement } from '../db/entities/movement.ts'
import type { Notice, NoticeOutcome } from '../db/entities/notice.ts'
import { Refund } from '../db/entities/refund.ts'
import { markHanded } from '../db/notices.ts'
import type { EntityManager } from '../db/orm.ts'
import { all, ask, type Question } from '../db/questions.ts'
import { referenceOf, uuidOf } from '../domain/identifiers.ts'
import { scaled } from '../domain/waits.ts'
import { chargeId } from '../workflows/ids.ts'
import { disputesOf, disputesTaker, medTaker } from './med-notices.ts'
import { hasLived } from './past-lives.ts'
import type { Engine } from './start.ts'
import { tellDeposit, tellIssued, tellRefund, tellReturn, tellRunning, tellTransfer } from './tell.ts'
import { hint, type Told } from './told.ts'

/** A notice that names a charge which neither a row nor a life knows after this long names none of ours. */
const NOT_OURS_AFTER_MS = 10 * 60_000

/**
 * Gives a stored notice to the life it speaks of and marks it; the notice itself proves nothing, the life asks the
 * provider. Answers what it came to; null for one that no life takes yet: it stays in the inbox, where the sweep finds it.
 * Safe to repeat at any point.
 */
export async function handOver(
  engine: Engine,
  em: EntityManager,
  notice: Notice,
  known: { connection?: Connection; about?: About } = {},
): Promise<NoticeOutcome | null> {
  const connection = known.connection ?? (await em.findOneOrFail(Connection, notice.connectionUuid))
  const outcome = await taker(engine, em, { ...known, notice, connection })
  if (outcome) await markHanded(em, notice, outcome)
  return outcome
}

/** The attempt that goes by the id which a notice names, and the disputes about its PIX. */
export type About = [attempt: Attempt | undefined, disputes: string[]]

/** Whom a notice is about, at the provider account of the connection it came through. */
export function aboutWhom(
  em: EntityManager,
  { reference, endToEnd }: Pick<Notice, 'reference' | 'endToEnd'>,
  { providerAccountUuid }: Connection,
): Question<About> {
  const named = attemptNamed(em, { reference, providerAccountUuid })
  return all(named, disputesOf({ endToEnd, providerAccountUuid }))
}

/** With the id of ours that the notice names, and the attempt that goes by it there. */
type Named = Told & { uuid: string | null; attempt: Attempt | undefined }

async function taker(
  engine: Engine,
  em: EntityManager,
  { about, ...told }: Told & { about?: About },
): Promise<NoticeOutcome | null> {
  const { notice, connection } = told
  if (notice.kind === 'med' && notice.reference) return medTaker(engine, told)
  const subjectUuid = notice.reference ? uuidOf(notice.reference) : null
  const [attempt, disputes] = about ?? (await ask(em, aboutWhom(em, notice, connection)))
  const own = () => ownTaker(engine, em, { ...told, uuid: subjectUuid, attempt })
  if (notice.kind === 'payment') return own()
  // What goes back may go back by a dispute: whoever else is told, the disputes of that PIX look for themselves.
  const disputed = await disputesTaker(engine, told, disputes)
  const taken = notice.kind === 'med' ? null : await own()
  if (disputed || taken === 'taken') return 'taken'
  return taken ?? (isYoung(engine, notice) ? null : 'foreign')
}

/** Whose id the notice names decides who is told; a connection may only speak of what its provider account carries. */
async function ownTaker(engine: Engine, em: EntityManager, told: Named): Promise<NoticeOutcome | null> {
  const { notice, uuid, attempt } = told
  if (!uuid) return notice.kind === 'payment' ? depositTaker(engine, told) : namelessTaker(engine, em, told)
  if (!attempt) return strangerTaker(engine, em, { ...told, uuid })
  return attemptTaker(engine, attempt, told)
}

async function attemptTaker(engine: Engine, attempt: Attempt, told: Told): Promise<NoticeOutcome | null> {
  const { notice } = told
  const { subjectUuid, connectionUuid } = attempt
  switch (attempt.operation) {
    case 'issue':
      return chargeTaker(engine, attempt, told)
    case 'transfer':
      // Asked at the connection that made the attempt, whichever one the notice came through.
      await tellTransfer(engine, subjectUuid, { ...hint(notice), connectionUuid })
      return 'taken'
    case 'refund':
      await tellRefund(engine, subjectUuid, hint(notice))
      return 'taken'
    case 'return':
      await tellReturn(engine, { uuid: subjectUuid, connectionUuid }, hint(notice))
      return 'taken'
    case 'create_key':
    case 'delete_key':
      return 'foreign' // No provider gets an id of ours with a key.
  }
}

async function chargeTaker(engine: Engine, attempt: Attempt, told: Told): Promise<NoticeOutcome | null> {
  const { notice } = told
  switch (await tellIssued(engine, attempt, hint(notice))) {
    case 'told':
      return 'taken'
    case 'issuing':
      return (await tellRunning(engine, chargeId(attempt.subjectUuid), hint(notice))) ? 'taken' : null
    case 'none':
      return depositTaker(engine, told, attempt)
  }
}

/** A reference that no attempt at this provider account has: early, foreign, or of a charge that is none of ours. */
async function strangerTaker(
  engine: Engine,
  em: EntityManager,
  told: Told & { uuid: string },
): Promise<NoticeOutcome | null> {
  const { notice, uuid } = told
  if (notice.kind !== 'payment') return 'foreign'
  if (await isCarriedElsewhere(em, told)) return depositTaker(engine, told)
  if (await tellRunning(engine, chargeId(uuid), hint(notice))) return 'taken'
  if (isYoung(engine, notice)) return null
  // One that has lived and has no row is newer than a restored database: it is found again by the rebuild.
  if (await hasLived(await engine.client(), chargeId(uuid))) return null
  return depositTaker(engine, told)
}

/**
 * Its provider account carries no such charge: whatever money there is, the provider says so, came as a deposit. Of one that
 * is found again after a restore nobody knows yet who carries it; one statement, because its attempt may just be written.
 */
async function isCarriedElsewhere(em: EntityManager, { connection, uuid }: Told & { uuid: string }) {
  const charges = await em.execute<object[]>(
    `select from charge c where c.uuid = ? and c.state <> 'issuing' and not exists (
       select from attempt a where a.reference = ? and a.provider_account_uuid = ?)`,
    [uuid, referenceOf(uuid), connection.providerAccountUuid],
  )
  return charges.length > 0
}

/** Some providers name only the PIX that is returned: whoever has to do with that PIX is told to ask. */
async function namelessTaker(engine: Engine, em: EntityManager, told: Told): Promise<NoticeOutcome | null> {
  const { notice, connection } = told
  const { providerAccountUuid } = connection
  if (!notice.endToEnd) return 'foreign'
  const movement = await em.findOne(Movement, {
    providerAccountUuid,
    endToEnd: notice.endToEnd,
    movementType: notice.kind === 'refund' ? 'IN' : 'OUT',
  })
  const subjects = movement ? [movement.uuid, movement.transferUuid, ...(await refundsOf(em, movement))] : []
  const attempts = await em.find(Attempt, {
    reference: { $in: subjects.filter(uuid => uuid != null).map(referenceOf) },
    providerAccountUuid,
    operation: { $ne: 'issue' },
  })
  for (const attempt of attempts) await attemptTaker(engine, attempt, told)
  if (attempts.length > 0) return 'taken'
  // It may have run ahead of what it returns: our movement has its end-to-end id only once it is settled here.
  return isYoung(engine, notice) ? null : 'foreign'
}

function isYoung(engine: Engine, { receivedAt }: Notice): boolean {
  return Date.now() - receivedAt.getTime() <= scaled(NOT_OURS_AFTER_MS, engine.timeScale)
}

async function refundsOf(em: EntityManager, { chargeUuid }: Movement): Promise<string[]> {
  if (!chargeUuid) return []
  return (await em.find(Refund, { chargeUuid }, { fields: ['uuid'] })).map(refund => refund.uuid)
}

/**
 * Whose money on a shared account it is nobody knows, unless it names a charge that was tried there: it is credited to
 * nobody, and reconciliation shows it.
 */
async function depositTaker(
  engine: Engine,
  { notice, connection }: Told,
  attempt?: Attempt,
): Promise<NoticeOutcome> {
  const connectionUuid = connection.type === 'POOL' ? attempt?.connectionUuid : connection.uuid
  if (notice.kind !== 'payment' || !notice.endToEnd || !connectionUuid) return 'foreign'
  const { endToEnd, requestId } = notice
  await tellDeposit(engine, { connectionUuid, endToEnd, requestId }, hint(notice))
  return 'taken'
}
