import { type LocalConfig, readLocalConfig } from '../config.ts'
import { formatBanner } from './env/local-info.ts'
import {
  fileExists,
  removeFile,
  resolveStateDir,
  type StateDir,
  tryReadJsonFile,
  writeFileAtomically,
  writeJsonFile,
} from './env/state-dir.ts'
import { type FileLock, tryFileLock } from './os/file-lock.ts'
import { type PickedPorts, type Ports, pickPorts } from './os/ports.ts'
import { type PrintLine, pause, rejectOnAbort, WAIT_LIMITS } from './os/wait-until.ts'
import { stopLeftovers } from './process/shutdown.ts'
import { createSupervisor, type Supervisor } from './process/supervisor.ts'
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
    printStartError(error)
    return 1
  }
}

/** The home is this start's alone, from here to the end. */
async function runInStateDir(
  home: StateDir,
  { config, parts, ending }: { config: LocalConfig; parts: StackPrograms; ending: AbortController },
): Promise<void> {
  const since = Date.now()
  const lock = await acquireStateDirLock(home, ending.signal)
  const processes = createSupervisor(home, { print: printLine, onRestartLimit: error => ending.abort(error) })
  let picked: PickedPorts | undefined
  try {
    await Promise.all([removeFile(home.localInfo), removeFile(home.stoppingMarker)])
    await stopLeftovers(home.pids, printLine)
    picked = await pickAndSavePorts(home, config)
    const site = { config, home, ports: picked.ports, processes, print: printLine, abort: ending.signal }
    const local = await startStack(site, parts)
    writeJsonFile(home.localInfo, local, 0o600)
    printLine(formatBanner(local, { file: home.localInfo, seconds: Math.round((Date.now() - since) / 1000) }))
    await waitForAbort(ending.signal)
  } catch (error) {
    ending.abort(error) // What still waits in the background ends too.
    throw ending.signal.reason
  } finally {
    await shutDown(home, { processes, picked, lock })
  }
}

async function shutDown(
  home: StateDir,
  { processes, picked, lock }: { processes: Supervisor; picked?: PickedPorts; lock: FileLock },
): Promise<void> {
  printLine('Stopping …')
  writeFileAtomically(home.stoppingMarker, '')
  await removeFile(home.localInfo)
  await processes.stop()
  await picked?.release()
  await removeFile(home.stoppingMarker)
  await lock.release()
  printLine('Stopped.')
}

/** One that is going down is waited for; one that runs on is not to be disturbed. */
async function acquireStateDirLock(home: StateDir, abort: AbortSignal): Promise<FileLock> {
  const start = Date.now()
  for (;;) {
    const result = await tryFileLock(home.lock)
    if ('release' in result) return result
    const limitMs = (await fileExists(home.stoppingMarker))
      ? WAIT_LIMITS.previousRunMs
      : WAIT_LIMITS.previousRunGraceMs
    if (Date.now() - start > limitMs) throw new AlreadyRunningError(home, result.heldBy.pid)
    await pause(200, abort)
  }
}

class AlreadyRunningError extends Error {
  constructor(home: StateDir, pid: number) {
    super(
      `Trilho runs already in ${home.folder} (process ${pid}): see ${home.localInfo}. Set TRILHO_HOME for a second one.`,
    )
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

function waitForAbort(abort: AbortSignal): Promise<never> {
  return rejectOnAbort(new Promise<never>(() => {}), abort)
}

const printLine: PrintLine = line => void process.stdout.write(`${line}\n`)

function printStartError(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error)
  process.stderr.write(`\nTrilho did not start, or could not go on: ${text}\n`)
}
