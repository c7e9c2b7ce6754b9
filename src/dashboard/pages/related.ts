import { listLedgerLines } from '../../api/operations/ledger.ts'
import { API_REQUEST_DAYS } from '../../db/repositories/api-requests.ts'
import { NOTE_ACTION } from '../../db/repositories/audited-actions.ts'
import { MAX_RELATED_ROWS, type RelatedSubject, readRelatedRows } from '../../db/repositories/related-rows.ts'
import { disputeMachine } from '../../domain/disputes/dispute.ts'
import { OPERATOR_REJECTION } from '../../domain/payouts/unsent-code.ts'
import { refundMachine } from '../../domain/refunds/refund.ts'
import { DAY } from '../../domain/shared/intervals.ts'
import type { PageContext } from '../http/page-context.ts'
import { describeAttempt } from './attempt-state.ts'

type RelatedVisit = Pick<PageContext<'merchant'>, 'em' | 'token' | 'session' | 't' | 'f' | 'language'>

/** The object of a page: how other rows name it, and by which uuid the ledger finds its lines. */
type PageSubject = Omit<RelatedSubject, 'accountUuid'> & { ledgerUuid: string | null }

/** Loads what belongs to the object of a page (views/parts/related.eta): in two round trips, at once. */
export async function loadRelated(visit: RelatedVisit, { ledgerUuid, ...subject }: PageSubject) {
  const { em, token, session } = visit
  const [rows, lines] = await Promise.all([
    readRelatedRows(em.fork(), { ...subject, accountUuid: token.accountUuid }),
    ledgerUuid === null ? null : listLedgerLines(em.fork(), token, buildLinesQuery(ledgerUuid)),
  ])
  const isOperator = session.user.role === 'operator'
  const ending = isOperator ? rows.actions.find(({ action }) => action === 'settle_rejected') : undefined
  const endedBy = ending?.actor ?? null
  const acts = rows.actions.filter(({ action }) => action !== NOTE_ACTION)
  return {
    max: MAX_RELATED_ROWS,
    pix: limit(rows.pix),
    refunds: limit(
      rows.refunds.map(({ state, ...refund }) => ({ ...refund, status: refundMachine.statusOf(state) })),
    ),
    disputes: limit(
      rows.disputes.map(({ state, kind, ...dispute }) => ({
        ...dispute,
        med_type: kind,
        status: disputeMachine.statusOf(state),
        resolved: disputeMachine.isFinal(state),
      })),
    ),
    attempts: rows.attempts.map(attempt => describeAttempt(visit, attempt, { endedBy })),
    events: limit(rows.events),
    // Reasons are written for operators; merchants see the names of the account's own users only.
    notes: rows.actions
      .filter(({ action }) => action === NOTE_ACTION)
      .map(({ actor, reason, at }) => ({ author: actor, text: reason, at })),
    actions: limit(
      acts.map(({ actor, reason, isOwn, ...action }) => ({
        ...action,
        actor: isOwn || isOperator ? actor : null,
        reason: isOperator ? reason : null,
      })),
    ),
    origin: rows.origin && {
      ...rows.origin,
      isLogged: new Date(rows.origin.at) > new Date(Date.now() - API_REQUEST_DAYS * DAY),
    },
    lines: { rows: lines?.data ?? [], hasMore: lines?.meta.next_cursor != null },
    uuid: ledgerUuid,
  }
}

function limit<Row>(rows: Row[]): { rows: Row[]; hasMore: boolean } {
  return { rows: rows.slice(0, MAX_RELATED_ROWS), hasMore: rows.length > MAX_RELATED_ROWS }
}

function buildLinesQuery(operation_uuid: string) {
  return { operation_uuid, time_zone: 'UTC', per_page: MAX_RELATED_ROWS, cursor: '' }
}

/** Returns what an operator has written for the merchant about a payout that was settled as not sent. */
export function findOperatorText(
  failure: { code: string; message: string } | null | undefined,
): string | null {
  if (failure?.code !== OPERATOR_REJECTION.code || failure.message === OPERATOR_REJECTION.message) return null
  return failure.message
}
