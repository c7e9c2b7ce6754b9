import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from '@jest/globals'
import type { Client } from '@temporalio/client'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'

export const historiesFolder = join(import.meta.dirname, '../replay/histories')

/** Files of this process: a story that ends several workflows of one type keeps the last history. */
const written = new Set<string>()

/**
 * With `RECORD_HISTORIES=1`, stores the history of an ended workflow under the name of the current test: what running
 * workflows have done already must stay replayable (test/replay). A file that exists stays as it is, except with `RECORD_HISTORIES=overwrite`.
 */
export async function recordHistory(client: Client, workflowId: string): Promise<void> {
  if (!process.env.RECORD_HISTORIES) return
  const handle = client.workflow.getHandle(workflowId)
  const { type } = await handle.describe()
  const folder = join(historiesFolder, type)
  const history = JSON.parse(historyToJSON(await handle.fetchHistory()), withoutPaths)
  const file = join(folder, `${fileNameOf(expect.getState().currentTestName ?? 'story')}.json`)
  await writeHistory(file, JSON.stringify(history), process.env.RECORD_HISTORIES)
}

/** Writes a history; leaves a file of an earlier process as it is, unless `mode` is `overwrite`. */
export async function writeHistory(file: string, text: string, mode: string): Promise<void> {
  if (!['1', 'overwrite'].includes(mode)) throw new Error('RECORD_HISTORIES is 1 or overwrite.')
  if (mode === '1' && !written.has(file) && existsSync(file)) return
  written.add(file)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
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
