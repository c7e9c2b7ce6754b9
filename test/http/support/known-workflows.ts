import type { Client } from '@temporalio/client'
import { WorkflowNotFoundError } from '@temporalio/common'

/** A client of a Temporal that knows these workflows, by their ids, and starts none. */
export function createKnownWorkflowsClient(running: ReadonlySet<string>): Client {
  const getHandle = (id: string) => ({
    async describe() {
      if (running.has(id)) return { status: { name: 'RUNNING' } }
      throw new WorkflowNotFoundError('no such workflow', id, undefined)
    },
  })
  const withDeadline = <T>(_: number, call: () => Promise<T>) => call()
  return { workflow: { getHandle }, withDeadline } as unknown as Client
}
