import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { readLocalConfig } from '../../packages/dev/config.ts'
import type { LocalInfo } from '../../packages/dev/env/local-info.ts'
import { resolveStateDir, type StateDir, tryReadJsonFile } from '../../packages/dev/env/state-dir.ts'
import { type RunningProcesses, stopLeftovers } from '../../packages/dev/process/shutdown.ts'
import { waitUntil } from '../../src/startup/wait-until.ts'
import { createTemporaryFolder } from './servers.ts'

export type StackOptions = {
  /** TRILHO_TIME_SCALE: every wait is divided by it. */
  timeScale?: number
  environment?: NodeJS.ProcessEnv
  /** The program to start, from the root of the repository; `npm start`'s own if absent. */
  program?: string
}

export type Stack = {
  /** The content of `local.json`; new after a restart. */
  readonly local: LocalInfo
  home: StateDir
  /** Everything it has printed. */
  output(): string
  /** SIGINT and its exit code, or the end of what a kill left; the home is removed. */
  stop(): Promise<number | null>
  /** Stops it unless it has exited, changes the home, and starts it again in the same one. */
  restart(meanwhile?: () => Promise<void>): Promise<void>
  /** Kills the start itself; its children keep running. */
  kill9(): Promise<void>
}

/** A whole Trilho as `npm start` runs it, in a home and on ports of its own. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const folder = await createTemporaryFolder()
  const home = resolveStateDir(folder.path)
  let start: StackProcess
  let local: LocalInfo

  async function up() {
    start = launchStack(home, options)
    local = await start.ready()
  }
  async function down() {
    const code = await start.end('SIGINT')
    await stopLeftovers(home.pids, () => {})
    return code
  }
  try {
    await up()
  } catch (error) {
    await down()
    await folder.remove()
    throw error
  }
  return {
    get local() {
      return local
    },
    home,
    output: () => start.output(),
    stop: async () => {
      const code = await down()
      await folder.remove()
      return code
    },
    restart: async meanwhile => {
      await start.end('SIGINT')
      await meanwhile?.()
      await up()
    },
    kill9: async () => {
      await start.end('SIGKILL')
    },
  }
}

/** Reads which processes of a stack run; none where it has not started any yet. */
export async function readRunningProcesses(home: StateDir): Promise<RunningProcesses> {
  return (await tryReadJsonFile<RunningProcesses>(home.pids)) ?? {}
}

type StackProcess = ReturnType<typeof launchStack>

/** One run of the program. */
export function launchStack(
  home: StateDir,
  { timeScale, environment, program = 'packages/dev/start.ts' }: StackOptions,
) {
  const root = join(import.meta.dirname, '../..')
  const child = spawn(process.execPath, [join(root, program)], {
    cwd: root,
    env: {
      ...readLocalConfig().environment,
      ...ANY_FREE_PORTS,
      ...(timeScale === undefined ? {} : { TRILHO_TIME_SCALE: String(timeScale) }),
      npm_lifecycle_event: 'start', // So that it ends with a test run that is killed.
      ...environment,
      TRILHO_HOME: home.folder,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => output.push(String(chunk)))
  const ended = new Promise<number | null>(resolve => child.once('close', code => resolve(code)))
  return {
    child,
    ended,
    output: () => output.join(''),
    ready: () => waitForLocalInfo(home, child, output),
    end: (signal: NodeJS.Signals) => {
      child.kill(signal)
      return ended
    },
  }
}

const ANY_FREE_PORTS = {
  PORT: '0',
  SIMULATOR_PORT: '0',
  SIMULATOR_PROVIDER_PORTS: '0,0,0,0',
  POSTGRES_PORT: '0',
  TEMPORAL_PORT: '0',
  TEMPORAL_UI_PORT: '0',
  TRILHO_WORKER_PORT: '0',
}

/** The file exists from the moment everything is ready; an old one of a killed start does not count. */
async function waitForLocalInfo(home: StateDir, child: ChildProcess, output: string[]): Promise<LocalInfo> {
  await waitUntil(
    () => {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`It ended:\n${output.join('')}`)
      return output.some(text => text.includes(home.localInfo))
    },
    { description: `It does not get ready:\n${output.join('')}`, limitMs: 600_000 },
  )
  const local = await tryReadJsonFile<LocalInfo>(home.localInfo)
  if (!local) throw new Error(`It says it is ready, but ${home.localInfo} cannot be read.`)
  return local
}
