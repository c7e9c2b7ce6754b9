import { z } from 'zod'
import type { CodeReader } from '../../code-reader/reader.ts'
import { exceededLimitSchema } from '../../contract/transfers/approval.ts'
import { showTransfer } from '../../contract/transfers/transfer.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Connection } from '../../db/entities/connection.ts'
import { readAccountLimits } from '../../db/repositories/account-limits.ts'
import type { ReadTransfer } from '../../db/repositories/transfers.ts'
import type { ApprovalVerdict } from '../../domain/approvals/approval.ts'
import { getEffectiveLimits } from '../../domain/limits/account-limits.ts'
import type { ExceededLimit } from '../../domain/limits/exceeded-limit.ts'
import { fail } from '../../http/api-error.ts'
import { READ_BACK_RESERVE_MS } from '../../http/limits.ts'
import { getRequestDeadline } from '../../http/request-deadline.ts'
import { signalApprovalDecided } from '../../temporal/signals.ts'
import type { TemporalContext } from '../../temporal/workflow-options.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { giveVerdict } from './approvals.ts'
import { requireUnchangedCode } from './code-transfers.ts'
import { findExceededLimit } from './limits.ts'
import { requireVisibleTransfer } from './transfers.ts'
import { writeDirectly } from './user-acts.ts'

/** What a person says about a transfer. `reason`: of a rejection. */
export type TransferVerdict = { uuid: string; verdict: ApprovalVerdict; reason?: string }

/**
 * Stores that the person behind a token approves or rejects a transfer that waits, and then tells its workflow, which sends or ends it
 * a moment later. Returns the transfer as shown. A repeat changes nothing. Fails as `giveVerdict` and `requireUnchangedCode`, or with
 * `limits_changed`.
 */
export async function decideTransfer(
  { temporal, codeReader }: { temporal: TemporalContext; codeReader: CodeReader },
  { em, token, uuid, verdict, reason }: TransferVerdict & { em: EntityManager; token: CallerToken },
) {
  const transfer = await requireVisibleTransfer(em, token, uuid)
  if (token.isAccountBlocked && verdict === 'approve') fail('account_blocked')
  if (verdict === 'approve' && transfer.state === 'held') await requireUnchangedCode(codeReader, transfer)
  const act = { token, action: `transfer_${verdict}`, subject: `transfer/${uuid}` } as const
  const hasChanged = (isStored: boolean) => isStored
  await writeDirectly(em, { ids: { uuid }, act, hasChanged }, tx =>
    giveVerdict(tx, { subjectUuid: uuid, token, verdict, reason }, () =>
      requireTransferAllowed(tx, transfer),
    ),
  )
  // Where it does not arrive, the sweep of notifications tells the workflow.
  const signal = signalApprovalDecided(temporal, uuid)
  await getRequestDeadline()
    .awaitStep(signal, READ_BACK_RESERVE_MS)
    .catch(() => undefined)
  const decided = await requireVisibleTransfer(em.fork(), token, uuid)
  return showTransfer(decided, decided.attempts)
}

/** Fails with `limits_changed` where the limits of now do not allow a transfer that waits any more. */
export async function requireTransferAllowed(em: EntityManager, transfer: ReadTransfer): Promise<void> {
  const exceeded = await findExceededLimitOf(em, transfer)
  if (!exceeded) return
  const { limit, leftCents: left, resetsAt: resets_at } = exceeded
  fail('limits_changed', { data: z.encode(exceededLimitSchema, { limit, left, resets_at }) })
}

/** Finds the limit that a transfer exceeds now, apart from the room that it has taken itself. */
async function findExceededLimitOf(em: EntityManager, transfer: ReadTransfer): Promise<ExceededLimit | null> {
  const { accountUuid, limitWindows, scheduledFor } = transfer
  const stored = await readAccountLimits(em, accountUuid)
  const limits = getEffectiveLimits(stored, stored.at)
  const { isSimulated } = await em.findOneOrFail(Connection, transfer.connection.uuid)
  const order = { ...transfer, isScheduled: scheduledFor != null, countedWindows: limitWindows ?? [] }
  return findExceededLimit(em, { accountUuid, isSimulated }, order, { limits, at: stored.at })
}
