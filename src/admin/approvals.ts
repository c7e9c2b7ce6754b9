import { giveVerdict } from '../api/operations/approvals.ts'
import { requireUnchangedCode } from '../api/operations/code-transfers.ts'
import { requireTransferAllowed } from '../api/operations/transfer-approvals.ts'
import type { CodeReader } from '../code-reader/reader.ts'
import type { EntityManager } from '../db/client/orm.ts'
import { type ActionAuthor, runAuditedAction } from '../db/repositories/audited-actions.ts'
import { readTransfer } from '../db/repositories/transfers.ts'
import type { ApprovalVerdict } from '../domain/approvals/approval.ts'
import { signalApprovalDecided } from '../temporal/signals.ts'
import type { TemporalContext } from '../temporal/workflow-options.ts'

/** What operators decide about orders that wait for approvals, by the rules of everyone else (`giveVerdict`). */

/**
 * Approves or rejects a transfer that waits, as the operator by name, and then tells its workflow; the reason of the act is that of a
 * rejection. Returns false where there is no such transfer. A repeat records nothing, and tells the workflow again.
 */
export async function decideTransferByOperator(
  em: EntityManager,
  { temporal, codeReader }: { temporal: TemporalContext; codeReader: CodeReader },
  { uuid, verdict, ...by }: ActionAuthor & { uuid: string; verdict: ApprovalVerdict },
): Promise<boolean> {
  const transfer = await readTransfer(em.fork(), { sql: 'uuid = ?', values: [uuid] }, null)
  if (!transfer) return false
  if (verdict === 'approve' && transfer.state === 'held') await requireUnchangedCode(codeReader, transfer)
  await temporal.client() // Nothing is recorded while the workflow cannot be told.
  await runAuditedAction<boolean>(em, {
    by,
    action: `transfer_${verdict}`,
    subject: `transfer/${uuid}`,
    work: tx =>
      giveVerdict(
        tx,
        { subjectUuid: uuid, verdict, person: by.actor, ...(verdict === 'reject' && { reason: by.reason }) },
        () => requireTransferAllowed(tx, transfer),
      ),
  })
  await signalApprovalDecided(temporal, uuid)
  return true
}
