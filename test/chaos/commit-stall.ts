import { setTimeout as sleep } from 'node:timers/promises'
import { waitUntil } from '../../src/startup/wait-until.ts'
import type { StackClients } from './stack-clients.ts'

/**
 * Delays every COMMIT as if the only synchronous standby were away: its caller has no answer, and its rows are
 * invisible. Neither statement writes to the log that the standby is awaited for, so they do not wait themselves.
 */
export async function stallCommits({ sql }: Pick<StackClients, 'sql'>, forMs: number): Promise<void> {
  await insist(`alter system set synchronous_standby_names = 'away'`)
  await insist('select pg_reload_conf()')
  try {
    await sleep(forMs)
  } finally {
    await insist('alter system reset synchronous_standby_names')
    await insist('select pg_reload_conf()')
  }

  /** PostgreSQL may be starting again just now. */
  async function insist(statement: string): Promise<void> {
    const isDone = () =>
      sql(statement).then(
        () => true,
        () => false,
      )
    await waitUntil(isDone, {
      description: `PostgreSQL does not take: ${statement}`,
      limitMs: RECOVERY_LIMIT_MS,
    })
  }
}

const RECOVERY_LIMIT_MS = 120_000
