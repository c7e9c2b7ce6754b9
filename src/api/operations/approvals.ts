import type { EntityManager } from '../../db/client/orm.ts'
import {
  type ApprovalState,
  decideApprovalRequest,
  insertApproval,
  lockApproval,
  lockApprovingPerson,
} from '../../db/repositories/approvals.ts'
import { type ApprovalVerdict, decideVerdict } from '../../domain/approvals/approval.ts'
import { roleHasPermission } from '../../domain/users/roles.ts'
import { fail } from '../../http/api-error.ts'
import type { CallerToken } from '../authorization/authenticate.ts'

/** What a person says about an order that waits. `person`: of an operator of the command line; else the one behind `token`. */
export type VerdictRequest = {
  subjectUuid: string
  verdict: ApprovalVerdict
  reason?: string | undefined
} & ({ token: Pick<CallerToken, 'uuid'> } | { person: string })

/**
 * Stores what a person says about an order that waits, and the decision that follows, in the transaction of the caller, which sends the
 * signal to the workflow of the order after the commit. Returns whether anything was stored: a repeat of the same person stores
 * nothing. `requireStillAllowed` runs before an approval that decides, and may fail. The only way to an approval, whatever waits and
 * whoever gives it. Fails with `approver_not_allowed`, `approver_is_maker` or `not_waiting_for_approval`.
 */
export async function giveVerdict(
  tx: EntityManager,
  request: VerdictRequest,
  requireStillAllowed: (approval: ApprovalState) => Promise<void> = async () => {},
): Promise<boolean> {
  const { subjectUuid, verdict, reason } = request
  const approver = await requireApprover(tx, request)
  const approval = (await lockApproval(tx, subjectUuid)) ?? fail('not_waiting_for_approval')
  const { at, given } = approval
  const outcome = decideVerdict(approval, given, { verdict, approver, at })
  if (outcome.kind === 'refused') fail(outcome.code)
  if (outcome.kind === 'repeated') return false
  if (outcome.decision === 'approved') await requireStillAllowed(approval)
  await insertApproval(tx, subjectUuid, { verdict, approver, reason: reason ?? null, at })
  if (outcome.decision) await decideApprovalRequest(tx, subjectUuid, outcome.decision)
  return true
}

/** Returns the name of the person who decides; fails where there is none, or the person may not send money any more. */
async function requireApprover(tx: EntityManager, request: VerdictRequest): Promise<string> {
  if ('person' in request) return request.person.toLowerCase()
  const found = await lockApprovingPerson(tx, request.token.uuid)
  if (!found?.isActive) fail('approver_not_allowed')
  const { role, person } = found
  const isAllowed = role === null || role === 'operator' || roleHasPermission(role, 'transfers.write')
  return isAllowed ? person : fail('approver_not_allowed')
}
