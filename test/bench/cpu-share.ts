import { readdir, writeFile } from 'node:fs/promises'
import { getPriority, setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

/** A ninth of the share of a process of niceness 0 while both want the same core (sched(7)). */
const YIELDING_NICENESS = 10
const MAX_NICENESS = 19

const AUTOGROUP_ATTEMPTS = 10
/** Linux accepts one change in 100 ms from all users but root; another one fails with EAGAIN. */
const AUTOGROUP_RETRY_MS = 150

/**
 * Gives a process the share of the CPU that docker-compose.yml gives it relative to the API: only root may give the API more,
 * so this one gets less. Linux may compare sessions instead of processes (autogrouping, sched(7)), so the session of the
 * process gets less as well: it must be its own.
 */
export async function yieldCpu(pid: number): Promise<void> {
  const niceness = Math.min(MAX_NICENESS, getPriority() + YIELDING_NICENESS)
  // Each thread has a niceness of its own on Linux.
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [pid])
  for (const thread of threads) setNiceness(Number(thread), niceness)
  for (let attempt = 1; attempt <= AUTOGROUP_ATTEMPTS; attempt += 1) {
    const error = await writeFile(`/proc/${pid}/autogroup`, String(YIELDING_NICENESS)).catch(e => e)
    if (error?.code !== 'EAGAIN') return // It is done, or the system has no autogroups.
    await sleep(AUTOGROUP_RETRY_MS)
  }
}

/** Sets the niceness of a thread; one that has ended meanwhile needs none. */
function setNiceness(thread: number, niceness: number): void {
  try {
    setPriority(thread, niceness)
  } catch (error) {
    if (Object(error).info?.code !== 'ESRCH') throw error
  }
}
