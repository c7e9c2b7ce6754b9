import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { readLocalConfig } from '../../src/config.ts'
import { endLeftovers } from '../../src/local/endings.ts'
import { type Home, homeIn, readJson } from '../../src/local/home.ts'
import type { LocalInfo } from '../../src/local/local-file.ts'
import { waitUntil } from '../../src/local/waiting.ts'
import { temporaryFolder } from './servers.ts'

export type StackOptions = {
  /** TRILHO_TIME_SCALE: every wait is divided by it. */
  timeScale?: number
  environment?: NodeJS.ProcessEnv
  /** The program to start, from the root of the repository; `npm start`'s own if absent. */
  program?: string
}

export type Stack = {
  /** What `local.json` says; anew after a restart. */
  readonly local: LocalInfo
  home: Home
  /** Everything it has printed. */
  output(): string
  /** SIGINT and its exit code, or what a kill left is ended; the home is removed. */
  stop(): Promise<number | null>
  /** Stops it unless it is gone, and starts it again in the same home, after something was done to that. */
  restart(meanwhile?: () => Promise<void>): Promise<void>
  /** Ends the start itself without a word; what it started lives on. */
  kill9(): Promise<void>
}

/** A whole Trilho as `npm start` runs it, in a home and on ports of its own. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const folder = await temporaryFolder()
  const home = homeIn(folder.path)
  let start: Start
  let local: LocalInfo

  async function up() {
    start = launch(home, options)
    local = await start.ready()
  }
  async function down() {
    const code = await start.end('SIGINT')
    await endLeftovers(home.pids, () => {})
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

type Start = ReturnType<typeof launch>

/** One run of the program. */
export function launch(home: Home, { timeScale, environment, program = 'src/local/start.ts' }: StackOptions) {
  const root = join(import.meta.dirname, '../..')
  const child = spawn(process.execPath, [join(root, program)], {
    cwd: root,
    env: {
      ...readLocalConfig().environment,
      ...anyFreePorts,
      ...(timeScale === undefined ? {} : { TRILHO_TIME_SCALE: String(timeScale) }),
      npm_lifecycle_event: 'start', // So that it ends with a test run that is killed.
      ...environment,
      TRILHO_HOME: home.folder,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => said.push(String(chunk)))
  const ended = new Promise<number | null>(resolve => child.once('close', code => resolve(code)))
  return {
    child,
    ended,
    output: () => said.join(''),
    ready: () => localInfo(home, child, said),
    end: (signal: NodeJS.Signals) => {
      child.kill(signal)
      return ended
    },
  }
}

const anyFreePorts = {
  PORT: '0',
  SIMULATOR_PORT: '0',
  SIMULATOR_PROVIDER_PORTS: '0,0,0,0',
  POSTGRES_PORT: '0',
  TEMPORAL_PORT: '0',
  TEMPORAL_UI_PORT: '0',
}

/** The file is there from the moment everything is ready; an old one of a killed start does not count. */
async function localInfo(home: Home, child: ChildProcess, said: string[]): Promise<LocalInfo> {
  await waitUntil(
    () => {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`It ended:\n${said.join('')}`)
      return said.some(text => text.includes(home.local))
    },
    { what: `It does not get ready:\n${said.join('')}`, limitMs: 120_000 },
  )
  const local = await readJson<LocalInfo>(home.local)
  if (!local) throw new Error(`It says it is ready, but ${home.local} cannot be read.`)
  return local
}
