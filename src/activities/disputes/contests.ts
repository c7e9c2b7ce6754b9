import type { EntityManager } from '../../db/client/orm.ts'
import { Attachment, Contest, Dispute } from '../../db/entities/dispute.ts'
import { Movement } from '../../db/entities/movement.ts'
import { ROW_LOCK } from '../../db/locks.ts'
import { scheduleDeliveriesForSweep } from '../../db/repositories/events.ts'
import {
  ContestError,
  type ContestRecord,
  contestErrorCodeOf,
  contestMachine,
  NotContestable,
  REINSTATEMENT_REASONS,
} from '../../domain/disputes/contest.ts'
import type { FileStorage } from '../../storage/storage.ts'
import type { DisputeReplyDetails } from '../../workflows/contracts/disputes.ts'
import type { OrderAuthor } from '../../workflows/contracts/orders.ts'
import { createAttachmentLinker, recordDisputeEvent } from '../events/record-event.ts'
import { transition } from '../shared/transition.ts'

/** Contests of what was returned by disputes (SPEC §5): no workflow runs, because no provider is called. */

type ContestOrder = OrderAuthor & {
  disputeUuid: string
  orderUuid: string
  fingerprint: string
  requestId: string
  analysis: string
  attachments: DisputeReplyDetails['attachments']
}

/**
 * Stores the contest of a dispute, in the caller's transaction: once, under the row lock of the dispute. Throws `NotContestable`: the
 * transaction is to be rolled back. The deliveries of its event are due for the next sweep.
 */
export async function storeContest(
  em: EntityManager,
  storage: FileStorage,
  { attachments, disputeUuid, ...order }: ContestOrder,
): Promise<void> {
  const dispute = await lockContestedDispute(em, disputeUuid)
  const at = new Date()
  const hasContest = (await em.count(Contest, { disputeUuid })) > 0
  const { kind, returnedAt = null, accountUuid } = dispute
  const code = contestErrorCodeOf({ kind, returnedAt, hasContest, now: at })
  if (code) throw new NotContestable(code)
  em.create(Contest, {
    ...order,
    disputeUuid,
    accountUuid,
    state: 'pending',
    createdAt: at,
    updatedAt: at,
  })
  for (const [position, attachment] of attachments.entries())
    em.create(Attachment, { ...attachment, disputeUuid, reply: null, position, createdAt: at })
  await recordContestEvent(em, storage, dispute, at)
}

/**
 * Records what became of a contest, in the caller's transaction, under the row lock of the dispute. Money is not posted: what came back
 * has been credited by its statement entry or PIX, and is named by its movement, one for each contest. Returns whether anything has
 * changed: a repeat changes nothing. Throws `ContestError`.
 */
export async function recordContestProgress(
  em: EntityManager,
  storage: FileStorage,
  disputeUuid: string,
  record: ContestRecord,
): Promise<boolean> {
  const dispute = await lockContestedDispute(em, disputeUuid)
  const contest = await em.findOne(Contest, { disputeUuid })
  if (!contest) throw new ContestError('not_contested', `dispute ${disputeUuid} is not contested`)
  if (isRecorded(contest, record)) return false
  if (!contestMachine.accepts(contest.state, record.event))
    throw new ContestError('decided', `the contest is ${contestMachine.statusOf(contest.state)}`)
  const at = new Date()
  if (record.event === 'sent') Object.assign(contest, { protocol: record.protocol, sentAt: at })
  else contest.decidedAt = at
  if (record.event === 'accepted') await creditContest(em, dispute, contest, record.movementUuid)
  transition(contest, contestMachine, record.event, at)
  await recordContestEvent(em, storage, dispute, at)
  return true
}

function isRecorded({ state, protocol, movementUuid }: Contest, record: ContestRecord): boolean {
  if (record.event === 'sent') return protocol === record.protocol
  if (record.event === 'rejected') return state === 'rejected'
  return movementUuid === record.movementUuid
}

/** Names the movement that has credited an accepted contest. What it may be, the database holds too (`contest_credited`). */
async function creditContest(
  em: EntityManager,
  { accountUuid, providerAccountUuid, returnedCents }: Dispute,
  contest: Contest,
  movementUuid: string,
): Promise<void> {
  const movement = await em.findOne(Movement, {
    uuid: movementUuid,
    accountUuid,
    providerAccountUuid,
    movementType: 'IN',
    status: 'SETTLED',
    reason: { $in: [...REINSTATEMENT_REASONS] },
  })
  if (!movement)
    throw new ContestError(
      'no_credit',
      `movement ${movementUuid} is no deposit, credit or correction in favour of the account at the provider of the dispute`,
    )
  if (movement.valueCents > returnedCents)
    throw new ContestError('too_much', `movement ${movementUuid} is more than was returned by the dispute`)
  if ((await em.count(Contest, { movementUuid })) > 0)
    throw new ContestError('other_contest', `movement ${movementUuid} is that of another contest`)
  Object.assign(contest, { movementUuid, valueCents: movement.valueCents })
}

async function lockContestedDispute(em: EntityManager, uuid: string): Promise<Dispute> {
  const dispute = await em.findOne(Dispute, uuid, ROW_LOCK)
  if (!dispute) throw new ContestError('not_contested', `there is no dispute ${uuid}`)
  await em.populate(dispute, ['connection', 'movement'])
  return dispute
}

async function recordContestEvent(em: EntityManager, storage: FileStorage, dispute: Dispute, at: Date) {
  await recordDisputeEvent(em, dispute, { at, linkTo: createAttachmentLinker({ storage }) })
  await scheduleDeliveriesForSweep(em, dispute.uuid)
}
