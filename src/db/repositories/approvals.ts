import {
  type Approval,
  type ApprovalDecision,
  type ApprovalRequest,
  type ApprovalSubject,
  decideVerdict,
  type VerdictOutcome,
} from '../../domain/approvals/approval.ts'
import type { CalloutFailure } from '../../domain/approvals/callout.ts'
import type { UserRole } from '../../domain/users/roles.ts'
import type { EntityManager } from '../client/orm.ts'
import { firstRow, type Query, query, type ResultRow, runQuery, sendStatement } from '../pipeline/query.ts'

/** Rows of approvals, of whatever waits for them. The row of what waits is locked before its request. */

/** A request with what was said about it, oldest first. */
export type ApprovalState = ApprovalRequest & { given: Approval[] }

/** Selects requests `r` with what was said about them, for `parseApprovalState`. */
export const APPROVAL_STATE_SQL = `select r.*, (
    select json_agg(json_build_object('verdict', verdict, 'approver', approver, 'reason', reason, 'at', at) order by at, approver)
    from approval a where a.subject_uuid = r.subject_uuid) as given
  from approval_request r`

/** What may wait for approvals, and who has ordered it: the token or the user of its row. */
export type NewApprovalRequest = {
  subject: ApprovalSubject
  subjectUuid: string
  accountUuid: string
  author: { tokenNumber?: number | null | undefined; userUuid?: string | null | undefined }
  needed: number
  requestedAt: Date
  expiresAt: Date
  /** Null: no call-out. */
  callout: { url: string; dueAt: Date } | null
}

/**
 * Inserts the request for an order's approvals, in the transaction that stores the order. PostgreSQL finds the maker, and fails
 * where the order has no author: none could be compared with those who approve.
 */
export async function insertApprovalRequest(em: EntityManager, request: NewApprovalRequest): Promise<void> {
  const { author, requestedAt, expiresAt, callout } = request
  await sendStatement(
    em,
    `insert into approval_request (subject_uuid, subject, account_uuid, maker, needed, requested_at, expires_at, callout_url, callout_due_at)
     values (?, ?, ?, find_maker(?::int, ?::uuid), ?, ?, ?, ?, ?)`,
    [
      request.subjectUuid,
      request.subject,
      request.accountUuid,
      author.tokenNumber ?? null,
      author.userUuid ?? null,
      request.needed,
      requestedAt.toISOString(),
      expiresAt.toISOString(),
      callout?.url ?? null,
      callout?.dueAt.toISOString() ?? null,
    ],
  )
}

/** Queries the request of a subject with what was said about it; undefined where it never waited. */
export function queryApproval(subjectUuid: string): Query<ApprovalState | undefined> {
  return firstRow(
    query(`${APPROVAL_STATE_SQL} where r.subject_uuid = ?`, [subjectUuid], rows =>
      rows.map(parseApprovalState),
    ),
  )
}

/**
 * Locks the request of a subject, and reads it with what was said about it as of then, by PostgreSQL's clock; undefined where it never
 * waited. Parallel verdicts so see each other.
 */
export async function lockApproval(
  em: EntityManager,
  subjectUuid: string,
): Promise<(ApprovalState & { at: Date }) | undefined> {
  await sendStatement(em, 'select from approval_request where subject_uuid = ? for no key update', [
    subjectUuid,
  ])
  const state = await runQuery(em, queryApproval(subjectUuid))
  const clock = query('select clock_timestamp() as at', [], ([row]) => new Date(row!.at as string | Date))
  return state && { ...state, at: await runQuery(em, clock) }
}

/** What a person or the call-out says about an order. `reason`: of a rejection. */
export type NewVerdict = Pick<Approval, 'verdict' | 'approver' | 'reason'>

/**
 * Stores a verdict about a subject, and the decision that follows, in the transaction of the caller; returns what followed. A refused or
 * repeated verdict stores nothing. `requireStillAllowed` runs before an approval that decides, and may fail.
 */
export async function recordVerdict(
  tx: EntityManager,
  subjectUuid: string,
  verdict: NewVerdict,
  requireStillAllowed: (approval: ApprovalState) => Promise<void> = async () => {},
): Promise<VerdictOutcome> {
  const approval = await lockApproval(tx, subjectUuid)
  if (!approval) return { kind: 'refused', code: 'not_waiting_for_approval' }
  const { at, given } = approval
  const outcome = decideVerdict(approval, given, { ...verdict, at })
  if (outcome.kind !== 'given') return outcome
  if (outcome.decision === 'approved') await requireStillAllowed(approval)
  await insertApproval(tx, subjectUuid, { ...verdict, at })
  if (outcome.decision) await decideApprovalRequest(tx, subjectUuid, outcome.decision)
  return outcome
}

/**
 * Counts a request of a call-out that is about to be made; no other is made before `nextInMs`. The caller holds the lock of the request
 * for approvals, which is undecided.
 */
export function countCalloutRequest(em: EntityManager, subjectUuid: string, nextInMs: number): Promise<void> {
  return sendStatement(
    em,
    `update approval_request set callout_requests = callout_requests + 1, callout_failure = null,
       callout_due_at = clock_timestamp() + ?::float8 * interval '1 ms' where subject_uuid = ?`,
    [nextInMs, subjectUuid],
  )
}

/** Stores why the last request of a call-out has no answer, and when the next one may be made. Locks as `countCalloutRequest`. */
export function recordCalloutFailure(
  em: EntityManager,
  subjectUuid: string,
  { failure, nextInMs }: { failure: CalloutFailure; nextInMs: number },
): Promise<void> {
  return sendStatement(
    em,
    `update approval_request set callout_failure = ?,
       callout_due_at = clock_timestamp() + ?::float8 * interval '1 ms' where subject_uuid = ?`,
    [failure, nextInMs, subjectUuid],
  )
}

/** Postpones the next request of a call-out that is due and undecided; it is not counted. */
export function postponeCallout(em: EntityManager, subjectUuid: string, nextInMs: number): Promise<void> {
  return sendStatement(
    em,
    `update approval_request set callout_due_at = clock_timestamp() + ?::float8 * interval '1 ms'
     where subject_uuid = ? and decision is null and callout_due_at <= clock_timestamp()`,
    [nextInMs, subjectUuid],
  )
}

/** Inserts what was said. The caller holds the lock of the request, and has decided that it counts. */
export function insertApproval(
  em: EntityManager,
  subjectUuid: string,
  { verdict, approver, reason, at }: Approval,
): Promise<void> {
  return sendStatement(
    em,
    'insert into approval (subject_uuid, verdict, approver, reason, at) values (?, ?, ?, ?, ?)',
    [subjectUuid, verdict, approver, reason, at.toISOString()],
  )
}

/** Writes how a subject stopped waiting. The caller holds the lock of its request, which is undecided. */
export function decideApprovalRequest(
  em: EntityManager,
  subjectUuid: string,
  decision: ApprovalDecision,
): Promise<void> {
  return sendStatement(
    em,
    'update approval_request set decision = ?, decided_at = clock_timestamp() where subject_uuid = ?',
    [decision, subjectUuid],
  )
}

/** The person who acts by a token or a session. `role`: of the user, null for an operator of the command line. */
export type ApprovingPerson = { person: string; role: UserRole | null; isActive: boolean }

/**
 * Reads the person behind an API token, or behind the session of a user, and locks the rows that say so until the transaction ends: one
 * that is revoked before is refused, one that is revoked later has approved. `isActive`: the token and the user may still act.
 * Undefined where no person made the token.
 */
export async function lockApprovingPerson(
  em: EntityManager,
  uuid: string,
): Promise<ApprovingPerson | undefined> {
  await sendStatement(em, 'select from token where uuid = ? for share', [uuid])
  const sql = `select p.person, p.is_valid and (u.uuid is null or u.removed_at is null and u.disabled_at is null) as "isActive", u.role
    from (select author as person, account_uuid, revoked_at is null and coalesce(expires_at > clock_timestamp(), true) as is_valid
        from token where uuid = ? and author is not null
      union all select email, account_uuid, true from app_user where uuid = ?) p
    left join lateral (select uuid, removed_at, disabled_at, role from app_user where email = p.person
      and (account_uuid is null or account_uuid = p.account_uuid) order by removed_at desc nulls first limit 1 for share) u on true`
  return runQuery(
    em,
    query(sql, [uuid, uuid], ([row]) => row as ApprovingPerson | undefined),
  )
}

/** Lists what was decided longer ago than `ageMs` and still waits: its workflow got no signal. */
export function listUnappliedDecisions(
  em: EntityManager,
  ageMs: number,
  limit: number,
): Promise<Pick<ApprovalRequest, 'subject' | 'subjectUuid'>[]> {
  const sql = `select r.subject, r.subject_uuid from approval_request r join (
      select uuid from transfer where state = 'held' union all select uuid from transfer_batch where state = 'draft'
    ) w on w.uuid = r.subject_uuid
    where r.decision is not null and r.decided_at < clock_timestamp() - ?::float8 * interval '1 ms'
    order by r.decided_at limit ?`
  return runQuery(
    em,
    query(sql, [ageMs, limit], rows =>
      rows.map(row => ({
        subject: row.subject as ApprovalSubject,
        subjectUuid: String(row.subject_uuid),
      })),
    ),
  )
}

/** Parses a row of `APPROVAL_STATE_SQL`, also as JSON. */
export function parseApprovalState(row: ResultRow): ApprovalState {
  const given = (row.given ?? []) as (Omit<Approval, 'at'> & { at: string })[]
  const { callout_url: calloutUrl } = row
  return {
    subject: row.subject as ApprovalSubject,
    subjectUuid: String(row.subject_uuid),
    accountUuid: String(row.account_uuid),
    maker: String(row.maker),
    needed: Number(row.needed),
    requestedAt: new Date(row.requested_at as string | Date),
    expiresAt: new Date(row.expires_at as string | Date),
    decision: row.decision as ApprovalDecision | null,
    callout:
      calloutUrl === null
        ? null
        : {
            url: String(calloutUrl),
            requestCount: Number(row.callout_requests),
            dueAt: new Date(row.callout_due_at as string | Date),
            failure: row.callout_failure as CalloutFailure | null,
          },
    given: given.map(one => ({ ...one, at: new Date(one.at) })),
  }
}

/** Condition on a request `r`: a person may still decide about it. Values: the person, twice. */
export const WAITS_FOR_PERSON_SQL = `decision is null and expires_at > clock_timestamp() and maker <> ?
  and not exists (select from approval a where a.subject_uuid = r.subject_uuid and a.approver = ?)`

/**
 * An order that waits for a person. `valueCents`: of a batch its sum. `receiver`: of a transfer, the holder of its account or of its key,
 * or the key whose holder was not looked up.
 */
export type WaitingApproval = ApprovalState & { valueCents: number | null; receiver: string | null }

/** Lists the orders of an account whose approval waits for a person, what expires first before the others. */
export function listWaitingApprovals(
  em: EntityManager,
  { accountUuid, person, limit }: { accountUuid: string; person: string; limit: number },
): Promise<WaitingApproval[]> {
  const sql = `select w.*, coalesce(t.value_cents, b.value_cents) as value_cents, coalesce(t.bank_account ->> 'name', t.lookup -> 'owner' ->> 'name', t.pix_key) as receiver
    from (${APPROVAL_STATE_SQL} where account_uuid = ? and ${WAITS_FOR_PERSON_SQL}) w
    left join transfer t on t.uuid = w.subject_uuid left join transfer_batch b on b.uuid = w.subject_uuid
    order by w.expires_at, w.subject_uuid limit ?`
  return runQuery(
    em,
    query(sql, [accountUuid, person, person, limit], rows =>
      rows.map(row => ({
        ...parseApprovalState(row),
        valueCents: row.value_cents === null ? null : Number(row.value_cents),
        receiver: row.receiver as string | null,
      })),
    ),
  )
}
