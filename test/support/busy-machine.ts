import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { spawnProgram } from './second-processes.ts'

/** Adds so much load to the machine: processes that never wait. Returns a function that ends them. */
export function makeMachineBusy(load: number): () => Promise<void> {
  const environment = { PATH: process.env.PATH }
  const processes = Array.from({ length: load }, () =>
    spawnProgram('test/support/programs/busy.mjs', environment),
  )
  return async () => {
    await Promise.all(processes.map(endProcess))
  }
}

async function endProcess(busy: ChildProcess): Promise<void> {
  if (busy.exitCode !== null || busy.signalCode !== null) return
  const end = once(busy, 'exit')
  busy.kill('SIGKILL')
  await end
}
