import { type LocalConfig, readLocalConfig } from '../config.ts'
import { bringUp, type Parts } from './bring-up.ts'
import { endLeftovers } from './endings.ts'
import { exists, type Home, homeIn, readJson, remove, writeJson, writeWhole } from './home.ts'
import { banner } from './local-file.ts'
import { type Lock, tryLock } from './lock.ts'
import { type PickedPorts, type Ports, pickPorts } from './ports.ts'
import { type Processes, processesIn } from './processes.ts'
import { LIMITS, orAborted, pause, type Say } from './waiting.ts'

/** Runs a whole Trilho until it is told to stop; returns the exit code. */
export async function runLocal(parts: Parts): Promise<number> {
  const ending = new AbortController()
  stopWhenTold(ending)
  try {
    const config = readLocalConfig()
    if (config.isRunByNpm) stopWithParent(ending)
    await runIn(homeIn(config.home), { config, parts, ending })
    return 0
  } catch (error) {
    if (error instanceof Told) return 0
    complain(error)
    return 1
  }
}

/** The home is this start's alone, from here to the end. */
async function runIn(
  home: Home,
  { config, parts, ending }: { config: LocalConfig; parts: Parts; ending: AbortController },
): Promise<void> {
  const since = Date.now()
  const lock = await lockOf(home, ending.signal)
  const processes = processesIn(home, { say, onGivenUp: error => ending.abort(error) })
  let picked: PickedPorts | undefined
  try {
    await Promise.all([remove(home.local), remove(home.stopping)])
    await endLeftovers(home.pids, say)
    picked = await pickedPorts(home, config)
    const site = { config, home, ports: picked.ports, processes, say, abort: ending.signal }
    const local = await bringUp(site, parts)
    writeJson(home.local, local, 0o600)
    say(banner(local, { file: home.local, seconds: Math.round((Date.now() - since) / 1000) }))
    await untilAborted(ending.signal)
  } catch (error) {
    ending.abort(error) // What still waits in the background ends too.
    throw ending.signal.reason
  } finally {
    await goDown(home, { processes, picked, lock })
  }
}

async function goDown(
  home: Home,
  { processes, picked, lock }: { processes: Processes; picked?: PickedPorts; lock: Lock },
): Promise<void> {
  say('Stopping …')
  writeWhole(home.stopping, '')
  await remove(home.local)
  await processes.stop()
  await picked?.release()
  await remove(home.stopping)
  await lock.release()
  say('Stopped.')
}

/** One that is going down is waited for; one that runs on is not to be disturbed. */
async function lockOf(home: Home, abort: AbortSignal): Promise<Lock> {
  const start = Date.now()
  for (;;) {
    const result = await tryLock(home.lock)
    if ('release' in result) return result
    const limitMs = (await exists(home.stopping)) ? LIMITS.lastOneMs : LIMITS.lastOneGraceMs
    if (Date.now() - start > limitMs) throw new RunsAlready(home, result.heldBy.pid)
    await pause(200, abort)
  }
}

class RunsAlready extends Error {
  constructor(home: Home, pid: number) {
    super(
      `Trilho runs already in ${home.folder} (process ${pid}): see ${home.local}. Set TRILHO_HOME for a second one.`,
    )
  }
}

async function pickedPorts(home: Home, config: LocalConfig): Promise<PickedPorts> {
  const remembered = (await readJson<Partial<Ports>>(home.ports)) ?? {}
  const picked = await pickPorts({ given: config.ports, remembered })
  writeJson(home.ports, { ...remembered, ...picked.kept })
  return picked
}

/** The reason of an ending that somebody asked for. */
class Told extends Error {}

/** However often it is told: the first time counts, and stopping goes on in order. */
function stopWhenTold(ending: AbortController): void {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => ending.abort(new Told(name)))
  }
  for (const bug of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(bug, (error: unknown) => ending.abort(error))
  }
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {}) // Its reader may leave.
}

/** An npm that was killed passes no signal on; who started it believes that nothing runs any more. */
function stopWithParent(ending: AbortController): void {
  const parent = process.ppid
  const watch = () => process.ppid !== parent && ending.abort(new Told('npm is gone'))
  setInterval(watch, 500).unref()
}

function untilAborted(abort: AbortSignal): Promise<never> {
  return orAborted(new Promise<never>(() => {}), abort)
}

const say: Say = line => void process.stdout.write(`${line}\n`)

function complain(error: unknown): void {
  const shown = error instanceof Error ? error.message : String(error)
  process.stderr.write(`\nTrilho did not start, or could not go on: ${shown}\n`)
}
