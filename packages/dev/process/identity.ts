import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Identifies a process: its pid alone may have been reused since. */
export type ProcessIdentity = { pid: number; started: string }

/** Reads the process that has this pid now; undefined if there is none, or only a zombie. */
export function findProcessIdentity(pid: number): ProcessIdentity | undefined {
  const started = process.platform === 'linux' ? readStartFromProc(pid) : readStartFromPs(pid)
  return started === undefined ? undefined : { pid, started }
}

export function isProcessAlive(identity: ProcessIdentity): boolean {
  return findProcessIdentity(identity.pid)?.started === identity.started
}

/** Signals exactly this process, or its whole group; one that is gone is no error. */
export function signalProcess(
  identity: ProcessIdentity,
  name: NodeJS.Signals,
  reach: 'process' | 'group' = 'process',
) {
  if (!isProcessAlive(identity)) return
  try {
    process.kill(reach === 'group' ? -identity.pid : identity.pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

let bootId: string | undefined

/** Clock ticks since boot (field 22), with the boot's id: after a reboot both pids and ticks begin anew. */
function readStartFromProc(pid: number): string | undefined {
  const stat = readTextFile(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ') // The name before may hold spaces and brackets.
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined
  bootId ??= readTextFile('/proc/sys/kernel/random/boot_id')?.trim() ?? ''
  return `${bootId}/${fields[19]}`
}

function readStartFromPs(pid: number): string | undefined {
  const { stdout } = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
  })
  const [state, ...start] = (stdout ?? '').trim().split(/\s+/)
  return !state || state.startsWith('Z') ? undefined : start.join(' ')
}

function readTextFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
