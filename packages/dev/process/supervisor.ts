import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pause } from '../../../src/startup/wait-until.ts'
import { type StateDir, writeJsonFile } from '../env/state-dir.ts'
import type { PrintLine } from '../os/waits.ts'
import { findProcessIdentity, type ProcessIdentity } from './identity.ts'
import { type ChildProcessName, type RunningProcesses, stopInOrder } from './shutdown.ts'

export type ChildProcessPlan = Pick<SpawnOptions, 'env' | 'cwd' | 'uid' | 'gid'> & {
  name: ChildProcessName
  command: string
  args: string[]
  /** Mode bits that the files of the child lack; those of this process if absent. */
  umask?: number
}

export type Supervisor = ReturnType<typeof createSupervisor>

/** A child that lived this long did start well: its next death is the first of a new row. */
const stableUptimeMs = 10_000
const maxConsecutiveExits = 5
const initialRestartDelayMs = 200
const logRotationBytes = 20_000_000

/**
 * Runs children, each in a process group of its own, so that a signal to the terminal's group reaches only us and
 * we end them in order. One that exits by itself is started again; after five short runs in a row the start fails.
 * Node's spawn gives a child its log file itself, so that it can write on when the start was killed: execa copies the
 * output through the start.
 */
export function createSupervisor(
  home: StateDir,
  { print, onRestartLimit }: { print: PrintLine; onRestartLimit: (error: Error) => void },
) {
  const running: RunningProcesses = {}
  const stopping = new AbortController()

  async function supervise(plan: ChildProcessPlan): Promise<void> {
    const { name } = plan
    for (let exits = 0; !stopping.signal.aborted; ) {
      const since = performance.now()
      const child = spawnWithLog(plan, home.log(name))
      const exit = once(child, 'exit')
      note(name, child.pid === undefined ? undefined : findProcessIdentity(child.pid))
      const [code, signal] = await exit.catch(({ message }: Error) => {
        throw new Error(`${name} cannot be started: ${message}`)
      })
      if (stopping.signal.aborted) return
      note(name, undefined)
      exits = performance.now() - since > stableUptimeMs ? 1 : exits + 1
      const how = signal ? `by ${signal}` : `with code ${code}`
      if (exits >= maxConsecutiveExits) {
        const log = home.log(name)
        throw new Error(
          `${name} ended ${exits} times in a row, at last ${how}. The end of ${log}:\n${readLogTail(log)}`,
        )
      }
      print(`${name} ended ${how} and is started again.`)
      await pause(initialRestartDelayMs * 2 ** exits, stopping.signal).catch(() => {})
    }
  }

  function note(name: ChildProcessName, identity: ProcessIdentity | undefined): void {
    if (identity) running[name] = identity
    else delete running[name]
    writeJsonFile(home.pids, running)
  }

  return {
    start: (plan: ChildProcessPlan) => void supervise(plan).catch(onRestartLimit),
    identityOf: (name: ChildProcessName) => running[name],
    /** Ends all in order; nothing is restarted from here on. */
    async stop() {
      stopping.abort()
      await stopInOrder({ ...running }, print)
      await rm(home.pids, { force: true })
    },
  }
}

function spawnWithLog({ command, args, umask, ...options }: ChildProcessPlan, log: string) {
  mkdirSync(dirname(log), { recursive: true })
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > logRotationBytes) renameSync(log, `${log}.1`)
  const file = openSync(log, 'a', 0o600)
  const ownUmask = umask === undefined ? undefined : process.umask(umask) // A child inherits it.
  try {
    return spawn(command, args, { ...options, detached: true, stdio: ['ignore', file, file] })
  } finally {
    if (ownUmask !== undefined) process.umask(ownUmask)
    closeSync(file)
  }
}

function readLogTail(log: string): string {
  return readFileSync(log, 'utf8').trimEnd().split('\n').slice(-15).join('\n')
}
