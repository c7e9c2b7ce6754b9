import { writeFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import type { Orm } from '../db/client/orm.ts'
import { computeClockOffsetS } from './clock-offset.ts'

/** How often a worker publishes, and after how long without it its last word counts no more. */
const PUBLISH_INTERVAL_MS = 5_000
export const WORKER_METRICS_MAX_AGE = '30 seconds'

/**
 * Publishes a worker's metrics where every API process can read them: whoever scrapes one API sees all workers, and a
 * worker needs no port that anybody must know. Stops with the returned function.
 */
export function publishWorkerMetrics(
  orm: Orm,
  worker: string,
  {
    collectExposition: texts,
    recordClockOffset: clockRead,
    healthFile,
    log,
  }: {
    collectExposition: () => Promise<string>
    recordClockOffset: (offsetSeconds: number) => void
    /** Touched whenever the metrics were published, which also shows that PostgreSQL answers this worker. */
    healthFile?: string | undefined
    log: Logger
  },
): () => Promise<void> {
  let publishing: Promise<void> = Promise.resolve()
  const publish = () => {
    publishing = publishing
      .then(async () => {
        clockRead(await writeWorkerMetrics(orm, worker, texts))
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

/** Answers the offset of this process's clock from that of PostgreSQL. */
async function writeWorkerMetrics(orm: Orm, worker: string, texts: () => Promise<string>): Promise<number> {
  const exposition = await texts()
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

/** What the workers that are alive published last. */
export async function readPublishedMetrics(orm: Orm): Promise<string[]> {
  const rows: { exposition: string }[] = await orm.em
    .fork()
    .execute(
      `select exposition from worker_metrics where at > now() - interval '${WORKER_METRICS_MAX_AGE}' order by worker`,
    )
  return rows.map(row => row.exposition)
}
