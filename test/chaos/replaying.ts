import { type History, historyFromJSON } from '@temporalio/common/lib/proto-utils.js'
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker'
import { workflowBundle } from '../support/time-skipping-bundle.ts'
import type { Site } from './site.ts'
import type { World } from './world.ts'

/** Histories fetched and held at once. */
const BATCH = 200

/** The histories that the workflow code does not reproduce, as Temporal's JSON, by workflow id. */
export type FailedReplays = { failures: World['unreplayed']; histories: Map<string, string> }

/**
 * Replays the latest run of every given workflow. Most workflows stay in the cache of their worker and are never replayed in
 * production until a worker dies, so that an error of determinism would show itself only then.
 */
export async function failedReplays(site: Site, workflowIds: string[]): Promise<FailedReplays> {
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { filter: 'ERROR', forward: {} } },
  })
  const options = { workflowBundle: await workflowBundle() }
  const result: FailedReplays = { failures: [], histories: new Map() }
  for (let from = 0; from < workflowIds.length; from += BATCH) {
    const texts = await site.histories(workflowIds.slice(from, from + BATCH))
    for await (const { workflowId, error } of Worker.runReplayHistories(options, parsed(texts))) {
      if (!error) continue
      result.failures.push({ workflowId, error: error.message })
      result.histories.set(workflowId, texts.get(workflowId)!)
    }
  }
  return result
}

function* parsed(texts: Map<string, string>): Generator<{ workflowId: string; history: History }> {
  for (const [workflowId, text] of texts) yield { workflowId, history: historyFromJSON(JSON.parse(text)) }
}
