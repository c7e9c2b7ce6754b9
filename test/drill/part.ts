import { closeSync, openSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { end, programOf } from '../support/second.ts'

const RESTART_MS = 500

export type Part = ReturnType<typeof startPart>

/** An API or a worker of a drill, started again when it ends by itself as a supervisor would. */
export function startPart(program: string, environment: NodeJS.ProcessEnv, logPath: string) {
  const log = openSync(logPath, 'a')
  let env = environment
  let isStopped = false
  let child = start()

  function start() {
    const started = programOf(program, env, log)
    started.once('exit', async () => {
      await sleep(RESTART_MS)
      if (!isStopped && started === child) child = start()
    })
    return started
  }

  return {
    logPath,
    signal(name: NodeJS.Signals) {
      child.kill(name)
    },
    /** Ends it without a signal it could handle; nothing starts it again before `startAgain`. */
    lose() {
      isStopped = true
      child.kill('SIGKILL')
    },
    startAgain() {
      isStopped = false
      child = start()
    },
    /** Ends it in order and starts it with these variables in addition. */
    async restartWith(more: NodeJS.ProcessEnv) {
      isStopped = true
      await end(child)
      env = { ...environment, ...more, NODE_OPTIONS: joined(environment.NODE_OPTIONS, more.NODE_OPTIONS) }
      isStopped = false
      child = start()
    },
    async stop() {
      isStopped = true
      child.kill('SIGCONT')
      await end(child)
      closeSync(log)
    },
  }
}

function joined(...options: (string | undefined)[]): string {
  return options.filter(Boolean).join(' ')
}
