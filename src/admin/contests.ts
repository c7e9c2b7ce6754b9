import { recordContestProgress } from '../activities/disputes/contests.ts'
import type { EntityManager } from '../db/client/orm.ts'
import { type ActionAuthor, runAuditedAction } from '../db/repositories/audited-actions.ts'
import type { ContestRecord } from '../domain/disputes/contest.ts'
import type { FileStorage } from '../storage/storage.ts'

const ACTIONS = { sent: 'contest_sent', accepted: 'contest_accepted', rejected: 'contest_rejected' } as const

/**
 * Records what became of a contest: that it was handed to the provider, or the provider's decision. A repeat changes nothing. Throws
 * `ContestError`.
 */
export function recordContest(
  em: EntityManager,
  storage: FileStorage,
  { disputeUuid, record, by }: { disputeUuid: string; record: ContestRecord; by: ActionAuthor },
): Promise<boolean> {
  return runAuditedAction(em, {
    by,
    action: ACTIONS[record.event],
    subject: `med/${disputeUuid}`,
    work: tx => recordContestProgress(tx, storage, disputeUuid, record),
  })
}
