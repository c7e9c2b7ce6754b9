import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import { Agent } from 'undici'
import { buildSignatureHeaders } from '../../../src/webhook-client/signature.ts'
import { startWithOptions } from './options.ts'

/** Webhooks in flight, and claimed by one statement. */
const CONCURRENCY = 64
const BATCH = 32
const IDLE_MS = 50
const TIMEOUT_MS = 15_000

type Job = { id: string; url: string; secret: string; event_id: string; body: string; attempts: number }

/**
 * The webhook sender of the plain implementation. A claimed job is not due for a minute, so that one whose sender ended
 * is sent again; a failed one waits longer after each attempt.
 */
startWithOptions(async ({ databaseUrl }) => {
  const pool = new Pool({ connectionString: databaseUrl, max: 10 })
  const agent = new Agent({ headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS, connections: CONCURRENCY })
  const running = new Set<Promise<void>>()
  void sendJobs()

  async function sendJobs(): Promise<never> {
    for (;;) {
      const free = CONCURRENCY - running.size
      const jobs = free > 0 ? await claimJobs(Math.min(free, BATCH)) : []
      for (const job of jobs) {
        const sent: Promise<void> = send(job).finally(() => running.delete(sent))
        running.add(sent)
      }
      if (free === 0) await Promise.race(running)
      else if (jobs.length === 0) await sleep(IDLE_MS)
    }
  }

  async function claimJobs(limit: number): Promise<Job[]> {
    const { rows } = await pool.query({
      name: 'claim-jobs',
      text: `update job set run_at = now() + interval '1 minute', attempts = attempts + 1
             from endpoint where endpoint.id = job.endpoint_id and job.id in (
               select id from job where done_at is null and run_at <= now() order by run_at limit $1
               for update skip locked
             )
             returning job.id, url, secret, event_id, body, attempts`,
      values: [limit],
    })
    return rows
  }

  async function send({ id, url, secret, event_id, body, attempts }: Job): Promise<void> {
    const isDelivered = await post(url, {
      headers: buildSignatureHeaders({ id: event_id, at: new Date(), body, secrets: [secret] }),
      body,
    })
    await pool.query(
      isDelivered
        ? { name: 'finish-job', text: 'update job set done_at = now() where id = $1', values: [id] }
        : {
            name: 'postpone-job',
            text: `update job set run_at = now() + $2 * interval '10 seconds' where id = $1`,
            values: [id, 2 ** Math.min(attempts, 10)],
          },
    )
  }

  async function post(url: string, { headers, body }: { headers: Record<string, string>; body: string }) {
    const { origin, pathname } = new URL(url)
    try {
      const response = await agent.request({
        origin,
        path: pathname,
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', ...headers },
      })
      await response.body.dump()
      return response.statusCode < 300
    } catch {
      return false
    }
  }
})
