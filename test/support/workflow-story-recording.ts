import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from '@jest/globals'
import type { Client } from '@temporalio/client'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'

export const historiesFolder = join(import.meta.dirname, '../replay/histories')

/**
 * With `RECORD_HISTORIES=1`, stores the history of an ended workflow under the name of the current test: what running
 * workflows have done already must stay replayable (test/replay).
 */
export async function recordHistory(client: Client, workflowId: string): Promise<void> {
  if (!process.env.RECORD_HISTORIES) return
  const handle = client.workflow.getHandle(workflowId)
  const { type } = await handle.describe()
  const folder = join(historiesFolder, type)
  await mkdir(folder, { recursive: true })
  const history = JSON.parse(historyToJSON(await handle.fetchHistory()), withoutPaths)
  await writeFile(
    join(folder, `${fileNameOf(expect.getState().currentTestName ?? 'story')}.json`),
    JSON.stringify(history),
  )
}

/** Stack traces contain paths of the recording machine, and replay ignores them. */
function withoutPaths(key: string, value: unknown): unknown {
  return key === 'stackTrace' ? '' : value
}

function fileNameOf(story: string): string {
  return story
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}
