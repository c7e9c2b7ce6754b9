import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { readLocalConfig } from '../../packages/dev/config.ts'
import { withMemoryFlags } from '../../packages/dev/env/memory-flags.ts'
import { reserveFreePort } from '../../packages/dev/os/ports.ts'
import { waitUntilReady } from '../../packages/dev/services/startup.ts'
import type { Stack } from './stack.ts'

const READY_LIMIT_MS = 120_000
/** Before a process that exited is restarted. */
const RESTART_DELAY_MS = 1_000

/** A second API and a second worker over the servers of a stack, as another machine would run them. */
export async function startSecondProcesses(
  { home }: Stack,
  environment: NodeJS.ProcessEnv,
): Promise<{ apiUrl: string; stop(): Promise<void> }> {
  await using opening = new AsyncDisposableStack()
  const [api, worker] = await Promise.all([reserveFreePort(), reserveFreePort()])
  opening.defer(api.release)
  opening.defer(worker.release)
  const urlOf = ({ port }: { port: number }) => `http://127.0.0.1:${port}`
  const env = { ...environment, PORT: String(api.port), TRILHO_WORKER_PORT: String(worker.port) }
  const log = (name: string) => join(home.folder, 'logs', `second-${name}.log`)
  opening.defer(keepRunning('src/worker.ts', env, log('worker')))
  opening.defer(keepRunning('src/server.ts', env, log('api')))
  const abort = AbortSignal.timeout(READY_LIMIT_MS)
  await Promise.all([api, worker].map(one => waitUntilReady(urlOf(one), abort)))
  const apiUrl = urlOf(api)
  const resources = opening.move()
  return { apiUrl, stop: () => resources.disposeAsync() }
}

/** What another API or worker of a stack needs to know. */
export async function readProcessEnvironment({ local, home }: Stack, more: NodeJS.ProcessEnv) {
  return withMemoryFlags({
    ...readLocalConfig().environment,
    TRILHO_ENVIRONMENT: 'local',
    TRILHO_DRAIN_SECONDS: '0',
    DATABASE_URL: local.database_url,
    TEMPORAL_ADDRESS: local.temporal_address,
    TRILHO_SECRET_KEY: (await readFile(home.secretKey, 'utf8')).trim(),
    TRILHO_LOOPBACK_WEBHOOKS: 'true',
    TRILHO_STORAGE_FOLDER: home.files,
    TRILHO_PUBLIC_URL: local.api_url,
    NODE_EXTRA_CA_CERTS: home.simulatorCa,
    ...more,
  })
}

const END_WITH_PARENT = pathToFileURL(join(import.meta.dirname, 'programs/end-with-parent.mjs')).href

/** Starts a program of the repository. It ends with this process, also where that is killed, as at a time limit. */
export function spawnProgram(program: string, env: NodeJS.ProcessEnv, log?: number): ChildProcess {
  const root = join(import.meta.dirname, '../..')
  return spawn(process.execPath, ['--import', END_WITH_PARENT, join(root, program)], {
    cwd: root,
    env: { ...env, TEST_PARENT_PID: String(process.pid) },
    stdio: ['ignore', log ?? 'ignore', log ?? 'ignore'],
  })
}

export type SecondWorker = {
  child: ChildProcess
  /** Lines of its log so far. */
  lines(): Promise<{ level: number; msg: string }[]>
}

/**
 * Starts a second worker over the servers of a stack; `more` in addition to what it needs, or instead. It is not
 * restarted when it exits, and the caller stops it.
 */
export async function startSecondWorker(
  stack: Stack,
  name: string,
  more: NodeJS.ProcessEnv,
): Promise<SecondWorker> {
  const environment = await readProcessEnvironment(stack, more)
  const path = join(stack.home.folder, 'logs', `${name}.log`)
  const log = openSync(path, 'a')
  const child = spawnProgram('src/worker.ts', environment, log)
  closeSync(log)
  return {
    child,
    async lines() {
      const text = await readFile(path, 'utf8')
      return text
        .split('\n')
        .filter(line => line.startsWith('{'))
        .map(line => JSON.parse(line))
    },
  }
}

/** Longer than a worker takes to end, whatever it waits for. */
const STOP_LIMIT_MS = 90_000

/** Stops a program, and waits until it has ended. Kills one that does not end in time, and fails. */
export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  let isLate = false
  const killing = setTimeout(() => {
    isLate = true
    child.kill('SIGKILL')
  }, STOP_LIMIT_MS)
  await exit
  clearTimeout(killing)
  if (isLate) throw new Error(`${child.spawnargs.at(-1)} does not end within ${STOP_LIMIT_MS} ms of SIGTERM`)
}

/** Starts a program, again where it exits, as a supervisor would. Returns a function that stops it for good. */
function keepRunning(program: string, env: NodeJS.ProcessEnv, logPath: string): () => Promise<void> {
  const log = openSync(logPath, 'a')
  let isStopped = false
  let child = spawnProgram(program, env, log)
  const watch = () =>
    child.once('exit', async () => {
      await sleep(RESTART_DELAY_MS)
      if (isStopped) return
      child = spawnProgram(program, env, log)
      watch()
    })
  watch()
  return async () => {
    isStopped = true
    await stopProcess(child)
    closeSync(log)
  }
}
