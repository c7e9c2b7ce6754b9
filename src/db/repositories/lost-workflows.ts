import type { UnfinishedNoun } from '../../domain/shared/nouns.ts'
import type { EntityManager } from '../client/orm.ts'

/** Rows in a state that only a workflow can change, and which of them have lost their workflow. */

/** The columns of a row that reopen its workflow; names as in PostgreSQL. */
export type ActiveRow = {
  uuid: string
  account_uuid: string
  state: string
  connection_uuid: string
  /** As PostgreSQL formats it, to the microsecond. */
  created_at: string
  /** Of a transfer or a charge: connections with an attempt. */
  tried?: string[]
  /** Of a dispute. */
  provider_dispute_id?: string | null
  end_to_end?: string
  request_id?: string
}

/**
 * Selects the unfinished rows of each noun with their attempts' connections; the caller appends conditions. The charge of a static
 * code needs no workflow: that of the PIX which pays it records the payment.
 */
const UNFINISHED_ROWS_SQL: Record<UnfinishedNoun, string> = {
  charge: `select uuid, account_uuid, state, connection_uuid, created_at, value_cents, expires_in_seconds, request_id, fingerprint,
      array(select connection_uuid::text from attempt where operation = 'issue' and subject_uuid = r.uuid) as tried
    from charge r
    where state in ('issuing', 'pending', 'debiting', 'paying') and qr_code_uuid is null`,
  transfer: `select uuid, account_uuid, state, connection_uuid, created_at, value_cents, scheduled_for, request_id, fingerprint,
      array(select connection_uuid::text from attempt where operation = 'transfer' and subject_uuid = r.uuid) as tried
    from transfer r where state in ('created', 'held', 'approved', 'sending', 'settling')`,
  transfer_batch: `select uuid, account_uuid, state, candidates[1] as connection_uuid, created_at from transfer_batch r
    where state in ('draft', 'processing')`,
  refund: `select uuid, account_uuid, state, connection_uuid, created_at from refund r
    where state in ('sending', 'settling')`,
  return: `select uuid, account_uuid, disposition as state, connection_uuid, created_at from movement r
    where disposition in ('held', 'returning')`,
  recurrence: `select uuid, account_uuid, state, connection_uuid, created_at from recurrence r
    where state in ('creating', 'pending', 'processing', 'active')`,
  dispute: `select uuid, account_uuid, state, connection_uuid, created_at, provider_dispute_id, end_to_end, request_id
    from dispute r where state in ('requesting', 'open', 'analysing', 'accepted')`,
  pix_key: `select uuid, account_uuid, state, connection_uuid, created_at from pix_key r
    where state in ('creating', 'removing')`,
  report: `select uuid, account_uuid, state, connection_uuid, created_at from report r
    where state in ('pending', 'building', 'ready')`,
  orphan: `select r.uuid, c.account_uuid, r.state, r.connection_uuid, r.created_at
    from attempt r join charge c on c.uuid = r.subject_uuid where r.state = 'orphan' and r.operation = 'issue'`,
}

/** Lists a page of unfinished rows that were created before a moment, after a row. */
export function listUnfinishedRows(
  em: EntityManager,
  noun: UnfinishedNoun,
  { until, after, limit }: { until: Date; after: ActiveRow | undefined; limit: number },
): Promise<ActiveRow[]> {
  return em.execute(
    `${UNFINISHED_ROWS_SQL[noun]} and r.created_at < ? and (r.created_at, r.uuid) > (?::timestamptz, ?::uuid)
     order by r.created_at, r.uuid limit ?`,
    [until, after?.created_at ?? '-infinity', after?.uuid ?? '00000000-0000-0000-0000-000000000000', limit],
  )
}

/** Reads a row if it is still unfinished. */
export async function findUnfinishedRow(
  em: EntityManager,
  noun: UnfinishedNoun,
  uuid: string,
): Promise<ActiveRow | undefined> {
  const [row]: ActiveRow[] = await em.execute(`${UNFINISHED_ROWS_SQL[noun]} and r.uuid = ?`, [uuid])
  return row
}

type LostWorkflow = { workflowId: string; noun: UnfinishedNoun; row: ActiveRow; isReopened: boolean }

/** Records for the operator that a row had no workflow. */
export async function recordLostWorkflow(
  em: EntityManager,
  { workflowId, noun, row, isReopened }: LostWorkflow,
): Promise<void> {
  await em.execute(
    `insert into lost_workflow (workflow_id, noun, subject_uuid, account_uuid, state, is_reopened)
     values (?, ?, ?, ?, ?, ?) on conflict (workflow_id) do update
     set state = excluded.state, is_reopened = excluded.is_reopened, seen_at = now()`,
    [workflowId, noun, row.uuid, row.account_uuid, row.state, isReopened],
  )
}

/**
 * Records a finished sweep. Deletes lost workflows that it has not found again: they run, or their row is in a final
 * state.
 */
export async function recordWorkflowSweep(
  em: EntityManager,
  noun: UnfinishedNoun,
  { since, checkedCount, lostCount }: { since: string; checkedCount: number; lostCount: number },
): Promise<void> {
  await em.execute('delete from lost_workflow where noun = ? and seen_at < ?', [noun, since])
  await em.execute(
    `insert into workflow_sweep (noun, swept_at, checked_count, lost_count) values (?, now(), ?, ?)
     on conflict (noun) do update set swept_at = excluded.swept_at, checked_count = excluded.checked_count, lost_count = excluded.lost_count`,
    [noun, checkedCount, lostCount],
  )
}
