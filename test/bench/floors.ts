import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Client, Connection, WithStartWorkflowOperation } from '@temporalio/client'
import type { Kind } from './callers.ts'
import type { floorLife, Step } from './floors/lives.ts'

/** The floors under ours: update-with-start over the same server, with nothing in it. */
export type Floors = {
  empty: Kind
  /** As many hops as creating a charge may have. */
  localAndNormal: Kind
  /** As many as sending a transfer may have. */
  localNormalLocal: Kind
  stop(): Promise<void>
}

export async function openFloors(address: string): Promise<Floors> {
  const taskQueue = `floors-${randomUUID().slice(0, 8)}`
  const worker = fork(fileURLToPath(new URL('./floors/worker.ts', import.meta.url)), [address, taskQueue], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await once(worker, 'message')
  const connection = await Connection.connect({ address })
  const client = new Client({ connection })

  const floor = (what: string, steps: Step[]): Kind => ({
    what: `floor: ${what}`,
    async call() {
      const workflowId = `floor/${randomUUID()}`
      const startWorkflowOperation = new WithStartWorkflowOperation<typeof floorLife>('floorLife', {
        workflowId,
        taskQueue,
        args: [steps],
        workflowIdConflictPolicy: 'USE_EXISTING',
      })
      await client.workflow.executeUpdateWithStart('stepped', { startWorkflowOperation, args: [] })
      return true
    },
  })

  return {
    empty: floor('empty', []),
    localAndNormal: floor('local + normal', ['local', 'normal']),
    localNormalLocal: floor('local + normal + local', ['local', 'normal', 'local']),
    async stop() {
      const ended = once(worker, 'exit')
      worker.kill('SIGTERM')
      await ended
      await connection.close()
    },
  }
}
