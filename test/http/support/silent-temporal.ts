import type { Client } from '@temporalio/client'
import { WorkflowNotFoundError } from '@temporalio/common'
import { TemporalConnectionError } from '../../../src/http/outage.ts'

/** A Temporal that answers no call of a workflow. `record`: learns of each call, with what was sent as JSON. */
export function createSilentClient(record: (name: string, sent: string) => unknown): Client {
  const call =
    (name: string) =>
    async (...sent: unknown[]) => {
      await record(name, JSON.stringify(sent))
      throw new TemporalConnectionError('silent')
    }
  const methods: Record<string, unknown> = {
    withDeadline: (_: number, work: () => Promise<unknown>) => work(),
    describe: async (): Promise<never> => {
      throw new WorkflowNotFoundError('no such workflow', '', undefined)
    },
    getHandle: () => proxy,
  }
  const proxy: object = new Proxy(methods, {
    get: (known, name: string) =>
      name === 'then' ? undefined : name === 'workflow' ? proxy : (known[name] ?? call(name)),
  })
  return proxy as Client
}
