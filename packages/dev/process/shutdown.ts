import { rm } from 'node:fs/promises'
import { waitUntil } from '../../../src/startup/wait-until.ts'
import { tryReadJsonFile } from '../env/state-dir.ts'
import type { PrintLine } from '../os/waits.ts'
import { isProcessAlive, type ProcessIdentity, signalProcess } from './identity.ts'

export type ChildProcessName = 'api' | 'worker' | 'simulator' | 'temporal' | 'postgres'

/** Order of the shutdown: a process ends before those that it needs. */
const SHUTDOWN_ORDER: readonly { name: ChildProcessName; signal: NodeJS.Signals; limitMs: number }[] = [
  { name: 'api', signal: 'SIGTERM', limitMs: 15_000 }, // Finishes the requests in flight.
  { name: 'worker', signal: 'SIGTERM', limitMs: 45_000 }, // Finishes its tasks; a call to a provider may take 30 s.
  { name: 'simulator', signal: 'SIGTERM', limitMs: 10_000 },
  { name: 'temporal', signal: 'SIGTERM', limitMs: 15_000 },
  { name: 'postgres', signal: 'SIGINT', limitMs: 60_000 }, // A "fast" shutdown, which writes a checkpoint.
]

/** What runs, by name: written at every change, so that the next start knows what a killed one left. */
export type RunningProcesses = Partial<Record<ChildProcessName, ProcessIdentity>>

/** Ends what is still alive of these, one after the other. */
export async function stopInOrder(running: RunningProcesses, print: PrintLine): Promise<void> {
  for (const { name, signal, limitMs } of SHUTDOWN_ORDER) {
    const one = running[name]
    if (!one) continue
    const exit = { description: `${name} does not end`, limitMs, everyMs: 25 }
    signalProcess(one, signal)
    await waitUntil(() => !isProcessAlive(one), exit).catch(async () => {
      print(`${name} did not end within ${limitMs / 1000} s and is killed.`)
      signalProcess(one, 'SIGKILL', 'group')
      await waitUntil(() => !isProcessAlive(one), exit).catch(() => {})
    })
  }
}

/** Ends the processes that a killed start left, and no others: a pid may have been reused since. */
export async function stopLeftovers(pidsFile: string, print: PrintLine): Promise<void> {
  const leftovers = (await tryReadJsonFile<RunningProcesses>(pidsFile)) ?? {}
  const names = Object.entries(leftovers).filter(([, one]) => isProcessAlive(one))
  if (names.length > 0)
    print(`Ending processes of the previous start: ${names.map(([name]) => name).join(', ')}.`)
  await stopInOrder(leftovers, print)
  await rm(pidsFile, { force: true })
}
