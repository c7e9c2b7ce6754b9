import { closeSync, openSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { spawnProgram, stopProcess } from '../support/second-processes.ts'

const RESTART_MS = 500

export type DrillProcess = ReturnType<typeof startDrillProcess>

/** An API or a worker of a drill, restarted when it exits, as a supervisor would. */
export function startDrillProcess(program: string, environment: NodeJS.ProcessEnv, logPath: string) {
  const log = openSync(logPath, 'a')
  let env = environment
  let isStopped = false
  let isClosed = false
  let child = start()

  function start() {
    const started = spawnProgram(program, env, log)
    started.once('exit', async () => {
      await sleep(RESTART_MS)
      if (!isStopped && !isClosed && started === child) child = start()
    })
    return started
  }

  return {
    logPath,
    /** Sends a signal; returns the process that received it. */
    signal(name: NodeJS.Signals): { pid: number } {
      child.kill(name)
      return { pid: child.pid! }
    },
    /** Kills it without a signal it could handle; nothing restarts it before `startAgain`. */
    lose() {
      isStopped = true
      child.kill('SIGKILL')
    },
    startAgain() {
      if (isClosed) return
      isStopped = false
      child = start()
    },
    /** Stops it in order and starts it with these variables in addition. */
    async restartWith(more: NodeJS.ProcessEnv) {
      isStopped = true
      await stopProcess(child)
      if (isClosed) return
      env = {
        ...environment,
        ...more,
        NODE_OPTIONS: joinOptions(environment.NODE_OPTIONS, more.NODE_OPTIONS),
      }
      isStopped = false
      child = start()
    },
    /** Stops it for good. */
    async stop() {
      if (isClosed) return
      isClosed = true
      child.kill('SIGCONT')
      await stopProcess(child)
      closeSync(log)
    },
  }
}

function joinOptions(...options: (string | undefined)[]): string {
  return options.filter(Boolean).join(' ')
}
