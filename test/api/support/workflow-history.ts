import type { TestStack } from './test-stack.ts'

/** The events of a life, and every text that is in them. */
export async function readHistory(stage: TestStack, workflowId: string) {
  const client = await stage.connectTemporal()
  const events = (await client.workflow.getHandle(workflowId).fetchHistory()).events ?? []
  const text = Buffer.concat(collectBytes(events)).toString() + JSON.stringify(events)
  return { events, text }
}

/** Payloads are bytes: what they say is gathered wherever they are. */
function collectBytes(value: unknown): Buffer[] {
  if (value instanceof Uint8Array) return [Buffer.from(value)]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(collectBytes)
}
