import { readJson, remove } from './home.ts'
import { type Identity, isAlive, signal } from './identity.ts'
import { pause, type Say } from './waiting.ts'

export type ChildName = 'api' | 'worker' | 'simulator' | 'temporal' | 'postgres'

/** Who ends first: nobody is left without those it needs. */
const ENDINGS: readonly { name: ChildName; signal: NodeJS.Signals; limitMs: number }[] = [
  { name: 'api', signal: 'SIGTERM', limitMs: 15_000 }, // Finishes the requests in flight.
  { name: 'worker', signal: 'SIGTERM', limitMs: 45_000 }, // Finishes its tasks; a call to a provider may take 30 s.
  { name: 'simulator', signal: 'SIGTERM', limitMs: 10_000 },
  { name: 'temporal', signal: 'SIGTERM', limitMs: 15_000 },
  { name: 'postgres', signal: 'SIGINT', limitMs: 60_000 }, // A "fast" shutdown, which writes a checkpoint.
]

/** What runs, by name: written at every change, so that the next start knows what a killed one left. */
export type Running = Partial<Record<ChildName, Identity>>

/** Ends what is still alive of these, one after the other. */
export async function endInOrder(running: Running, say: Say): Promise<void> {
  for (const { name, signal: byName, limitMs } of ENDINGS) {
    const one = running[name]
    if (!one || !isAlive(one)) continue
    signal(one, byName)
    if (await isGone(one, limitMs)) continue
    say(`${name} did not end within ${limitMs / 1000} s and is killed.`)
    signal(one, 'SIGKILL', 'group')
    await isGone(one, limitMs)
  }
}

/** Ends what a killed start left behind, and nobody else: a pid that was given away since is not ours. */
export async function endLeftovers(pidsFile: string, say: Say): Promise<void> {
  const left = (await readJson<Running>(pidsFile)) ?? {}
  const names = Object.entries(left).filter(([, one]) => isAlive(one))
  if (names.length > 0) say(`Ending what the last start left: ${names.map(([name]) => name).join(', ')}.`)
  await endInOrder(left, say)
  await remove(pidsFile)
}

async function isGone(one: Identity, limitMs: number): Promise<boolean> {
  const deadline = Date.now() + limitMs
  while (isAlive(one)) {
    if (Date.now() > deadline) return false
    await pause(25)
  }
  return true
}
