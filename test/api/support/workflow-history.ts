import type { TestStack } from './test-stack.ts'

/** The events of a workflow's history, and every text in them. */
export async function readHistory(stage: TestStack, workflowId: string) {
  const client = await stage.connectTemporal()
  const events = (await client.workflow.getHandle(workflowId).fetchHistory()).events ?? []
  const text = Buffer.concat(collectBytes(events)).toString() + JSON.stringify(events)
  return { events, text }
}

/** Payloads are bytes: their texts are collected wherever they are. */
function collectBytes(value: unknown): Buffer[] {
  if (value instanceof Uint8Array) return [Buffer.from(value)]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(collectBytes)
}
