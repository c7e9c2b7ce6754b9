import { HOUR } from '../shared/intervals.ts'
import { type ApprovalCallout, CALLOUT_APPROVER, findCalloutStep } from './callout.ts'

/**
 * Approval of money out by persons who have not ordered it. What waits is a subject, a transfer or a batch of transfers; the
 * rules are the same for all of them (docs/specification.md, "Approvals"), and PostgreSQL holds them once more.
 */

/** What can wait for an approval. */
export type ApprovalSubject = 'transfer' | 'batch'

/** Code of the refusal to send an order that waits for its approvals. */
export const WAITS_FOR_APPROVAL = 'waits_for_approval'

/** Most hours that an order waits for its approvals. */
export const MAX_APPROVAL_HOURS = 168
export const APPROVAL_COUNTS = [1, 2] as const

/** The rule of an account: an order of more than `aboveCents` needs the approval of `count` persons. */
export type ApprovalRule = {
  aboveCents: number
  count: (typeof APPROVAL_COUNTS)[number]
  /** Hours after which an order that nobody has decided is not sent any more. */
  expiresHours: number
  /** Where the merchant's server is asked as well; null: nowhere. */
  calloutUrl: string | null
}

/** How an order stopped waiting: decided by persons, out of time, or cancelled by its maker. */
export type ApprovalDecision = 'approved' | 'rejected' | 'expired' | 'withdrawn'

/** What one person, or the call-out, says about an order. */
export type ApprovalVerdict = 'approve' | 'reject'

/**
 * An order that waits, or has waited. `maker`: the person who ordered it, by name (`Approval.approver`), copied when it was
 * ordered: revoking the maker changes nothing about who may approve.
 */
export type ApprovalRequest = {
  subject: ApprovalSubject
  subjectUuid: string
  accountUuid: string
  maker: string
  needed: number
  requestedAt: Date
  expiresAt: Date
  decision: ApprovalDecision | null
  /** The call-out whose approval it needs beside those of the persons; null: none. */
  callout: ApprovalCallout | null
}

/**
 * What a person or the call-out has said about an order. `approver`: the e-mail of the user of the dashboard, of the user who made the
 * API token, or the name of the operator of the command line; in lower case, so that a person has one name through every one of them.
 * Of the call-out `CALLOUT_APPROVER`.
 */
export type Approval = { verdict: ApprovalVerdict; approver: string; reason: string | null; at: Date }

/** Why an approval or rejection is refused; the codes of the API. */
type ApprovalRefusal = 'approver_is_maker' | 'not_waiting_for_approval'

/** Tells whether an order of this value, of a batch its sum, waits for approvals. */
export function needsApproval(
  rule: ApprovalRule | null | undefined,
  valueCents: number,
): rule is ApprovalRule {
  return rule != null && valueCents > rule.aboveCents
}

/** Returns when an order that is requested at a moment stops waiting; `timeScale` divides the time, for tests. */
export function computeApprovalExpiry({ expiresHours }: ApprovalRule, at: Date, timeScale = 1): Date {
  return new Date(at.getTime() + Math.max(1, Math.round((expiresHours * HOUR) / timeScale)))
}

/** How long an order still waits, in ms. `calloutInMs`: until its call-out needs a step, 0 for now; absent where it needs none. */
export type RemainingWait = { remainingMs: number; calloutInMs?: number }

/** Finds how long an undecided order still waits at a moment; null where its time is over. */
export function findRemainingWait(
  request: Pick<ApprovalRequest, 'expiresAt' | 'decision' | 'callout'>,
  given: readonly Pick<Approval, 'approver'>[],
  at: Date,
): RemainingWait | null {
  const remainingMs = request.expiresAt.getTime() - at.getTime()
  if (remainingMs <= 0) return null
  const step = findCalloutStep(request, given, at)
  if (step.kind === 'none') return { remainingMs }
  return { remainingMs, calloutInMs: step.kind === 'wait' ? step.waitMs : 0 }
}

/** Tells what a person is to an order: who ordered it, or what it has said last; undefined where it is neither. */
export function findPersonRole(
  { maker, given }: Pick<ApprovalRequest, 'maker'> & { given: readonly Approval[] },
  person: string,
): 'maker' | ApprovalVerdict | undefined {
  if (person === maker) return 'maker'
  return given.findLast(({ approver }) => approver === person)?.verdict
}

/** What follows from a person's verdict: nothing where the person has said it before, a refusal, or a row to store. */
export type VerdictOutcome =
  | { kind: 'repeated' }
  | { kind: 'refused'; code: ApprovalRefusal }
  /** `decision`: null while more approvals are needed. */
  | { kind: 'given'; decision: ApprovalDecision | null }

/**
 * Decides what the verdict of a person, or of the call-out, does to an order that waits. `given`: all verdicts so far; the caller holds
 * the lock of the request. A repeat is answered as the first time, also after the decision; the first verdict of the call-out stays.
 */
export function decideVerdict(
  request: Pick<ApprovalRequest, 'maker' | 'needed' | 'expiresAt' | 'decision' | 'callout'>,
  given: readonly Pick<Approval, 'verdict' | 'approver'>[],
  { verdict, approver, at }: { verdict: ApprovalVerdict; approver: string; at: Date },
): VerdictOutcome {
  const isCallout = approver === CALLOUT_APPROVER
  if (approver === request.maker && !isCallout) return { kind: 'refused', code: 'approver_is_maker' }
  if (given.some(one => one.approver === approver && (isCallout || one.verdict === verdict)))
    return { kind: 'repeated' }
  if (request.decision !== null || at >= request.expiresAt)
    return { kind: 'refused', code: 'not_waiting_for_approval' }
  if (verdict === 'reject') return { kind: 'given', decision: 'rejected' }
  const approvers = given.filter(one => one.verdict === 'approve').map(one => one.approver)
  return { kind: 'given', decision: isApprovedBy(request, [...approvers, approver]) ? 'approved' : null }
}

/** Tells whether these approvers are all that an order needs: as many persons, and the call-out where it has one. */
function isApprovedBy(
  { needed, callout }: Pick<ApprovalRequest, 'needed' | 'callout'>,
  approvers: readonly string[],
): boolean {
  const persons = approvers.filter(one => one !== CALLOUT_APPROVER)
  return persons.length >= needed && (callout === null || persons.length < approvers.length)
}
