import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { removeFile, type StateDir, writeJsonFile } from '../env/state-dir.ts'
import type { PrintLine } from '../os/wait-until.ts'
import { findProcessIdentity, type ProcessIdentity } from './identity.ts'
import { type ChildProcessName, type RunningProcesses, stopInOrder } from './shutdown.ts'

export type ChildProcessPlan = {
  name: ChildProcessName
  command: string
  args: string[]
  env?: NodeJS.ProcessEnv
  cwd?: string
  uid?: number
  gid?: number
}

export type Supervisor = {
  start(plan: ChildProcessPlan): void
  identityOf(name: ChildProcessName): ProcessIdentity | undefined
  /** Ends all in order; nothing is restarted from here on. */
  stop(): Promise<void>
}

/** A child that lived this long did start well: its next death is the first of a new row. */
const stableUptimeMs = 10_000
const maxConsecutiveExits = 5
const initialRestartDelayMs = 200
const logRotationBytes = 20_000_000

/**
 * Runs children, each in a process group of its own, so that a signal to the terminal's group reaches only us and
 * we end them in order. One that exits by itself is started again; after five short runs in a row the start fails.
 */
export function createSupervisor(
  home: StateDir,
  { print, onRestartLimit: onGivenUp }: { print: PrintLine; onRestartLimit: (error: Error) => void },
): Supervisor {
  const running: RunningProcesses = {}
  const restarts = new Set<NodeJS.Timeout>()
  let stopping = false

  function launch(plan: ChildProcessPlan, deaths: number): void {
    const since = Date.now()
    const child = spawnWithLog(plan, home.log(plan.name))
    note(plan.name, child.pid === undefined ? undefined : findProcessIdentity(child.pid))
    child.once('error', error => {
      if (child.pid === undefined) onGivenUp(new Error(`${plan.name} cannot be started: ${error.message}`))
    })
    child.once('exit', (code, signal) => {
      note(plan.name, undefined)
      if (stopping) return
      const inARow = Date.now() - since > stableUptimeMs ? 1 : deaths + 1
      const exitText = signal ? `by ${signal}` : `with code ${code}`
      if (inARow >= maxConsecutiveExits)
        return onGivenUp(new RestartLimitError(plan.name, exitText, home.log(plan.name)))
      print(`${plan.name} ended ${exitText} and is started again.`)
      const restart = setTimeout(
        () => {
          restarts.delete(restart)
          launch(plan, inARow)
        },
        initialRestartDelayMs * 2 ** inARow,
      )
      restarts.add(restart)
    })
  }

  function note(name: ChildProcessName, identity: ProcessIdentity | undefined): void {
    if (identity) running[name] = identity
    else delete running[name]
    writeJsonFile(home.pids, running)
  }

  return {
    start: plan => launch(plan, 0),
    identityOf: name => running[name],
    stop: async () => {
      stopping = true
      for (const restart of restarts) clearTimeout(restart)
      await stopInOrder({ ...running }, print)
      await removeFile(home.pids)
    },
  }
}

class RestartLimitError extends Error {
  constructor(name: ChildProcessName, exitText: string, log: string) {
    super(
      `${name} ended ${maxConsecutiveExits} times in a row, at last ${exitText}. The end of ${log}:\n${readLogTail(log)}`,
    )
  }
}

function spawnWithLog({ command, args, env, cwd, uid, gid }: ChildProcessPlan, log: string): ChildProcess {
  mkdirSync(dirname(log), { recursive: true })
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > logRotationBytes) renameSync(log, `${log}.1`)
  const file = openSync(log, 'a', 0o600)
  try {
    return spawn(command, args, { env, cwd, uid, gid, detached: true, stdio: ['ignore', file, file] })
  } finally {
    closeSync(file)
  }
}

function readLogTail(log: string): string {
  return readFileSync(log, 'utf8').trimEnd().split('\n').slice(-15).join('\n')
}
