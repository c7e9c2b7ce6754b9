import { writeFile } from 'node:fs/promises'
import { getPriority, setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

/** A process of this niceness gets a ninth of the share of one of 0 while both want the same core (sched(7)). */
const YIELDING_NICENESS = 10
const MAX_NICENESS = 19

const AUTOGROUP_ATTEMPTS = 10
/** Linux accepts one change in 100 ms from all users but root; another one fails with EAGAIN. */
const AUTOGROUP_RETRY_MS = 150

/**
 * Makes a process that has just started yield the CPU to this process and to its other children. Threads that it starts later
 * inherit this. Linux may compare sessions instead of processes (autogrouping, sched(7)), so the session of the process yields
 * as well. Repeatable; never rejects: where the process has ended or the system refuses, only response times suffer.
 */
export async function yieldCpu(pid: number): Promise<void> {
  try {
    setPriority(pid, Math.min(MAX_NICENESS, getPriority() + YIELDING_NICENESS))
  } catch {
    return
  }
  for (let attempt = 1; attempt <= AUTOGROUP_ATTEMPTS; attempt += 1) {
    const error = await writeFile(`/proc/${pid}/autogroup`, String(YIELDING_NICENESS)).catch(e => e)
    if (error?.code !== 'EAGAIN') return
    await sleep(AUTOGROUP_RETRY_MS)
  }
}
