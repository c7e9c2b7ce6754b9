import type { Logger } from 'pino'
import type { Orm } from '../db/orm.ts'

/** How often a worker publishes, and after how long without it its last word counts no more. */
const PUBLISH_EVERY_MS = 5_000
export const STALE_AFTER = '30 seconds'

/**
 * Publishes a worker's metrics where every API process can read them: whoever scrapes one API sees all workers, and a
 * worker needs no port that anybody must know. Stops with the returned function.
 */
export function publishMetrics(
  orm: Orm,
  worker: string,
  { texts, log }: { texts: () => Promise<string>; log: Logger },
): () => Promise<void> {
  let publishing: Promise<void> = Promise.resolve()
  const publish = () => {
    publishing = publishing
      .then(() => write(orm, worker, texts))
      .catch(error => void log.debug({ code: Object(error).code }, 'metrics were not published'))
  }
  publish()
  const timer = setInterval(publish, PUBLISH_EVERY_MS)
  return async () => {
    clearInterval(timer)
    await publishing
    await orm.em
      .fork()
      .execute('delete from worker_metrics where worker = ?', [worker])
      .catch(() => {})
  }
}

async function write(orm: Orm, worker: string, texts: () => Promise<string>): Promise<void> {
  await orm.em.fork().execute(
    `with gone as (delete from worker_metrics where at < now() - interval '1 hour' and worker <> ?)
     insert into worker_metrics (worker, at, exposition) values (?, now(), ?)
     on conflict (worker) do update set at = excluded.at, exposition = excluded.exposition`,
    [worker, worker, await texts()],
  )
}

/** What the workers that are alive published last. */
export async function publishedMetrics(orm: Orm): Promise<string[]> {
  const rows: { exposition: string }[] = await orm.em
    .fork()
    .execute(
      `select exposition from worker_metrics where at > now() - interval '${STALE_AFTER}' order by worker`,
    )
  return rows.map(row => row.exposition)
}
