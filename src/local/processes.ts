import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type ChildName, endInOrder, type Running } from './endings.ts'
import { type Home, remove, writeJson } from './home.ts'
import { type Identity, identityOf } from './identity.ts'
import type { Say } from './waiting.ts'

export type ChildPlan = {
  name: ChildName
  command: string
  args: string[]
  env?: NodeJS.ProcessEnv
  cwd?: string
  uid?: number
  gid?: number
}

export type Processes = {
  start(plan: ChildPlan): void
  identityOf(name: ChildName): Identity | undefined
  /** Ends all in order; nothing is restarted from here on. */
  stop(): Promise<void>
}

/** A child that lived this long did start well: its next death is the first of a new row. */
const goodLifeMs = 10_000
const deathsInARow = 5
const firstDelayMs = 200
const largeLogBytes = 20_000_000

/**
 * Runs children, each in a process group of its own, so that a signal to the terminal's group reaches only us and
 * we end them in order. One that dies by itself is started again; after five short lives in a row all is given up.
 */
export function processesIn(
  home: Home,
  { say, onGivenUp }: { say: Say; onGivenUp: (error: Error) => void },
): Processes {
  const running: Running = {}
  const restarts = new Set<NodeJS.Timeout>()
  let stopping = false

  function launch(plan: ChildPlan, deaths: number): void {
    const since = Date.now()
    const child = spawnLogged(plan, home.log(plan.name))
    note(plan.name, child.pid === undefined ? undefined : identityOf(child.pid))
    child.once('error', error => {
      if (child.pid === undefined) onGivenUp(new Error(`${plan.name} cannot be started: ${error.message}`))
    })
    child.once('exit', (code, by) => {
      note(plan.name, undefined)
      if (stopping) return
      const inARow = Date.now() - since > goodLifeMs ? 1 : deaths + 1
      const how = by ? `by ${by}` : `with code ${code}`
      if (inARow >= deathsInARow) return onGivenUp(new GivenUp(plan.name, how, home.log(plan.name)))
      say(`${plan.name} ended ${how} and is started again.`)
      const restart = setTimeout(
        () => {
          restarts.delete(restart)
          launch(plan, inARow)
        },
        firstDelayMs * 2 ** inARow,
      )
      restarts.add(restart)
    })
  }

  function note(name: ChildName, identity: Identity | undefined): void {
    if (identity) running[name] = identity
    else delete running[name]
    writeJson(home.pids, running)
  }

  return {
    start: plan => launch(plan, 0),
    identityOf: name => running[name],
    stop: async () => {
      stopping = true
      for (const restart of restarts) clearTimeout(restart)
      await endInOrder({ ...running }, say)
      await remove(home.pids)
    },
  }
}

class GivenUp extends Error {
  constructor(name: ChildName, how: string, log: string) {
    super(`${name} ended ${deathsInARow} times in a row, at last ${how}. The end of ${log}:\n${endOf(log)}`)
  }
}

function spawnLogged({ command, args, env, cwd, uid, gid }: ChildPlan, log: string): ChildProcess {
  mkdirSync(dirname(log), { recursive: true })
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > largeLogBytes) renameSync(log, `${log}.1`)
  const file = openSync(log, 'a', 0o600)
  try {
    return spawn(command, args, { env, cwd, uid, gid, detached: true, stdio: ['ignore', file, file] })
  } finally {
    closeSync(file)
  }
}

function endOf(log: string): string {
  return readFileSync(log, 'utf8').trimEnd().split('\n').slice(-15).join('\n')
}
