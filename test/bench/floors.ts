import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Client, Connection, WithStartWorkflowOperation } from '@temporalio/client'
import { withMemoryFlags } from '../../packages/dev/env/memory-flags.ts'
import { repeatWhileBusy } from './busy-machine.ts'
import type { CallKind } from './callers.ts'
import { yieldCpu } from './cpu-share.ts'
import type { floorWorkflow, Step } from './floors/workflows.ts'

/** The floors under ours: update-with-start over the same server, with an empty workflow. */
export type Floors = {
  empty: CallKind
  /** As many hops as creating a charge may have. */
  localAndNormal: CallKind
  /** As many as sending a transfer may have. */
  localNormalLocal: CallKind
  /** As many as a transfer has until it settles: its provider's notification, then a poll, then its end. */
  localNormalLocalSignalled: CallKind
  stop(): Promise<void>
}

const FLOOR_PROGRAMS = ['Temporal', 'floor'] as const

export async function openFloors(address: string): Promise<Floors> {
  const taskQueue = `floors-${randomUUID().slice(0, 8)}`
  const worker = fork(fileURLToPath(new URL('./floors/worker.ts', import.meta.url)), [address, taskQueue], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // With the memory limit and the share of the CPU of our worker, which has a session of its own as well.
    env: withMemoryFlags(process.env),
    detached: true,
  })
  await Promise.all([once(worker, 'message'), yieldCpu(worker.pid!)])
  const connection = await Connection.connect({ address })
  const { workflow } = new Client({ connection })

  const begin = async (steps: Step[]): Promise<string> => {
    const workflowId = `floor/${randomUUID()}`
    await repeatWhileBusy(() => {
      const startWorkflowOperation = new WithStartWorkflowOperation<typeof floorWorkflow>('floorWorkflow', {
        workflowId,
        taskQueue,
        args: [steps],
        workflowIdConflictPolicy: 'USE_EXISTING',
      })
      return workflow.executeUpdateWithStart('stepsDone', { startWorkflowOperation, args: [] })
    })
    return workflowId
  }
  const floor = (what: string, steps: Step[]): CallKind => ({
    what: `floor: ${what}`,
    call: async () => (await begin(steps)) !== '',
    programs: FLOOR_PROGRAMS,
  })
  /** Signalled after the answer and not awaited, like a provider's notification. */
  const telling = new Set<Promise<void>>()

  return {
    empty: floor('empty', []),
    localAndNormal: floor('local + normal', ['local', 'normal']),
    localNormalLocal: floor('local + normal + local', ['local', 'normal', 'local']),
    localNormalLocalSignalled: {
      what: 'floor: local + normal + local, then signal + local',
      programs: FLOOR_PROGRAMS,
      async call() {
        const handle = workflow.getHandle(await begin(['local', 'normal', 'local']))
        const signalled = repeatWhileBusy(() => handle.signal('notification')).finally(() =>
          telling.delete(signalled),
        )
        telling.add(signalled)
        return true
      },
    },
    async stop() {
      await Promise.all(telling)
      const ended = once(worker, 'exit')
      worker.kill('SIGTERM')
      await ended
      await connection.close()
    },
  }
}
