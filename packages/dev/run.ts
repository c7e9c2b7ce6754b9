import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { pause } from '../../src/startup/wait-until.ts'
import { type LocalConfig, readLocalConfig } from './config.ts'
import { formatBanner } from './env/local-info.ts'
import {
  createStateDir,
  resolveStateDir,
  type StateDir,
  tryReadJsonFile,
  writeJsonFile,
} from './env/state-dir.ts'
import { type FileLock, readLockHolder, tryFileLock } from './os/file-lock.ts'
import { type PickedPorts, type Ports, pickPorts } from './os/ports.ts'
import { type PrintLine, WAIT_LIMITS } from './os/waits.ts'
import { stopLeftovers } from './process/shutdown.ts'
import { createSupervisor } from './process/supervisor.ts'
import { type StackPrograms, startStack } from './start-stack.ts'

/** Runs all processes of Trilho until a signal stops them; returns the exit code. */
export async function runDevStack(parts: StackPrograms): Promise<number> {
  const ending = new AbortController()
  abortOnSignals(ending)
  try {
    const config = readLocalConfig()
    if (config.isRunByNpm) abortOnParentExit(ending)
    await runInStateDir(resolveStateDir(config.home), { config, parts, ending })
    return 0
  } catch (error) {
    if (error instanceof ShutdownRequested) return 0
    const text = error instanceof Error ? error.message : String(error)
    process.stderr.write(`\nTrilho did not start, or could not go on: ${text}\n`)
    return 1
  }
}

/** The home is this start's alone, from here to the end. */
async function runInStateDir(
  home: StateDir,
  { config, parts, ending }: { config: LocalConfig; parts: StackPrograms; ending: AbortController },
): Promise<void> {
  const since = performance.now()
  const abort = ending.signal
  printLine(`Starting Trilho in ${home.folder} …`)
  createStateDir(home.folder)
  const lock = await acquireStateDirLock(home, abort)
  const processes = createSupervisor(home, { print: printLine, onRestartLimit: error => ending.abort(error) })
  let picked: PickedPorts | undefined
  try {
    await rm(home.localInfo, { force: true })
    await stopLeftovers(home.pids, printLine)
    picked = await pickAndSavePorts(home, config)
    const site = { config, home, ports: picked.ports, processes, print: printLine, abort }
    const local = await startStack(site, parts)
    abort.throwIfAborted()
    writeJsonFile(home.localInfo, local, 0o600)
    printLine(
      formatBanner(local, { file: home.localInfo, seconds: Math.round((performance.now() - since) / 1000) }),
    )
    await once(abort, 'abort')
    throw abort.reason
  } catch (error) {
    ending.abort(error) // What still waits in the background ends too.
    throw abort.reason
  } finally {
    printLine('Stopping …')
    await rm(home.localInfo, { force: true })
    await processes.stop()
    picked?.release()
    lock.release()
    printLine('Stopped.')
  }
}

/** Waits for a start that is going up or down in this home; one that runs is not to be disturbed. */
async function acquireStateDirLock(home: StateDir, abort: AbortSignal): Promise<FileLock> {
  const start = performance.now()
  for (let waits = 0; ; waits++) {
    const lock = tryFileLock(home.lock)
    if (lock) return lock
    if (waits === 0) printLine(`Waiting for process ${readLockHolder(home.lock)}, which runs here …`)
    const limitMs = existsSync(home.localInfo) ? WAIT_LIMITS.previousRunGraceMs : WAIT_LIMITS.previousRunMs
    if (performance.now() - start > limitMs)
      throw new Error(
        `Trilho runs already in ${home.folder} (process ${readLockHolder(home.lock)}): see ${home.localInfo}. Set TRILHO_HOME for a second one.`,
      )
    await pause(200, abort)
  }
}

async function pickAndSavePorts(home: StateDir, config: LocalConfig): Promise<PickedPorts> {
  const remembered = (await tryReadJsonFile<Partial<Ports>>(home.ports)) ?? {}
  const picked = await pickPorts({ requested: config.ports, remembered })
  writeJsonFile(home.ports, { ...remembered, ...picked.portsToRemember })
  return picked
}

/** The reason of a requested stop. */
class ShutdownRequested extends Error {}

/** Handles stop signals: the first one counts, and the shutdown continues in order. */
function abortOnSignals(ending: AbortController): void {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => ending.abort(new ShutdownRequested(name)))
  }
  for (const bug of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(bug, (error: unknown) => ending.abort(error))
  }
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {}) // Its reader may leave.
}

/** An npm that was killed passes no signal on; who started it believes that nothing runs any more. */
function abortOnParentExit(ending: AbortController): void {
  const parent = process.ppid
  const watch = () => process.ppid !== parent && ending.abort(new ShutdownRequested('npm has exited'))
  setInterval(watch, 500).unref()
}

const printLine: PrintLine = line => void process.stdout.write(`${line}\n`)
