import type { EntityManager } from '../../db/client/orm.ts'
import { type ApprovalState, lockApprovingPerson, recordVerdict } from '../../db/repositories/approvals.ts'
import type { ApprovalVerdict } from '../../domain/approvals/approval.ts'
import { CALLOUT_APPROVER } from '../../domain/approvals/callout.ts'
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
 * nothing. `requireStillAllowed` runs before an approval that decides, and may fail. The only way to an approval by a person, whatever
 * waits and whoever gives it. Fails with `approver_not_allowed`, `approver_is_maker` or `not_waiting_for_approval`.
 */
export async function giveVerdict(
  tx: EntityManager,
  request: VerdictRequest,
  requireStillAllowed?: (approval: ApprovalState) => Promise<void>,
): Promise<boolean> {
  const { subjectUuid, verdict, reason } = request
  const approver = await requireApprover(tx, request)
  const said = { verdict, approver, reason: reason ?? null }
  const outcome = await recordVerdict(tx, subjectUuid, said, requireStillAllowed)
  if (outcome.kind === 'refused') fail(outcome.code)
  return outcome.kind === 'given'
}

/**
 * Returns the name of the person who decides; fails where there is none, the person may not send money any more, or has the name of the
 * call-out.
 */
async function requireApprover(tx: EntityManager, request: VerdictRequest): Promise<string> {
  const person = 'person' in request ? request.person.toLowerCase() : await findApprover(tx, request.token)
  return person === null || person === CALLOUT_APPROVER ? fail('approver_not_allowed') : person
}

/** Finds the person behind a token who may send money; null where there is none. */
async function findApprover(tx: EntityManager, token: Pick<CallerToken, 'uuid'>): Promise<string | null> {
  const found = await lockApprovingPerson(tx, token.uuid)
  if (!found?.isActive) return null
  const { role, person } = found
  const isAllowed = role === null || role === 'operator' || roleHasPermission(role, 'transfers.write')
  return isAllowed ? person : null
}
