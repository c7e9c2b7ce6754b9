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

/** After this long, a notification that names a charge without row and workflow is not ours. */
const NOT_OURS_AFTER_MS = 10 * 60_000

/**
 * Routes a stored notification to its workflow by signal, and marks it. It proves nothing: the workflow polls the provider.
 * Returns its outcome; null where no workflow accepts it yet: it stays stored, and the sweep routes it later. Safe to repeat at
 * any point.
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

/** The attempt whose id a notification names, and the disputes about its PIX. */
export type About = [attempt: Attempt | undefined, disputes: string[]]

/** Query of what a notification is about, at the provider account of its connection. */
export function aboutWhom(
  em: EntityManager,
  { reference, endToEnd }: Pick<Notice, 'reference' | 'endToEnd'>,
  { providerAccountUuid }: Connection,
): Question<About> {
  const named = attemptNamed(em, { reference, providerAccountUuid })
  return all(named, disputesOf({ endToEnd, providerAccountUuid }))
}

/** A notification with the id of ours that it names, and the attempt of that id. */
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
  // A return may be of a dispute: the disputes of that PIX are signalled as well.
  const disputed = await disputesTaker(engine, told, disputes)
  const taken = notice.kind === 'med' ? null : await own()
  if (disputed || taken === 'taken') return 'taken'
  return taken ?? (isYoung(engine, notice) ? null : 'foreign')
}

/** Routes by the id that the notification names; a connection can only report what its provider account carries. */
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
      // Polled at the connection of the attempt, whichever one the notification came through.
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

/** Routes a reference that no attempt at this provider account has: too early, foreign, or of an unknown charge. */
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
  // A workflow without a row is newer than a restored database: the rebuild finds it.
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

/** Routes a notification that names only the returned PIX: every workflow of that PIX is signalled. */
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
  // It may be earlier than the settlement here, which writes the movement's end-to-end id.
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
 * Routes money that names no charge. On a shared provider account its owner is unknown, unless it names a charge that was tried
 * there: then no account is credited, and reconciliation shows it.
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
