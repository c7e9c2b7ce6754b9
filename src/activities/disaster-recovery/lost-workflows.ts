import type { EntityManager } from '../../db/client/orm.ts'
import {
  type ActiveNoun,
  type ActiveRow,
  getWorkflowId,
  reopenWorkflow,
} from '../../disaster-recovery/reopen.ts'
import { findRunningWorkflows } from '../../disaster-recovery/workflow-history.ts'
import type { TemporalContext } from '../../temporal/workflow-options.ts'
import type { SweepWorkflowsResult } from '../../workflows/contracts/maintenance.ts'
import { isCancellationRequested } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'

/** Compares the rows in a state that only a workflow can change with the running workflows (SPEC §11). */

/** Number of rows read, and of workflows listed, at a time. */
const PAGE_SIZE = 100
/** Minimum age of a swept row: the workflow of a younger one may not have started, or not be listed by Temporal yet. */
const MIN_ROW_AGE_MS = 10 * 60_000

/** Selects the unfinished rows of each noun with their attempts' connections; the caller appends conditions. */
const UNFINISHED_ROWS_SQL: Record<ActiveNoun, string> = {
  charge: `select uuid, account_uuid, state, connection_uuid, created_at, value_cents, expires_in_seconds, request_id, fingerprint,
      array(select connection_uuid::text from attempt where operation = 'issue' and subject_uuid = r.uuid) as tried
    from charge r
    where state in ('issuing', 'pending', 'paying')`,
  transfer: `select uuid, account_uuid, state, connection_uuid, created_at, value_cents, scheduled_for, request_id, fingerprint,
      array(select connection_uuid::text from attempt where operation = 'transfer' and subject_uuid = r.uuid) as tried
    from transfer r where state in ('created', 'sending', 'settling')`,
  refund: `select uuid, account_uuid, state, connection_uuid, created_at from refund r
    where state in ('sending', 'settling')`,
  return: `select uuid, account_uuid, disposition as state, connection_uuid, created_at from movement r
    where disposition in ('held', 'returning')`,
  dispute: `select uuid, account_uuid, state, connection_uuid, created_at, provider_dispute_id, end_to_end, request_id
    from dispute r where state in ('open', 'analysing', 'accepted')`,
  pix_key: `select uuid, account_uuid, state, connection_uuid, created_at from pix_key r
    where state in ('creating', 'removing')`,
  orphan: `select r.uuid, c.account_uuid, r.state, r.connection_uuid, r.created_at
    from attempt r join charge c on c.uuid = r.subject_uuid where r.state = 'orphan' and r.operation = 'issue'`,
}

/**
 * Reopens the workflow of each unfinished row that has none, as a provider notification would, and records those that
 * cannot be reopened for the operator. Queries PostgreSQL and Temporal once for every 100 rows, and changes nothing
 * where every row has its workflow. Repeatable.
 */
export function sweepWorkflows({ orm, log, sealer }: ActivityDependencies, temporal: TemporalContext) {
  return async (): Promise<SweepWorkflowsResult> => {
    const total: SweepWorkflowsResult = { checked: 0, reopened: 0, shown: 0 }
    const em = orm.em.fork()
    for (const noun of Object.keys(UNFINISHED_ROWS_SQL) as ActiveNoun[]) {
      const [{ now }] = (await em.execute('select now()')) as [{ now: string }]
      const counts: SweepWorkflowsResult = { checked: 0, reopened: 0, shown: 0 }
      for await (const row of findLostRows(em, temporal, noun, counts)) {
        const isReopened = await reopenWorkflow(temporal, { sealer }, noun, row)
        counts[isReopened ? 'reopened' : 'shown'] += 1
        log.warn({ noun, uuid: row.uuid, state: row.state, isReopened }, 'unfinished row has no workflow')
        await recordLostWorkflow(em, noun, row, isReopened)
      }
      if (isCancellationRequested()) break // The next sweep checks the rest.
      await recordWorkflowSweep(em, noun, now, counts)
      for (const key of Object.keys(total) as (keyof SweepWorkflowsResult)[]) total[key] += counts[key]
    }
    return total
  }
}

/** Yields the rows of a noun without a running workflow and with an unchanged state. Counts the rows it checks. */
async function* findLostRows(
  em: EntityManager,
  temporal: TemporalContext,
  noun: ActiveNoun,
  counts: SweepWorkflowsResult,
): AsyncGenerator<ActiveRow> {
  const client = await temporal.client()
  const until = new Date(Date.now() - MIN_ROW_AGE_MS / temporal.timeScale)
  for (let after: ActiveRow | undefined; !isCancellationRequested(); ) {
    const page: ActiveRow[] = await em.execute(
      `${UNFINISHED_ROWS_SQL[noun]} and r.created_at < ? and (r.created_at, r.uuid) > (?::timestamptz, ?::uuid)
       order by r.created_at, r.uuid limit ${PAGE_SIZE}`,
      [until, after?.created_at ?? '-infinity', after?.uuid ?? '00000000-0000-0000-0000-000000000000'],
    )
    if (page.length === 0) return
    counts.checked += page.length
    after = page.at(-1)
    const running = await findRunningWorkflows(
      client,
      page.map(row => getWorkflowId(noun, row)),
    )
    for (const row of page.filter(one => !running.has(getWorkflowId(noun, one)))) {
      const [current]: ActiveRow[] = await em.execute(`${UNFINISHED_ROWS_SQL[noun]} and r.uuid = ?`, [
        row.uuid,
      ])
      if (current?.state === row.state) yield current
    }
  }
}

async function recordLostWorkflow(em: EntityManager, noun: ActiveNoun, row: ActiveRow, isReopened: boolean) {
  await em.execute(
    `insert into lost_workflow (workflow_id, noun, subject_uuid, account_uuid, state, is_reopened)
     values (?, ?, ?, ?, ?, ?) on conflict (workflow_id) do update
     set state = excluded.state, is_reopened = excluded.is_reopened, seen_at = now()`,
    [getWorkflowId(noun, row), noun, row.uuid, row.account_uuid, row.state, isReopened],
  )
}

/** Records a finished sweep. Deletes lost workflows that it has not found again. */
async function recordWorkflowSweep(
  em: EntityManager,
  noun: ActiveNoun,
  since: string,
  { checked, reopened, shown }: SweepWorkflowsResult,
) {
  await em.execute('delete from lost_workflow where noun = ? and seen_at < ?', [noun, since])
  await em.execute(
    `insert into workflow_sweep (noun, swept_at, checked_count, lost_count) values (?, now(), ?, ?)
     on conflict (noun) do update set swept_at = excluded.swept_at, checked_count = excluded.checked_count, lost_count = excluded.lost_count`,
    [noun, checked, reopened + shown],
  )
}
