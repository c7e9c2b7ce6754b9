import { writeFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import type { Orm } from '../db/client/orm.ts'
import { computeClockOffsetS } from './clock-offset.ts'

/** Interval at which a worker publishes; after `WORKER_METRICS_MAX_AGE` its last publication is ignored. */
const PUBLISH_INTERVAL_MS = 5_000
export const WORKER_METRICS_MAX_AGE = '30 seconds'

/**
 * Publishes a worker's metrics in PostgreSQL, where every API process reads them: a scrape of one API shows all
 * workers, and a worker needs no port of its own. The returned function stops it and deletes the row.
 */
export function publishWorkerMetrics(
  orm: Orm,
  worker: string,
  {
    collectExposition,
    recordClockOffset,
    healthFile,
    log,
  }: {
    collectExposition: () => Promise<string>
    recordClockOffset: (offsetSeconds: number) => void
    /** Touched after each publication, which also shows that PostgreSQL answers this worker. */
    healthFile?: string | undefined
    log: Logger
  },
): () => Promise<void> {
  let publishing: Promise<void> = Promise.resolve()
  const publish = () => {
    publishing = publishing
      .then(async () => {
        recordClockOffset(await writeWorkerMetrics(orm, worker, collectExposition))
        if (healthFile !== undefined) await writeFile(healthFile, '')
      })
      .catch(error => void log.debug({ code: Object(error).code }, 'metrics were not published'))
  }
  publish()
  const timer = setInterval(publish, PUBLISH_INTERVAL_MS)
  return async () => {
    clearInterval(timer)
    await publishing
    await orm.em
      .fork()
      .execute('delete from worker_metrics where worker = ?', [worker])
      .catch(() => {})
  }
}

/** Writes the metrics; returns the offset of this process's clock from PostgreSQL's, in seconds. */
async function writeWorkerMetrics(orm: Orm, worker: string, collectExposition: () => Promise<string>) {
  const exposition = await collectExposition()
  const askedAtMs = Date.now()
  const [row] = await orm.em.fork().execute<{ clock: number }[]>(
    `with gone as (delete from worker_metrics where at < now() - interval '1 hour' and worker <> ?)
     insert into worker_metrics (worker, at, exposition) values (?, now(), ?)
     on conflict (worker) do update set at = excluded.at, exposition = excluded.exposition
     returning extract(epoch from clock_timestamp())::float8 as clock`,
    [worker, worker, exposition],
  )
  return computeClockOffsetS(row!.clock, { askedAtMs, answeredAtMs: Date.now() })
}

/** Reads the last publication of each live worker. */
export async function readPublishedMetrics(orm: Orm): Promise<string[]> {
  const rows: { exposition: string }[] = await orm.em
    .fork()
    .execute(
      `select exposition from worker_metrics where at > now() - interval '${WORKER_METRICS_MAX_AGE}' order by worker`,
    )
  return rows.map(row => row.exposition)
}
