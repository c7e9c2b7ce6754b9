import { setTimeout as sleep } from 'node:timers/promises'
import type { Site } from './site.ts'

/**
 * Lets every COMMIT wait as if the only synchronous standby were away: its caller has no answer, and its rows are
 * invisible. Neither statement writes to the log that the standby is awaited for, so they do not wait themselves.
 */
export async function stallCommits({ sql }: Pick<Site, 'sql'>, forMs: number): Promise<void> {
  await sql(`alter system set synchronous_standby_names = 'away'`)
  await sql('select pg_reload_conf()')
  try {
    await sleep(forMs)
  } finally {
    await sql('alter system reset synchronous_standby_names')
    await sql('select pg_reload_conf()')
  }
}
