import type { DisputeKind, DisputeState } from '../../domain/disputes/dispute.ts'
import type { MovementReason, MovementStatus, UnmatchedDisposition } from '../../domain/ledger/movement.ts'
import type { Party } from '../../domain/pix/party.ts'
import type { AttemptOperation, AttemptState } from '../../domain/providers/attempt.ts'
import type { ProviderName, RefusedBy } from '../../domain/providers/provider.ts'
import type { RefundState } from '../../domain/refunds/refund.ts'
import type { EntityManager } from '../client/orm.ts'
import { batchQueries, firstRow, type Query, query, runQuery } from '../pipeline/query.ts'
import { selectValue, selectValues } from '../select-values.ts'
import { formatTextArray } from '../sql-conditions.ts'
import { DASHBOARD_REASON } from './audited-actions.ts'
import { PIX_UUIDS_SQL } from './ledger-lines.ts'

/** What belongs to one object of an account: each kind of rows by one statement, all statements in one round trip. */

/** Most rows of one kind that a page of an object shows. */
export const MAX_RELATED_ROWS = 20

/** The object, by the names that other rows have for it; a missing one matches nothing. */
export type RelatedSubject = {
  accountUuid: string
  /** The object itself, where a request may have created it. */
  uuid?: string | undefined
  chargeUuid?: string | undefined
  transferUuid?: string | undefined
  refundUuid?: string | undefined
  recurrenceUuid?: string | undefined
  disputeUuid?: string | undefined
  /** The PIX that the object is, or is about. */
  movementUuid?: string | undefined
  /** What attempts are of, and which operations of it. */
  attempted?: { uuid: string; operations: AttemptOperation[] } | undefined
  /** Subjects of recorded actions, as `charge/<uuid>`. */
  actionSubjects: string[]
}

/** A PIX in or out. */
type RelatedPix = {
  uuid: string
  type: 'EXTERNAL_TRANSFER' | 'EXTERNAL_REFUND'
  movementType: 'IN' | 'OUT'
  cents: number
  status: MovementStatus
  endToEnd: string | null
  sender: Partial<Party> | null
  receiver: Partial<Party> | null
  reason: MovementReason | null
  disposition: UnmatchedDisposition | null
  createdAt: Date
}

type RelatedRefund = {
  uuid: string
  state: RefundState
  cents: number
  disputeUuid: string | null
  createdAt: Date
}
type RelatedDispute = {
  uuid: string
  kind: DisputeKind
  state: DisputeState
  cents: number
  dueAt: Date
  createdAt: Date
}

type RelatedAttempt = {
  uuid: string
  operation: AttemptOperation
  provider: ProviderName
  state: AttemptState
  finality: 'other_may_help' | 'final' | null
  code: string | null
  refusedBy: RefusedBy | null
  isRefusedBeforeCall: boolean
  providerMessage: string | null
  /** What an operator has written for the merchant. */
  operatorMessage: string | null
  missingCents: number | null
  sendings: number
  preparedAt: Date | null
  unknownSince: Date | null
  wasUnknownFrom: Date | null
  wasUnknownUntil: Date | null
  /** Polls that were answered while the outcome was unknown. */
  pollCount: number
  createdAt: Date
  updatedAt: Date
}

type RelatedEvent = {
  uuid: string
  type: string
  createdAt: Date
  deliveries: { webhook: string; url: string; status: string; attempts: number }[]
}

/** An action of an operator, or of a user of the account. */
type RelatedAction = { actor: string; action: string; reason: string; isOwn: boolean; at: Date }

/** The request by an API token that created the object; a webhook stores no request id. */
type RelatedOrigin = { tokenUuid: string; tokenName: string; requestId: string | null; at: Date }

export type RelatedRows = {
  pix: RelatedPix[]
  refunds: RelatedRefund[]
  disputes: RelatedDispute[]
  attempts: RelatedAttempt[]
  events: RelatedEvent[]
  actions: RelatedAction[]
  origin: RelatedOrigin | null
}

/** Reads what belongs to an object, the newest first; one row more than a page shows. */
export async function readRelatedRows(em: EntityManager, subject: RelatedSubject): Promise<RelatedRows> {
  const queries = batchQueries(
    queryPix(subject),
    queryRefunds(subject),
    queryDisputes(subject),
    queryAttempts(subject),
    queryEvents(subject),
    queryActions(subject),
    queryOrigin(subject),
  )
  const [pix, refunds, disputes, attempts, events, actions, origin] = await runQuery(em, queries)
  return { pix, refunds, disputes, attempts, events, actions, origin: origin ?? null }
}

const LIMIT = `limit ${MAX_RELATED_ROWS + 1}`

/** The PIX movements of an object: found by the index of each column that may name it. */
const PIX_SQL = `select uuid from movement where charge_uuid = ?::uuid
  union select uuid from movement where transfer_uuid = ?::uuid
  union select uuid from movement where refund_uuid = ?::uuid
  union select uuid from movement where dispute_uuid = ?::uuid
  union select uuid from movement where original_uuid = ?::uuid and type = 'EXTERNAL_REFUND'
  union select ?::uuid`

const pixValues = (of: RelatedSubject) =>
  [of.chargeUuid, of.transferUuid, of.refundUuid, of.disputeUuid, of.movementUuid, of.movementUuid].map(
    uuid => uuid ?? null,
  )

function queryPix(of: RelatedSubject): Query<RelatedPix[]> {
  return query(
    `select uuid, type, movement_type as "movementType", value_cents::float8 as cents, status, end_to_end as "endToEnd",
       sender, receiver, reason, disposition, created_at as "createdAt"
     from movement
     where uuid in (${PIX_SQL}) and account_uuid = ? and type in ('EXTERNAL_TRANSFER', 'EXTERNAL_REFUND')
     order by created_at desc, uuid desc ${LIMIT}`,
    [...pixValues(of), of.accountUuid],
    rows => rows as RelatedPix[],
  )
}

function queryRefunds(of: RelatedSubject): Query<RelatedRefund[]> {
  return query(
    `select uuid, state, value_cents::float8 as cents, dispute_uuid as "disputeUuid", created_at as "createdAt"
     from refund where charge_uuid = ?::uuid and account_uuid = ? order by created_at desc, uuid desc ${LIMIT}`,
    [of.chargeUuid ?? null, of.accountUuid],
    rows => rows as RelatedRefund[],
  )
}

function queryDisputes(of: RelatedSubject): Query<RelatedDispute[]> {
  return query(
    `select uuid, kind, state, value_cents::float8 as cents, due_at as "dueAt", created_at as "createdAt"
     from dispute where uuid in (
       select uuid from dispute where charge_uuid = ?::uuid
       union select uuid from dispute where transfer_uuid = ?::uuid
       union select uuid from dispute where movement_uuid = ?::uuid
     ) and account_uuid = ? and uuid is distinct from ?::uuid order by created_at desc, uuid desc ${LIMIT}`,
    [
      ...[of.chargeUuid, of.transferUuid, of.movementUuid].map(uuid => uuid ?? null),
      of.accountUuid,
      of.disputeUuid ?? null,
    ],
    rows => rows as RelatedDispute[],
  )
}

function queryAttempts({ attempted }: RelatedSubject): Query<RelatedAttempt[]> {
  return query(
    `select a.uuid, a.operation, k.provider, a.state, a.finality, a.code, a.refused_by as "refusedBy",
       a.is_refused_before_call as "isRefusedBeforeCall", a.provider_message as "providerMessage",
       case when a.refused_by = 'operator' then a.message end as "operatorMessage", a.missing_cents::float8 as "missingCents", a.sendings,
       a.prepared_at as "preparedAt", a.unknown_since as "unknownSince", a.was_unknown_from as "wasUnknownFrom",
       a.was_unknown_until as "wasUnknownUntil", a.created_at as "createdAt", a.updated_at as "updatedAt",
       (select coalesce(sum(w.occurrences), 0)::float8 from attempt_answer w
        where w.attempt_uuid = a.uuid and w.kind <> 'unknown') as "pollCount"
     from attempt a join connection k on k.uuid = a.connection_uuid
     where a.operation = any(?::text[]) and a.subject_uuid = ?::uuid order by a.created_at, a.position ${LIMIT}`,
    [formatTextArray(attempted?.operations ?? []), attempted?.uuid ?? null],
    rows => rows as RelatedAttempt[],
  )
}

/** The deliveries of an event `e` to the endpoints that there are. */
const DELIVERIES_SQL = `coalesce((
    select json_agg(json_build_object('webhook', w.uuid, 'url', w.url, 'status', d.status, 'attempts', d.attempt_count)
      order by w.created_at)
    from delivery d join webhook w on w.uuid = d.webhook_uuid where d.event_uuid = e.uuid and w.deleted_at is null
  ), '[]')`

/** Reads the deliveries of an event. */
export function readEventDeliveries(
  em: EntityManager,
  { uuid, accountUuid }: { uuid: string; accountUuid: string },
): Promise<RelatedEvent['deliveries']> {
  const sql = `select ${DELIVERIES_SQL} as deliveries from event e where e.uuid = ? and e.account_uuid = ?`
  return selectValue(em, sql, [uuid, accountUuid])
}

/** Lists the subjects of an operation's events: itself, its PIX and a charge's refunds. */
export async function listEventSubjects(
  em: EntityManager,
  { accountUuid, uuid }: { accountUuid: string; uuid: string },
): Promise<string[]> {
  const of = { chargeUuid: uuid, transferUuid: uuid, refundUuid: uuid, disputeUuid: uuid, movementUuid: uuid }
  return selectValues(
    em,
    `select uuid from movement where uuid in (${PIX_SQL}) and account_uuid = ?
     union select uuid from refund where charge_uuid = ?::uuid and account_uuid = ?
     union select ?::uuid`,
    [...pixValues({ ...of, accountUuid, actionSubjects: [] }), accountUuid, uuid, accountUuid, uuid],
  )
}

/** Lists the subjects of the events of a PIX: itself, and what its movement names. */
export function listPixSubjects(
  em: EntityManager,
  { accountUuid, endToEnd }: { accountUuid: string; endToEnd: string },
): Promise<string[]> {
  return selectValues(
    em,
    `select subject from movement m, lateral unnest(
       array[m.uuid, m.charge_uuid, m.transfer_uuid, m.refund_uuid, m.dispute_uuid]) as subject
     where m.uuid in (${PIX_UUIDS_SQL}) and m.account_uuid = ? and subject is not null
     union select d.uuid from movement m join dispute d on d.movement_uuid = m.uuid
     where m.uuid in (${PIX_UUIDS_SQL}) and d.account_uuid = ?`,
    [accountUuid, endToEnd, accountUuid, accountUuid, endToEnd, accountUuid],
  )
}

/** The events of an object, of its PIX and of a charge's refunds, each with its deliveries. */
function queryEvents(of: RelatedSubject): Query<RelatedEvent[]> {
  return query(
    `select e.uuid, e.type, e.created_at as "createdAt", ${DELIVERIES_SQL} as deliveries
     from (
       select uuid, type, created_at from event
       where account_uuid = ? and subject_uuid in (
         select unnest(?::uuid[]) union ${PIX_SQL} union select uuid from refund where charge_uuid = ?::uuid
       ) order by created_at desc, sequence desc ${LIMIT}
     ) e order by e.created_at desc`,
    [
      of.accountUuid,
      formatTextArray(
        [of.chargeUuid, of.transferUuid, of.refundUuid, of.recurrenceUuid, of.disputeUuid].filter(
          uuid => uuid !== undefined,
        ),
      ),
      ...pixValues(of),
      of.chargeUuid ?? null,
    ],
    rows => rows as RelatedEvent[],
  )
}

/** Columns of what a request may have created; a webhook stores no request id. */
const CREATING_TABLES = ['charge', 'transfer', 'refund', 'recurrence', 'deposit_return', 'pix_key', 'webhook']
const CREATED_SQL = CREATING_TABLES.map(
  table => `select '${table}_create' as action, token_number, user_uuid, created_at,
      ${table === 'webhook' ? 'null' : 'request_id'} as request_id
      from ${table} where uuid = ?::uuid and account_uuid = ?`,
).join(' union all ')
const createdValues = ({ uuid, accountUuid }: RelatedSubject) =>
  CREATING_TABLES.flatMap(() => [uuid ?? null, accountUuid])

/**
 * The recorded actions on an object, on a charge's refunds, and on its payments that matched no charge. After a restored backup,
 * which may lack the record, the author of the object's own row is shown.
 */
function queryActions(of: RelatedSubject): Query<RelatedAction[]> {
  return query(
    `select actor, action, reason, account_uuid is not null as "isOwn", at from operator_action
     where subject in (
       select unnest(?::text[])
       union select 'refund/' || uuid from refund where charge_uuid = ?::uuid
       union select 'return/' || uuid from movement where charge_uuid = ?::uuid and disposition is not null
     ) and (account_uuid is null or account_uuid = ?)
     union all
     select u.email, c.action, '${DASHBOARD_REASON}', true, c.created_at
     from (${CREATED_SQL}) c join app_user u on u.uuid = c.user_uuid
     where not exists (select from operator_action a where a.action = c.action and a.subject = any(?::text[]))
     order by at desc ${LIMIT}`,
    [
      ...[formatTextArray(of.actionSubjects), of.chargeUuid ?? null, of.chargeUuid ?? null, of.accountUuid],
      ...[...createdValues(of), formatTextArray(of.actionSubjects)],
    ],
    rows => rows as RelatedAction[],
  )
}

function queryOrigin(of: RelatedSubject): Query<RelatedOrigin | undefined> {
  return firstRow(
    query(
      `select t.uuid as "tokenUuid", t.name as "tokenName", c.request_id as "requestId", c.created_at as at
       from (${CREATED_SQL}) c join token t on t.number = c.token_number where t.account_uuid = ?`,
      [...createdValues(of), of.accountUuid],
      rows => rows as RelatedOrigin[],
    ),
  )
}
