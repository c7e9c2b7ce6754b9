import type { EntityManager } from '../db/orm.ts'
import { runningAmong } from '../engine/past-lives.ts'
import { type MovingNoun, type MovingRow, reopenMoving, workflowIdOf } from '../engine/reopen.ts'
import type { Engine } from '../engine/start.ts'
import type { Dependencies } from './dependencies.ts'
import { isToEnd } from './ending.ts'

/** Rows in a state that only a workflow moves on, compared with the workflows that run (SPEC §11). */

/** So many rows are read, and their workflows listed, at a time. */
const PAGE = 100
/** A younger row may be in the hands of the request that wrote it, or its workflow not listed yet. */
const YOUNGER_MS = 10 * 60_000

/** The rows of each noun that move, with who may have them; `page` and `only` complete each. */
const MOVING: Record<MovingNoun, string> = {
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
  med: `select uuid, account_uuid, state, connection_uuid, created_at, provider_med_id, end_to_end, request_id
    from med r where state in ('open', 'analysing', 'accepted')`,
  pix_key: `select uuid, account_uuid, state, connection_uuid, created_at from pix_key r
    where state in ('creating', 'removing')`,
  orphan: `select r.uuid, c.account_uuid, r.state, r.connection_uuid, r.created_at
    from attempt r join charge c on c.uuid = r.subject_uuid where r.state = 'orphan' and r.operation = 'issue'`,
}

export type Swept = { lookedAt: number; reopened: number; shown: number }

/**
 * Reopens, through the door of notices, the workflow of each row that has none, and shows those that cannot be reopened. It
 * asks PostgreSQL and Temporal once for every 100 rows, and touches nothing of a healthy system. Safe to repeat.
 */
export function sweepWorkflows({ orm, log, sealer }: Dependencies, engine: Engine) {
  return async (): Promise<Swept> => {
    const total: Swept = { lookedAt: 0, reopened: 0, shown: 0 }
    const em = orm.em.fork()
    for (const noun of Object.keys(MOVING) as MovingNoun[]) {
      const [{ now }] = (await em.execute('select now()')) as [{ now: string }]
      const found: Swept = { lookedAt: 0, reopened: 0, shown: 0 }
      for await (const row of lostOf(em, engine, noun, found)) {
        const isReopened = await reopenMoving(engine, { sealer }, noun, row)
        found[isReopened ? 'reopened' : 'shown'] += 1
        log.warn({ noun, uuid: row.uuid, state: row.state, isReopened }, 'a row moves without a workflow')
        await keepLost(em, noun, row, isReopened)
      }
      if (isToEnd()) break // The next sweep looks at the rest.
      await keepSweep(em, noun, now, found)
      for (const key of Object.keys(total) as (keyof Swept)[]) total[key] += found[key]
    }
    return total
  }
}

/** The rows of a noun whose workflow does not run; what has moved meanwhile is left alone. */
async function* lostOf(
  em: EntityManager,
  engine: Engine,
  noun: MovingNoun,
  found: Swept,
): AsyncGenerator<MovingRow> {
  const client = await engine.client()
  const until = new Date(Date.now() - YOUNGER_MS / engine.timeScale)
  for (let after: MovingRow | undefined; !isToEnd(); ) {
    const page: MovingRow[] = await em.execute(
      `${MOVING[noun]} and r.created_at < ? and (r.created_at, r.uuid) > (?::timestamptz, ?::uuid)
       order by r.created_at, r.uuid limit ${PAGE}`,
      [until, after?.created_at ?? '-infinity', after?.uuid ?? '00000000-0000-0000-0000-000000000000'],
    )
    if (page.length === 0) return
    found.lookedAt += page.length
    after = page.at(-1)
    const running = await runningAmong(
      client,
      page.map(row => workflowIdOf(noun, row)),
    )
    for (const row of page.filter(one => !running.has(workflowIdOf(noun, one)))) {
      const [still]: MovingRow[] = await em.execute(`${MOVING[noun]} and r.uuid = ?`, [row.uuid])
      if (still?.state === row.state) yield still
    }
  }
}

async function keepLost(em: EntityManager, noun: MovingNoun, row: MovingRow, isReopened: boolean) {
  await em.execute(
    `insert into lost_workflow (workflow_id, noun, subject_uuid, account_uuid, state, is_reopened)
     values (?, ?, ?, ?, ?, ?) on conflict (workflow_id) do update
     set state = excluded.state, is_reopened = excluded.is_reopened, seen_at = now()`,
    [workflowIdOf(noun, row), noun, row.uuid, row.account_uuid, row.state, isReopened],
  )
}

/** What this sweep has not found again has its workflow, or is over. */
async function keepSweep(
  em: EntityManager,
  noun: MovingNoun,
  since: string,
  { lookedAt, reopened, shown }: Swept,
) {
  await em.execute('delete from lost_workflow where noun = ? and seen_at < ?', [noun, since])
  await em.execute(
    `insert into workflow_sweep (noun, swept_at, looked_at, lost) values (?, now(), ?, ?)
     on conflict (noun) do update set swept_at = excluded.swept_at, looked_at = excluded.looked_at, lost = excluded.lost`,
    [noun, lookedAt, reopened + shown],
  )
}
